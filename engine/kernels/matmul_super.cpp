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

/// Bytes of every lane as floats, times `factor`, to four places 16 floats apart.
HWY_INLINE void scaleBytes(Uint8Vec bytes, FloatVec factor, float* out)
{
    const FloatTag df;
    const Uint32Tag du;
    auto dwords = hn::BitCast(du, bytes);
    for (int i = 0; i < 4; ++i, out += 16) {
        const auto byte = hn::BitCast(Int32Tag(), hn::And(dwords, hn::Set(du, 255)));
        hn::Store(hn::Mul(hn::ConvertTo(df, byte), factor), df, out);
        dwords = hn::ShiftRight<8>(dwords);
    }
}

/// The 12 bytes of Q4_K and Q5_K, eight 6-bit scales and eight 6-bit minimums, times d and -dmin.
HWY_INLINE void prepare6(const std::uint8_t* p, FloatVec d, FloatVec dmin, PreparedScales& prepared)
{
    const auto low = loadPlane(p, 0), middle = loadPlane(p, 1), high = loadPlane(p, 2);
    scaleBytes(bitField<0, 63>(low), d, prepared.scale(0));
    scaleBytes(hn::Or(bitField<0, 15>(high), bitField<2, 48>(low)), d, prepared.scale(4));
    const auto minus = hn::Neg(dmin);
    scaleBytes(bitField<0, 63>(middle), minus, prepared.minimum(0));
    scaleBytes(hn::Or(bitField<4, 15>(high), bitField<2, 48>(middle)), minus, prepared.minimum(4));
}

/// 4-bit weights 4g ... 4g + 3 of a run; two runs share 8 dwords.
template <int kPhase, int g>
HWY_INLINE Uint8Vec nibbles256(const std::uint8_t* p, int sub)
{
    return bitField<kPhase % 2 * 4, 15>(loadPlane(p, sub / 2 * 8 + g));
}

struct Q4_K : SuperFormat<144> {
    static constexpr WeightRange kRange = WeightRange::Below16;
    static constexpr int kPhases = 2;
    static constexpr bool kMinimum = true;
    static constexpr bool kPrepares = true;
    template <int kPhase, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int sub)
    {
        return nibbles256<kPhase, g>(p, sub);
    }
    static HWY_INLINE void prepare(const std::uint8_t* p, PreparedScales& prepared)
    {
        prepare6(p + rowBytes(128), loadHalfs(p + rowBytes(140)), loadHalfs(p + rowBytes(142)),
                 prepared);
    }
};

struct Q5_K : SuperFormat<176> {
    static constexpr WeightRange kRange = WeightRange::Below32;
    static constexpr int kPhases = 8;
    static constexpr bool kMinimum = true;
    static constexpr bool kPrepares = true;
    template <int kPhase, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int sub)
    {
        return hn::Or(nibbles256<kPhase, g>(p, sub),
                      bitField<kPhase - 4, 16>(loadPlane(p, 32 + g)));
    }
    static HWY_INLINE void prepare(const std::uint8_t* p, PreparedScales& prepared)
    {
        prepare6(p + rowBytes(160), loadHalfs(p + rowBytes(172)), loadHalfs(p + rowBytes(174)),
                 prepared);
    }
};

/// Four runs (a half of the super-block) share 8 or 16 dwords.
struct Q6_K : SuperFormat<210> {
    static constexpr WeightRange kRange = WeightRange::Below64;
    static constexpr int kPhases = 4;
    static constexpr int kZero = 32;
    static constexpr bool kHalfScales = true;
    template <int kPhase, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int sub)
    {
        const auto low = loadPlane(p, sub / 4 * 16 + kPhase % 2 * 8 + g);
        const auto high = loadPlane(p, 32 + sub / 4 * 8 + g);
        return hn::Or(bitField<kPhase / 2 * 4, 15>(low), bitField<2 * kPhase - 4, 48>(high));
    }
    static HWY_INLINE Int8Vec halfScales(const std::uint8_t* p, int sub)
    {
        return hn::BitCast(Int8Tag(), loadPlane(p, 48 + sub / 2));
    }
    static HWY_INLINE FloatVec scale(const std::uint8_t* p) { return loadHalfs(p + rowBytes(208)); }
};

