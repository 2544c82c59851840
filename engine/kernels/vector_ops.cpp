#include "engine/kernels/vector_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

// clang-format off: foreach_target.h comes before whatever includes highway.h
#include "engine/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/vector_ops.cpp"
#include <hwy/foreach_target.h>
#include "engine/kernels/vector_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {
namespace {

/// out = f(x), elementwise.
template <class F>
HWY_INLINE void mapOne(const F& f, const float* x, float* out, std::size_t n)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        hn::StoreU(f(hn::LoadU(df, x + i)), df, out + i);
    if (i < n) hn::StoreN(f(hn::LoadN(df, x + i, n - i)), df, out + i, n - i);
}

/// out = f(x, y), elementwise.
template <class F>
HWY_INLINE void mapTwo(const F& f, const float* x, const float* y, float* out, std::size_t n)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        hn::StoreU(f(hn::LoadU(df, x + i), hn::LoadU(df, y + i)), df, out + i);
    if (i < n)
        hn::StoreN(f(hn::LoadN(df, x + i, n - i), hn::LoadN(df, y + i, n - i)), df, out + i, n - i);
}

struct SumOf {
    HWY_INLINE FloatVec operator()(FloatVec x, FloatVec y) const { return hn::Add(x, y); }
};
struct ProductOf {
    HWY_INLINE FloatVec operator()(FloatVec x, FloatVec y) const { return hn::Mul(x, y); }
};
struct Scaled {
    float factor;
    HWY_INLINE FloatVec operator()(FloatVec x) const { return hn::Mul(x, constant(factor)); }
};
struct ScaledSum {
    float factor;
    HWY_INLINE FloatVec operator()(FloatVec x, FloatVec y) const
    {
        return hn::MulAdd(x, constant(factor), y);
    }
};
struct ScaledProduct {
    float factor;
    HWY_INLINE FloatVec operator()(FloatVec x, FloatVec y) const
    {
        return hn::Mul(hn::Mul(x, constant(factor)), y);
    }
};
struct RoundedToHalf {
    HWY_INLINE FloatVec operator()(FloatVec x) const
    {
        constexpr int kDropped = 13;
        const hn::RebindToUnsigned<FloatTag> bits;
        const auto value = hn::BitCast(bits, x);
        const auto odd = hn::And(hn::ShiftRight<kDropped>(value), hn::Set(bits, 1));
        const auto half = hn::Set(bits, (1U << (kDropped - 1)) - 1);
        const auto kept = hn::Set(bits, ~((1U << kDropped) - 1));
        const auto rounded = hn::And(hn::Add(hn::Add(value, half), odd), kept);
        return hn::IfThenElse(hn::IsNaN(x), x, hn::BitCast(FloatTag(), rounded));
    }
};
struct Shifted {
    float offset;
    HWY_INLINE FloatVec operator()(FloatVec x) const { return hn::Sub(x, constant(offset)); }
};
struct Softcapped {
    float cap;
    HWY_INLINE FloatVec operator()(FloatVec x) const
    {
        return hn::Mul(constant(cap), hyperbolicTangent(hn::Div(x, constant(cap))));
    }
};
struct ExponentialOf {
    float offset;
    HWY_INLINE FloatVec operator()(FloatVec x) const
    {
        return exponential(hn::Sub(x, constant(offset)));
    }
};

