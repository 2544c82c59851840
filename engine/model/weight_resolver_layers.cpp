#include "engine/model/weight_resolver.h"

#include <algorithm>
#include <cstring>
#include <format>

// The tensors of a layer.

namespace engine {

Result<void> WeightResolver::resolveLayer(std::size_t index)
{
    m_layer = static_cast<int>(index) % m_model.ownBlockCount;
    LayerWeights& layer = m_weights.layers[index];
    const LayerHyperparameters& numbers = m_model.layers[index];
    TRY(resolveNorms(layer));
    if (numbers.mixer == MixerKind::Attention || numbers.mixer == MixerKind::AttentionAndMamba2) {
        TRY(resolveProjections(layer));
        TRY(resolveGate(layer, numbers));
        TRY(findQkNorm(layer.attnQNorm, "attn_q_norm", numbers.headCount, numbers.keyLength));
        TRY(findQkNorm(layer.attnKNorm, "attn_k_norm", numbers.headCountKv, numbers.keyLength));
    }
    TRY(apply(layer, mixerRules(numbers.mixer)));
    if (numbers.mixer == MixerKind::LatentAttention) {
        TRY(resolveLatent(layer));
        TRY(resolveGate(layer, numbers));
    }
    if (numbers.mixer == MixerKind::KimiDelta)
        TRY(apply(layer, row().boundedDecay ? kKimiFullRankRules : kKimiLowRankRules));
    if (m_model.relativeBuckets > 0) TRY(resolveRelativeBias(layer));
    if (numbers.mixer == MixerKind::GatedDeltaNet) TRY(resolveDeltaNet(layer));
    if (numbers.mixer == MixerKind::Rwkv6) TRY(resolveRwkv6(layer));
    if (numbers.mixer == MixerKind::Rwkv7) TRY(resolveRwkv7(layer));
    if (row().channelMixing) TRY(apply(layer, kChannelMixRules));
    TRY(resolveFeedForward(layer, numbers));
    if (m_model.perLayerLength > 0) TRY(apply(layer, kPerLayerRules));
    if (row().altup) TRY(apply(layer, kAltupRules));
    TRY(findVector(layer.layerOutputScale, inLayer("layer_output_scale.weight"), 1, 1,
                   !row().addsEmbedding));
    const auto next = static_cast<int>(index) + 1;
    if (m_model.normsBetweenLoops && next < m_model.blockCount && next % m_model.ownBlockCount == 0)
        layer.feedForwardResidualNorm = m_weights.outputNorm;
    m_layer = -1;
    return refuseChanges(layer);
}

Result<void> WeightResolver::refuseChanges(const LayerWeights& layer)
{
    std::string_view name;
    for (const Linear* linear : {&layer.ssmConv1d, &layer.shortconvConv, &layer.attnKvB})
        if (!linear->changes.empty()) name = linear->weight.name;
    for (const LinearSet* set : {&layer.attnKB, &layer.attnVB})
        if (!set->changes.empty()) name = set->weight.name;
    return name.empty() ? Result<void>{} : Adapters::refuse(name);
}

Result<void> WeightResolver::resolveNorms(LayerWeights& layer)
{
    NormNames names = row().norms;
    if (m_model.normsAfter) {
        std::swap(names.attention, names.attentionPost);
        std::swap(names.feedForward, names.feedForwardPost);
    }
    const std::int64_t width = m_model.embeddingLength;
    TRY(findNorm(layer.attentionNorm, names.attention, width));
    TRY(findNorm(layer.attentionPostNorm, names.attentionPost, width));
    TRY(findNorm(layer.attentionResidualNorm, names.attentionResidual, width));
    TRY(findNorm(layer.attentionResidualNorm2, names.attentionResidual2, width));
    TRY(findNorm(layer.feedForwardNorm, names.feedForward, width));
    TRY(findNorm(layer.feedForwardPostNorm, names.feedForwardPost, width));
    layer.attentionPostNorm.epsilon = row().postNormEpsilon;
    layer.feedForwardPostNorm.epsilon = row().postNormEpsilon;
    return findNorm(layer.feedForwardResidualNorm, names.feedForwardResidual, width);
}

Result<void> WeightResolver::resolveProjections(LayerWeights& layer)
{
    const std::int64_t width = m_model.embeddingLength;
    const std::int64_t q = size(Dimension::QueryProjection);
    const std::int64_t k = size(Dimension::Key);
    const std::int64_t v = size(Dimension::Value);
    if (m_file.find(inLayer("attn_qkv.weight")) == nullptr) {
        TRY(findLinear(layer.attnQ, "attn_q", width, q, false));
        // A layer that reads another's keys and values may have its own; they are not used.
        const bool shared = m_model.layers[static_cast<std::size_t>(m_layer)].kvLayer != m_layer;
        if (shared) return {};
        TRY(findLinear(layer.attnK, "attn_k", width, k, false));
        return findLinear(layer.attnV, "attn_v", width, v, row().valueFromKey && k == v);
    }
    Linear fused;
    TRY(findLinear(fused, "attn_qkv", width, q + k + v, false));
    layer.attnQ = part(fused, 0, q);
    layer.attnK = part(fused, q, k);
    layer.attnV = part(fused, q + k, v);
    return {};
}

Result<void> WeightResolver::resolveGate(LayerWeights& layer, const LayerHyperparameters& numbers)
{
    const AttentionGate gate = row().attentionGate;
    if (gate == AttentionGate::None || gate == AttentionGate::InQuery) return {};
    const TensorView* tensor = m_file.find(inLayer("attn_gate.weight"));
    const bool byHead = tensor != nullptr && tensor->shape[1] == numbers.headCount;
    return findLinear(layer.attnGate, "attn_gate", m_model.embeddingLength,
                      byHead ? numbers.headCount : numbers.attentionWidth(),
                      row().attentionGateOptional);
}

Linear WeightResolver::part(const Linear& fused, std::int64_t first, std::int64_t count)
{
    Linear linear = fused;
    linear.weight = rowRange(fused.weight, first, count);
    if (fused.bias.data != nullptr) linear.bias = elementRange(fused.bias, first, count);
    for (LowRank& change : linear.changes)
        change.b = rowRange(change.b, first, count);
    return linear;
}

Result<void> WeightResolver::findQkNorm(NormWeights& target, std::string_view name, int heads,
                                        int length)
{
    const TensorView* tensor = m_file.find(inLayer(name) + ".weight");
    if (row().headNormScales) return findHeadScales(target, name, heads, length);
    if (tensor == nullptr) return {};
    const std::int64_t all = static_cast<std::int64_t>(heads) * length;
    const bool each =
        tensor->shape == Shape{length, 1, 1, 1} || tensor->shape == Shape{length, heads, 1, 1};
    if (!each && tensor->shape != Shape{all, 1, 1, 1})
        return badShape(*tensor, std::format("[{}] or [{}]", length, all), length);
    TRY(checkReadable(*tensor));
    target.present = true;
    target.weight = *tensor;
    target.group = each ? length : static_cast<int>(all);
    return find(target.bias, inLayer(name) + ".bias", tensor->shape, true);
}

Result<void> WeightResolver::findHeadScales(NormWeights& target, std::string_view name, int heads,
                                            int length)
{
    target.present = true;
    target.group = length;
    if (name != "attn_q_norm") return {};
    TensorView each;
    TRY(find(each, inLayer(name) + ".weight", {1, heads, 1, 1}, false));
    std::vector<float> all;
    for (const float scale : readVector(each))
        all.insert(all.end(), static_cast<std::size_t>(length), scale);
    if (all.empty()) return {};
    std::vector<std::byte>& bytes = m_weights.gathered.emplace_back(all.size() * sizeof(float));
    std::memcpy(bytes.data(), all.data(), bytes.size());
    target.weight.name = each.name;
    target.weight.dtype = DType::F32;
    target.weight.rank = 2;
    target.weight.shape = {length, heads, 1, 1};
    target.weight.data = bytes.data();
    target.weight.sizeBytes = bytes.size();
    return {};
}

Result<void> WeightResolver::resolveLatent(LayerWeights& layer)
{
    if (m_model.latent.qLoraRank > 0)
        TRY(apply(layer, kLatentQueryRules));
    else
        TRY(apply(layer, kPlainQueryRules));
    if (m_file.find(inLayer("attn_kv_b.weight")) != nullptr) return apply(layer, kFusedKvBRules);
    return apply(layer, kSplitKvBRules);
}

Result<void> WeightResolver::checkLerps(const LayerWeights& layer)
{
    const bool each = layer.timeMixLerpW.data && layer.timeMixLerpK.data &&
                      layer.timeMixLerpV.data && layer.timeMixLerpR.data && layer.timeMixLerpG.data;
    if (each || layer.timeMixLerpFused.data) return {};
    return want(inLayer("time_mix_lerp_fused.weight"), {m_model.embeddingLength, 1, 1, 5});
}

Result<void> WeightResolver::resolveRelativeBias(LayerWeights& layer)
{
    if (m_layer == 0 || m_file.find(inLayer("attn_rel_b.weight")) != nullptr)
        return apply(layer, kRelativeBiasRules);
    layer.attnRelB = m_weights.layers.front().attnRelB;
    return {};
}

Result<void> WeightResolver::resolveRwkv6(LayerWeights& layer)
{
    TRY(checkLerps(layer));
    if (!row().channelMixing) return {};
    TRY(apply(layer, kRwkv6OwnKeyRules));
    TRY(apply(layer, kRwkvNormRules));
    return apply(layer, kChannelMixReceptanceRules);
}

Result<void> WeightResolver::resolveRwkv7(LayerWeights& layer)
{
    constexpr std::string_view kLerps = "time_mix_lerp_fused.weight";
    const auto has = [&](std::string_view name) { return m_file.find(inLayer(name)) != nullptr; };
    const bool must = row().channelMixing; // what was made of other models may do without
    const bool gated = m_model.rwkv.gateRank > 0 && (must || has("time_mix_g1.weight"));
    if (gated) TRY(apply(layer, kRwkv7GateRules));
    if (must || has("time_mix_ln.weight")) TRY(apply(layer, kRwkvNormRules));
    if (m_layer > 0) TRY(apply(layer, kRwkv7ValueRules));
    const std::int64_t width = m_model.embeddingLength;
    const TensorView* lerps = m_file.find(inLayer(kLerps));
    const bool six = gated || (lerps != nullptr && lerps->elements() == 6 * width);
    return findVector(layer.timeMixLerpFused, inLayer(kLerps), width, six ? 6 : 5, false);
}

Result<void> WeightResolver::resolveDeltaNet(LayerWeights& layer)
{
    TRY(resolveDeltaInputs(layer));
    if (m_file.find(inLayer("ssm_ba.weight")) == nullptr) return apply(layer, kDeltaNetBetaRules);
    // By key head: the rates of its value heads, then their decays.
    const SsmHyperparameters& ssm = m_model.ssm;
    const std::int64_t each = ssm.timeStepRank / ssm.groupCount;
    Linear fused;
    TRY(findLinear(fused, "ssm_ba", m_model.embeddingLength, 2 * ssm.timeStepRank, false));
    layer.ssmBeta = gather(fused, std::array{RowPart{0, each}}, 2 * each);
    layer.ssmAlpha = gather(fused, std::array{RowPart{each, each}}, 2 * each);
    return {};
}

Result<void> WeightResolver::resolveDeltaInputs(LayerWeights& layer)
{
    if (m_file.find(inLayer("ssm_in.weight")) == nullptr) return apply(layer, kDeltaNetInputRules);
    const SsmHyperparameters& ssm = m_model.ssm;
    const std::int64_t key = ssm.stateSize;
    const std::int64_t values = ssm.innerSize / ssm.groupCount;
    const std::int64_t each = 2 * key + 2 * values;
    Linear fused;
    TRY(findLinear(fused, "ssm_in", m_model.embeddingLength, each * ssm.groupCount, false));
    layer.attnQkv = gather(
        fused, std::array{RowPart{0, key}, RowPart{key, key}, RowPart{2 * key, values}}, each);
    layer.attnGate = gather(fused, std::array{RowPart{2 * key + values, values}}, each);
    return {};
}

TensorView WeightResolver::gather(const TensorView& from, std::span<const RowPart> parts,
                                  std::int64_t each)
{
    const std::int64_t groups = from.rows() / each;
    std::vector<std::byte>& bytes = m_weights.gathered.emplace_back();
    std::int64_t rows = 0;
    for (const RowPart& part : parts) {
        rows += part.count * groups;
        for (std::int64_t group = 0; group < groups; ++group) {
            const TensorView range = rowRange(from, group * each + part.first, part.count);
            bytes.insert(bytes.end(), range.data, range.data + range.sizeBytes);
        }
    }
    TensorView gathered = from;
    gathered.shape = {from.columns(), rows, 1, 1};
    gathered.data = bytes.data();
    gathered.sizeBytes = bytes.size();
    return gathered;
}

Linear WeightResolver::gather(const Linear& from, std::span<const RowPart> parts, std::int64_t each)
{
    Linear linear;
    linear.weight = gather(from.weight, parts, each);
    linear.scale = from.scale;
    linear.changes = from.changes;
    for (LowRank& change : linear.changes)
        change.b = gather(change.b, parts, each);
    return linear;
}

Result<void> WeightResolver::resolveFeedForward(LayerWeights& layer,
                                                const LayerHyperparameters& numbers)
{
    if (row().channelMixing) return {}; // the network came with the mixer
    const bool beside = row().experts.besideDense;
    TRY(findUnscaled(layer.ffnGateInp, "ffn_gate_inp", m_model.embeddingLength,
                     m_model.experts.count, true));
    if (layer.ffnGateInp) {
        if (!beside)
            TRY(findPlain(layer.ffnGateInp.scale, inLayer("ffn_gate_inp.scale"), {1, 1, 1, 1}));
        TRY(resolveExperts(layer));
        const bool averaged =
            row().experts.averagedWithDense && m_file.find(inLayer("ffn_up.weight")) != nullptr;
        const bool residual = row().experts.ofLayerInput;
        if (!beside && !averaged && !residual) return {};
        if (beside) TRY(apply(layer, kBesideDenseRules));
        if (residual) TRY(findNorm(layer.expertNorm, {"ffn_norm_exps"}, m_model.embeddingLength));
    }
    if (numbers.feedForwardLength == 0) return {};
    const std::int64_t width = m_model.embeddingLength;
    const std::int64_t inner = numbers.feedForwardLength;
    TRY(findLinear(layer.ffnDown, "ffn_down", inner, width, false));
    TRY(findNorm(layer.ffnSubNorm, {"ffn_sub_norm", true}, inner));
    TRY(findVector(layer.ffnActScales, inLayer("ffn.act.scales"), inner, 1, true));
    const TensorView* up = m_file.find(inLayer("ffn_up.weight"));
    const bool hasGate = m_file.find(inLayer("ffn_gate.weight")) != nullptr;
    const bool fused = row().gated && !hasGate && up != nullptr && up->shape[1] == 2 * inner;
    if (!fused) {
        if (row().gated && (hasGate || !row().gateOptional))
            TRY(findLinear(layer.ffnGate, "ffn_gate", width, inner, false));
        return findLinear(layer.ffnUp, "ffn_up", width, inner, false);
    }
    Linear both;
    TRY(findLinear(both, "ffn_up", width, 2 * inner, false));
    layer.ffnGate = part(both, 0, inner);
    layer.ffnUp = part(both, inner, inner);
    return {};
}

Result<void> WeightResolver::resolveExperts(LayerWeights& layer)
{
    TRY(apply(layer, kExpertRules));
    // Of some families the converter leaves the suffix out.
    if (layer.expProbsB.data == nullptr)
        TRY(findVector(layer.expProbsB, inLayer("exp_probs_b"), m_model.experts.count, 1, true));
    if (m_model.experts.latentLength > 0) TRY(apply(layer, kLatentExpertRules));
    const bool fused = m_file.find(inLayer("ffn_gate_up_exps.weight")) != nullptr;
    if (fused) {
        LinearSet both;
        const std::int64_t inner = m_model.experts.feedForwardLength;
        const std::int64_t count = m_model.experts.count;
        TRY(findSet(both, inLayer("ffn_gate_up_exps"),
                    {size(Dimension::ExpertEmbedding), 2 * inner, count, 1}, false));
        both.rowCount = static_cast<int>(inner);
        layer.ffnGateExps = both;
        layer.ffnUpExps = both;
        layer.ffnUpExps.firstRow = static_cast<int>(inner);
    } else {
        if (row().gated) TRY(apply(layer, kExpertGateRules));
        TRY(apply(layer, kExpertUpRules));
    }
    return resolveSharedExperts(layer);
}

Result<void> WeightResolver::resolveSharedExperts(LayerWeights& layer)
{
    const TensorView* down = m_file.find(inLayer("ffn_down_shexp.weight"));
    if (down == nullptr) return {};
    const std::int64_t width = m_model.embeddingLength;
    const std::int64_t inner = down->shape[0];
    if (inner < 1 || inner > kMostSharedLength)
        return badShape(*down, std::format("[1 to {}, {}]", kMostSharedLength, width), width);
    TRY(findLinear(layer.ffnDownShexp, "ffn_down_shexp", inner, width, false));
    TRY(findLinear(layer.ffnGateInpShexp, "ffn_gate_inp_shexp", width, 1, true));
    const TensorView* up = m_file.find(inLayer("ffn_up_shexp.weight"));
    if (row().gated && up != nullptr && up->shape[1] == 2 * inner) {
        Linear both;
        TRY(findLinear(both, "ffn_up_shexp", width, 2 * inner, false));
        layer.ffnGateShexp = part(both, 0, inner);
        layer.ffnUpShexp = part(both, inner, inner);
        return {};
    }
    if (row().gated) TRY(findLinear(layer.ffnGateShexp, "ffn_gate_shexp", width, inner, false));
    return findLinear(layer.ffnUpShexp, "ffn_up_shexp", width, inner, false);
}

} // namespace engine
