// Rounding 32 values to 8 bits, the same on every target; compiled once per target.
#if defined(ENGINE_KERNELS_QUANTIZE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_KERNELS_QUANTIZE_INL_H
#undef ENGINE_KERNELS_QUANTIZE_INL_H
#else
#define ENGINE_KERNELS_QUANTIZE_INL_H
#endif

#include "engine/kernels/simd-inl.h"

#include <bit>
#include <cstring>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

/// values = x / scale to nearest even, in -127 ... 127; returns scale = max|x| / 127. A run that is
/// zero, or too small for its scale to have a finite inverse, becomes zeros with scale 0; one that
/// holds what is not finite becomes zeros with a scale that is no number, so that it is not lost.
HWY_INLINE float quantize32(const float* x, std::int8_t* values)
{
    const FloatTag df;
    const hn::Rebind<std::int8_t, FloatTag> d8;
    const std::size_t lanes = hn::Lanes(df);
    // The bits of magnitudes are in their order, and what is not finite comes last.
    const hn::RebindToSigned<FloatTag> di;
    auto most = hn::Zero(di);
    for (std::size_t i = 0; i < 32; i += lanes)
        most = hn::Max(most, hn::BitCast(di, hn::Abs(hn::LoadU(df, x + i))));
    const float maximum = std::bit_cast<float>(hn::ReduceMax(di, most));
    if (!(maximum <= std::numeric_limits<float>::max())) {
        std::memset(values, 0, 32);
        return std::numeric_limits<float>::quiet_NaN();
    }
    const bool measurable = maximum >= 1e-30f;
    const auto inverse = hn::Set(df, measurable ? 127.0f / maximum : 0.0f);
    for (std::size_t i = 0; i < 32; i += lanes) {
        const auto scaled = hn::Mul(hn::LoadU(df, x + i), inverse);
        hn::StoreU(hn::DemoteTo(d8, hn::NearestInt(scaled)), d8, values + i);
    }
    return measurable ? maximum / 127.0f : 0.0f;
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
