#pragma once

#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_mixers.h"

#include <cmath>
#include <cstddef>

namespace engine::fast {

/// What one head of a delta rule reads of a token, and where its result goes.
struct DeltaToken {
    const float* query;
    const float* key;
    const float* value;
    float rate; ///< how much of what the memory got wrong it learns
    float* out;
};

/// One head over one token (Yang et al. 2024): S fades; S += (rate (v - S k)) k^T; out = S q /
/// sqrt(keyLength). `state` is S, (values, keyLength); `fade` lets one of its rows fade.
template <typename Fade>
void deltaStep(const DeltaToken& token, int keyLength, int values, float* state, const Fade& fade)
{
    const float queryScale = 1.0F / std::sqrt(static_cast<float>(keyLength));
    const auto size = static_cast<std::size_t>(keyLength);
    for (int i = 0; i < values; ++i) {
        float* s = state + static_cast<std::size_t>(i) * size;
        fade(s);
        multiplyAdd(token.key, token.rate * (token.value[i] - dot(s, token.key, size)), s, s, size);
        token.out[i] = dot(s, token.query, size) * queryScale;
    }
}

/// Gives each of the first `heads` vectors of `length` elements in every row the length 1.
void unitHeads(const Call& call, const Block& x, int heads, int length);

/// y = norm(y) act(gate), in place.
void normAndGate(const Call& call, int index, Activation activation, const Block& gate,
                 const Block& y);

} // namespace engine::fast
