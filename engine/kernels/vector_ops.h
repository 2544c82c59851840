#pragma once

#include <cstddef>
#include <cstdint>

namespace engine {

// Functions over runs of n floats. `out` may be the same as an input, but must not overlap it
// otherwise. Sums run over 16 virtual lanes (element i belongs to lane i % 16) that are then added
// in a fixed tree, so every target with fused multiply-adds gives the same bits.

/// Sum of x[i] * y[i].
float dot(const float* x, const float* y, std::size_t n);
float sum(const float* x, std::size_t n);
float maximum(const float* x, std::size_t n); ///< REQUIRES: n > 0

/// out = x / sqrt(mean(x^2) + eps) * weight. `weight` may be null (all ones).
void rmsNorm(const float* x, const float* weight, float* out, std::size_t n, float eps);
/// out = (x - mean) / sqrt(variance + eps) * weight + bias. `weight` and `bias` may be null.
struct LayerNormWeights {
    const float* weight = nullptr;
    const float* bias = nullptr;
};
void layerNorm(const float* x, LayerNormWeights weights, float* out, std::size_t n, float eps);
/// out = x / max(|x|, eps), |x| the Euclidean norm.
void l2Norm(const float* x, float* out, std::size_t n, float eps);

/// out = exp(x - max) / sum of those, max over the run.
void softmax(const float* x, float* out, std::size_t n);

void add(const float* x, const float* y, float* out, std::size_t n);
void multiply(const float* x, const float* y, float* out, std::size_t n);
void scale(const float* x, float factor, float* out, std::size_t n);
/// out = x rounded to the eleven significant bits a half has, over the whole range of a float.
void roundToHalf(const float* x, float* out, std::size_t n);
/// out = x * factor + y, fused.
void multiplyAdd(const float* x, float factor, const float* y, float* out, std::size_t n);
/// out = cap * tanh(x / cap).
void softcap(const float* x, float cap, float* out, std::size_t n);

enum class Activation : std::uint8_t {
    Silu,        ///< x * sigmoid(x)
    Gelu,        ///< tanh form: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
    GeluErf,     ///< x/2 (1 + erf(x / sqrt 2))
    GeluQuick,   ///< x * sigmoid(1.702 x)
    Relu,        ///< max(x, 0)
    ReluSquared, ///< max(x, 0)^2
    Sigmoid,
    Tanh,
    Exp,
    Softplus, ///< log(1 + exp(x))
};

/// out = f(x).
void activate(Activation f, const float* x, float* out, std::size_t n);
/// out = f(gate) * up: SwiGLU, GeGLU, ReGLU.
void activateGated(Activation f, const float* gate, const float* up, float* out, std::size_t n);
/// gpt-oss's gated unit: g = min(gate, limit), u = clamp(up, -limit, limit),
/// out = g * sigmoid(alpha g) * (u + 1).
struct ClampedSwiglu {
    float alpha = 1.702f;
    float limit = 7.0f;
};
void activateClampedSwiglu(ClampedSwiglu form, const float* gate, const float* up, float* out,
                           std::size_t n);

/// Which pairs of a head's values are rotated together.
enum class RopePairs : std::uint8_t {
    Adjacent, ///< (0,1), (2,3), ...: llama's own layout in GGUF, "norm"
    Halves,   ///< (0, n/2), (1, n/2 + 1), ...: GPT-NeoX
};

/// Rotates the first 2 * `pairs` values of each of `heads` vectors, `headStride` apart, in place:
/// (a, b) -> (a cos - b sin, a sin + b cos). `cosines` and `sines` hold `pairs` values each: one
/// position's angles, with any attention factor multiplied in.
struct RopeAngles {
    const float* cosines = nullptr;
    const float* sines = nullptr;
    int pairs = 0;
};
void applyRope(RopePairs layout, RopeAngles angles, float* heads, int headCount,
               std::size_t headStride);

} // namespace engine
