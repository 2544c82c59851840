// Exact 8-bit dot products of packed weights with one token's activations; compiled once per
// target.
//
// A lane is a row. A vector of weights holds four consecutive k of every row; the activations of
// the same four k are broadcast to all lanes. Results are exact integers, so it does not matter
// that targets get there by different instructions.
#if defined(ENGINE_KERNELS_DOT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_KERNELS_DOT_INL_H
#undef ENGINE_KERNELS_DOT_INL_H
#else
#define ENGINE_KERNELS_DOT_INL_H
#endif

#include "engine/kernels/activations.h"
#include "engine/kernels/simd-inl.h"

#include <bit>

// x86 without VNNI: pairs of products of unsigned and signed bytes, added with saturation to 16
// bits. What range the weights have decides how many of these fit 16 bits before they must be
// widened.
#undef ENGINE_PAIRWISE_DOT
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3_DL
#define ENGINE_PAIRWISE_DOT 1
#else
#define ENGINE_PAIRWISE_DOT 0
#endif

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

/// The values weights can have. |activation| <= 127.
enum class WeightRange {
    Below16, ///< 0 ... 15: 8 pairs fit, 8 * 2 * 15 * 127 = 30480
    Below32, ///< 0 ... 31: 4 pairs fit, 4 * 2 * 31 * 127 = 31496
    Below64, ///< 0 ... 63: 2 pairs fit, 2 * 2 * 63 * 127 = 32004
    Signed,  ///< -128 ... 127: 1 pair fits, 2 * 128 * 127 = 32512
};

/// Four activations in every lane.
HWY_INLINE Int8Vec broadcastQuad(const std::int8_t* a)
{
    std::int32_t quad;
    std::memcpy(&quad, a, sizeof(quad));
    return hn::BitCast(Int8Tag(), hn::Set(Int32Tag(), quad));
}

/// sums[0] and sums[1] of a block in every lane, as pairs of 16 bits.
HWY_INLINE Int16Vec broadcastSums(const QuantizedBlock& a)
{
    std::int32_t pair;
    std::memcpy(&pair, a.sums, sizeof(pair));
    return hn::BitCast(Int16Tag(), hn::Set(Int32Tag(), pair));
}

#if ENGINE_PAIRWISE_DOT

HWY_INLINE Int16Vec pairs(Uint8Vec w, const std::int8_t* a)
{
    return hn::SatWidenMulPairwiseAdd(Int16Tag(), w, broadcastQuad(a));
}

HWY_INLINE Int16Vec signedPairs(Int8Vec w, const std::int8_t* a)
{
    const Int8Vec turned = hn::IfNegativeThenNegOrUndefIfZero(w, broadcastQuad(a));
    return hn::SatWidenMulPairwiseAdd(Int16Tag(), hn::BitCast(Uint8Tag(), hn::Abs(w)), turned);
}

/// Adds neighbours, times `factor`.
HWY_INLINE Int32Vec widen(Int16Vec pairs, Int16Vec factor)
{
    return hn::WidenMulPairwiseAdd(Int32Tag(), pairs, factor);
}

/// The dot product of 16 k, times `factor` (the same in both halves of a lane).
template <WeightRange kRange>
HWY_INLINE Int32Vec dot16(Uint8Vec w0, Uint8Vec w1, Uint8Vec w2, Uint8Vec w3, const std::int8_t* a,
                          Int16Vec factor)
{
    if constexpr (kRange == WeightRange::Signed) {
        const Int8Tag d8;
        const auto p0 = widen(signedPairs(hn::BitCast(d8, w0), a), factor);
        const auto p1 = widen(signedPairs(hn::BitCast(d8, w1), a + 4), factor);
        const auto p2 = widen(signedPairs(hn::BitCast(d8, w2), a + 8), factor);
        const auto p3 = widen(signedPairs(hn::BitCast(d8, w3), a + 12), factor);
        return hn::Add(hn::Add(p0, p1), hn::Add(p2, p3));
    } else {
        const auto p01 = hn::Add(pairs(w0, a), pairs(w1, a + 4));
        const auto p23 = hn::Add(pairs(w2, a + 8), pairs(w3, a + 12));
        if constexpr (kRange == WeightRange::Below64)
            return hn::Add(widen(p01, factor), widen(p23, factor));
        else
            return widen(hn::Add(p01, p23), factor);
    }
}

