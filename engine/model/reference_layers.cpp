#include "engine/model/reference_layers.h"

#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>

namespace engine::reference {

namespace {

/// Where the family has this norm: the normed copy of x, seen by the observer. Otherwise x itself.
Matrix normed(const Call& call, int layer, const NormWeights& norm, std::string_view name,
              const Matrix& x)
{
    Matrix y = x;
    if (!norm) return y;
    const NormKind kind = call.model.architecture->norm;
    normalize(y, norm, kind, call.model.normEpsilon(kind));
    call.trace(layer, name, y);
    return y;
}

Matrix mix(const Call& call, int layer, const Matrix& x)
{
    switch (call.numbers(layer).mixer) {
    case MixerKind::None:
        break;
    case MixerKind::Attention:
        return attention(call, layer, x);
    case MixerKind::LatentAttention:
        return latentAttention(call, layer, x);
    case MixerKind::ShortConvolution:
        return shortConvolution(call, layer, x);
    case MixerKind::Mamba:
        return mamba(call, layer, x);
    case MixerKind::Mamba2:
        return mamba2(call, layer, x);
    case MixerKind::GatedDeltaNet:
        return gatedDeltaNet(call, layer, x);
    case MixerKind::AttentionAndMamba2: {
        Matrix y = attention(call, layer, x);
        add(y.values, mamba2(call, layer, x).values);
        return y;
    }
    }
    return Matrix(x.rows, x.columns);
}

bool hasFeedForward(const LayerWeights& layer)
{
    return layer.hasExperts() || static_cast<bool>(layer.ffnDown);
}

/// What the feed-forward network adds to the residual stream. `input` is before its norm.
Matrix network(const Call& call, int index, const Matrix& input)
{
    const LayerWeights& layer = call.layer(index);
    const Matrix h = normed(call, index, layer.feedForwardNorm, trace::kFfnNorm, input);
    Matrix y = feedForward(call, index, h);
    y = normed(call, index, layer.feedForwardPostNorm, trace::kFfnPostNorm, y);
    scale(y.values, call.model.residualScale);
    return y;
}

void runLayer(const Call& call, int index, Matrix& x)
{
    const LayerWeights& layer = call.layer(index);
    const Matrix input = x;
    const Matrix h = normed(call, index, layer.attentionNorm, trace::kAttentionNorm, x);
    if (call.numbers(index).mixer != MixerKind::None) {
        Matrix mixed = mix(call, index, h);
        mixed = normed(call, index, layer.attentionPostNorm, trace::kAttentionPostNorm, mixed);
        scale(mixed.values, call.model.residualScale);
        add(x.values, mixed.values);
        x = normed(call, index, layer.attentionResidualNorm, trace::kAttentionResidual, x);
        if (layer.attentionResidualNorm2) {
            add(x.values, input.values);
            x = normed(call, index, layer.attentionResidualNorm2, trace::kAttentionResidual, x);
        }
        if (!layer.attentionResidualNorm) call.trace(index, trace::kAttentionResidual, x);
    }
    if (hasFeedForward(layer)) {
        const bool noNorm = !layer.feedForwardNorm;
        const bool parallel =
            call.model.parallelResidual ||
            (call.model.architecture->residual == ResidualKind::ByTensor && noNorm);
        // Without a norm of its own a parallel network reads what the mixer read.
        const Matrix& source = !parallel ? x : noNorm ? h : input;
        add(x.values, network(call, index, source).values);
        x = normed(call, index, layer.feedForwardResidualNorm, trace::kLayerOutput, x);
    }
    if (!layer.feedForwardResidualNorm) call.trace(index, trace::kLayerOutput, x);
}

} // namespace

Matrix embed(const Call& call, std::span<const TokenId> tokens)
{
    const Weights& weights = call.weights;
    Matrix x(static_cast<int>(tokens.size()), call.model.embeddingLength);
    const std::vector<float> kind =
        weights.tokenTypes.data != nullptr ? readRow(weights.tokenTypes, 0) : std::vector<float>{};
    for (int r = 0; r < x.rows; ++r) {
        const auto at = static_cast<std::size_t>(r);
        std::ranges::copy(readRow(weights.tokenEmbd, tokens[at]), x.row(r).begin());
        scale(x.row(r), call.model.embeddingScale);
        if (!kind.empty()) add(x.row(r), kind);
        if (weights.positionEmbd.data != nullptr)
            add(x.row(r), readRow(weights.positionEmbd, call.rows[at].position));
    }
    const NormKind norm = call.model.architecture->norm;
    if (weights.embeddingNorm)
        normalize(x, weights.embeddingNorm, norm, call.model.normEpsilon(norm));
    call.trace(-1, trace::kEmbedding, x);
    return x;
}

void runLayers(const Call& call, Matrix& x)
{
    for (int layer = 0; layer < call.model.blockCount; ++layer)
        runLayer(call, layer, x);
}

void normOutput(const Call& call, Matrix& x)
{
    x = normed(call, -1, call.weights.outputNorm, trace::kOutputNorm, x);
}

Matrix logits(const Call& call, const Matrix& x)
{
    Matrix y = multiply(call.weights.output, x);
    scale(y.values, call.model.logitScale);
    if (const float cap = call.model.finalLogitSoftcapping; cap > 0)
        for (float& value : y.values)
            value = cap * std::tanh(value / cap);
    call.trace(-1, trace::kLogits, y);
    return y;
}

} // namespace engine::reference
