// Elementary functions and fixed-order sums; compiled once per target. With fused multiply-adds
// every target gives the same bits: only exactly rounded operations are used, in one order.
#if defined(ENGINE_KERNELS_VECTOR_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_KERNELS_VECTOR_MATH_INL_H
#undef ENGINE_KERNELS_VECTOR_MATH_INL_H
#else
#define ENGINE_KERNELS_VECTOR_MATH_INL_H
#endif

#include "engine/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

HWY_INLINE FloatVec constant(float value)
{
    return hn::Set(FloatTag(), value);
}

/// Horner's rule; coefficients from the constant one on.
template <typename... Rest>
HWY_INLINE FloatVec polynomial(FloatVec x, float first, Rest... rest)
{
    if constexpr (sizeof...(rest) == 0)
        return constant(first);
    else
        return hn::MulAdd(polynomial(x, rest...), x, constant(first));
}

/// e^x to 1 ulp or so; 0 below -86.6 (before results stop being normal), infinity above 88.72.
HWY_INLINE FloatVec exponential(FloatVec x)
{
    const FloatTag df;
    const Int32Tag di;
    const auto bounded = hn::Min(x, constant(89.0f));
    const auto n = hn::Round(hn::Mul(bounded, constant(1.44269504f)));
    auto r = hn::NegMulAdd(n, constant(0.693359375f), bounded);
    r = hn::NegMulAdd(n, constant(-2.12194440e-4f), r);
    const auto tail =
        polynomial(r, 0.500000003f, 0.166665768f, 0.0416663747f, 0.00836320516f, 0.00139411619f);
    const auto power = hn::MulAdd(hn::Mul(r, r), tail, hn::Add(r, constant(1.0f)));
    // 2^n as 2 * 2^(n - 1): n = 128 has no exponent of its own.
    const auto exponent = hn::ShiftLeft<23>(hn::Add(hn::NearestInt(n), hn::Set(di, 126)));
    const auto result = hn::Mul(hn::Mul(power, hn::BitCast(df, exponent)), constant(2.0f));
    return hn::IfThenZeroElse(hn::Lt(x, constant(-86.6f)), result);
}

HWY_INLINE FloatVec sigmoid(FloatVec x)
{
    const auto one = constant(1.0f);
    return hn::Div(one, hn::Add(one, exponential(hn::Neg(x))));
}

HWY_INLINE FloatVec hyperbolicTangent(FloatVec x)
{
    const auto one = constant(1.0f);
    const auto size = hn::Abs(x);
    const auto z = hn::Mul(x, x);
    const auto p =
        polynomial(z, -0.333333292f, 0.133327945f, -0.0538540685f, 0.0210100767f, -0.00611318571f);
    const auto small = hn::MulAdd(hn::Mul(x, z), p, x);
    const auto grown = hn::Add(exponential(hn::Add(size, size)), one);
    const auto large = hn::CopySign(hn::Sub(one, hn::Div(constant(2.0f), grown)), x);
    return hn::IfThenElse(hn::Lt(size, constant(0.625f)), small, large);
}

/// erfc(x) / 2 for x >= 0, as t e^(-x^2) Q(t) with t = 1 / (1 + x/2).
HWY_INLINE FloatVec halfErfc(FloatVec x)
{
    const auto t = hn::Div(constant(1.0f), hn::MulAdd(x, constant(0.5f), constant(1.0f)));
    const auto q = polynomial(t, 0.282088024f, 0.282263934f, 0.245063964f, 0.186247931f,
                              0.0525461023f, 0.0409007703f, -0.0306358354f, -0.280506463f,
                              0.375364538f, -0.188708874f, 0.0353759121f);
    const auto decay = exponential(hn::Neg(hn::Mul(x, x)));
    return hn::Mul(hn::Mul(constant(0.5f), decay), hn::Mul(t, q));
}

/// The normal distribution function.
HWY_INLINE FloatVec normalCdf(FloatVec x)
{
    const auto upper = halfErfc(hn::Mul(hn::Abs(x), constant(0.707106781f)));
    return hn::IfThenElse(hn::Lt(x, hn::Zero(FloatTag())), upper, hn::Sub(constant(1.0f), upper));
}

/// log(1 + e^x).
HWY_INLINE FloatVec softplus(FloatVec x)
{
    const auto u = exponential(hn::Neg(hn::Abs(x)));
    const auto p =
        polynomial(u, 0.999999995f, -0.499999024f, 0.333299623f, -0.249541321f, 0.196759315f,
                   -0.153055701f, 0.106036169f, -0.0569591595f, 0.0198512629f, -0.00324398092f);
    return hn::MulAdd(u, p, hn::Max(x, hn::Zero(FloatTag())));
}

/// Loads a whole vector, or the first `count` values and zeros.
struct WholeLoad {
    HWY_INLINE FloatVec operator()(const float* p) const { return hn::LoadU(FloatTag(), p); }
};
struct PartLoad {
    std::size_t count;
    HWY_INLINE FloatVec operator()(const float* p) const { return hn::LoadN(FloatTag(), p, count); }
};

/// Adds 16 values as a tree: 8 and 8, 4 and 4, ...
HWY_INLINE float addTree(float* values)
{
    for (std::size_t width = 8; width > 0; width /= 2)
        for (std::size_t i = 0; i < width; ++i)
            values[i] += values[i + width];
    return values[0];
}

/// The sum over i of a term, in 16 virtual lanes. `term(load, i, sum)` returns `sum` plus the terms
/// of the elements from i on, which it loads with `load(pointer + i)`; terms of zeros must be zero.
template <class Term>
HWY_INLINE float sum16(const Term& term, std::size_t n)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    auto s0 = hn::Zero(df), s1 = s0, s2 = s0, s3 = s0;
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        s0 = term(WholeLoad(), i, s0);
        if (lanes < 16) s1 = term(WholeLoad(), i + lanes, s1);
        if (lanes < 8) s2 = term(WholeLoad(), i + 2 * lanes, s2);
        if (lanes < 8) s3 = term(WholeLoad(), i + 3 * lanes, s3);
    }
    const auto left = [&](std::size_t vector) {
        const std::size_t begin = i + vector * lanes;
        return PartLoad{begin < n ? n - begin : 0};
    };
    if (i < n) s0 = term(left(0), i, s0);
    if (i + lanes < n && lanes < 16) s1 = term(left(1), i + lanes, s1);
    if (i + 2 * lanes < n && lanes < 8) s2 = term(left(2), i + 2 * lanes, s2);
    if (i + 3 * lanes < n && lanes < 8) s3 = term(left(3), i + 3 * lanes, s3);
    HWY_ALIGN float values[16];
    hn::Store(s0, df, values);
    if (lanes < 16) hn::Store(s1, df, values + lanes);
    if (lanes < 8) hn::Store(s2, df, values + 2 * lanes);
    if (lanes < 8) hn::Store(s3, df, values + 3 * lanes);
    return addTree(values);
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
