#include "engine/model/weight_rules.h"

namespace engine {

namespace {

using enum Dimension;

// Gated delta net: `ssm.state_size` is the length of a key head, `ssm.group_count` how many there
// are, `ssm.time_step_rank` the value heads, `ssm.inner_size` all their values.
std::int64_t deltaKeys(const SsmHyperparameters& ssm)
{
    return static_cast<std::int64_t>(ssm.groupCount) * ssm.stateSize;
}

std::int64_t twoStates(const SsmHyperparameters& ssm)
{
    return 2 * static_cast<std::int64_t>(ssm.groupCount) * ssm.stateSize;
}

std::int64_t ssmDimension(Dimension dimension, const SsmHyperparameters& ssm)
{
    const std::int64_t inner = ssm.innerSize;
    switch (dimension) {
    case SsmKernel:
        return ssm.convKernel;
    case SsmInner:
        return inner;
    case SsmTwoInner:
        return 2 * inner;
    case SsmState:
        return ssm.stateSize;
    case SsmRank:
        return ssm.timeStepRank;
    case SsmDtLength:
        return ssm.dtLength;
    case SsmDtAndTwoStates:
        return ssm.dtLength + 2 * ssm.stateSize;
    case SsmRankAndTwoStates:
        return ssm.timeStepRank + 2 * ssm.stateSize;
    case SsmHeadsAndChannels:
        return 2 * inner + twoStates(ssm) + ssm.timeStepRank;
    case SsmConvChannels:
        return inner + twoStates(ssm);
    case SsmGroupInner:
        return inner / ssm.groupCount;
    case SsmGroups:
        return ssm.groupCount;
    case DeltaChannels:
        return 2 * deltaKeys(ssm) + inner;
    case DeltaHeadValue:
        return inner / ssm.timeStepRank;
    default:
        return 1;
    }
}

std::int64_t latentDimension(Dimension dimension, const Hyperparameters& model,
                             const LayerHyperparameters& layer)
{
    const LatentHyperparameters& latent = model.latent;
    const std::int64_t plain = latent.keyLength - model.rope.dimensionCount;
    switch (dimension) {
    case QueryLora:
        return latent.qLoraRank;
    case KvLora:
        return latent.kvLoraRank;
    case KvLoraAndRope:
        return latent.kvLoraRank + model.rope.dimensionCount;
    case KeyWithoutRope:
        return plain;
    case LatentValue:
        return latent.valueLength;
    case KvB:
        return layer.headCount * (plain + latent.valueLength);
    default:
        return 1;
    }
}

constexpr LinearRule kAttentionLinears[] = {
    {"attn_output", &LayerWeights::attnOutput, AttentionOut, Embedding},
};
constexpr LinearRule kProjectionLinears[] = {
    {"attn_output", &LayerWeights::attnOutput, Embedding, Embedding},
};
constexpr NormRule kAttentionNorms[] = {
    {"attn_sub_norm", &LayerWeights::attnSubNorm, AttentionOut, true},
};
constexpr VectorRule kAttentionVectors[] = {
    {"attn_sinks.weight", &LayerWeights::attnSinks, Heads, One, true},
};

constexpr LinearRule kLatentLinears[] = {
    {"attn_kv_a_mqa", &LayerWeights::attnKvA, Embedding, KvLoraAndRope},
    {"attn_output", &LayerWeights::attnOutput, AttentionOut, Embedding},
};
constexpr NormRule kLatentNorms[] = {
    {"attn_kv_a_norm", &LayerWeights::attnKvANorm, KvLora},
};

constexpr LinearRule kPlainQueryLinears[] = {
    {"attn_q", &LayerWeights::attnQ, Embedding, Query},
};
constexpr LinearRule kLatentQueryLinears[] = {
    {"attn_q_a", &LayerWeights::attnQA, Embedding, QueryLora},
    {"attn_q_b", &LayerWeights::attnQB, QueryLora, Query},
};
constexpr NormRule kLatentQueryNorms[] = {
    {"attn_q_a_norm", &LayerWeights::attnQANorm, QueryLora},
};
constexpr LinearRule kFusedKvBLinears[] = {
    {"attn_kv_b", &LayerWeights::attnKvB, KvLora, KvB},
};
constexpr SetRule kSplitKvBSets[] = {
    {"attn_k_b", &LayerWeights::attnKB, KeyWithoutRope, KvLora, Heads},
    {"attn_v_b", &LayerWeights::attnVB, KvLora, LatentValue, Heads},
};

constexpr LinearRule kShortConvLinears[] = {
    {"shortconv.in_proj", &LayerWeights::shortconvIn, Embedding, ThreeEmbeddings},
    {"shortconv.conv", &LayerWeights::shortconvConv, ShortConvKernel, Embedding},
    {"shortconv.out_proj", &LayerWeights::shortconvOut, Embedding, Embedding},
};

constexpr LinearRule kMambaLinears[] = {
    {"ssm_in", &LayerWeights::ssmIn, Embedding, SsmTwoInner},
    {"ssm_conv1d", &LayerWeights::ssmConv1d, SsmKernel, SsmInner},
    {"ssm_x", &LayerWeights::ssmX, SsmInner, SsmRankAndTwoStates},
    {"ssm_dt", &LayerWeights::ssmDt, SsmRank, SsmInner},
    {"ssm_out", &LayerWeights::ssmOut, SsmInner, Embedding},
};
constexpr NormRule kMambaNorms[] = {
    {"ssm_dt_norm", &LayerWeights::ssmDtNorm, SsmRank, true},
    {"ssm_b_norm", &LayerWeights::ssmBNorm, SsmState, true},
    {"ssm_c_norm", &LayerWeights::ssmCNorm, SsmState, true},
};
constexpr VectorRule kMambaVectors[] = {
    {"ssm_a", &LayerWeights::ssmA, SsmState, SsmInner},
    {"ssm_d", &LayerWeights::ssmD, SsmInner, One},
};

constexpr LinearRule kPlamoMambaLinears[] = {
    {"ssm_in", &LayerWeights::ssmIn, Embedding, SsmTwoInner},
    {"ssm_conv1d", &LayerWeights::ssmConv1d, SsmKernel, SsmInner},
    {"ssm_x", &LayerWeights::ssmX, SsmInner, SsmDtAndTwoStates},
    {"ssm_dt", &LayerWeights::ssmDt, SsmDtLength, SsmRank},
    {"ssm_out", &LayerWeights::ssmOut, SsmInner, Embedding},
};
constexpr NormRule kPlamoMambaNorms[] = {
    {"ssm_dt_norm", &LayerWeights::ssmDtNorm, SsmDtLength},
    {"ssm_b_norm", &LayerWeights::ssmBNorm, SsmState},
    {"ssm_c_norm", &LayerWeights::ssmCNorm, SsmState},
};
constexpr VectorRule kPlamoMambaVectors[] = {
    {"ssm_a", &LayerWeights::ssmA, SsmRank, One},
    {"ssm_d", &LayerWeights::ssmD, SsmRank, One},
};

constexpr VectorRule kRelativeBiasVectors[] = {
    {"attn_rel_b.weight", &LayerWeights::attnRelB, Heads, RelativeBuckets},
};

constexpr LinearRule kMamba2Linears[] = {
    {"ssm_in", &LayerWeights::ssmIn, Embedding, SsmHeadsAndChannels},
    {"ssm_conv1d", &LayerWeights::ssmConv1d, SsmKernel, SsmConvChannels},
    {"ssm_out", &LayerWeights::ssmOut, SsmInner, Embedding},
};
constexpr VectorRule kMamba2Vectors[] = {
    {"ssm_dt.bias", &LayerWeights::ssmDtBias, SsmRank, One},
    {"ssm_a", &LayerWeights::ssmA, SsmRank, One},
    {"ssm_d", &LayerWeights::ssmD, SsmRank, One},
    {"ssm_norm.weight", &LayerWeights::ssmNormWeight, SsmGroupInner, SsmGroups, true},
};

constexpr LinearRule kAttentionAndMamba2Linears[] = {
    {"attn_output", &LayerWeights::attnOutput, AttentionOut, Embedding},
    {"ssm_in", &LayerWeights::ssmIn, Embedding, SsmHeadsAndChannels},
    {"ssm_conv1d", &LayerWeights::ssmConv1d, SsmKernel, SsmConvChannels},
    {"ssm_out", &LayerWeights::ssmOut, SsmInner, Embedding},
};

constexpr LinearRule kDeltaNetLinears[] = {
    {"ssm_conv1d", &LayerWeights::ssmConv1d, SsmKernel, DeltaChannels},
    {"ssm_out", &LayerWeights::ssmOut, SsmInner, Embedding},
};
constexpr VectorRule kDeltaNetVectors[] = {
    {"ssm_dt.bias", &LayerWeights::ssmDtBias, SsmRank, One},
    {"ssm_a", &LayerWeights::ssmA, SsmRank, One},
    {"ssm_norm.weight", &LayerWeights::ssmNormWeight, DeltaHeadValue, One},
};
constexpr LinearRule kDeltaNetInputLinears[] = {
    {"attn_qkv", &LayerWeights::attnQkv, Embedding, DeltaChannels},
    {"attn_gate", &LayerWeights::attnGate, Embedding, SsmInner},
};
constexpr LinearRule kDeltaNetBetaLinears[] = {
    {"ssm_beta", &LayerWeights::ssmBeta, Embedding, SsmRank},
    {"ssm_alpha", &LayerWeights::ssmAlpha, Embedding, SsmRank},
};

constexpr SetRule kExpertSets[] = {
    {"ffn_down_exps", &LayerWeights::ffnDownExps, ExpertFeedForward, ExpertEmbedding, Experts},
};
constexpr LinearRule kLatentExpertLinears[] = {
    {"ffn_latent_down", &LayerWeights::ffnLatentDown, Embedding, ExpertEmbedding},
    {"ffn_latent_up", &LayerWeights::ffnLatentUp, ExpertEmbedding, Embedding},
};
constexpr VectorRule kExpertVectors[] = {
    {"exp_probs_b.bias", &LayerWeights::expProbsB, Experts, One, true},
    {"ffn_exps.bias", &LayerWeights::ffnExpsBias, Embedding, One, true},
};
constexpr SetRule kExpertGateSets[] = {
    {"ffn_gate_exps", &LayerWeights::ffnGateExps, ExpertEmbedding, ExpertFeedForward, Experts},
};
constexpr SetRule kExpertUpSets[] = {
    {"ffn_up_exps", &LayerWeights::ffnUpExps, ExpertEmbedding, ExpertFeedForward, Experts},
};

constexpr NormRule kBesideDenseNorms[] = {
    {"post_ffw_norm_1", &LayerWeights::denseNormPost, Embedding},
    {"pre_ffw_norm_2", &LayerWeights::expertNorm, Embedding},
    {"post_ffw_norm_2", &LayerWeights::expertNormPost, Embedding},
};
constexpr VectorRule kBesideDenseVectors[] = {
    {"ffn_gate_inp.scale", &LayerWeights::routerScale, Embedding, One},
};

constexpr LinearRule kPerLayerLinears[] = {
    {"inp_gate", &LayerWeights::perLayerGate, Embedding, PerLayer},
    {"proj", &LayerWeights::perLayerProj, PerLayer, Embedding},
};
constexpr NormRule kPerLayerNorms[] = {
    {"post_norm", &LayerWeights::perLayerPostNorm, Embedding},
};

constexpr LinearRule kAltupLinears[] = {
    {"altup_correct_coef", &LayerWeights::altupCorrectCoef, AltupStreams, AltupStreams},
    {"altup_predict_coef", &LayerWeights::altupPredictCoef, AltupStreams, AltupStreamsSquared},
    {"altup_router", &LayerWeights::altupRouter, Embedding, AltupStreams},
    {"laurel_l", &LayerWeights::laurelL, Embedding, LaurelRank},
    {"laurel_r", &LayerWeights::laurelR, LaurelRank, Embedding},
};
constexpr NormRule kAltupNorms[] = {
    {"altup_router_norm", &LayerWeights::altupRouterNorm, Embedding},
    {"laurel_post_norm", &LayerWeights::laurelPostNorm, Embedding},
};
constexpr VectorRule kAltupVectors[] = {
    {"altup_correct_scale.weight", &LayerWeights::altupCorrectScale, Embedding, One},
};

constexpr LinearRule kRwkvLinears[] = {
    {"time_mix_w1", &LayerWeights::timeMixW1, Embedding, FiveTimeMixExtras},
    {"time_mix_decay_w1", &LayerWeights::timeMixDecayW1, Embedding, TimeDecayExtra},
    {"time_mix_decay_w2", &LayerWeights::timeMixDecayW2, TimeDecayExtra, Embedding},
    {"time_mix_key", &LayerWeights::timeMixKey, Embedding, TimeMixKeyValue},
    {"time_mix_value", &LayerWeights::timeMixValue, Embedding, TimeMixKeyValue},
    {"time_mix_receptance", &LayerWeights::timeMixReceptance, Embedding, Embedding},
    {"time_mix_gate", &LayerWeights::timeMixGate, Embedding, Embedding},
    {"time_mix_output", &LayerWeights::timeMixOutput, Embedding, Embedding},
};
constexpr LinearRule kChannelMixLinears[] = {
    {"channel_mix_key", &LayerWeights::channelMixKey, Embedding, FeedForward},
    {"channel_mix_value", &LayerWeights::channelMixValue, FeedForward, Embedding},
};
constexpr VectorRule kChannelMixVectors[] = {
    {"channel_mix_lerp_k.weight", &LayerWeights::channelMixLerpK, Embedding, One},
};
constexpr LinearRule kChannelMixReceptanceLinears[] = {
    {"channel_mix_receptance", &LayerWeights::channelMixReceptance, Embedding, Embedding},
};
constexpr VectorRule kChannelMixReceptanceVectors[] = {
    {"channel_mix_lerp_r.weight", &LayerWeights::channelMixLerpR, Embedding, One},
};
constexpr SetRule kRwkvSets[] = {
    {"time_mix_w2", &LayerWeights::timeMixW2, TimeMixExtra, Embedding, Five},
};
constexpr NormRule kRwkvNorms[] = {
    {"time_mix_ln", &LayerWeights::timeMixLn, Embedding},
};
constexpr VectorRule kRwkvVectors[] = {
    {"time_mix_lerp_x.weight", &LayerWeights::timeMixLerpX, Embedding, One},
    {"time_mix_lerp_fused.weight", &LayerWeights::timeMixLerpFused, Embedding, Five, true},
    {"time_mix_lerp_w.weight", &LayerWeights::timeMixLerpW, Embedding, One, true},
    {"time_mix_lerp_k.weight", &LayerWeights::timeMixLerpK, Embedding, One, true},
    {"time_mix_lerp_v.weight", &LayerWeights::timeMixLerpV, Embedding, One, true},
    {"time_mix_lerp_r.weight", &LayerWeights::timeMixLerpR, Embedding, One, true},
    {"time_mix_lerp_g.weight", &LayerWeights::timeMixLerpG, Embedding, One, true},
    {"time_mix_decay.weight", &LayerWeights::timeMixDecay, Embedding, One},
};
constexpr VectorRule kRwkv6OwnKeyVectors[] = {
    {"time_mix_first.weight", &LayerWeights::timeMixFirst, Embedding, One},
};

constexpr LinearRule kRwkv7Linears[] = {
    {"time_mix_w1", &LayerWeights::timeMixW1, Embedding, DecayRank},
    {"time_mix_w2", &LayerWeights::timeMixDecayW2, DecayRank, Embedding},
    {"time_mix_a1", &LayerWeights::timeMixA1, Embedding, RateRank},
    {"time_mix_a2", &LayerWeights::timeMixA2, RateRank, Embedding},
    {"time_mix_key", &LayerWeights::timeMixKey, Embedding, Embedding},
    {"time_mix_value", &LayerWeights::timeMixValue, Embedding, Embedding},
    {"time_mix_receptance", &LayerWeights::timeMixReceptance, Embedding, Embedding},
    {"time_mix_output", &LayerWeights::timeMixOutput, Embedding, Embedding},
};
constexpr VectorRule kRwkv7Vectors[] = {
    {"time_mix_w0.weight", &LayerWeights::timeMixDecay, Embedding, One},
    {"time_mix_a0.weight", &LayerWeights::timeMixA0, Embedding, One},
    {"time_mix_k_k.weight", &LayerWeights::timeMixKK, Embedding, One},
    {"time_mix_k_a.weight", &LayerWeights::timeMixKA, Embedding, One},
    {"time_mix_r_k.weight", &LayerWeights::timeMixRK, Embedding, One},
};
constexpr LinearRule kRwkv7ValueLinears[] = {
    {"time_mix_v1", &LayerWeights::timeMixV1, Embedding, ValueRank},
    {"time_mix_v2", &LayerWeights::timeMixV2, ValueRank, Embedding},
};
constexpr VectorRule kRwkv7ValueVectors[] = {
    {"time_mix_v0.weight", &LayerWeights::timeMixV0, Embedding, One},
};
constexpr LinearRule kRwkv7GateLinears[] = {
    {"time_mix_g1", &LayerWeights::timeMixG1, Embedding, GateRank},
    {"time_mix_g2", &LayerWeights::timeMixG2, GateRank, Embedding},
};

constexpr LinearRule kKimiDeltaLinears[] = {
    {"attn_q", &LayerWeights::attnQ, Embedding, SsmInner},
    {"attn_k", &LayerWeights::attnK, Embedding, SsmInner},
    {"attn_v", &LayerWeights::attnV, Embedding, SsmInner},
    {"attn_output", &LayerWeights::attnOutput, SsmInner, Embedding},
    {"ssm_beta", &LayerWeights::ssmBeta, Embedding, SsmRank},
};
constexpr LinearRule kKimiLowRankLinears[] = {
    {"ssm_f_a", &LayerWeights::ssmFA, Embedding, SsmState},
    {"ssm_f_b", &LayerWeights::ssmFB, SsmState, SsmInner},
    {"ssm_g_a", &LayerWeights::ssmGA, Embedding, SsmState},
    {"ssm_g_b", &LayerWeights::ssmGB, SsmState, SsmInner},
};
constexpr LinearRule kKimiFullRankLinears[] = {
    {"ssm_f_a", &LayerWeights::ssmFB, Embedding, SsmInner},
    {"ssm_g_a", &LayerWeights::ssmGB, Embedding, SsmInner},
};
constexpr VectorRule kKimiDeltaVectors[] = {
    {"ssm_conv1d_q.weight", &LayerWeights::ssmConv1dQ, SsmKernel, SsmInner},
    {"ssm_conv1d_k.weight", &LayerWeights::ssmConv1dK, SsmKernel, SsmInner},
    {"ssm_conv1d_v.weight", &LayerWeights::ssmConv1dV, SsmKernel, SsmInner},
    {"ssm_dt.bias", &LayerWeights::ssmDtBias, SsmInner, One},
    {"ssm_a", &LayerWeights::ssmA, SsmRank, One},
    {"ssm_norm.weight", &LayerWeights::ssmNormWeight, SsmState, One},
};

constexpr RuleSet kNoRules{};
constexpr RuleSet kProjectionRules{kProjectionLinears};
constexpr RuleSet kRwkvRules{kRwkvLinears, kRwkvSets, {}, kRwkvVectors};
constexpr RuleSet kRwkv7Rules{kRwkv7Linears, {}, {}, kRwkv7Vectors};
constexpr RuleSet kPlamoMambaRules{kPlamoMambaLinears, {}, kPlamoMambaNorms, kPlamoMambaVectors};
constexpr RuleSet kKimiDeltaRules{kKimiDeltaLinears, {}, {}, kKimiDeltaVectors};
constexpr RuleSet kAttentionRules{kAttentionLinears, {}, kAttentionNorms, kAttentionVectors};
constexpr RuleSet kLatentRules{kLatentLinears, {}, kLatentNorms, {}};
constexpr RuleSet kShortConvRules{kShortConvLinears};
constexpr RuleSet kMambaRules{kMambaLinears, {}, kMambaNorms, kMambaVectors};
constexpr RuleSet kMamba2Rules{kMamba2Linears, {}, {}, kMamba2Vectors};
constexpr RuleSet kDeltaNetRules{kDeltaNetLinears, {}, {}, kDeltaNetVectors};
constexpr RuleSet kAttentionAndMamba2Rules{kAttentionAndMamba2Linears, {}, {}, kMamba2Vectors};

} // namespace

const RuleSet kKimiLowRankRules{kKimiLowRankLinears};
const RuleSet kKimiFullRankRules{kKimiFullRankLinears};
const RuleSet kRelativeBiasRules{{}, {}, {}, kRelativeBiasVectors};
const RuleSet kRwkv6OwnKeyRules{{}, {}, {}, kRwkv6OwnKeyVectors};
const RuleSet kRwkv7ValueRules{kRwkv7ValueLinears, {}, {}, kRwkv7ValueVectors};
const RuleSet kRwkv7GateRules{kRwkv7GateLinears};
const RuleSet kRwkvNormRules{{}, {}, kRwkvNorms, {}};
const RuleSet kChannelMixRules{kChannelMixLinears, {}, {}, kChannelMixVectors};
const RuleSet kChannelMixReceptanceRules{
    kChannelMixReceptanceLinears, {}, {}, kChannelMixReceptanceVectors};
const RuleSet kPlainQueryRules{kPlainQueryLinears};
const RuleSet kLatentQueryRules{kLatentQueryLinears, {}, kLatentQueryNorms, {}};
const RuleSet kFusedKvBRules{kFusedKvBLinears};
const RuleSet kSplitKvBRules{{}, kSplitKvBSets};
const RuleSet kDeltaNetInputRules{kDeltaNetInputLinears};
const RuleSet kDeltaNetBetaRules{kDeltaNetBetaLinears};
const RuleSet kExpertRules{{}, kExpertSets, {}, kExpertVectors};
const RuleSet kExpertGateRules{{}, kExpertGateSets};
const RuleSet kExpertUpRules{{}, kExpertUpSets};
const RuleSet kLatentExpertRules{kLatentExpertLinears};
const RuleSet kBesideDenseRules{{}, {}, kBesideDenseNorms, kBesideDenseVectors};
const RuleSet kPerLayerRules{kPerLayerLinears, {}, kPerLayerNorms, {}};
const RuleSet kAltupRules{kAltupLinears, {}, kAltupNorms, kAltupVectors};

const RuleSet& mixerRules(MixerKind mixer)
{
    switch (mixer) {
    case MixerKind::None:
        return kNoRules;
    case MixerKind::Attention:
        return kAttentionRules;
    case MixerKind::LatentAttention:
        return kLatentRules;
    case MixerKind::ShortConvolution:
        return kShortConvRules;
    case MixerKind::Mamba:
        return kMambaRules;
    case MixerKind::Mamba2:
        return kMamba2Rules;
    case MixerKind::GatedDeltaNet:
        return kDeltaNetRules;
    case MixerKind::Projection:
        return kProjectionRules;
    case MixerKind::AttentionAndMamba2:
        return kAttentionAndMamba2Rules;
    case MixerKind::Rwkv6:
        return kRwkvRules;
    case MixerKind::Rwkv7:
        return kRwkv7Rules;
    case MixerKind::KimiDelta:
        return kKimiDeltaRules;
    case MixerKind::PlamoMamba:
        return kPlamoMambaRules;
    }
    return kNoRules;
}

std::int64_t dimensionOf(Dimension dimension, const Hyperparameters& model,
                         const LayerHyperparameters& layer)
{
    switch (dimension) {
    case Embedding:
        return model.embeddingLength;
    case QueryProjection:
        return model.architecture->attentionGate == AttentionGate::InQuery ? 2 * layer.queryWidth()
                                                                           : layer.queryWidth();
    case Query:
        return layer.queryWidth();
    case Key:
        return layer.keyWidth();
    case Value:
        return layer.valueWidth();
    case AttentionOut:
        return layer.attentionWidth();
    case Heads:
        return layer.headCount;
    case QueryLora:
    case KvLora:
    case KvLoraAndRope:
    case KeyWithoutRope:
    case LatentValue:
    case KvB:
        return latentDimension(dimension, model, layer);
    case Experts:
        return model.experts.count;
    case ExpertFeedForward:
        return model.experts.feedForwardLength;
    case ExpertEmbedding:
        return model.experts.latentLength > 0 ? model.experts.latentLength : model.embeddingLength;
    case ShortConvKernel:
        return model.shortConvLength;
    case ThreeEmbeddings:
        return 3 * static_cast<std::int64_t>(model.embeddingLength);
    case PerLayer:
        return model.perLayerLength;
    case AltupStreams:
        return kAltupStreams;
    case AltupStreamsSquared:
        return kAltupStreams * kAltupStreams;
    case LaurelRank:
        return kLaurelRank;
    case FeedForward:
        return layer.feedForwardLength;
    case TimeMixExtra:
        return model.rwkv.timeMixExtraDim;
    case FiveTimeMixExtras:
        return 5 * static_cast<std::int64_t>(model.rwkv.timeMixExtraDim);
    case TimeDecayExtra:
        return model.rwkv.timeDecayExtraDim;
    case RelativeBuckets:
        return model.relativeBuckets;
    case Five:
        return 5;
    case TimeMixKeyValue:
        return model.rwkv.keyValueWidth;
    case DecayRank:
        return model.rwkv.decayRank;
    case RateRank:
        return model.rwkv.rateRank;
    case ValueRank:
        return model.rwkv.valueRank;
    case GateRank:
        return model.rwkv.gateRank;
    case One:
        return 1;
    default:
        return ssmDimension(dimension, model.ssm);
    }
}

} // namespace engine
