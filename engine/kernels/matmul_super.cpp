// Products with weights in super-blocks of 256 (8 runs of 32): every output is the chain
//   acc = fma(isum, scaleW * scaleA, acc), then acc = fma(minimumW, scaledSumA, acc) where there is
//   one,
// over its runs in order. A run's scale is the super-block's times its own, which f32 holds
// exactly. Where 16 weights share a scale, isum is the exact sum of both halves, each times its own
// scale.

#include "engine/kernels/matmul_kernels.h"

// clang-format off: foreach_target.h comes before whatever includes highway.h
#include "engine/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/matmul_super.cpp"
#include <hwy/foreach_target.h>
#include "engine/kernels/block_product-inl.h"
#include "engine/kernels/weights-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {
namespace {

template <int kBytes>
struct SuperFormat : BlockFormat<kBytes> {
    static constexpr int kSubBlocks = 8;
};

/// Byte kByte of every lane as a float.
template <int kByte>
HWY_INLINE FloatVec byteToFloat(Uint8Vec v)
{
    const Uint32Tag du;
    const auto byte = hn::And(hn::ShiftRight<8 * kByte>(hn::BitCast(du, v)), hn::Set(du, 255));
    return hn::ConvertTo(FloatTag(), hn::BitCast(Int32Tag(), byte));
}

/// 4-bit weights 4g ... 4g + 3 of run kSub; two runs share 8 dwords.
template <int kSub, int g>
HWY_INLINE Uint8Vec nibbles256(const std::uint8_t* p)
{
    return bitField<kSub % 2 * 4, 15>(loadPlane(p, kSub / 2 * 8 + g));
}

/// The 12 bytes of Q4_K and Q5_K: eight 6-bit scales and eight 6-bit minimums.
template <int kSub>
HWY_INLINE Uint8Vec scales6(const std::uint8_t* p)
{
    if constexpr (kSub < 4)
        return bitField<0, 63>(loadPlane(p, 0));
    else
        return hn::Or(bitField<0, 15>(loadPlane(p, 2)), bitField<2, 48>(loadPlane(p, 0)));
}
template <int kSub>
HWY_INLINE Uint8Vec minimums6(const std::uint8_t* p)
{
    if constexpr (kSub < 4)
        return bitField<0, 63>(loadPlane(p, 1));
    else
        return hn::Or(bitField<4, 15>(loadPlane(p, 2)), bitField<2, 48>(loadPlane(p, 1)));
}

struct Q4_K : SuperFormat<144> {
    static constexpr WeightRange kRange = WeightRange::Below16;
    static constexpr bool kMinimum = true;
    template <int kSub, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p)
    {
        return nibbles256<kSub, g>(p);
    }
    template <int kSub>
    static HWY_INLINE FloatVec scale(const std::uint8_t* p)
    {
        return hn::Mul(loadHalfs(p + rowBytes(140)),
                       byteToFloat<kSub % 4>(scales6<kSub>(p + rowBytes(128))));
    }
    template <int kSub>
    static HWY_INLINE FloatVec minimum(const std::uint8_t* p)
    {
        return hn::Neg(hn::Mul(loadHalfs(p + rowBytes(142)),
                               byteToFloat<kSub % 4>(minimums6<kSub>(p + rowBytes(128)))));
    }
};

struct Q5_K : SuperFormat<176> {
    static constexpr WeightRange kRange = WeightRange::Below32;
    static constexpr bool kMinimum = true;
    template <int kSub, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p)
    {
        return hn::Or(nibbles256<kSub, g>(p), bitField<kSub - 4, 16>(loadPlane(p, 32 + g)));
    }
    template <int kSub>
    static HWY_INLINE FloatVec scale(const std::uint8_t* p)
    {
        return hn::Mul(loadHalfs(p + rowBytes(172)),
                       byteToFloat<kSub % 4>(scales6<kSub>(p + rowBytes(160))));
    }
    template <int kSub>
    static HWY_INLINE FloatVec minimum(const std::uint8_t* p)
    {
        return hn::Neg(hn::Mul(loadHalfs(p + rowBytes(174)),
                               byteToFloat<kSub % 4>(minimums6<kSub>(p + rowBytes(160)))));
    }
};

/// Four runs (a half of the super-block) share 8 or 16 dwords.
struct Q6_K : SuperFormat<210> {
    static constexpr WeightRange kRange = WeightRange::Below64;
    static constexpr int kZero = 32;
    static constexpr bool kHalfScales = true;
    template <int kSub, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p)
    {
        constexpr int kHalf = kSub / 4, kRun = kSub % 4;
        const auto low = loadPlane(p, 16 * kHalf + 8 * (kRun % 2) + g);
        const auto high = loadPlane(p, 32 + 8 * kHalf + g);
        return hn::Or(bitField<kRun / 2 * 4, 15>(low), bitField<2 * kRun - 4, 48>(high));
    }
    template <int kSub>
    static HWY_INLINE Int8Vec halfScales(const std::uint8_t* p)
    {
        return hn::BitCast(Int8Tag(), loadPlane(p, 48 + kSub / 2));
    }
    template <int>
    static HWY_INLINE FloatVec scale(const std::uint8_t* p)
    {
        return loadHalfs(p + rowBytes(208));
    }
};

