#include "engine/model/reference_call.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>

namespace engine::reference {

/// Gemma 3n: beside the embedding every token has a small vector for each layer, looked up and made
/// of the embedding, in equal parts.
Matrix perLayerInputs(const Call& call, std::span<const TokenId> tokens, const Matrix& embedded)
{
    const Weights& weights = call.weights;
    if (!weights.perLayerModelProj) return {};
    const auto length = static_cast<float>(call.model.perLayerLength);
    const auto width = static_cast<float>(call.model.embeddingLength);

    Matrix inputs = multiply(weights.perLayerModelProj, embedded);
    scale(inputs.values, 1 / std::sqrt(width));
    normalize(inputs, weights.perLayerProjNorm, NormKind::Rms, call.model.layerNormRmsEpsilon);
    const bool looksUp = weights.perLayerTokenEmbd.data != nullptr;
    for (int r = 0; looksUp && r < inputs.rows; ++r) {
        std::vector<float> looked =
            readRow(weights.perLayerTokenEmbd, tokens[static_cast<std::size_t>(r)]);
        scale(looked, std::sqrt(length));
        add(inputs.row(r), looked);
    }
    if (looksUp) scale(inputs.values, 1 / std::sqrt(2.0F));
    call.trace(-1, trace::kPerLayerInputs, inputs);
    return inputs;
}

/// What a layer adds for its part of the per-layer inputs: norm(proj(gelu(gate(x)) * input)).
Matrix perLayerOutput(const Call& call, int index, const Matrix& x, const Matrix& inputs)
{
    const LayerWeights& layer = call.layer(index);
    const int length = call.model.perLayerLength;
    Matrix gate = multiply(layer.perLayerGate, x);
    for (int r = 0; r < x.rows; ++r) {
        const auto input = slice(inputs.row(r), index * length, length);
        for (std::size_t i = 0; i < input.size(); ++i)
            gate.row(r)[i] = activate(call.model.activation, gate.row(r)[i]) * input[i];
    }
    Matrix y = multiply(layer.perLayerProj, gate);
    normalize(y, layer.perLayerPostNorm, NormKind::Rms, call.model.layerNormRmsEpsilon);
    call.trace(index, trace::kPerLayerOutput, y);
    return y;
}

} // namespace engine::reference
