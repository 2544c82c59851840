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

/// Adds a term for each i to the virtual lane i % 16. `term(load, i, sum)` returns `sum` plus the
/// terms of the elements from i on, which it loads with `load(pointer + i)`; terms of zeros must be
/// zero. `sums` is 64-byte aligned.
template <class Term>
HWY_INLINE void addTo16(const Term& term, std::size_t n, float* sums)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    // Vectors that make up 16 lanes: all four of 4, the first two of 8, the first of 16.
    const std::size_t second = lanes < 16 ? lanes : 0;
    const std::size_t third = lanes < 8 ? 2 * lanes : 0, fourth = lanes < 8 ? 3 * lanes : 0;
    auto s0 = hn::Load(df, sums), s1 = hn::Load(df, sums + second);
    auto s2 = hn::Load(df, sums + third), s3 = hn::Load(df, sums + fourth);
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        s0 = term(WholeLoad(), i, s0);
        if (lanes < 16) s1 = term(WholeLoad(), i + second, s1);
        if (lanes < 8) s2 = term(WholeLoad(), i + third, s2);
        if (lanes < 8) s3 = term(WholeLoad(), i + fourth, s3);
    }
    const std::size_t left = n - i;
    if (left > 0) s0 = term(PartLoad{left}, i, s0);
    if (lanes < 16 && left > second) s1 = term(PartLoad{left - second}, i + second, s1);
    if (lanes < 8 && left > third) s2 = term(PartLoad{left - third}, i + third, s2);
    if (lanes < 8 && left > fourth) s3 = term(PartLoad{left - fourth}, i + fourth, s3);
    if (lanes < 8) hn::Store(s3, df, sums + fourth);
    if (lanes < 8) hn::Store(s2, df, sums + third);
    if (lanes < 16) hn::Store(s1, df, sums + second);
    hn::Store(s0, df, sums);
}

/// Adds 16 values as a tree: 8 and 8, 4 and 4, ...
HWY_INLINE float addTree(float* values)
{
    for (std::size_t width = 8; width > 0; width /= 2)
        for (std::size_t i = 0; i < width; ++i)
            values[i] += values[i + width];
    return values[0];
}

/// The sum of a term over all i, in 16 virtual lanes and a tree.
template <class Term>
HWY_INLINE float sum16(const Term& term, std::size_t n)
{
    alignas(64) float sums[16] = {};
    addTo16(term, n, sums);
    return addTree(sums);
}

struct ProductTerm {
    const float* x;
    const float* y;
    template <class Load>
    HWY_INLINE FloatVec operator()(Load load, std::size_t i, FloatVec sum) const
    {
        return hn::MulAdd(load(x + i), load(y + i), sum);
    }
};

struct PlainTerm {
    const float* x;
    template <class Load>
    HWY_INLINE FloatVec operator()(Load load, std::size_t i, FloatVec sum) const
    {
        return hn::Add(sum, load(x + i));
    }
};

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
