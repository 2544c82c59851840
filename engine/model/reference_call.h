#pragma once

#include "engine/model/reference_math.h"
#include "engine/model/reference_state.h"

#include <span>
#include <string_view>

namespace engine::reference {

/// A token of a call: which sequence it goes to and where.
struct Row {
    State* state = nullptr;
    int position = 0;
};

/// What every step of a call needs. Rows of one sequence are in the order of their positions.
struct Call {
    const Hyperparameters& model;
    const Weights& weights;
    std::span<const Row> rows;
    TraceObserver* observer = nullptr;
    Matrix* firstValue = nullptr; ///< RWKV 7: values of the first layer, for the others

    const LayerHyperparameters& numbers(int layer) const
    {
        return model.layers[static_cast<std::size_t>(layer)];
    }
    const LayerWeights& layer(int layer) const
    {
        return weights.layers[static_cast<std::size_t>(layer)];
    }
    void trace(int layer, std::string_view name, const Matrix& values) const
    {
        if (observer != nullptr)
            observer->record(layer, name, values.values, values.rows, values.columns);
    }
};

// The parts of a layer. Each takes the (normed) residual stream of all rows, (rows, embedding), and
// gives what is added to it, `index` being the layer's. Mixers also move the rows' states on.

Matrix attention(const Call& call, int index, const Matrix& x);
Matrix latentAttention(const Call& call, int index, const Matrix& x);
Matrix shortConvolution(const Call& call, int index, const Matrix& x);
Matrix mamba(const Call& call, int index, const Matrix& x);
Matrix mamba2(const Call& call, int index, const Matrix& x);
Matrix gatedDeltaNet(const Call& call, int index, const Matrix& x);
Matrix rwkvTimeMix(const Call& call, int index, const Matrix& x);
Matrix rwkv7TimeMix(const Call& call, int index, const Matrix& x);
Matrix plamoMamba(const Call& call, int index, const Matrix& x);
Matrix kimiDelta(const Call& call, int index, const Matrix& x);
Matrix rwkvChannelMix(const Call& call, int index, const Matrix& x);
Matrix denseNetwork(const Call& call, int index, const Matrix& x);
/// `routed` is what the router reads; `x` what the experts read.
Matrix expertNetwork(const Call& call, int index, const Matrix& x, const Matrix& routed);

/// What each token has for each layer beside its embedding, (tokens, layers * per-layer length);
/// nothing where the family has no such inputs.
Matrix perLayerInputs(const Call& call, std::span<const TokenId> tokens, const Matrix& embedded);
/// What a layer adds for its part of them.
Matrix perLayerOutput(const Call& call, int index, const Matrix& x, const Matrix& inputs);

} // namespace engine::reference
