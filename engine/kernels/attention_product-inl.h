// The matrix products of attention, over keys and values of any type; compiled once per target.
#if defined(ENGINE_KERNELS_ATTENTION_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_KERNELS_ATTENTION_PRODUCT_INL_H
#undef ENGINE_KERNELS_ATTENTION_PRODUCT_INL_H
#else
#define ENGINE_KERNELS_ATTENTION_PRODUCT_INL_H
#endif

#include "engine/kernels/kv_element.h"
#include "engine/kernels/simd-inl.h"

#include <cstddef>
#include <hwy/cache_control.h>

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

struct F32Element {
    static constexpr std::size_t kBytes = 4;
    static HWY_INLINE FloatVec load(const std::byte* p)
    {
        return hn::Load(FloatTag(), reinterpret_cast<const float*>(p));
    }
};
struct F16Element {
    static constexpr std::size_t kBytes = 2;
    static HWY_INLINE FloatVec load(const std::byte* p)
    {
        return hn::PromoteTo(FloatTag(),
                             hn::Load(HalfTag(), reinterpret_cast<const hwy::float16_t*>(p)));
    }
};
struct Bf16Element {
    static constexpr std::size_t kBytes = 2;
    static HWY_INLINE FloatVec load(const std::byte* p)
    {
        return hn::PromoteTo(FloatTag(),
                             hn::Load(Bfloat16Tag(), reinterpret_cast<const hwy::bfloat16_t*>(p)));
    }
};

/// Rows [begin, end) of the right factor take part.
struct FactorRows {
    std::size_t begin;
    std::size_t end;
};
/// The right factor: rows of `width` elements. With each of them what lies `ahead` bytes further is
/// fetched, where that is not 0: rows are met in columns, which hardware does not foresee.
struct Factor {
    const std::byte* elements;
    std::size_t width;
    std::ptrdiff_t ahead;
};

HWY_INLINE void fetchAhead(const std::byte* element, std::ptrdiff_t ahead)
{
    if (ahead != 0) hwy::Prefetch(element + ahead);
}
/// Four rows of the left factor and, `outStride` apart, of the result.
struct RowsOf4 {
    const float* left[4];
    float* out;
    std::size_t outStride;
};

/// out[r][j] += sum over k of left[r][k] * right[k][j], one chain per output. REQUIRES: `columns` a
/// multiple of 16.
template <class Element>
HWY_INLINE void productOf4(const RowsOf4& rows, FactorRows range, Factor right, std::size_t columns)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const float *l0 = rows.left[0], *l1 = rows.left[1], *l2 = rows.left[2], *l3 = rows.left[3];
    const std::size_t rowBytes = right.width * Element::kBytes;
    std::size_t j = 0;
    for (; j + 2 * lanes <= columns; j += 2 * lanes) {
        float* o0 = rows.out + j;
        float *o1 = o0 + rows.outStride, *o2 = o1 + rows.outStride, *o3 = o2 + rows.outStride;
        auto s00 = hn::Load(df, o0), s01 = hn::Load(df, o0 + lanes);
        auto s10 = hn::Load(df, o1), s11 = hn::Load(df, o1 + lanes);
        auto s20 = hn::Load(df, o2), s21 = hn::Load(df, o2 + lanes);
        auto s30 = hn::Load(df, o3), s31 = hn::Load(df, o3 + lanes);
        const std::byte* r = right.elements + range.begin * rowBytes + j * Element::kBytes;
        for (std::size_t k = range.begin; k < range.end; ++k, r += rowBytes) {
            fetchAhead(r, right.ahead);
            const auto r0 = Element::load(r), r1 = Element::load(r + lanes * Element::kBytes);
            const auto a0 = hn::Set(df, l0[k]), a1 = hn::Set(df, l1[k]);
            s00 = hn::MulAdd(r0, a0, s00);
            s01 = hn::MulAdd(r1, a0, s01);
            s10 = hn::MulAdd(r0, a1, s10);
            s11 = hn::MulAdd(r1, a1, s11);
            const auto a2 = hn::Set(df, l2[k]), a3 = hn::Set(df, l3[k]);
            s20 = hn::MulAdd(r0, a2, s20);
            s21 = hn::MulAdd(r1, a2, s21);
            s30 = hn::MulAdd(r0, a3, s30);
            s31 = hn::MulAdd(r1, a3, s31);
        }
        hn::Store(s00, df, o0), hn::Store(s01, df, o0 + lanes);
        hn::Store(s10, df, o1), hn::Store(s11, df, o1 + lanes);
        hn::Store(s20, df, o2), hn::Store(s21, df, o2 + lanes);
        hn::Store(s30, df, o3), hn::Store(s31, df, o3 + lanes);
    }
    for (; j < columns; j += lanes) { // a last half of 32 columns, on vectors of 16 lanes
        for (std::size_t i = 0; i < 4; ++i) {
            float* out = rows.out + i * rows.outStride + j;
            auto sum = hn::Load(df, out);
            const std::byte* r = right.elements + range.begin * rowBytes + j * Element::kBytes;
            for (std::size_t k = range.begin; k < range.end; ++k, r += rowBytes)
                sum = hn::MulAdd(Element::load(r), hn::Set(df, rows.left[i][k]), sum);
            hn::Store(sum, df, out);
        }
    }
}

