#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_altup.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>

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
    if (!norm) {
        if (x.data != to.data) copy(x, to);
        return;
    }
    normalize(call, norm, call.model.norm, x, to);
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
    case MixerKind::Rwkv6:
        rwkvTimeMix(call, layer, x, out);
        return;
    case MixerKind::Rwkv7:
        rwkv7TimeMix(call, layer, x, out);
        return;
    case MixerKind::PlamoMamba:
        plamoMamba(call, layer, x, out);
        return;
    case MixerKind::KimiDelta:
        kimiDelta(call, layer, x, out);
        return;
    case MixerKind::Projection: {
        const Product output{&call.layer(layer).attnOutput, out};
        multiply(call, x, {&output, 1});
        return;
    }
    case MixerKind::AttentionAndMamba2: {
        attention(call, layer, x, out);
        const Block other = call.block(Slot::OtherMixer, out.columns);
        mamba2(call, layer, x, other);
        addTo(call, out, other);
        return;
    }
    }
}

void scaleAll(const Call& call, const Block& x, float factor)
{
    call.forRows(x.rows, [&](int row) { scale(x.row(row), factor, x.row(row), x.stride()); });
}

void scaleResidual(const Call& call, const Block& x, float factor)
{
    if (factor != 1.0F) scaleAll(call, x, factor);
}

/// The mixer's part of a layer: `h` is the normed stream, `input` the stream before the layer.
void addMixer(const Call& call, int index, const Block& h, const Block& input, const Block& x)
{
    const PackedLayer& layer = call.layer(index);
    const Block mixed = call.block(Slot::Added, x.columns);
    mix(call, index, h, mixed);
    normed(call, index, layer.attentionPostNorm, trace::kAttentionPostNorm, mixed, mixed);
    scaleResidual(call, mixed, call.model.mixerScale);
    addTo(call, x, mixed);
    normed(call, index, layer.attentionResidualNorm, trace::kAttentionResidual, x, x);
    if (layer.attentionResidualNorm2) {
        addTo(call, x, input);
        normed(call, index, layer.attentionResidualNorm2, trace::kAttentionResidual, x, x);
    }
    if (!layer.attentionResidualNorm) call.trace(index, trace::kAttentionResidual, x);
}

/// What the router reads where experts stand beside a dense network: the stream normed without
/// weights, by the router's own factors.
Block routerInput(const Call& call, int index, const Block& source)
{
    const Block h = call.block(Slot::RouterInput, source.columns);
    normalize(call, PackedNorm{true, {}, {}, source.columns}, NormKind::Rms, source, h);
    const std::vector<float>& factors = call.layer(index).routerScale;
    const float width = std::sqrt(static_cast<float>(source.columns));
    call.forRows(h.rows, [&](int row) {
        for (std::size_t i = 0; i < factors.size(); ++i)
            h.row(row)[i] *= factors[i] / width;
    });
    return h;
}

/// `h` is the normed `source`, and may be written over; `input` is the stream before the layer.
void feedForward(const Call& call, int index, const Block& source, const Block& input,
                 const Block& h, const Block& y)
{
    const PackedLayer& layer = call.layer(index);
    if (layer.channelMixValue) return rwkvChannelMix(call, index, h, y);
    if (!layer.hasExperts()) return denseNetwork(call, index, h, y);
    const bool routesInput = call.model.architecture->experts.routesLayerInput;
    if (!layer.expertNorm && !layer.ffnUp)
        return expertNetwork(call, index, h, routesInput ? input : h, y);
    const NormKind kind = call.model.norm;
    denseNetwork(call, index, h, y);
    if (call.model.architecture->experts.ofLayerInput) {
        normalize(call, layer.expertNorm, kind, input, h);
        const Block experts = call.block(Slot::ExpertSum, y.columns);
        expertNetwork(call, index, h, h, experts);
        return addTo(call, y, experts);
    }
    if (!layer.expertNorm) {
        const Block experts = call.block(Slot::ExpertSum, y.columns);
        expertNetwork(call, index, h, h, experts);
        addTo(call, y, experts);
        return scaleAll(call, y, std::sqrt(0.5F));
    }
    normalize(call, layer.denseNormPost, kind, y);
    const Block routed = routerInput(call, index, source);
    normalize(call, layer.expertNorm, kind, source, h);
    const Block experts = call.block(Slot::ExpertSum, y.columns);
    expertNetwork(call, index, h, routed, experts);
    normalize(call, layer.expertNormPost, kind, experts);
    addTo(call, y, experts);
}

