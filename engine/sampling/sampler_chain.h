#pragma once

#include "engine/sampling/sampling_settings.h"
#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace engine {

/// What removed a candidate: the first stage of the chain that did.
enum class SamplerStage : std::uint8_t { Kept, Grammar, TopK, Typical, TopP, MinP, Temperature };

/// One of the most likely tokens at a position, before and after the chain.
struct TokenCandidate {
    TokenId id = 0;
    float logit = 0;            ///< raw, as the model gave it
    int penaltyCount = 0;       ///< times in the penalty window
    float modelProbability = 0; ///< softmax of the raw logits
    float finalProbability = 0; ///< after the chain; 0 where cut
    SamplerStage cutBy = SamplerStage::Kept;
};

/// The outcome of one draw, with what a window needs to show why and to recompute the chain for
/// other settings.
struct SampledToken {
    TokenId id = 0;
    int rank = 0;          ///< place by raw logit, 0 is the most likely
    float probability = 0; ///< after the chain
    float modelProbability = 0;
    int keptCount = 0;    ///< candidates that could have been picked
    double logSumExp = 0; ///< of the whole vocabulary's raw logits
    float cutTopK = 0;    ///< the model's own share (of 1) that each stage removed
    float cutTypical = 0;
    float cutTopP = 0;
    float cutMinP = 0;
    std::vector<TokenCandidate> candidates; ///< the `observe` most likely, by raw logit
};

/// Draws tokens from logits. One sequence owns it; its buffers are allocated in the constructor and
/// a draw allocates nothing while `observe` candidates fit the capacity reserved there.
class SamplerChain {
public:
    /// `observe`: how many candidates each draw reports.
    SamplerChain(int vocabularySize, int observe);

    /// Starts a reply: the random stream begins anew from `seed`.
    void reset(std::uint64_t seed);

    /// `logits`: (vocabulary); `context`: every token so far, prompt included, newest last. The
    /// result is valid until the next call.
    const SampledToken& sample(std::span<const float> logits, std::span<const TokenId> context,
                               const SamplingSettings& settings);

private:
    struct Entry {
        TokenId id;
        float logit;
        float probability;
    };

    int m_vocabularySize;
    int m_observe;
    std::uint64_t m_random[4]{};
    std::vector<Entry> m_entries;
    std::vector<std::int32_t> m_counts; // by token, of the penalty window
    SampledToken m_sampled;
};

} // namespace engine