/// The same for one row.
template <class Element>
HWY_INLINE void productOf1(const float* left, float* out, FactorRows range, Factor right,
                           std::size_t columns)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const std::size_t rowBytes = right.width * Element::kBytes;
    const std::size_t step = lanes * Element::kBytes;
    std::size_t j = 0;
    for (; j + 4 * lanes <= columns; j += 4 * lanes) {
        float* o = out + j;
        auto s0 = hn::Load(df, o), s1 = hn::Load(df, o + lanes);
        auto s2 = hn::Load(df, o + 2 * lanes), s3 = hn::Load(df, o + 3 * lanes);
        const std::byte* r = right.elements + range.begin * rowBytes + j * Element::kBytes;
        for (std::size_t k = range.begin; k < range.end; ++k, r += rowBytes) {
            fetchAhead(r, right.ahead);
            const auto a = hn::Set(df, left[k]);
            s0 = hn::MulAdd(Element::load(r), a, s0);
            s1 = hn::MulAdd(Element::load(r + step), a, s1);
            s2 = hn::MulAdd(Element::load(r + 2 * step), a, s2);
            s3 = hn::MulAdd(Element::load(r + 3 * step), a, s3);
        }
        hn::Store(s0, df, o), hn::Store(s1, df, o + lanes);
        hn::Store(s2, df, o + 2 * lanes), hn::Store(s3, df, o + 3 * lanes);
    }
    for (; j < columns; j += lanes) {
        auto sum = hn::Load(df, out + j);
        const std::byte* r = right.elements + range.begin * rowBytes + j * Element::kBytes;
        for (std::size_t k = range.begin; k < range.end; ++k, r += rowBytes)
            sum = hn::MulAdd(Element::load(r), hn::Set(df, left[k]), sum);
        hn::Store(sum, df, out + j);
    }
}

/// Widens `count` elements (a multiple of 16) to f32.
template <class Element>
HWY_INLINE void widen(Element, const std::byte* from, float* to, std::size_t count)
{
    const FloatTag df;
    for (std::size_t i = 0; i < count; i += hn::Lanes(df))
        hn::Store(Element::load(from + i * Element::kBytes), df, to + i);
}

HWY_INLINE FloatVec loadBytes(const std::int8_t* p)
{
    const hn::Rebind<std::int8_t, Int32Tag> d8;
    return hn::ConvertTo(FloatTag(), hn::PromoteTo(Int32Tag(), hn::LoadU(d8, p)));
}

/// (rows, position): a scale for each 32 rows of a position.
HWY_INLINE void widenQ8Keys(const KvQ8View& view, std::size_t rows, float* to)
{
    const FloatTag df;
    constexpr std::size_t kKeys = kPagePositions;
    for (std::size_t d = 0; d < rows; ++d) {
        const float* scales = view.keyScales + d / 32 * kKeys;
        for (std::size_t k = 0; k < kKeys; k += hn::Lanes(df))
            hn::Store(hn::Mul(loadBytes(view.keys + d * kKeys + k), hn::LoadU(df, scales + k)), df,
                      to + d * kKeys + k);
    }
}

/// (position, width): a scale for each 32 values of a position.
HWY_INLINE void widenQ8Values(const KvQ8View& view, std::size_t width, float* to)
{
    const FloatTag df;
    constexpr std::size_t kKeys = kPagePositions;
    for (std::size_t i = 0; i < kKeys * width; i += hn::Lanes(df))
        hn::Store(hn::Mul(loadBytes(view.values + i), hn::Set(df, view.valueScales[i / 32])), df,
                  to + i);
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
