#pragma once

#include "engine/model/fast_scratch.h"
#include "engine/model/fast_state.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <string_view>

namespace engine::fast {

/// A token of a call: which sequence it goes to and where.
struct Row {
    State* state = nullptr;
    int position = 0;
};

/// Neighbouring rows of one sequence, in the order of their positions.
struct Run {
    State* state = nullptr;
    int firstRow = 0;
    int rows = 0;
    int firstPosition = 0;
};

/// What every step of a call needs.
struct Call {
    const Hyperparameters& model;
    const PackedWeights& weights;
    std::span<const Row> rows;
    std::span<const Run> runs;
    ThreadPool& pool;
    Scratch& scratch;
    TraceObserver* observer = nullptr;

    int rowCount() const { return static_cast<int>(rows.size()); }
    const LayerHyperparameters& numbers(int layer) const
    {
        return model.layers[static_cast<std::size_t>(layer)];
    }
    const PackedLayer& layer(int index) const
    {
        return weights.layers[static_cast<std::size_t>(index)];
    }
    bool isParallel(int index) const { return isParallelLayer(model, layer(index)); }
    bool keepsLayerInput(int index) const { return keepsInput(model, layer(index)); }
    Call unobserved() const { return {model, weights, rows, runs, pool, scratch, nullptr}; }
    Block block(Slot slot, int columns) const { return scratch.block(slot, rowCount(), columns); }
    void trace(int layer, std::string_view name, const Block& values) const
    {
        if (observer != nullptr)
            observer->record(layer, name, values.values(), values.rows, values.columns);
    }

    /// body(row) for every row, on all threads.
    template <typename Body>
    void forRows(int count, const Body& body) const
    {
        pool.parallelFor(static_cast<std::size_t>(count), 1,
                         [&](std::size_t begin, std::size_t end) {
                             for (std::size_t row = begin; row < end; ++row)
                                 body(static_cast<int>(row));
                         });
    }

    /// body(thread, item) for every item, taken by whichever thread is free.
    template <typename Body>
    void forItems(int count, const Body& body) const
    {
        std::atomic<int> next = 0;
        const auto work = [&](int thread) {
            for (int item = next.fetch_add(1); item < count; item = next.fetch_add(1))
                body(thread, item);
        };
        if (count == 1)
            work(0);
        else
            pool.run(work);
    }
};

/// One matrix of a product and where its result goes.
struct Product {
    const PackedLinear* linear = nullptr;
    Block out;
};

/// All products with the same input, in one parallel region. Linears that are not there are left
/// out. At most 4.
void multiply(const Call& call, const Block& in, std::span<const Product> products);
/// The same for rows that lie `stride` apart.
void multiplyStrided(const Call& call, const float* in, std::size_t stride,
                     std::span<const Product> products, std::size_t outStride);

/// Normalizes one vector of `columns`; `out` may be `x`.
void normalize(const PackedNorm& norm, NormKind kind, float epsilon, const float* x, float* out,
               int columns);
/// Every row; `out` may be `x`.
void normalize(const Call& call, const PackedNorm& norm, NormKind kind, const Block& x,
               const Block& out);
inline void normalize(const Call& call, const PackedNorm& norm, NormKind kind, const Block& x)
{
    normalize(call, norm, kind, x, x);
}

/// act(gate) * up, or act(up) where `gate` is null, in place of `up`; both factors cut off at
/// `limit` where there is one.
void combine(const Call& call, int layer, float limit, float* gate, float* up, int columns);

// The parts of a layer. Each reads the (normed) residual stream of all rows and writes what is
// added to it, `index` being the layer's. Mixers also move the rows' states on.
void attention(const Call& call, int index, const Block& x, const Block& result);
void latentAttention(const Call& call, int index, const Block& x, const Block& result);
void shortConvolution(const Call& call, int index, const Block& x, const Block& out);
void mamba(const Call& call, int index, const Block& x, const Block& out);
void mamba2(const Call& call, int index, const Block& x, const Block& out);
void gatedDeltaNet(const Call& call, int index, const Block& x, const Block& out);
void rwkvTimeMix(const Call& call, int index, const Block& x, const Block& out);
void rwkv7TimeMix(const Call& call, int index, const Block& x, const Block& out);
void plamoMamba(const Call& call, int index, const Block& x, const Block& out);
void kimiDelta(const Call& call, int index, const Block& x, const Block& out);
void rwkvChannelMix(const Call& call, int index, const Block& x, const Block& out);
void denseNetwork(const Call& call, int index, const Block& x, const Block& out);
/// `routed` is what the router reads; `x` what the experts read.
void expertNetwork(const Call& call, int index, const Block& x, const Block& routed,
                   const Block& out);

/// What each token has for each layer beside its embedding, (rows, layers * per-layer length); no
/// columns where the family has no such inputs.
Block perLayerInputs(const Call& call, std::span<const TokenId> tokens, const Block& embedded);
/// What a layer makes of `x` and its part of them (which is gone then), to be added.
Block perLayerOutput(const Call& call, int index, const Block& inputs, const Block& x);

/// The rotation angles of all rows.
void prepareAngles(const Call& call);
/// The residual stream before the first layer.
void embedTokens(const Call& call, std::span<const TokenId> tokens, const Block& x);
/// All layers, in place on the residual stream.
void runLayers(const Call& call, std::span<const TokenId> tokens, const Block& x);

} // namespace engine::fast