#else

HWY_INLINE Int32Vec quad(Uint8Vec w, const std::int8_t* a, Int32Vec sum)
{
#if HWY_ARCH_X86
    return hn::SumOfMulQuadAccumulate(Int32Tag(), w, broadcastQuad(a), sum);
#else
    return hn::SumOfMulQuadAccumulate(Int32Tag(), hn::BitCast(Int8Tag(), w), broadcastQuad(a), sum);
#endif
}

/// Signed weights become unsigned where the instruction wants that; `sum` of the activations.
template <WeightRange kRange>
HWY_INLINE Uint8Vec operand(Uint8Vec w)
{
    if constexpr (kRange == WeightRange::Signed && HWY_ARCH_X86)
        return hn::Xor(w, hn::Set(Uint8Tag(), 0x80));
    else
        return w;
}

template <WeightRange kRange>
HWY_INLINE Int32Vec dot16(Uint8Vec w0, Uint8Vec w1, Uint8Vec w2, Uint8Vec w3, const std::int8_t* a,
                          Int32Vec sum)
{
    sum = quad(operand<kRange>(w0), a, sum);
    sum = quad(operand<kRange>(w1), a + 4, sum);
    sum = quad(operand<kRange>(w2), a + 8, sum);
    return quad(operand<kRange>(w3), a + 12, sum);
}

/// What operand() has added to every signed weight.
template <WeightRange kRange>
constexpr int kOperandZero = kRange == WeightRange::Signed && HWY_ARCH_X86 ? 128 : 0;

#endif

/// The eight weight vectors of a block come from `F::weights<kSub, g>(record)`; a record is one of
/// the format's blocks for all rows of a group. This is the sum over the block's 32 k of
/// (weight - F::kZero) * activation.
template <class F>
HWY_INLINE Int32Vec dot32(Uint8Vec w0, Uint8Vec w1, Uint8Vec w2, Uint8Vec w3, Uint8Vec w4,
                          Uint8Vec w5, Uint8Vec w6, Uint8Vec w7, const QuantizedBlock& a)
{
    const std::int8_t* q = a.values;
#if ENGINE_PAIRWISE_DOT
    const Int16Vec one = hn::Set(Int16Tag(), 1);
    Int32Vec sum;
    if constexpr (F::kRange == WeightRange::Below16) {
        const auto p03 = hn::Add(hn::Add(pairs(w0, q), pairs(w1, q + 4)),
                                 hn::Add(pairs(w2, q + 8), pairs(w3, q + 12)));
        const auto p47 = hn::Add(hn::Add(pairs(w4, q + 16), pairs(w5, q + 20)),
                                 hn::Add(pairs(w6, q + 24), pairs(w7, q + 28)));
        sum = widen(hn::Add(p03, p47), one);
    } else {
        sum = hn::Add(dot16<F::kRange>(w0, w1, w2, w3, q, one),
                      dot16<F::kRange>(w4, w5, w6, w7, q + 16, one));
    }
    if constexpr (F::kZero != 0)
        sum = hn::Sub(sum, widen(broadcastSums(a), hn::Set(Int16Tag(), F::kZero)));
    return sum;
#else
    constexpr int kZero = F::kZero + kOperandZero<F::kRange>;
    auto sum = hn::Set(Int32Tag(), -kZero * (a.sums[0] + a.sums[1]));
    sum = dot16<F::kRange>(w0, w1, w2, w3, q, sum);
    return dot16<F::kRange>(w4, w5, w6, w7, q + 16, sum);
#endif
}