struct Q3_K : SuperFormat<110> {
    static constexpr WeightRange kRange = WeightRange::Below16;
    static constexpr int kZero = 4;
    static constexpr bool kHalfScales = true;
    template <int kSub, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p)
    {
        constexpr int kHalf = kSub / 4, kRun = kSub % 4;
        const auto low = loadPlane(p, 8 * kHalf + g);
        const auto high = loadPlane(p, 16 + g);
        return hn::Or(bitField<2 * kRun, 3>(low), bitField<kSub - 2, 4>(high));
    }
    /// 16 scales of 6 bits, less 32: low halves in two dwords, high bits in the third.
    template <int kSub>
    static HWY_INLINE Int8Vec halfScales(const std::uint8_t* p)
    {
        constexpr int kDword = kSub / 2;
        const auto low = bitField<kDword / 2 * 4, 15>(loadPlane(p, 24 + kDword % 2));
        const auto high = bitField<2 * kDword - 4, 48>(loadPlane(p, 26));
        return hn::BitCast(Int8Tag(), hn::Sub(hn::Or(low, high), hn::Set(Uint8Tag(), 32)));
    }
    template <int>
    static HWY_INLINE FloatVec scale(const std::uint8_t* p)
    {
        return loadHalfs(p + rowBytes(108));
    }
};

struct Q2_K : SuperFormat<84> {
    static constexpr WeightRange kRange = WeightRange::Below16;
    static constexpr bool kMinimum = true;
    static constexpr bool kHalfScales = true;
    template <int kSub, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p)
    {
        return bitField<kSub % 4 * 2, 3>(loadPlane(p, kSub / 4 * 8 + g));
    }
    template <int kSub>
    static HWY_INLINE Int8Vec halfScales(const std::uint8_t* p)
    {
        return hn::BitCast(Int8Tag(), bitField<0, 15>(loadPlane(p, 16 + kSub / 2)));
    }
    template <int kSub>
    static HWY_INLINE Int8Vec halfMinimums(const std::uint8_t* p)
    {
        return hn::BitCast(Int8Tag(), bitField<4, 15>(loadPlane(p, 16 + kSub / 2)));
    }
    template <int>
    static HWY_INLINE FloatVec scale(const std::uint8_t* p)
    {
        return loadHalfs(p + rowBytes(80));
    }
    template <int>
    static HWY_INLINE FloatVec minimum(const std::uint8_t* p)
    {
        return hn::Neg(loadHalfs(p + rowBytes(82)));
    }
};

struct Iq4Xs : SuperFormat<136> {
    static constexpr WeightRange kRange = WeightRange::Signed;
    template <int kSub, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p)
    {
        return iq4Values(nibbles32<g>(p + rowBytes(16 * kSub)));
    }
    /// 6 bits, less 32: low halves in a dword, high bits in 16 bits.
    template <int kSub>
    static HWY_INLINE FloatVec scale(const std::uint8_t* p)
    {
        const Uint32Tag du;
        const Int32Tag di;
        const hn::Rebind<std::uint16_t, Uint32Tag> d16;
        const auto lows = hn::BitCast(du, loadPlane(p, 32));
        const auto highs = hn::PromoteTo(
            du, hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(p + rowBytes(132))));
        const auto low = hn::And(hn::ShiftRight<4 * kSub>(lows), hn::Set(du, 15));
        const auto high = hn::And(hn::ShiftRight<2 * kSub>(highs), hn::Set(du, 3));
        const auto scale = hn::BitCast(di, hn::Or(low, hn::ShiftLeft<4>(high)));
        return hn::Mul(loadHalfs(p + rowBytes(134)),
                       hn::ConvertTo(FloatTag(), hn::Sub(scale, hn::Set(di, 32))));
    }
};

} // namespace

QuantKernel superKernel(DType type)
{
    switch (type) {
    case DType::Q2_K:
        return blockProduct<Q2_K>;
    case DType::Q3_K:
        return blockProduct<Q3_K>;
    case DType::Q4_K:
        return blockProduct<Q4_K>;
    case DType::Q5_K:
        return blockProduct<Q5_K>;
    case DType::Q6_K:
        return blockProduct<Q6_K>;
    case DType::IQ4_XS:
        return blockProduct<Iq4Xs>;
    default:
        return nullptr;
    }
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine {

HWY_EXPORT(superKernel);

QuantKernel superQuantKernel(DType type)
{
    return HWY_DYNAMIC_DISPATCH(superKernel)(type);
}

} // namespace engine
#endif
