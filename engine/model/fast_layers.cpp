#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_call.h"
#include "engine/model/trace_names.h"

#include <algorithm>

namespace engine::fast {

namespace {

void copy(const Block& from, const Block& to)
{
    std::ranges::copy(from.values(), to.data);
}

void addTo(const Call& call, const Block& x, const Block& y)
{
    call.forRows(x.rows, [&](int row) { add(x.row(row), y.row(row), x.row(row), x.stride()); });
}

/// Where the family has this norm: x normed into `to`, seen by the observer. Otherwise a copy.
void normed(const Call& call, int layer, const PackedNorm& norm, std::string_view name,
            const Block& x, const Block& to)
{
    if (x.data != to.data) copy(x, to);
    if (!norm) return;
    normalize(call, norm, call.model.architecture->norm, to);
    call.trace(layer, name, to);
}

void mix(const Call& call, int layer, const Block& x, const Block& out)
{
    switch (call.numbers(layer).mixer) {
    case MixerKind::None:
        std::ranges::fill(out.values(), 0.0F);
        return;
    case MixerKind::Attention:
        attention(call, layer, x, out);
        return;
    case MixerKind::LatentAttention:
        latentAttention(call, layer, x, out);
        return;
    case MixerKind::ShortConvolution:
        shortConvolution(call, layer, x, out);
        return;
    case MixerKind::Mamba:
        mamba(call, layer, x, out);
        return;
    case MixerKind::Mamba2:
        mamba2(call, layer, x, out);
        return;
    case MixerKind::GatedDeltaNet:
        gatedDeltaNet(call, layer, x, out);
        return;
    case MixerKind::AttentionAndMamba2: {
        attention(call, layer, x, out);
        const Block other = call.block(Slot::ExpertOutput, out.columns);
        mamba2(call, layer, x, other);
        addTo(call, out, other);
        return;
    }
    }
}

void scaleResidual(const Call& call, const Block& x)
{
    const float factor = call.model.residualScale;
    if (factor != 1.0F)
        call.forRows(x.rows, [&](int row) { scale(x.row(row), factor, x.row(row), x.stride()); });
}

/// The mixer's part of a layer: `h` is the normed stream, `input` the stream before the layer.
void addMixer(const Call& call, int index, const Block& h, const Block& input, const Block& x)
{
    const PackedLayer& layer = call.layer(index);
    const Block mixed = call.block(Slot::Mixed, x.columns);
    mix(call, index, h, mixed);
    normed(call, index, layer.attentionPostNorm, trace::kAttentionPostNorm, mixed, mixed);
    scaleResidual(call, mixed);
    addTo(call, x, mixed);
    normed(call, index, layer.attentionResidualNorm, trace::kAttentionResidual, x, x);
    if (layer.attentionResidualNorm2) {
        addTo(call, x, input);
        normed(call, index, layer.attentionResidualNorm2, trace::kAttentionResidual, x, x);
    }
    if (!layer.attentionResidualNorm) call.trace(index, trace::kAttentionResidual, x);
}

/// What the feed-forward network adds to the residual stream. `source` is before its norm.
void addNetwork(const Call& call, int index, const Block& source, const Block& x)
{
    const PackedLayer& layer = call.layer(index);
    const Block h = call.block(Slot::NetworkInput, x.columns);
    normed(call, index, layer.feedForwardNorm, trace::kFfnNorm, source, h);
    const Block y = call.block(Slot::FfnDown, x.columns);
    feedForward(call, index, h, y);
    normed(call, index, layer.feedForwardPostNorm, trace::kFfnPostNorm, y, y);
    scaleResidual(call, y);
    addTo(call, x, y);
}

void runLayer(const Call& call, int index, const Block& x)
{
    const PackedLayer& layer = call.layer(index);
    const Block input = call.block(Slot::LayerInput, x.columns);
    copy(x, input);
    const Block h = call.block(Slot::Normed, x.columns);
    normed(call, index, layer.attentionNorm, trace::kAttentionNorm, x, h);
    if (call.numbers(index).mixer != MixerKind::None) addMixer(call, index, h, input, x);
    if (layer.hasFeedForward()) {
        const bool noNorm = !layer.feedForwardNorm;
        const bool parallel =
            call.model.parallelResidual ||
            (call.model.architecture->residual == ResidualKind::ByTensor && noNorm);
        // Without a norm of its own a parallel network reads what the mixer read.
        addNetwork(call, index, !parallel ? x : noNorm ? h : input, x);
        normed(call, index, layer.feedForwardResidualNorm, trace::kLayerOutput, x, x);
    }
    if (!layer.feedForwardResidualNorm) call.trace(index, trace::kLayerOutput, x);
}

} // namespace

void runLayers(const Call& call, const Block& x)
{
    for (int layer = 0; layer < call.model.blockCount; ++layer)
        runLayer(call, layer, x);
}

} // namespace engine::fast
