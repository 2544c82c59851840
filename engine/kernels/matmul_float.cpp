// Products with F32, F16 and BF16 weights: every output is one chain of fused multiply-adds over k.
// Four vectors of rows side by side keep enough chains going for one token.

#include "engine/kernels/matmul_kernels.h"

// clang-format off: foreach_target.h comes before whatever includes highway.h
#include "engine/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/matmul_float.cpp"
#include <hwy/foreach_target.h>
#include "engine/kernels/simd-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {
namespace {

struct F32Weights {
    static constexpr std::size_t kBytes = 4;
    static HWY_INLINE FloatVec load(const std::uint8_t* p)
    {
        return hn::LoadU(FloatTag(), reinterpret_cast<const float*>(p));
    }
};
struct F16Weights {
    static constexpr std::size_t kBytes = 2;
    static HWY_INLINE FloatVec load(const std::uint8_t* p) { return loadHalfs(p); }
};
struct Bf16Weights {
    static constexpr std::size_t kBytes = 2;
    static HWY_INLINE FloatVec load(const std::uint8_t* p)
    {
        return hn::PromoteTo(FloatTag(),
                             hn::LoadU(Bfloat16Tag(), reinterpret_cast<const hwy::bfloat16_t*>(p)));
    }
};

/// One token, all four vectors.
template <class W>
HWY_INLINE void oneToken(const FloatTile& tile, std::size_t token)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const std::uint8_t* w = tile.weights;
    const float* x = tile.x + token * tile.stride;
    float* sums = tile.sums + token * 4 * lanes;
    auto s0 = hn::Load(df, sums);
    auto s1 = hn::Load(df, sums + lanes);
    auto s2 = hn::Load(df, sums + 2 * lanes);
    auto s3 = hn::Load(df, sums + 3 * lanes);
    for (std::size_t k = 0; k < tile.columns; ++k, w += 4 * lanes * W::kBytes) {
        const auto a = hn::Set(df, x[k]);
        s0 = hn::MulAdd(W::load(w), a, s0);
        s1 = hn::MulAdd(W::load(w + lanes * W::kBytes), a, s1);
        s2 = hn::MulAdd(W::load(w + 2 * lanes * W::kBytes), a, s2);
        s3 = hn::MulAdd(W::load(w + 3 * lanes * W::kBytes), a, s3);
    }
    hn::Store(s0, df, sums);
    hn::Store(s1, df, sums + lanes);
    hn::Store(s2, df, sums + 2 * lanes);
    hn::Store(s3, df, sums + 3 * lanes);
}

/// Four tokens, two of the four vectors.
template <class W>
HWY_INLINE void fourTokens(const FloatTile& tile, std::size_t token, std::size_t vector)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const std::uint8_t* w = tile.weights + vector * lanes * W::kBytes;
    const float* x = tile.x + token * tile.stride;
    const std::size_t stride = tile.stride;
    float* sums = tile.sums + (token * 4 + vector) * lanes;
    auto s00 = hn::Load(df, sums), s01 = hn::Load(df, sums + lanes);
    auto s10 = hn::Load(df, sums + 4 * lanes), s11 = hn::Load(df, sums + 5 * lanes);
    auto s20 = hn::Load(df, sums + 8 * lanes), s21 = hn::Load(df, sums + 9 * lanes);
    auto s30 = hn::Load(df, sums + 12 * lanes), s31 = hn::Load(df, sums + 13 * lanes);
    for (std::size_t k = 0; k < tile.columns; ++k, w += 4 * lanes * W::kBytes) {
        const auto w0 = W::load(w), w1 = W::load(w + lanes * W::kBytes);
        const auto a0 = hn::Set(df, x[k]), a1 = hn::Set(df, x[k + stride]);
        const auto a2 = hn::Set(df, x[k + 2 * stride]), a3 = hn::Set(df, x[k + 3 * stride]);
        s00 = hn::MulAdd(w0, a0, s00);
        s01 = hn::MulAdd(w1, a0, s01);
        s10 = hn::MulAdd(w0, a1, s10);
        s11 = hn::MulAdd(w1, a1, s11);
        s20 = hn::MulAdd(w0, a2, s20);
        s21 = hn::MulAdd(w1, a2, s21);
        s30 = hn::MulAdd(w0, a3, s30);
        s31 = hn::MulAdd(w1, a3, s31);
    }
    hn::Store(s00, df, sums), hn::Store(s01, df, sums + lanes);
    hn::Store(s10, df, sums + 4 * lanes), hn::Store(s11, df, sums + 5 * lanes);
    hn::Store(s20, df, sums + 8 * lanes), hn::Store(s21, df, sums + 9 * lanes);
    hn::Store(s30, df, sums + 12 * lanes), hn::Store(s31, df, sums + 13 * lanes);
}

template <class W>
void floatProduct(const FloatTile& tile)
{
    const auto tokens = static_cast<std::size_t>(tile.tokens);
    std::size_t t = 0;
    for (; t + 4 <= tokens; t += 4) {
        fourTokens<W>(tile, t, 0);
        fourTokens<W>(tile, t, 2);
    }
    for (; t < tokens; ++t)
        oneToken<W>(tile, t);
}

} // namespace

FloatKernel floatProductKernel(DType type)
{
    switch (type) {
    case DType::F16:
        return floatProduct<F16Weights>;
    case DType::BF16:
        return floatProduct<Bf16Weights>;
    default:
        return floatProduct<F32Weights>;
    }
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine {

HWY_EXPORT(floatProductKernel);

FloatKernel floatKernel(DType type)
{
    return HWY_DYNAMIC_DISPATCH(floatProductKernel)(type);
}

} // namespace engine
#endif
