#pragma once

#include <cstdint>
#include <optional>

namespace engine {

/// The knobs of the sampler chain, a plain value read anew before every token. Each has a value
/// that switches it off, given first. The chain runs in this order: penalties, top-k, typical,
/// top-p, min-p, temperature, draw.
struct SamplingSettings {
    float temperature = 0.8F; ///< 0: greedy (the most likely token, no draw)
    int topK = 40;            ///< 0: off
    float typicalP = 1.0F;    ///< 1: off (Meister et al. 2022)
    float topP = 0.95F;       ///< 1: off (Holtzman et al. 2019)
    float minP = 0.05F;       ///< 0: off; relative to the most likely token
    float repeatPenalty =
        1.0F; ///< 1: off; divides positive, multiplies negative logits (Keskar et al. 2019)
    float presencePenalty = 0.0F;  ///< 0: off; subtracted once from every token in the window
    float frequencyPenalty = 0.0F; ///< 0: off; subtracted for every time a token is in the window
    int penaltyWindow = 64; ///< last tokens the penalties look at; 0: none, -1: all of the context
    std::optional<std::uint64_t> seed; ///< absent: a fresh one for each reply, reported with it
    int maxTokens = -1;        ///< most new tokens in a reply; -1: as many as the context holds
    std::uint64_t version = 0; ///< counts changes; a token says which version it was drawn with

    bool operator==(const SamplingSettings&) const = default;
};

} // namespace engine