struct SiluOf {
    HWY_INLINE FloatVec operator()(FloatVec x) const
    {
        return hn::Div(x, hn::Add(constant(1.0f), exponential(hn::Neg(x))));
    }
};
struct GeluOf {
    /// x/2 (1 + tanh u) = x sigmoid(2u).
    HWY_INLINE FloatVec operator()(FloatVec x) const
    {
        const auto cubic =
            hn::MulAdd(hn::Mul(x, x), constant(0.0713548163f), constant(1.59576912f));
        return hn::Div(x, hn::Add(constant(1.0f), exponential(hn::Neg(hn::Mul(x, cubic)))));
    }
};
struct GeluErfOf {
    HWY_INLINE FloatVec operator()(FloatVec x) const { return hn::Mul(x, normalCdf(x)); }
};
struct GeluQuickOf {
    HWY_INLINE FloatVec operator()(FloatVec x) const
    {
        return hn::Mul(x, sigmoid(hn::Mul(x, constant(1.702f))));
    }
};
struct ReluOf {
    HWY_INLINE FloatVec operator()(FloatVec x) const { return hn::Max(x, hn::Zero(FloatTag())); }
};
struct ReluSquaredOf {
    HWY_INLINE FloatVec operator()(FloatVec x) const
    {
        const auto positive = hn::Max(x, hn::Zero(FloatTag()));
        return hn::Mul(positive, positive);
    }
};
struct SigmoidOf {
    HWY_INLINE FloatVec operator()(FloatVec x) const { return sigmoid(x); }
};
struct TanhOf {
    HWY_INLINE FloatVec operator()(FloatVec x) const { return hyperbolicTangent(x); }
};
struct ExpOf {
    HWY_INLINE FloatVec operator()(FloatVec x) const { return exponential(x); }
};
struct SoftplusOf {
    HWY_INLINE FloatVec operator()(FloatVec x) const { return softplus(x); }
};

template <class F>
struct Gated {
    HWY_INLINE FloatVec operator()(FloatVec gate, FloatVec up) const
    {
        return hn::Mul(F()(gate), up);
    }
};

struct ClampedSwigluOf {
    ClampedSwiglu form;
    HWY_INLINE FloatVec operator()(FloatVec gate, FloatVec up) const
    {
        const auto limit = constant(form.limit);
        const auto g = hn::Min(gate, limit);
        const auto u = hn::Max(hn::Min(up, limit), hn::Neg(limit));
        const auto swish = hn::Mul(g, sigmoid(hn::Mul(g, constant(form.alpha))));
        return hn::Mul(swish, hn::Add(u, constant(1.0f)));
    }
};

template <class F>
void runOne(const float* x, float* out, std::size_t n)
{
    mapOne(F(), x, out, n);
}
template <class F>
void runGated(const float* gate, const float* up, float* out, std::size_t n)
{
    mapTwo(Gated<F>(), gate, up, out, n);
}

} // namespace

float dotProduct(const float* x, const float* y, std::size_t n)
{
    return sum16(ProductTerm{x, y}, n);
}

float plainSum(const float* x, std::size_t n)
{
    return sum16(PlainTerm{x}, n);
}

float largest(const float* x, std::size_t n)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    auto most = constant(x[0]);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        most = hn::Max(most, hn::LoadU(df, x + i));
    float result = hn::ReduceMax(df, most);
    for (; i < n; ++i)
        result = std::max(result, x[i]);
    return result;
}

void rmsNormRow(const float* x, const float* weight, float* out, std::size_t n, float eps)
{
    const float meanSquare = sum16(ProductTerm{x, x}, n) / static_cast<float>(n);
    const float factor = 1.0f / std::sqrt(meanSquare + eps);
    if (weight != nullptr)
        mapTwo(ScaledProduct{factor}, x, weight, out, n);
    else
        mapOne(Scaled{factor}, x, out, n);
}

void layerNormRow(const float* x, LayerNormWeights weights, float* out, std::size_t n, float eps)
{
    const float mean = sum16(PlainTerm{x}, n) / static_cast<float>(n);
    mapOne(Shifted{mean}, x, out, n);
    const float variance = sum16(ProductTerm{out, out}, n) / static_cast<float>(n);
    const float factor = 1.0f / std::sqrt(variance + eps);
    if (weights.weight != nullptr)
        mapTwo(ScaledProduct{factor}, out, weights.weight, out, n);
    else
        mapOne(Scaled{factor}, out, out, n);
    if (weights.bias != nullptr) mapTwo(SumOf(), out, weights.bias, out, n);
}

void l2NormRow(const float* x, float* out, std::size_t n, float eps)
{
    const float norm = std::sqrt(sum16(ProductTerm{x, x}, n));
    mapOne(Scaled{1.0f / std::max(norm, eps)}, x, out, n);
}

void softmaxRow(const float* x, float* out, std::size_t n)
{
    mapOne(ExponentialOf{largest(x, n)}, x, out, n);
    mapOne(Scaled{1.0f / sum16(PlainTerm{out}, n)}, out, out, n);
}