#if ENGINE_PAIRWISE_DOT
/// Byte kByte of every lane, signed, in both 16-bit halves of the lane.
template <int kByte>
HWY_INLINE Int16Vec broadcastByte(Int8Vec v)
{
    constexpr std::uint8_t kNone = 0x80;
    constexpr auto b = static_cast<std::uint8_t>(kByte);
    const Uint8Vec high =
        hn::Dup128VecFromValues(Uint8Tag(), kNone, b, kNone, b, kNone, b + 4, kNone, b + 4, kNone,
                                b + 8, kNone, b + 8, kNone, b + 12, kNone, b + 12);
    const auto moved = hn::TableLookupBytesOr0(hn::BitCast(Uint8Tag(), v), high);
    return hn::ShiftRight<8>(hn::BitCast(Int16Tag(), moved));
}

/// Bytes kByte and kByte + 1 of every lane, signed, in its two halves.
template <int kByte>
HWY_INLINE Int16Vec bytePair(Int8Vec v)
{
    constexpr std::uint8_t kNone = 0x80;
    constexpr auto b = static_cast<std::uint8_t>(kByte);
    const Uint8Vec high =
        hn::Dup128VecFromValues(Uint8Tag(), kNone, b, kNone, b + 1, kNone, b + 4, kNone, b + 5,
                                kNone, b + 8, kNone, b + 9, kNone, b + 12, kNone, b + 13);
    const auto moved = hn::TableLookupBytesOr0(hn::BitCast(Uint8Tag(), v), high);
    return hn::ShiftRight<8>(hn::BitCast(Int16Tag(), moved));
}
#else
template <int kByte>
HWY_INLINE Int32Vec signedByte(Int8Vec v)
{
    return hn::ShiftRight<24>(hn::ShiftLeft<24 - 8 * kByte>(hn::BitCast(Int32Tag(), v)));
}
#endif

/// For formats with a signed 8-bit scale for each 16 k, in bytes kByte and kByte + 1 of `scales`:
/// the sum over a block of scale * (weight - F::kZero) * activation.
template <class F, int kByte>
HWY_INLINE Int32Vec scaledDot32(Uint8Vec w0, Uint8Vec w1, Uint8Vec w2, Uint8Vec w3, Uint8Vec w4,
                                Uint8Vec w5, Uint8Vec w6, Uint8Vec w7, Int8Vec scales,
                                const QuantizedBlock& a)
{
    const std::int8_t* q = a.values;
#if ENGINE_PAIRWISE_DOT
    Int32Vec sum =
        hn::Add(dot16<F::kRange>(w0, w1, w2, w3, q, broadcastByte<kByte>(scales)),
                dot16<F::kRange>(w4, w5, w6, w7, q + 16, broadcastByte<kByte + 1>(scales)));
    if constexpr (F::kZero != 0) {
        const auto perOne = widen(broadcastSums(a), bytePair<kByte>(scales));
        constexpr int kShift = std::countr_zero(static_cast<unsigned>(F::kZero));
        static_assert(F::kZero == 1 << kShift);
        sum = hn::Sub(sum, hn::ShiftLeft<kShift>(perOne));
    }
    return sum;
#else
    const Int32Tag di;
    const auto s0 = dot16<F::kRange>(w0, w1, w2, w3, q, hn::Set(di, -F::kZero * a.sums[0]));
    const auto s1 = dot16<F::kRange>(w4, w5, w6, w7, q + 16, hn::Set(di, -F::kZero * a.sums[1]));
    return hn::Add(hn::Mul(s0, signedByte<kByte>(scales)),
                   hn::Mul(s1, signedByte<kByte + 1>(scales)));
#endif
}

/// scales' bytes kByte and kByte + 1 times the sums of the activations of their 16 k.
template <int kByte>
HWY_INLINE Int32Vec scaledSums(Int8Vec scales, const QuantizedBlock& a)
{
#if ENGINE_PAIRWISE_DOT
    return widen(broadcastSums(a), bytePair<kByte>(scales));
#else
    const Int32Tag di;
    return hn::Add(hn::Mul(signedByte<kByte>(scales), hn::Set(di, a.sums[0])),
                   hn::Mul(signedByte<kByte + 1>(scales), hn::Set(di, a.sums[1])));
#endif
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