struct Q3_K : SuperFormat<110> {
    static constexpr WeightRange kRange = WeightRange::Below16;
    static constexpr int kPhases = 8;
    static constexpr int kZero = 4;
    static constexpr bool kHalfScales = true;
    template <int kPhase, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int sub)
    {
        const auto low = loadPlane(p, sub / 4 * 8 + g);
        const auto high = loadPlane(p, 16 + g);
        return hn::Or(bitField<kPhase % 4 * 2, 3>(low), bitField<kPhase - 2, 4>(high));
    }
    /// 16 scales of 6 bits, less 32: low halves in two dwords, high bits in the third.
    static HWY_INLINE Int8Vec halfScales(const std::uint8_t* p, int sub)
    {
        const int dword = sub / 2;
        const auto low = loadPlane(p, 24 + dword % 2);
        const auto half = dword < 2 ? bitField<0, 15>(low) : bitField<4, 15>(low);
        const auto pairs = hn::BitCast(Uint16Tag(), loadPlane(p, 26));
        const auto top = hn::BitCast(Uint8Tag(), hn::ShiftRightSame(pairs, 2 * dword));
        const auto high = bitField<-4, 48>(top);
        return hn::BitCast(Int8Tag(), hn::Sub(hn::Or(half, high), hn::Set(Uint8Tag(), 32)));
    }
    static HWY_INLINE FloatVec scale(const std::uint8_t* p) { return loadHalfs(p + rowBytes(108)); }
};

struct Q2_K : SuperFormat<84> {
    static constexpr WeightRange kRange = WeightRange::Below16;
    static constexpr int kPhases = 4;
    static constexpr bool kMinimum = true;
    static constexpr bool kHalfScales = true;
    template <int kPhase, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int sub)
    {
        return bitField<kPhase * 2, 3>(loadPlane(p, sub / 4 * 8 + g));
    }
    static HWY_INLINE Int8Vec halfScales(const std::uint8_t* p, int sub)
    {
        return hn::BitCast(Int8Tag(), bitField<0, 15>(loadPlane(p, 16 + sub / 2)));
    }
    static HWY_INLINE Int8Vec halfMinimums(const std::uint8_t* p, int sub)
    {
        return hn::BitCast(Int8Tag(), bitField<4, 15>(loadPlane(p, 16 + sub / 2)));
    }
    static HWY_INLINE FloatVec scale(const std::uint8_t* p) { return loadHalfs(p + rowBytes(80)); }
    static HWY_INLINE FloatVec minimum(const std::uint8_t* p)
    {
        return hn::Neg(loadHalfs(p + rowBytes(82)));
    }
};

struct Iq4Xs : SuperFormat<136> {
    static constexpr WeightRange kRange = WeightRange::Signed;
    static constexpr bool kPrepares = true;
    template <int, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int sub)
    {
        return iq4Values(nibbles32<g>(p + rowBytes(16) * static_cast<std::size_t>(sub)));
    }
    /// 6 bits, less 32: low halves in a dword, high bits in 16 bits.
    static HWY_INLINE void prepare(const std::uint8_t* p, PreparedScales& prepared)
    {
        const Uint32Tag du;
        const Int32Tag di;
        const FloatTag df;
        const hn::Rebind<std::uint16_t, Uint32Tag> d16;
        const auto d = loadHalfs(p + rowBytes(134));
        auto lows = hn::BitCast(du, loadPlane(p, 32));
        auto highs = hn::ShiftLeft<4>(hn::PromoteTo(
            du, hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(p + rowBytes(132)))));
        for (int sub = 0; sub < 8; ++sub) {
            const auto bits =
                hn::Or(hn::And(lows, hn::Set(du, 15)), hn::And(highs, hn::Set(du, 48)));
            const auto scale = hn::Sub(hn::BitCast(di, bits), hn::Set(di, 32));
            hn::Store(hn::Mul(hn::ConvertTo(df, scale), d), df, prepared.scale(sub));
            lows = hn::ShiftRight<4>(lows);
            highs = hn::ShiftRight<2>(highs);
        }
    }
};

/// Ternary: two bits for -1, 0 and 1.
struct TQ2_0 : SuperFormat<66> {
    static constexpr WeightRange kRange = WeightRange::Below16;
    static constexpr int kPhases = 4;
    static constexpr int kZero = 1;
    template <int kPhase, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int sub)
    {
        return bitField<kPhase * 2, 3>(loadPlane(p, sub / 4 * 8 + g));
    }
    static HWY_INLINE FloatVec scale(const std::uint8_t* p) { return loadHalfs(p + rowBytes(64)); }
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
    case DType::TQ2_0:
        return blockProduct<TQ2_0>;
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
