#pragma once

#include "engine/model/hyperparameters.h"

#include <span>
#include <vector>

namespace engine {

/// Rotary position embedding: element pair i of a head is turned by position * frequencies[i]
/// radians and stretched by `magnitude` (Su et al. 2021). Linear scaling, YaRN (Peng et al. 2023),
/// LongRoPE (Ding et al. 2024) and Llama 3's factors only change frequencies and magnitude, so
/// both forward passes share this table. Immutable.
struct RopeTable {
    RopeLayout layout = RopeLayout::Halves;
    int dimensionCount = 0;          ///< elements of a head that turn; the rest stay
    std::vector<double> frequencies; ///< (dimensionCount / 2) radians per position
    float magnitude = 1;

    /// `factors` divide the frequencies (rope_freqs, or LongRoPE's factors for the context at
    /// hand): dimensionCount / 2 of them, or none.
    static RopeTable create(const RopeHyperparameters& rope, RopeLayout layout,
                            std::span<const float> factors);

    /// Cosines and sines at `position`, times the magnitude: dimensionCount / 2 of either.
    void angles(int position, std::span<float> cosines, std::span<float> sines) const;
};

/// Turns the first 2 * cosines.size() elements of one head.
void rotate(std::span<float> head, RopeLayout layout, std::span<const float> cosines,
            std::span<const float> sines);

/// The slope of ALiBi's bias for head `head` of `headCount` (Press et al. 2022): the score of a key
/// `distance` positions back grows by -slope * distance.
float alibiSlope(int head, int headCount, float maxBias);

/// Which of `buckets` ranges a key lies in that is `distance` positions after its query: half of
/// them are for keys before it; each half has the near distances one by one and the far ones by
/// their logarithm, up to 128 (T5).
int distanceBucket(int distance, int buckets);

} // namespace engine
