#include "engine/model/reference_layers.h"

#include "engine/model/reference_altup.h"
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
    const NormKind kind = call.model.norm;
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
    case MixerKind::Rwkv6:
        return rwkvTimeMix(call, layer, x);
    case MixerKind::Rwkv7:
        return rwkv7TimeMix(call, layer, x);
    case MixerKind::PlamoMamba:
        return plamoMamba(call, layer, x);
    case MixerKind::KimiDelta:
        return kimiDelta(call, layer, x);
    case MixerKind::Projection:
        return multiply(call.layer(layer).attnOutput, x);
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
    return layer.hasExperts() || layer.ffnDown || layer.channelMixValue;
}

/// What the router reads where experts stand beside a dense network.
Matrix routerInput(const Call& call, int index, const Matrix& input)
{
    Matrix h = input;
    const NormWeights unit{.present = true, .weight{}, .bias{}, .group = input.columns};
    normalize(h, unit, NormKind::Rms, call.model.layerNormRmsEpsilon);
    const std::vector<float> factors = readVector(call.layer(index).routerScale);
    const float width = std::sqrt(static_cast<float>(input.columns));
    for (int r = 0; r < h.rows; ++r)
        for (std::size_t i = 0; i < factors.size(); ++i)
            h.row(r)[i] *= factors[i] / width;
    return h;
}

/// `input` is the stream before the network's norm, `layerInput` before the layer's mixer.
Matrix feedForward(const Call& call, int index, const Matrix& input, const Matrix& layerInput)
{
    const LayerWeights& layer = call.layer(index);
    const Matrix h = normed(call, index, layer.feedForwardNorm, trace::kFfnNorm, input);
    if (layer.channelMixValue) return rwkvChannelMix(call, index, h);
    if (!layer.hasExperts()) return denseNetwork(call, index, h);
    if (!layer.expertNorm && !layer.ffnUp)
        return expertNetwork(call, index, h,
                             call.model.architecture->experts.routesLayerInput ? layerInput : h);

    const NormKind kind = call.model.norm;
    const float epsilon = call.model.normEpsilon(kind);
    Matrix dense = denseNetwork(call, index, h);
    if (call.model.architecture->experts.ofLayerInput) {
        Matrix read = layerInput;
        normalize(read, layer.expertNorm, kind, epsilon);
        add(dense.values, expertNetwork(call, index, read, read).values);
        return dense;
    }
    if (!layer.expertNorm) {
        add(dense.values, expertNetwork(call, index, h, h).values);
        scale(dense.values, std::sqrt(0.5F));
        return dense;
    }
    normalize(dense, layer.denseNormPost, kind, epsilon);
    Matrix read = input;
    normalize(read, layer.expertNorm, kind, epsilon);
    Matrix experts = expertNetwork(call, index, read, routerInput(call, index, input));
    normalize(experts, layer.expertNormPost, kind, epsilon);
    add(experts.values, dense.values);
    return experts;
}

/// What the feed-forward network adds to the residual stream. `input` is before its norm.
Matrix network(const Call& call, int index, const Matrix& input, const Matrix& layerInput)
{
    Matrix y = feedForward(call, index, input, layerInput);
    y = normed(call, index, call.layer(index).feedForwardPostNorm, trace::kFfnPostNorm, y);
    scale(y.values, call.model.residualScale);
    return y;
}

/// What layers read beside the stream: of Gemma 3n and 4, and the embeddings of Talkie.
struct Beside {
    Matrix perLayer;
    Matrix embedded;
};

