#include "engine/model/fast_state.h"

#include <algorithm>
#include <cstring>

namespace engine::fast {

namespace {

/// The ends of two prompts, and the same places a turn earlier.
constexpr std::size_t kMostCheckpoints = 4;

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
    case MixerKind::PlamoMamba:
    case MixerKind::Mamba:
        return {ssm.innerSize, ssm.convKernel, ssm.innerSize * ssm.stateSize};
    case MixerKind::Mamba2:
    case MixerKind::AttentionAndMamba2:
    case MixerKind::GatedDeltaNet:
    case MixerKind::KimiDelta:
        return {mixed, ssm.convKernel, ssm.innerSize * ssm.stateSize};
    case MixerKind::Rwkv6:
    case MixerKind::Rwkv7: // the last inputs of both mixings; a matrix for each head
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
    m_checkpoints.clear();
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

State::WayBack State::wayBack(int length) const
{
    if (length == m_length) return {length};
    const bool recurs = m_model.hasRecurrentLayers();
    if (!recurs && m_cache.canRewind(length, m_written)) return {length};
    WayBack best;
    for (const Checkpoint& checkpoint : m_checkpoints) {
        int reached = checkpoint.length;
        if (reached > length)
            reached = !recurs && m_cache.canRewind(length, checkpoint.written) ? length : 0;
        if (reached > best.length) best = {reached, &checkpoint};
    }
    return best;
}

int State::truncate(int length)
{
    const WayBack way = wayBack(length);
    if (way.length == 0) {
        reset();
        return 0;
    }
    if (way.from != nullptr) {
        m_written = way.from->written;
        std::ranges::copy(way.from->recurrent, m_recurrent.begin());
        if (way.from->pages.size() > 0)
            m_cache.restoreReusedPages(way.from->written, way.from->pages);
    }
    m_length = way.length;
    // Of a checkpoint that lies ahead the positions will be written anew.
    std::erase_if(m_checkpoints, [this](const Checkpoint& c) { return c.length > m_length; });
    return m_length;
}

void State::remember()
{
    const bool recurs = m_model.hasRecurrentLayers();
    const bool reuses = m_cache.hasReusedPages();
    if (m_length == 0 || (!recurs && !reuses)) return;
    std::erase_if(m_checkpoints, [this](const Checkpoint& c) { return c.length == m_length; });
    // A window's pages reach back from the newest place; a recurrent state is of one place alone.
    const std::size_t most = recurs ? kMostCheckpoints : 1;
    Checkpoint checkpoint;
    if (m_checkpoints.size() >= most) {
        checkpoint = std::move(m_checkpoints.front());
        m_checkpoints.erase(m_checkpoints.begin());
    }
    checkpoint.length = m_length;
    checkpoint.written = m_written;
    if (recurs) checkpoint.recurrent = m_recurrent;
    // Without memory for it the place is not remembered; what depends on it is computed again.
    if (reuses && !m_cache.saveReusedPages(m_written, checkpoint.pages)) return;
    m_checkpoints.push_back(std::move(checkpoint));
}

Result<std::unique_ptr<SequenceState>> State::copy() const
{
    std::unique_ptr<State> other(new State(m_model));
    TRY_ASSIGN(other->m_cache, m_cache.copy(m_length));
    TRY_ASSIGN(other->m_attentionParts, AlignedBuffer::allocate(m_attentionParts.size()));
    for (const Checkpoint& checkpoint : m_checkpoints) {
        Checkpoint& twin = other->m_checkpoints.emplace_back();
        twin.length = checkpoint.length;
        twin.written = checkpoint.written;
        twin.recurrent = checkpoint.recurrent;
        TRY_ASSIGN(twin.pages, AlignedBuffer::allocate(checkpoint.pages.size()));
        if (twin.pages.size() > 0)
            std::memcpy(twin.pages.data(), checkpoint.pages.data(), twin.pages.size());
    }
    other->m_recurrent = m_recurrent;
    other->m_rope = m_rope;
    other->m_ropeSliding = m_ropeSliding;
    other->m_length = m_length;
    other->m_written = m_written;
    return other;
}

std::uint64_t State::fixedBytes() const
{
    const auto sum = [](const std::vector<RecurrentState>& layers) {
        std::size_t floats = 0;
        for (const RecurrentState& layer : layers)
            floats += layer.conv.size() + layer.state.size();
        return floats * sizeof(float);
    };
    std::uint64_t bytes = sum(m_recurrent);
    for (const Checkpoint& checkpoint : m_checkpoints)
        bytes += sum(checkpoint.recurrent) + checkpoint.pages.size();
    return bytes;
}

std::uint64_t State::sizeBytes() const
{
    return m_cache.sizeBytes() + fixedBytes();
}

std::uint64_t State::usedBytes() const
{
    return m_cache.usedBytes(m_length) + fixedBytes();
}

} // namespace engine::fast