void addRows(const float* x, const float* y, float* out, std::size_t n)
{
    mapTwo(SumOf(), x, y, out, n);
}
void multiplyRows(const float* x, const float* y, float* out, std::size_t n)
{
    mapTwo(ProductOf(), x, y, out, n);
}
void scaleRow(const float* x, float factor, float* out, std::size_t n)
{
    mapOne(Scaled{factor}, x, out, n);
}
void roundRowToHalf(const float* x, float* out, std::size_t n)
{
    mapOne(RoundedToHalf(), x, out, n);
}
void multiplyAddRows(const float* x, float factor, const float* y, float* out, std::size_t n)
{
    mapTwo(ScaledSum{factor}, x, y, out, n);
}
void softcapRow(const float* x, float cap, float* out, std::size_t n)
{
    mapOne(Softcapped{cap}, x, out, n);
}

void activateRow(Activation f, const float* x, float* out, std::size_t n)
{
    using Run = void (*)(const float*, float*, std::size_t);
    // In the order of Activation.
    static constexpr Run kRuns[] = {runOne<SiluOf>,      runOne<GeluOf>, runOne<GeluErfOf>,
                                    runOne<GeluQuickOf>, runOne<ReluOf>, runOne<ReluSquaredOf>,
                                    runOne<SigmoidOf>,   runOne<TanhOf>, runOne<ExpOf>,
                                    runOne<SoftplusOf>};
    kRuns[static_cast<std::size_t>(f)](x, out, n);
}

void activateGatedRow(Activation f, const float* gate, const float* up, float* out, std::size_t n)
{
    using Run = void (*)(const float*, const float*, float*, std::size_t);
    static constexpr Run kRuns[] = {
        runGated<SiluOf>, runGated<GeluOf>,        runGated<GeluErfOf>, runGated<GeluQuickOf>,
        runGated<ReluOf>, runGated<ReluSquaredOf>, runGated<SigmoidOf>, runGated<TanhOf>,
        runGated<ExpOf>,  runGated<SoftplusOf>};
    kRuns[static_cast<std::size_t>(f)](gate, up, out, n);
}

void clampedSwigluRow(ClampedSwiglu form, const float* gate, const float* up, float* out,
                      std::size_t n)
{
    mapTwo(ClampedSwigluOf{form}, gate, up, out, n);
}

namespace {

/// (a, b) turned by the angles from pair i on.
HWY_INLINE void turn(FloatVec& a, FloatVec& b, FloatVec cosine, FloatVec sine)
{
    const auto first = hn::NegMulAdd(b, sine, hn::Mul(a, cosine));
    b = hn::MulAdd(a, sine, hn::Mul(b, cosine));
    a = first;
}

HWY_INLINE void turnHalves(const RopeAngles& angles, float* x)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const auto pairs = static_cast<std::size_t>(angles.pairs);
    for (std::size_t i = 0; i < pairs; i += lanes) {
        const std::size_t count = std::min(lanes, pairs - i);
        auto a = hn::LoadN(df, x + i, count);
        auto b = hn::LoadN(df, x + pairs + i, count);
        turn(a, b, hn::LoadN(df, angles.cosines + i, count),
             hn::LoadN(df, angles.sines + i, count));
        hn::StoreN(a, df, x + i, count);
        hn::StoreN(b, df, x + pairs + i, count);
    }
}

HWY_INLINE void turnAdjacent(const RopeAngles& angles, float* x)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const auto pairs = static_cast<std::size_t>(angles.pairs);
    std::size_t i = 0;
    FloatVec a = hn::Zero(df), b = a;
    for (; i + lanes <= pairs; i += lanes) {
        hn::LoadInterleaved2(df, x + 2 * i, a, b);
        turn(a, b, hn::LoadU(df, angles.cosines + i), hn::LoadU(df, angles.sines + i));
        hn::StoreInterleaved2(a, b, df, x + 2 * i);
    }
    if (i == pairs) return;
    const std::size_t count = pairs - i;
    HWY_ALIGN float rest[32] = {};
    std::copy_n(x + 2 * i, 2 * count, rest);
    hn::LoadInterleaved2(df, rest, a, b);
    turn(a, b, hn::LoadN(df, angles.cosines + i, count), hn::LoadN(df, angles.sines + i, count));
    hn::StoreInterleaved2(a, b, df, rest);
    std::copy_n(rest, 2 * count, x + 2 * i);
}

} // namespace