/// What the feed-forward network adds to the residual stream. `source` is before its norm, `h` room
/// for what comes after it.
void addNetwork(const Call& call, int index, const Block& source, const Block& input,
                const Block& h, const Block& x)
{
    const PackedLayer& layer = call.layer(index);
    normed(call, index, layer.feedForwardNorm, trace::kFfnNorm, source, h);
    const Block y = call.block(Slot::Added, x.columns);
    feedForward(call, index, source, input, h, y);
    normed(call, index, layer.feedForwardPostNorm, trace::kFfnPostNorm, y, y);
    scaleResidual(call, y, call.model.residualScale);
    addTo(call, x, y);
}

void runLayer(const Call& call, int index, const Block& perLayer, const Block& x)
{
    const PackedLayer& layer = call.layer(index);
    Block input = x;
    if (call.keepsLayerInput(index)) {
        input = call.block(Slot::LayerInput, x.columns);
        copy(x, input);
    }
    const Block h = call.block(Slot::Normed, x.columns);
    normed(call, index, layer.attentionNorm, trace::kAttentionNorm, x, h);
    if (call.numbers(index).mixer != MixerKind::None) addMixer(call, index, h, input, x);
    if (layer.hasFeedForward()) {
        // Without a norm of its own a parallel network reads what the mixer read.
        if (call.isParallel(index))
            addNetwork(call, index, layer.feedForwardNorm ? input : h, input,
                       call.block(Slot::NetworkInput, x.columns), x);
        else
            addNetwork(call, index, x, input, h, x);
        normed(call, index, layer.feedForwardResidualNorm, trace::kLayerOutput, x, x);
    }
    if (perLayer.columns > 0) addTo(call, x, perLayerOutput(call, index, perLayer, x));
    if (const int every = call.model.rwkv.rescaleEveryNLayers;
        every > 0 && (index + 1) % every == 0)
        scaleAll(call, x, 0.5F);
    if (!layer.layerOutputScale.empty()) {
        const float factor = layer.layerOutputScale.front();
        if (!call.model.architecture->addsEmbedding) {
            scaleAll(call, x, factor);
        } else {
            const Block embedded = call.block(Slot::Embedded, x.columns);
            call.forRows(x.rows, [&](int row) {
                multiplyAdd(embedded.row(row), factor, x.row(row), x.row(row), x.stride());
            });
        }
    }
    if (!layer.feedForwardResidualNorm) call.trace(index, trace::kLayerOutput, x);
}

/// A layer of Gemma 3n: only the first of the streams goes through it.
void runAltupLayer(const Call& call, int index, const Block& perLayer, const Streams& streams)
{
    const PackedLayer& layer = call.layer(index);
    const Streams predictions = altupPredict(call, index, streams);
    const Block active = predictions.at(0);
    const Block h = call.block(Slot::Normed, active.columns);
    normed(call, index, layer.attentionNorm, trace::kAttentionNorm, active, h);
    const Block low = laurel(call, index, h);
    call.trace(index, trace::kLaurel, low);
    const Block x = call.block(Slot::LayerInput, active.columns);
    mix(call, index, h, x);
    normed(call, index, layer.attentionPostNorm, trace::kAttentionPostNorm, x, x);
    addTo(call, x, active);
    addTo(call, x, low);
    scaleAll(call, x, 1 / std::sqrt(2.0F));
    call.trace(index, trace::kAttentionResidual, x);
    addNetwork(call, index, x, active, h, x);
    altupCorrect(call, index, predictions, x);

    copy(active, h);
    if (const std::vector<float>& factors = layer.altupCorrectScale; !factors.empty())
        call.forRows(h.rows, [&](int row) {
            engine::multiply(h.row(row), factors.data(), h.row(row), h.stride());
        });
    const Block added = perLayerOutput(call, index, perLayer, h);
    for (int other = 1; other < predictions.count; ++other)
        addTo(call, predictions.at(other), added);
    for (int i = 0; i < predictions.count; ++i)
        copy(predictions.at(i), streams.at(i));
    call.trace(index, trace::kLayerOutput, streams.at(0));
}

} // namespace

void runLayers(const Call& call, std::span<const TokenId> tokens, const Block& x)
{
    const Block perLayer = perLayerInputs(call, tokens, x);
    if (call.model.architecture->addsEmbedding) copy(x, call.block(Slot::Embedded, x.columns));
    if (!call.model.architecture->altup) {
        for (int layer = 0; layer < call.model.blockCount; ++layer)
            runLayer(call, layer, perLayer, x);
        return;
    }
    const Streams streams = altupExpand(call, x);
    for (int layer = 0; layer < call.model.blockCount; ++layer)
        runAltupLayer(call, layer, perLayer, streams);
    altupMerge(call, streams, x);
}

} // namespace engine::fast
