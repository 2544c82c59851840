#pragma once

#include "engine/kernels/activations.h"
#include "engine/kernels/aligned_buffer.h"
#include "engine/model/expert_routing.h"
#include "engine/model/fast_weights.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace engine::fast {

/// (rows, columns) in scratch memory, a row being a position; owns nothing.
struct Block {
    float* data = nullptr;
    int rows = 0;
    int columns = 0;

    float* row(int index) const
    {
        return data + static_cast<std::size_t>(index) * static_cast<std::size_t>(columns);
    }
    std::size_t stride() const { return static_cast<std::size_t>(columns); }
    std::span<float> values() const
    {
        return {data, static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)};
    }
};

/// The places of a layer's intermediates; each is used for one thing at a time.
enum class Slot : std::uint8_t {
    Residual,
    Embedded,
    FirstValue, ///< of the first layer (RWKV 7)
    LayerInput,
    Normed,
    NetworkInput,
    Added, ///< what a part of a layer adds to the residual stream
    // Of the mixer.
    OtherMixer,
    Query,
    QueryPart,
    AttentionGate,
    Key,
    Value,
    Attention,
    LatentLow,
    LatentBoth,
    LatentQuery,
    LatentRead,
    MixerIn,
    MixerConv,
    MixerGate,
    MixerParameters,
    MixerStep,
    MixerRates,
    MixerScan,
    // Of the feed-forward network; they lie where the mixer's were.
    FfnGate,
    FfnUp,
    Router,
    ExpertInput,
    ExpertOutput,
    ExpertSum,
    ExpertLatent,
    ExpertLatentSum,
    // Of both.
    RouterInput,
    PerLayerInputs,
    PerLayerLookup,
    PerLayerGate,
    Streams,
    Predictions,
    Modalities,
    StreamParts,
    LaurelLow,
    Laurel,
    RoundedInputs,
    ChangeLow,
    ChangeOut,
    Count,
};

/// True where the network reads what the mixer read, and not what it gave.
bool isParallelLayer(const Hyperparameters& model, const PackedLayer& layer);

/// True where a part of the layer reads the stream from before its mixer.
bool keepsInput(const Hyperparameters& model, const PackedLayer& layer);

/// Memory for the intermediates of at most `maxRows` positions, allocated once. One thread at a
/// time hands it out. The model must outlive it.
class Scratch {
public:
    static Result<Scratch> create(const Hyperparameters& model, const PackedWeights& weights,
                                  int maxRows, int threads);

    /// REQUIRES: rows <= maxRows and columns <= the slot's width in this model.
    Block block(Slot slot, int rows, int columns)
    {
        return {m_data[static_cast<std::size_t>(slot)], rows, columns};
    }
    Activations& activations() { return m_activations; }
    ExpertRouter& router() { return m_router; }
    std::span<float> attention(int thread)
    {
        return {m_attention + static_cast<std::size_t>(thread) * m_attentionFloats,
                m_attentionFloats};
    }

    /// Angles of the call's rows: cosines then sines, (rows, pairs) each, of rotated layers without
    /// and with a window.
    float* cosines(bool windowed, int row) { return angles(windowed, row); }
    float* sines(bool windowed, int row) { return angles(windowed, row) + m_pairs; }

    std::uint64_t bytes() const;

private:
    explicit Scratch(const Hyperparameters& model)
        : m_router(model.experts, model.architecture->experts.chooseByLogits)
    {
    }
    float* angles(bool windowed, int row)
    {
        return m_angles.data() +
               (static_cast<std::size_t>(row) * 2 + (windowed ? 1 : 0)) * 2 * m_pairs;
    }

    AlignedBuffer m_buffer;
    std::array<float*, static_cast<std::size_t>(Slot::Count)> m_data{};
    Activations m_activations;
    ExpertRouter m_router;
    AlignedBuffer m_attentionBuffer;
    float* m_attention = nullptr;
    std::size_t m_attentionFloats = 0;
    std::vector<float> m_angles;
    std::size_t m_pairs = 0;
};

} // namespace engine::fast
