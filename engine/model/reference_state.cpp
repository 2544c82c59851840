#include "engine/model/reference_state.h"

#include <algorithm>

namespace engine::reference {

namespace {

/// Numbers a position leaves in a layer's keys and in its values.
struct CacheWidths {
    int key = 0;
    int value = 0;
};

CacheWidths cacheWidths(const Hyperparameters& model, std::size_t index)
{
    const LayerHyperparameters& layer = model.layers[index];
    if (layer.kvLayer != static_cast<int>(index)) return {};
    if (layer.mixer == MixerKind::LatentAttention)
        return {model.latent.kvLoraRank + model.rope.dimensionCount, 0};
    if (!layer.hasAttention()) return {};
    return {layer.keyWidth(), layer.valueWidth()};
}

/// Inputs a layer's convolution looks back on, and the size of its recurrent state.
void sizeRecurrent(LayerState& state, const Hyperparameters& model,
                   const LayerHyperparameters& layer)
{
    const SsmHyperparameters& ssm = model.ssm;
    int channels = 0;
    int kernel = ssm.convKernel;
    int recurrent = ssm.innerSize * ssm.stateSize;
    switch (layer.mixer) {
    case MixerKind::ShortConvolution:
        channels = model.embeddingLength;
        kernel = model.shortConvLength;
        recurrent = 0;
        break;
    case MixerKind::Rwkv6:
    case MixerKind::Rwkv7: // the last inputs of both mixings; a matrix for each head
        channels = 2 * model.embeddingLength;
        kernel = 2;
        recurrent = model.embeddingLength * model.rwkv.headSize;
        break;
    case MixerKind::PlamoMamba:
    case MixerKind::Mamba:
        channels = ssm.innerSize;
        break;
    case MixerKind::Mamba2:
    case MixerKind::AttentionAndMamba2:
    case MixerKind::GatedDeltaNet:
    case MixerKind::KimiDelta:
        channels = ssm.innerSize + 2 * ssm.groupCount * ssm.stateSize;
        break;
    default:
        return;
    }
    state.conv.assign(static_cast<std::size_t>(kernel - 1) * static_cast<std::size_t>(channels), 0);
    state.recurrent.assign(static_cast<std::size_t>(recurrent), 0);
}

} // namespace

State::State(const Hyperparameters& model, const Weights& weights, int contextLength, KvType kv)
    : m_model(model)
    , m_capacity(contextLength)
    , m_kv(kv)
    , m_layers(model.layers.size())
{
    const RopeLayout layout = model.ropeLayout;
    const std::vector<float> factors = ropeFactors(weights, model, contextLength);
    m_rope = RopeTable::create(model.rope, layout, factors);
    const bool scaled = model.architecture->window.ropeScaled;
    m_ropeSliding =
        RopeTable::create(model.ropeSliding, layout,
                          scaled ? std::span<const float>(factors) : std::span<const float>{});
    reset();
}

void State::reset()
{
    m_length = 0;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        m_layers[i] = {};
        sizeRecurrent(m_layers[i], m_model, m_model.layers[i]);
    }
}

int State::truncate(int length)
{
    length = truncatedLength(length);
    if (length == 0) {
        reset();
        return 0;
    }
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        const CacheWidths widths = cacheWidths(m_model, i);
        const auto positions = static_cast<std::size_t>(length);
        m_layers[i].keys.resize(positions * static_cast<std::size_t>(widths.key));
        m_layers[i].values.resize(positions * static_cast<std::size_t>(widths.value));
    }
    m_length = length;
    return length;
}

std::uint64_t State::sizeBytes() const
{
    std::uint64_t numbers = 0;
    for (const LayerState& layer : m_layers)
        numbers +=
            layer.keys.size() + layer.values.size() + layer.conv.size() + layer.recurrent.size();
    return numbers * sizeof(float);
}

} // namespace engine::reference