void runLayer(const Call& call, int index, Matrix& x, const Beside& beside)
{
    const LayerWeights& layer = call.layer(index);
    const Matrix layerInput = x;
    const Matrix h = normed(call, index, layer.attentionNorm, trace::kAttentionNorm, x);
    if (call.numbers(index).mixer != MixerKind::None) {
        Matrix mixed = mix(call, index, h);
        mixed = normed(call, index, layer.attentionPostNorm, trace::kAttentionPostNorm, mixed);
        scale(mixed.values, call.model.mixerScale);
        add(x.values, mixed.values);
        x = normed(call, index, layer.attentionResidualNorm, trace::kAttentionResidual, x);
        if (layer.attentionResidualNorm2) {
            add(x.values, layerInput.values);
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
        const Matrix& networkInput = !parallel ? x : noNorm ? h : layerInput;
        add(x.values, network(call, index, networkInput, layerInput).values);
        x = normed(call, index, layer.feedForwardResidualNorm, trace::kLayerOutput, x);
    }
    if (beside.perLayer.rows > 0)
        add(x.values, perLayerOutput(call, index, x, beside.perLayer).values);
    if (const int every = call.model.rwkv.rescaleEveryNLayers;
        every > 0 && (index + 1) % every == 0)
        scale(x.values, 0.5F);
    if (const std::vector<float> factor = readVector(layer.layerOutputScale); !factor.empty()) {
        Matrix added = call.model.architecture->addsEmbedding ? beside.embedded : Matrix();
        scale(added.rows > 0 ? added.values : x.values, factor[0]);
        if (added.rows > 0) add(x.values, added.values);
    }
    if (!layer.feedForwardResidualNorm) call.trace(index, trace::kLayerOutput, x);
}

/// A layer of Gemma 3n: only the first of the streams goes through it.
void runAltupLayer(const Call& call, int index, Streams& streams, const Matrix& perLayer)
{
    const LayerWeights& layer = call.layer(index);
    Streams predictions = altupPredict(call, index, streams);
    const Matrix& active = predictions[0];
    const Matrix h = normed(call, index, layer.attentionNorm, trace::kAttentionNorm, active);
    const Matrix low = laurel(call, index, h);
    call.trace(index, trace::kLaurel, low);
    Matrix x = mix(call, index, h);
    x = normed(call, index, layer.attentionPostNorm, trace::kAttentionPostNorm, x);
    add(x.values, active.values);
    add(x.values, low.values);
    scale(x.values, 1 / std::sqrt(2.0F));
    call.trace(index, trace::kAttentionResidual, x);
    add(x.values, network(call, index, x, active).values);
    altupCorrect(call, index, predictions, x);

    Matrix first = predictions[0];
    const std::vector<float> factors = readVector(layer.altupCorrectScale);
    for (std::size_t i = 0; i < first.values.size(); ++i)
        first.values[i] *= factors[i % factors.size()];
    const Matrix added = perLayerOutput(call, index, first, perLayer);
    for (std::size_t other = 1; other < predictions.size(); ++other)
        add(predictions[other].values, added.values);
    streams = std::move(predictions);
    call.trace(index, trace::kLayerOutput, streams[0]);
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
    const NormKind norm = call.model.norm;
    if (weights.embeddingNorm)
        normalize(x, weights.embeddingNorm, norm, call.model.normEpsilon(norm));
    call.trace(-1, trace::kEmbedding, x);
    return x;
}

void runLayers(const Call& call, std::span<const TokenId> tokens, Matrix& x)
{
    const Beside beside{perLayerInputs(call, tokens, x),
                        call.model.architecture->addsEmbedding ? x : Matrix()};
    if (!call.model.architecture->altup) {
        Matrix firstValue;
        Call keeping = call;
        keeping.firstValue = &firstValue;
        for (int layer = 0; layer < call.model.blockCount; ++layer)
            runLayer(keeping, layer, x, beside);
        return;
    }
    Streams streams = altupExpand(call, x);
    for (int layer = 0; layer < call.model.blockCount; ++layer)
        runAltupLayer(call, layer, streams, beside.perLayer);
    x = altupMerge(call, streams);
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
    for (int r = 0; r < y.rows; ++r)
        hidePictureTokens(*call.model.architecture, y.row(r));
    return y;
}

} // namespace engine::reference