void ropeHeads(RopePairs layout, RopeAngles angles, float* heads, int headCount,
               std::size_t headStride)
{
    for (int h = 0; h < headCount; ++h, heads += headStride) {
        if (layout == RopePairs::Adjacent)
            turnAdjacent(angles, heads);
        else
            turnHalves(angles, heads);
    }
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine {

HWY_EXPORT(dotProduct);
HWY_EXPORT(plainSum);
HWY_EXPORT(largest);
HWY_EXPORT(rmsNormRow);
HWY_EXPORT(layerNormRow);
HWY_EXPORT(l2NormRow);
HWY_EXPORT(softmaxRow);
HWY_EXPORT(addRows);
HWY_EXPORT(multiplyRows);
HWY_EXPORT(scaleRow);
HWY_EXPORT(roundRowToHalf);
HWY_EXPORT(multiplyAddRows);
HWY_EXPORT(softcapRow);
HWY_EXPORT(activateRow);
HWY_EXPORT(activateGatedRow);
HWY_EXPORT(clampedSwigluRow);
HWY_EXPORT(ropeHeads);

float dot(const float* x, const float* y, std::size_t n)
{
    return HWY_DYNAMIC_DISPATCH(dotProduct)(x, y, n);
}
float sum(const float* x, std::size_t n)
{
    return HWY_DYNAMIC_DISPATCH(plainSum)(x, n);
}
float maximum(const float* x, std::size_t n)
{
    return HWY_DYNAMIC_DISPATCH(largest)(x, n);
}
void rmsNorm(const float* x, const float* weight, float* out, std::size_t n, float eps)
{
    HWY_DYNAMIC_DISPATCH(rmsNormRow)(x, weight, out, n, eps);
}
void layerNorm(const float* x, LayerNormWeights weights, float* out, std::size_t n, float eps)
{
    HWY_DYNAMIC_DISPATCH(layerNormRow)(x, weights, out, n, eps);
}
void l2Norm(const float* x, float* out, std::size_t n, float eps)
{
    HWY_DYNAMIC_DISPATCH(l2NormRow)(x, out, n, eps);
}
void softmax(const float* x, float* out, std::size_t n)
{
    HWY_DYNAMIC_DISPATCH(softmaxRow)(x, out, n);
}
void add(const float* x, const float* y, float* out, std::size_t n)
{
    HWY_DYNAMIC_DISPATCH(addRows)(x, y, out, n);
}
void multiply(const float* x, const float* y, float* out, std::size_t n)
{
    HWY_DYNAMIC_DISPATCH(multiplyRows)(x, y, out, n);
}
void scale(const float* x, float factor, float* out, std::size_t n)
{
    HWY_DYNAMIC_DISPATCH(scaleRow)(x, factor, out, n);
}
void roundToHalf(const float* x, float* out, std::size_t n)
{
    HWY_DYNAMIC_DISPATCH(roundRowToHalf)(x, out, n);
}
void multiplyAdd(const float* x, float factor, const float* y, float* out, std::size_t n)
{
    HWY_DYNAMIC_DISPATCH(multiplyAddRows)(x, factor, y, out, n);
}
void softcap(const float* x, float cap, float* out, std::size_t n)
{
    HWY_DYNAMIC_DISPATCH(softcapRow)(x, cap, out, n);
}
void activate(Activation f, const float* x, float* out, std::size_t n)
{
    HWY_DYNAMIC_DISPATCH(activateRow)(f, x, out, n);
}
void activateGated(Activation f, const float* gate, const float* up, float* out, std::size_t n)
{
    HWY_DYNAMIC_DISPATCH(activateGatedRow)(f, gate, up, out, n);
}
void activateClampedSwiglu(ClampedSwiglu form, const float* gate, const float* up, float* out,
                           std::size_t n)
{
    HWY_DYNAMIC_DISPATCH(clampedSwigluRow)(form, gate, up, out, n);
}
void applyRope(RopePairs layout, RopeAngles angles, float* heads, int headCount,
               std::size_t headStride)
{
    HWY_DYNAMIC_DISPATCH(ropeHeads)(layout, angles, heads, headCount, headStride);
}

} // namespace engine
#endif
