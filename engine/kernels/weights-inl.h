// How packed bit fields become weights; compiled once per target.
#if defined(ENGINE_KERNELS_WEIGHTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_KERNELS_WEIGHTS_INL_H
#undef ENGINE_KERNELS_WEIGHTS_INL_H
#else
#define ENGINE_KERNELS_WEIGHTS_INL_H
#endif

#include "engine/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

/// Bytes that `bytes` of every row take side by side.
HWY_INLINE std::size_t rowBytes(int bytes)
{
    return static_cast<std::size_t>(bytes) * hn::Lanes(Int32Tag());
}

HWY_INLINE Uint8Vec loadPlane(const std::uint8_t* p, int dword)
{
    return hn::LoadU(Uint8Tag(), p + rowBytes(4) * static_cast<std::size_t>(dword));
}

/// (v >> kShift) & kMask per byte; a negative kShift shifts left. REQUIRES: kMask holds only bits
/// that come from the same byte.
template <int kShift, int kMask>
HWY_INLINE Uint8Vec bitField(Uint8Vec v)
{
    const Uint16Tag d16;
    const auto wide = hn::BitCast(d16, v);
    const auto mask = hn::Set(Uint8Tag(), static_cast<std::uint8_t>(kMask));
    if constexpr (kShift >= 0)
        return hn::And(hn::BitCast(Uint8Tag(), hn::ShiftRight<kShift>(wide)), mask);
    else
        return hn::And(hn::BitCast(Uint8Tag(), hn::ShiftLeft<-kShift>(wide)), mask);
}

/// Weights 4g ... 4g + 3 of a block of 32 whose byte j holds k = j in its low and k = j + 16 in its
/// high half.
template <int g>
HWY_INLINE Uint8Vec nibbles32(const std::uint8_t* p)
{
    return bitField < g<4 ? 0 : 4, 15>(loadPlane(p, g % 4));
}

/// Bit 4 of weights 4g ... 4g + 3 from a plane of spread bits.
template <int g>
HWY_INLINE Uint8Vec bitsAt4(const std::uint8_t* p)
{
    return bitField<g - 4, 16>(loadPlane(p, 0));
}

/// The 16 values of the IQ4 codebook, signed.
HWY_INLINE Uint8Vec iq4Values(Uint8Vec nibbles)
{
    const Int8Vec values = hn::Dup128VecFromValues(Int8Tag(), -127, -104, -83, -65, -49, -35, -22,
                                                   -10, 1, 13, 25, 38, 53, 69, 89, 113);
    return hn::TableLookupBytes(hn::BitCast(Uint8Tag(), values), nibbles);
}

/// Facts every format states; a format overrides what differs.
template <int kBytes>
struct BlockFormat {
    static constexpr int kBlockBytes = kBytes; ///< of the file's block
    static constexpr int kSubBlocks = 1;       ///< runs of 32 in it
    static constexpr int kPhases = 1;          ///< runs whose bits lie differently
    static constexpr bool kPrepares = false;   ///< scales are unpacked for all runs at once
    static constexpr int kZero = 0;            ///< the weight that stands for 0
    static constexpr bool kMinimum = false;    ///< a minimum is added to every weight
    static constexpr bool kHalfScales = false; ///< a scale for each 16, not for each 32
};

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
