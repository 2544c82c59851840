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
    case DeltaTwoHeads:
        return 2 * static_cast<std::int64_t>(ssm.timeStepRank);
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
    {"attn_qkv", &LayerWeights::attnQkv, Embedding, DeltaChannels},
    {"attn_gate", &LayerWeights::attnGate, Embedding, SsmInner},
    {"ssm_conv1d", &LayerWeights::ssmConv1d, SsmKernel, DeltaChannels},
    {"ssm_out", &LayerWeights::ssmOut, SsmInner, Embedding},
};
constexpr VectorRule kDeltaNetVectors[] = {
    {"ssm_dt.bias", &LayerWeights::ssmDtBias, SsmRank, One},
    {"ssm_a", &LayerWeights::ssmA, SsmRank, One},
    {"ssm_norm.weight", &LayerWeights::ssmNormWeight, DeltaHeadValue, One},
};
constexpr LinearRule kDeltaNetBetaLinears[] = {
    {"ssm_beta", &LayerWeights::ssmBeta, Embedding, SsmRank},
    {"ssm_alpha", &LayerWeights::ssmAlpha, Embedding, SsmRank},
};
constexpr LinearRule kDeltaNetFusedBetaLinears[] = {
    {"ssm_ba", &LayerWeights::ssmBetaAlpha, Embedding, DeltaTwoHeads},
};

constexpr LinearRule kRouterLinears[] = {
    {"ffn_gate_inp", &LayerWeights::ffnGateInp, Embedding, Experts, true},
};
constexpr SetRule kExpertSets[] = {
    {"ffn_down_exps", &LayerWeights::ffnDownExps, ExpertFeedForward, Embedding, Experts},
};
constexpr VectorRule kExpertVectors[] = {
    {"exp_probs_b.bias", &LayerWeights::expProbsB, Experts, One, true},
};
constexpr SetRule kExpertGateSets[] = {
    {"ffn_gate_exps", &LayerWeights::ffnGateExps, Embedding, ExpertFeedForward, Experts},
};
constexpr SetRule kExpertUpSets[] = {
    {"ffn_up_exps", &LayerWeights::ffnUpExps, Embedding, ExpertFeedForward, Experts},
};

constexpr RuleSet kNoRules{};
constexpr RuleSet kAttentionRules{kAttentionLinears, {}, kAttentionNorms, kAttentionVectors};
constexpr RuleSet kLatentRules{kLatentLinears, {}, kLatentNorms, {}};
constexpr RuleSet kShortConvRules{kShortConvLinears};
constexpr RuleSet kMambaRules{kMambaLinears, {}, kMambaNorms, kMambaVectors};
constexpr RuleSet kMamba2Rules{kMamba2Linears, {}, {}, kMamba2Vectors};
constexpr RuleSet kDeltaNetRules{kDeltaNetLinears, {}, {}, kDeltaNetVectors};
constexpr RuleSet kAttentionAndMamba2Rules{kAttentionAndMamba2Linears, {}, {}, kMamba2Vectors};

} // namespace

const RuleSet kPlainQueryRules{kPlainQueryLinears};
const RuleSet kLatentQueryRules{kLatentQueryLinears, {}, kLatentQueryNorms, {}};
const RuleSet kFusedKvBRules{kFusedKvBLinears};
const RuleSet kSplitKvBRules{{}, kSplitKvBSets};
const RuleSet kDeltaNetBetaRules{kDeltaNetBetaLinears};
const RuleSet kDeltaNetFusedBetaRules{kDeltaNetFusedBetaLinears};
const RuleSet kFeedForwardRules{kRouterLinears};
const RuleSet kExpertRules{{}, kExpertSets, {}, kExpertVectors};
const RuleSet kExpertGateRules{{}, kExpertGateSets};
const RuleSet kExpertUpRules{{}, kExpertUpSets};

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
    case MixerKind::AttentionAndMamba2:
        return kAttentionAndMamba2Rules;
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
    case ShortConvKernel:
        return model.shortConvLength;
    case ThreeEmbeddings:
        return 3 * static_cast<std::int64_t>(model.embeddingLength);
    case One:
        return 1;
    default:
        return ssmDimension(dimension, model.ssm);
    }
}

} // namespace engine
