#pragma once

#include "engine/model/fast_call.h"

#include <cmath>
#include <span>

namespace engine::fast {

inline float softplus(float x)
{
    return x > 20.0F ? x : std::log1p(std::exp(x));
}

inline float sigmoid(float x)
{
    return 1.0F / (1.0F + std::exp(-x));
}

inline float silu(float x)
{
    return x * sigmoid(x);
}

/// Causal convolution weights of each channel by itself: (channels, kernel), and a bias or none.
struct ChannelConvolution {
    std::span<const float> weights;
    std::span<const float> bias;
    int kernel = 0;
};

/// Convolves the columns of `x` from `firstColumn` on over each row's last `kernel` inputs into
/// `out` (rows, channels); the layer's state holds the kernel - 1 before a run's first row and
/// moves on.
void convolve(const Call& call, int layer, const ChannelConvolution& convolution, const Block& x,
              int firstColumn, const Block& out);

/// Calls `scan(run, state, head)` for all heads of a recurrent layer, several at once.
template <typename Scan>
void scanHeads(const Call& call, int layer, int heads, const Scan& scan)
{
    for (const Run& run : call.runs)
        call.forItems(heads, [&](int, int head) {
            scan(run, run.state->recurrent(layer).state.data(), head);
        });
}

/// Queries, keys and values of a layer, (rows, heads * length) each.
struct AttentionInputs {
    Block queries;
    Block keys;
    Block values;
};

/// What the heads of an encoder read where each head has a bias by distance: all of a sequence is
/// in the call.
void attendByDistance(const Call& call, int index, const AttentionInputs& in, const Block& out);

/// out *= sigmoid(gate), the gate (which is gone then) being one number an element or one a head.
void applyGate(const Call& call, const Block& out, const Block& gate);

void siluAll(const Call& call, const Block& x);

/// What leaves a mixer: out = W y.
void project(const Call& call, int layer, const PackedLinear& linear, const Block& y,
             const Block& out);

} // namespace engine::fast
