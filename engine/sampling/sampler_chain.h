#pragma once

#include "engine/sampling/random_stream.h"
#include "engine/sampling/sampling_settings.h"
#include "engine/tokenizer/tokenizer.h"

#include <cstddef>
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
    int keptCount = 0;    ///< candidates that could have been picked; 0 where no logit is finite:
                          ///< then nothing was drawn and `id` means nothing
    double logSumExp = 0; ///< of the whole vocabulary's raw logits
    float cutTopK = 0;    ///< the model's own share (of 1) that each stage removed
    float cutTypical = 0;
    float cutTopP = 0;
    float cutMinP = 0;
    std::vector<TokenCandidate> candidates; ///< the `observe` most likely, by raw logit
};

/// Draws tokens from logits: penalties, top-k, typical, top-p, min-p, temperature, draw. Logits
/// that are not finite are never picked. One sequence owns it; its buffers are allocated in the
/// constructor and a draw allocates nothing.
class SamplerChain {
public:
    /// `observe`: how many candidates each draw reports. REQUIRES: vocabularySize >= 1.
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
        float logit;  // after the penalties
        float weight; // scratch of the stage at work
    };

    void countPenalties(std::span<const TokenId> context, int window, bool clear);
    void applyPenalties(const SamplingSettings& settings);
    void measureModel();
    void keepTopK(int topK);
    void keepTypical(float typicalP);
    void keepTopP(float topP);
    void keepMinP(float minP);
    std::size_t draw(double totalWeight);
    void orderFirst(std::size_t count);
    std::size_t likeliest() const;
    double weigh(float temperature);
    float cutTo(std::size_t count, SamplerStage stage);
    float modelProbability(TokenId id) const;
    void report(const Entry& picked, double totalWeight, const SamplingSettings& settings);
    void findTop();

    int m_observe;
    RandomStream m_random;
    std::vector<Entry>
        m_entries; // [0, m_kept) are still in; [0, m_ordered) of them by falling logit
    std::size_t m_kept = 0;
    std::size_t m_ordered = 0;
    double m_share = 1;                 // the model's own share that is still in
    std::span<const float> m_logits;    // of the draw under way
    std::vector<std::int32_t> m_counts; // by token, of the penalty window
    std::vector<SamplerStage> m_cutBy;  // by token
    std::vector<TokenId> m_top;         // the `observe` most likely by raw logit
    SampledToken m_sampled;
};

} // namespace engine
