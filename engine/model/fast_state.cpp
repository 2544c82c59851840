#include "engine/model/fast_state.h"

#include <algorithm>

namespace engine::fast {

namespace {

struct RecurrentSizes {
    int channels = 0;
    int kernel = 0;
    int state = 0;
};

RecurrentSizes recurrentSizes(const Hyperparameters& model, const LayerHyperparameters& layer)
{
    const SsmHyperparameters& ssm = model.ssm;
    const int mixed = ssm.innerSize + 2 * ssm.groupCount * ssm.stateSize;
    switch (layer.mixer) {
    case MixerKind::ShortConvolution:
        return {model.embeddingLength, model.shortConvLength, 0};
    case MixerKind::Mamba:
        return {ssm.innerSize, ssm.convKernel, ssm.innerSize * ssm.stateSize};
    case MixerKind::Mamba2:
    case MixerKind::AttentionAndMamba2:
    case MixerKind::GatedDeltaNet:
        return {mixed, ssm.convKernel, ssm.innerSize * ssm.stateSize};
    case MixerKind::Rwkv6: // the last inputs of both mixings; a matrix for each head
        return {model.embeddingLength, 3, model.embeddingLength * model.rwkv.headSize};
    case MixerKind::None:
    case MixerKind::Attention:
    case MixerKind::LatentAttention:
    case MixerKind::Projection:
        return {};
    }
    return {};
}

} // namespace

KvLayerShape kvLayerShape(const Hyperparameters& model, std::size_t index, KvType kv)
{
    const LayerHyperparameters& layer = model.layers[index];
    if (layer.kvLayer != static_cast<int>(index)) return {};
    if (layer.mixer == MixerKind::LatentAttention) {
        const int rank = model.latent.kvLoraRank;
        return {{kv, rank + model.rope.dimensionCount, rank}, 1, 0};
    }
    if (!layer.hasAttention()) return {};
    const WindowKind window = model.windowKind;
    // A chunk reaches back no further than its own length.
    const bool bounded = window == WindowKind::Causal || window == WindowKind::Chunked;
    return {{kv, layer.keyLength, layer.valueLength},
            layer.headCountKv,
            bounded ? layer.slidingWindow : 0};
}

namespace {

/// None where a context is no longer than a span.
std::size_t partFloats(const Hyperparameters& model, std::span<const KvLayerShape> shapes,
                       int contextLength)
{
    if (contextLength <= kSpanPositions) return 0;
    int heads = 0;
    std::size_t each = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        heads = std::max(heads, model.layers[i].headCount);
        if (shapes[i].heads > 0) each = std::max(each, attendPartFloats(shapes[i].layout));
    }
    return static_cast<std::size_t>(heads) * each *
           static_cast<std::size_t>(contextLength / kSpanPositions + 1);
}

} // namespace

Result<std::unique_ptr<State>> State::create(const Hyperparameters& model, const Weights& weights,
                                             int contextLength, KvType kv, int batch)
{
    std::unique_ptr<State> state(new State(model));
    std::vector<KvLayerShape> shapes;
    shapes.reserve(model.layers.size());
    for (std::size_t layer = 0; layer < model.layers.size(); ++layer)
        shapes.push_back(kvLayerShape(model, layer, kv));
    TRY_ASSIGN(state->m_cache, KvCache::create(shapes, contextLength, batch));
    TRY_ASSIGN(state->m_attentionParts,
               AlignedBuffer::allocate(partFloats(model, shapes, contextLength) * sizeof(float)));
    const RopeLayout layout = model.ropeLayout;
    const std::vector<float> factors = ropeFactors(weights, model, contextLength);
    state->m_rope = RopeTable::create(model.rope, layout, factors);
    const bool scaled = model.architecture->window.ropeScaled;
    state->m_ropeSliding =
        RopeTable::create(model.ropeSliding, layout,
                          scaled ? std::span<const float>(factors) : std::span<const float>{});
    state->m_recurrent.resize(model.layers.size());
    state->reset();
    return state;
}

void State::reset()
{
    m_length = 0;
    m_written = 0;
    for (std::size_t i = 0; i < m_recurrent.size(); ++i) {
        const RecurrentSizes sizes = recurrentSizes(m_model, m_model.layers[i]);
        const auto past = static_cast<std::size_t>(std::max(0, sizes.kernel - 1));
        m_recurrent[i].conv.assign(past * static_cast<std::size_t>(sizes.channels), 0.0F);
        m_recurrent[i].state.assign(static_cast<std::size_t>(sizes.state), 0.0F);
    }
}

void State::grow(int positions)
{
    m_length += positions;
    m_written = std::max(m_written, m_length);
}

bool State::truncate(int length)
{
    if (length == m_length) return true;
    if (length == 0 || m_model.hasRecurrentLayers() || !m_cache.canRewind(length, m_written)) {
        reset();
        return length == 0;
    }
    m_length = length;
    return true;
}

std::uint64_t State::sizeBytes() const
{
    std::uint64_t bytes = m_cache.sizeBytes();
    for (const RecurrentState& layer : m_recurrent)
        bytes += (layer.conv.size() + layer.state.size()) * sizeof(float);
    return bytes;
}

} // namespace engine::fast
