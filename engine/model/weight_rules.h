#pragma once

#include "engine/model/weights.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace engine {

/// A length tensors have, by what it counts.
enum class Dimension : std::uint8_t {
    Embedding,
    QueryProjection, ///< queries of all heads, with their gates where attn_q gives those too
    Query,           ///< heads * key length
    Key,             ///< KV heads * key length
    Value,           ///< KV heads * value length
    AttentionOut,    ///< heads * value length
    Heads,
    QueryLora,
    KvLora,
    KvLoraAndRope,
    KeyWithoutRope, ///< of a decompressed head
    LatentValue,
    KvB, ///< heads * (key without rope + value)
    Experts,
    ExpertFeedForward,
    ExpertEmbedding, ///< of what routed experts read and give
    ShortConvKernel,
    ThreeEmbeddings,
    PerLayer,
    AltupStreams,
    AltupStreamsSquared,
    LaurelRank,
    FeedForward,
    TimeMixExtra,
    FiveTimeMixExtras,
    TimeDecayExtra,
    Five,
    TimeMixKeyValue,
    DecayRank,
    RateRank,
    ValueRank,
    GateRank,
    SsmKernel,
    SsmInner,
    SsmTwoInner,
    SsmState,
    SsmRank,
    SsmDtLength,
    SsmDtAndTwoStates,   ///< PLaMo 2: B, C and what dt is made of
    SsmRankAndTwoStates, ///< mamba: dt, B and C
    SsmHeadsAndChannels, ///< mamba 2: z, the convolution's channels and dt
    SsmConvChannels,     ///< mamba 2: x, B and C
    SsmGroupInner,       ///< of one group
    SsmGroups,
    DeltaChannels, ///< gated delta net: queries, keys and values
    DeltaHeadValue,
    RelativeBuckets,
    One,
};

std::int64_t dimensionOf(Dimension dimension, const Hyperparameters& model,
                         const LayerHyperparameters& layer);

struct LinearRule {
    std::string_view name; ///< without ".weight"
    Linear LayerWeights::* target;
    Dimension inputs;
    Dimension outputs;
    bool optional = false;
};

struct SetRule {
    std::string_view name;
    LinearSet LayerWeights::* target;
    Dimension inputs;
    Dimension outputs;
    Dimension count;
    bool optional = false;
};

struct NormRule {
    std::string_view name;
    NormWeights LayerWeights::* target;
    Dimension width;
    bool optional = false;
};

struct VectorRule {
    std::string_view name; ///< in full
    TensorView LayerWeights::* target;
    Dimension columns;
    Dimension rows;
    bool optional = false;
};

/// Tensors of a layer that go together.
struct RuleSet {
    std::span<const LinearRule> linears;
    std::span<const SetRule> sets{};
    std::span<const NormRule> norms{};
    std::span<const VectorRule> vectors{};
};

/// What a mixer always has.
const RuleSet& mixerRules(MixerKind mixer);

extern const RuleSet kKimiLowRankRules;
extern const RuleSet kKimiFullRankRules;
extern const RuleSet kRelativeBiasRules;
extern const RuleSet kRwkv6OwnKeyRules;
extern const RuleSet kRwkv7ValueRules;
extern const RuleSet kRwkv7GateRules;
extern const RuleSet kRwkvNormRules;
extern const RuleSet kChannelMixRules;
extern const RuleSet kChannelMixReceptanceRules;
extern const RuleSet kPlainQueryRules;
extern const RuleSet kLatentQueryRules;
extern const RuleSet kFusedKvBRules;
extern const RuleSet kSplitKvBRules;
extern const RuleSet kDeltaNetInputRules;
extern const RuleSet kDeltaNetBetaRules;
extern const RuleSet kExpertRules;
extern const RuleSet kExpertGateRules;
extern const RuleSet kExpertUpRules;
extern const RuleSet kLatentExpertRules;
extern const RuleSet kBesideDenseRules;
extern const RuleSet kPerLayerRules;
extern const RuleSet kAltupRules;

/// Residual streams of Gemma 3n, and the rank of its learned residual.
inline constexpr int kAltupStreams = 4;
inline constexpr int kLaurelRank = 64;

} // namespace engine
