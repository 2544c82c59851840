#include "engine/model/fast_scratch.h"

#include "engine/kernels/attention.h"
#include "engine/model/fast_state.h"

#include <algorithm>

namespace engine::fast {

namespace {

constexpr std::size_t kAlignFloats = 16;

using Widths = std::array<int, static_cast<std::size_t>(Slot::Count)>;

int& at(Widths& widths, Slot slot)
{
    return widths[static_cast<std::size_t>(slot)];
}

void widen(Widths& widths, Slot slot, int width)
{
    at(widths, slot) = std::max(at(widths, slot), width);
}

int outputsOf(const std::vector<PackedLinear>& set)
{
    return set.empty() ? 0 : set.front().outputs();
}

void addAttention(Widths& widths, const Hyperparameters& model, const LayerHyperparameters& numbers,
                  const PackedLayer& layer)
{
    widen(widths, Slot::Query, std::max(layer.attnQ.outputs(), layer.attnQB.outputs()));
    widen(widths, Slot::QueryPart, numbers.queryWidth());
    widen(widths, Slot::AttentionGate, std::max(numbers.queryWidth(), layer.attnGate.outputs()));
    widen(widths, Slot::Key, layer.attnK.outputs());
    widen(widths, Slot::Value, numbers.valueWidth());
    widen(widths, Slot::Attention, numbers.attentionWidth());
    if (numbers.mixer == MixerKind::LatentAttention) {
        const int rank = model.latent.kvLoraRank;
        widen(widths, Slot::LatentLow, layer.attnQA.outputs());
        widen(widths, Slot::LatentBoth, layer.attnKvA.outputs());
        widen(widths, Slot::LatentQuery, numbers.headCount * (rank + model.rope.dimensionCount));
        widen(widths, Slot::LatentRead, numbers.headCount * rank);
    }
}

void addFeedForward(Widths& widths, const Hyperparameters& model, const PackedLayer& layer)
{
    for (const int width : {layer.ffnUp.outputs(), layer.ffnGate.outputs(),
                            outputsOf(layer.ffnUpExps), layer.ffnUpShexp.outputs()}) {
        widen(widths, Slot::FfnGate, width);
        widen(widths, Slot::FfnUp, width);
    }
    if (!layer.hasExperts()) return;
    widen(widths, Slot::Router, std::max(model.experts.count, 1));
    const int latent = layer.ffnLatentDown.outputs();
    for (const Slot slot : {Slot::ExpertInput, Slot::ExpertOutput})
        widen(widths, slot, std::max(model.embeddingLength, latent));
    widen(widths, Slot::ExpertSum, model.embeddingLength);
    for (const Slot slot : {Slot::ExpertLatent, Slot::ExpertLatentSum})
        widen(widths, slot, latent);
    if (layer.expertNorm) widen(widths, Slot::RouterInput, model.embeddingLength);
}

/// Copies of the residual stream that some families' layers need.
void addResidual(Widths& widths, const Hyperparameters& model, const PackedLayer& layer)
{
    const int width = model.embeddingLength;
    const bool parallel = isParallelLayer(model, layer);
    if (parallel) widen(widths, Slot::NetworkInput, width);
    if (keepsInput(model, layer) || model.architecture->altup)
        widen(widths, Slot::LayerInput, width);
}

void addMixer(Widths& widths, const Hyperparameters& model, const PackedLayer& layer)
{
    const SsmHyperparameters& ssm = model.ssm;
    const int channels = ssm.innerSize + 2 * ssm.groupCount * ssm.stateSize;
    widen(widths, Slot::MixerIn,
          std::max({layer.ssmIn.outputs(), layer.shortconvIn.outputs(), layer.attnQkv.outputs(),
                    layer.ssmFB.outputs() > 0 ? channels : 0}));
    widen(widths, Slot::MixerConv, std::max(channels, model.embeddingLength));
    widen(widths, Slot::MixerGate, std::max(ssm.innerSize, layer.attnGate.outputs()));
    widen(widths, Slot::MixerParameters,
          std::max({layer.ssmX.outputs(), layer.ssmFA.outputs(), layer.ssmGA.outputs()}));
    widen(widths, Slot::MixerStep,
          std::max({layer.ssmDt.outputs(), layer.ssmFB.outputs(), 2 * ssm.timeStepRank}));
    widen(widths, Slot::MixerRates, 2 * ssm.timeStepRank);
    if (layer.ssmDtNorm)
        widen(widths, Slot::MixerIn, 2 * ssm.innerSize + 2 * ssm.stateSize + ssm.timeStepRank);
    widen(widths, Slot::MixerScan, std::max(ssm.innerSize, model.embeddingLength));
}

void addTimeMix(Widths& widths, const Hyperparameters& model, const PackedLayer& layer)
{
    for (const Slot slot : {Slot::MixerIn, Slot::MixerConv, Slot::MixerScan, Slot::MixerStep,
                            Slot::MixerGate, Slot::Query, Slot::Key, Slot::Value})
        widen(widths, slot, model.embeddingLength);
    for (const PackedLinear* low :
         {&layer.timeMixW1, &layer.timeMixA1, &layer.timeMixV1, &layer.timeMixG1})
        widen(widths, Slot::MixerParameters, low->outputs());
    widen(widths, Slot::MixerRates, layer.timeMixDecayW1.outputs());
    if (layer.timeMixA1)
        for (const Slot slot : {Slot::FirstValue, Slot::Attention, Slot::MixerRates})
            widen(widths, slot, model.embeddingLength);
    widen(widths, Slot::FfnUp, layer.channelMixKey.outputs());
    for (const Slot slot : {Slot::FfnGate, Slot::ExpertInput, Slot::ExpertOutput})
        widen(widths, slot, model.embeddingLength);
}

void addStreams(Widths& widths, const Hyperparameters& model, const PackedLayer& layer)
{
    if (!layer.altupRouter) return;
    widen(widths, Slot::RouterInput, model.embeddingLength);
    widen(widths, Slot::Modalities, layer.altupRouter.outputs());
    widen(widths, Slot::StreamParts, layer.altupPredictCoef.outputs());
    widen(widths, Slot::LaurelLow, layer.laurelL.outputs());
    widen(widths, Slot::Laurel, model.embeddingLength);
}

Widths widthsOf(const Hyperparameters& model, const PackedWeights& weights)
{
    Widths widths{};
    for (const Slot slot : {Slot::Residual, Slot::Normed, Slot::Added})
        widen(widths, slot, model.embeddingLength);
    if (model.architecture->addsEmbedding) widen(widths, Slot::Embedded, model.embeddingLength);
    for (const Slot slot : {Slot::PerLayerInputs, Slot::PerLayerLookup})
        widen(widths, slot, model.perLayerLength * model.blockCount);
    widen(widths, Slot::PerLayerGate, model.perLayerLength);
    widen(widths, Slot::RoundedInputs, weights.roundedInputs);
    widen(widths, Slot::ChangeLow, weights.changeRank);
    widen(widths, Slot::ChangeOut, weights.changeOutputs);
    const int streams = weights.streams();
    if (streams > 1)
        for (const Slot slot : {Slot::Streams, Slot::Predictions})
            widen(widths, slot, streams * model.embeddingLength);
    for (std::size_t i = 0; i < weights.layers.size(); ++i) {
        addResidual(widths, model, weights.layers[i]);
        addAttention(widths, model, model.layers[i], weights.layers[i]);
        addFeedForward(widths, model, weights.layers[i]);
        addStreams(widths, model, weights.layers[i]);
        if (weights.layers[i].timeMixOutput) addTimeMix(widths, model, weights.layers[i]);
        if (model.layers[i].isRecurrent()) addMixer(widths, model, weights.layers[i]);
        if (model.layers[i].mixer == MixerKind::PlamoMamba)
            widen(widths, Slot::OtherMixer, 2 * model.ssm.innerSize);
        if (model.layers[i].mixer == MixerKind::AttentionAndMamba2)
            widen(widths, Slot::OtherMixer, model.embeddingLength);
    }
    return widths;
}

bool isIn(std::size_t slot, Slot first, Slot last)
{
    return slot >= static_cast<std::size_t>(first) && slot <= static_cast<std::size_t>(last);
}

/// Where each slot begins, in floats.
struct Places {
    std::array<std::size_t, std::tuple_size_v<Widths>> begin{};
    std::size_t total = 0;
};

/// The mixer and the network of a layer take turns, and so do their slots.
template <typename Floats>
Places placesOf(const Widths& widths, const Floats& floats)
{
    Places places;
    std::size_t mixer = 0, network = 0;
    for (std::size_t slot = 0; slot < widths.size(); ++slot) {
        std::size_t* end = &places.total;
        if (isIn(slot, Slot::OtherMixer, Slot::MixerScan)) end = &mixer;
        if (isIn(slot, Slot::FfnGate, Slot::ExpertLatentSum)) end = &network;
        places.begin[slot] = *end;
        *end += floats(widths[slot]);
    }
    for (std::size_t slot = 0; slot < widths.size(); ++slot)
        if (isIn(slot, Slot::OtherMixer, Slot::ExpertLatentSum)) places.begin[slot] += places.total;
    places.total += std::max(mixer, network);
    return places;
}

/// The widest input any matrix of ours has.
int maxColumns(const Widths& widths)
{
    return *std::ranges::max_element(widths);
}

} // namespace

bool isParallelLayer(const Hyperparameters& model, const PackedLayer& layer)
{
    return model.parallelResidual || (model.architecture->residual == ResidualKind::ByTensor &&
                                      !layer.feedForwardNorm && layer.hasFeedForward());
}

bool keepsInput(const Hyperparameters& model, const PackedLayer& layer)
{
    return isParallelLayer(model, layer) || layer.attentionResidualNorm2 ||
           (layer.hasExperts() && (model.architecture->experts.routesLayerInput ||
                                   model.architecture->experts.ofLayerInput));
}

Result<Scratch> Scratch::create(const Hyperparameters& model, const PackedWeights& weights,
                                int maxRows, int threads)
{
    Scratch scratch(model);
    const Widths widths = widthsOf(model, weights);
    const auto floats = [maxRows](int width) {
        const std::size_t count =
            static_cast<std::size_t>(width) * static_cast<std::size_t>(maxRows);
        return (count + kAlignFloats - 1) / kAlignFloats * kAlignFloats;
    };
    const Places places = placesOf(widths, floats);
    TRY_ASSIGN(scratch.m_buffer, AlignedBuffer::allocate(places.total * sizeof(float)));
    auto* const begin = reinterpret_cast<float*>(scratch.m_buffer.data());
    for (std::size_t slot = 0; slot < widths.size(); ++slot)
        scratch.m_data[slot] = begin + places.begin[slot];
    TRY_ASSIGN(scratch.m_activations, Activations::create(maxRows, maxColumns(widths)));

    for (std::size_t layer = 0; layer < model.layers.size(); ++layer)
        for (const KvType kv : {KvType::F32, KvType::F16, KvType::BF16, KvType::Q8_0})
            if (const KvLayerShape shape = kvLayerShape(model, layer, kv); shape.heads > 0)
                scratch.m_attentionFloats =
                    std::max(scratch.m_attentionFloats, attendScratchFloats(shape.layout));
    scratch.m_attentionFloats =
        (scratch.m_attentionFloats + kAlignFloats - 1) / kAlignFloats * kAlignFloats;
    TRY_ASSIGN(scratch.m_attentionBuffer,
               AlignedBuffer::allocate(scratch.m_attentionFloats *
                                       static_cast<std::size_t>(threads) * sizeof(float)));
    scratch.m_attention = reinterpret_cast<float*>(scratch.m_attentionBuffer.data());

    scratch.m_pairs = static_cast<std::size_t>(
        std::max(model.rope.dimensionCount, model.ropeSliding.dimensionCount) / 2);
    scratch.m_angles.resize(static_cast<std::size_t>(maxRows) * 4 * scratch.m_pairs);
    return scratch;
}

std::uint64_t Scratch::bytes() const
{
    return m_buffer.size() + m_attentionBuffer.size() + m_angles.size() * sizeof(float);
}

} // namespace engine::fast
