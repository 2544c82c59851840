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
#include <cstdint>

// x86 without VNNI: pairs of products of unsigned and signed bytes, added with saturation to 16
// bits. What range the weights have decides how many of these fit 16 bits before they must be
// widened. A test defines ENGINE_QUAD_DOT to try what VNNI gets with its instruction emulated.
#undef ENGINE_PAIRWISE_DOT
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3_DL && !defined(ENGINE_QUAD_DOT)
#define ENGINE_PAIRWISE_DOT 1
#else
#define ENGINE_PAIRWISE_DOT 0
#endif

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

/// The values weights can have; |activation| <= 127. What 16 bits hold decides how soon sums of
/// pairs of products must be widened: after 8 vectors of weights where a format's zero point (8,
/// 16, ...) is taken off them, 16 * 16 * 127 = 32512; else after the numbers below.
enum class WeightRange : std::uint8_t {
    Below16, ///< 0 ... 15: after 8, 8 * 2 * 15 * 127 = 30480
    Below32, ///< 0 ... 31: after 4, 4 * 2 * 31 * 127 = 31496
    Below64, ///< 0 ... 63, zero point 32: after 4, 4 * 2 * 32 * 127 = 32512
    Signed,  ///< -128 ... 127: after 1, 2 * 128 * 127 = 32512
};

/// Four bytes in every lane: four activations, or a pair of sums.
HWY_INLINE Int32Vec broadcastDword(const std::uint8_t* p)
{
    std::int32_t dword;
    std::memcpy(&dword, p, sizeof(dword));
    return hn::Set(Int32Tag(), dword);
}

HWY_INLINE FloatVec broadcastFloat(const std::uint8_t* p)
{
    return hn::BitCast(FloatTag(), broadcastDword(p));
}

/// One token's part of a block of a tile.
struct TokenBlock {
    const std::uint8_t* values;
    const std::uint8_t* scale;
    const std::uint8_t* scaledSum;
    const std::uint8_t* sums;
    const std::uint8_t* halfSums;

    HWY_INLINE TokenBlock(const std::uint8_t* block, std::size_t tokens, std::size_t token)
        : values(block + 32 * token)
        , scale(block + QuantizedBlock::scales(tokens) + 4 * token)
        , scaledSum(block + QuantizedBlock::scaledSums(tokens) + 4 * token)
        , sums(block + QuantizedBlock::sums(tokens) + 4 * token)
        , halfSums(block + QuantizedBlock::halfSums(tokens) + 8 * token)
    {
    }
};

#if ENGINE_PAIRWISE_DOT

/// Products of four weights and activations, neighbours added: 16 bits each.
HWY_INLINE Int16Vec pairs(Uint8Vec w, const std::uint8_t* a)
{
    return hn::SatWidenMulPairwiseAdd(Int16Tag(), w, hn::BitCast(Int8Tag(), broadcastDword(a)));
}

/// kZero times the activations' sums, to be taken from a sum of pairs. The sum then has 16 bits
/// again, though on the way it may have had more: it wraps around and back.
template <int kZero>
HWY_INLINE Int16Vec zeroPairs(const std::uint8_t* sums)
{
    const auto pair = hn::BitCast(Int16Tag(), broadcastDword(sums));
    if constexpr (std::has_single_bit(static_cast<unsigned>(kZero)))
        return hn::ShiftLeft<std::countr_zero(static_cast<unsigned>(kZero))>(pair);
    else
        return hn::Mul(pair, hn::Set(Int16Tag(), kZero));
}

/// Adds neighbours, times `factor`.
HWY_INLINE Int32Vec widen(Int16Vec pairs, Int16Vec factor)
{
    return hn::WidenMulPairwiseAdd(Int32Tag(), pairs, factor);
}

HWY_INLINE Int32Vec signedQuad(Uint8Vec weights, const std::uint8_t* a, Int16Vec factor)
{
    const auto w = hn::BitCast(Int8Tag(), weights);
    const auto turned =
        hn::IfNegativeThenNegOrUndefIfZero(w, hn::BitCast(Int8Tag(), broadcastDword(a)));
    const auto products =
        hn::SatWidenMulPairwiseAdd(Int16Tag(), hn::BitCast(Uint8Tag(), hn::Abs(w)), turned);
    return widen(products, factor);
}

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

/// Whether the sums of a format's two halves still have 16 bits when they are joined.
template <class F>
constexpr bool kStaysNarrow = !F::kHalfScales && F::kRange != WeightRange::Signed &&
                              (F::kZero != 0 || F::kRange == WeightRange::Below16);

/// Half kHalf of a block's dot product, as joinHalves() wants it. `scales` holds the scales of both
/// halves, in bytes kByte and kByte + 1 of every lane, where a format has one for each 16 k.
template <class F, int kHalf, int kByte>
HWY_INLINE auto halfDot(Uint8Vec w0, Uint8Vec w1, Uint8Vec w2, Uint8Vec w3, const TokenBlock& a,
                        [[maybe_unused]] Int8Vec scales)
{
    const std::uint8_t* q = a.values + 16 * kHalf;
    if constexpr (F::kRange == WeightRange::Signed) {
        auto factor = hn::Set(Int16Tag(), 1);
        if constexpr (F::kHalfScales) factor = broadcastByte<kByte + kHalf>(scales);
        return hn::Add(hn::Add(signedQuad(w0, q, factor), signedQuad(w1, q + 4, factor)),
                       hn::Add(signedQuad(w2, q + 8, factor), signedQuad(w3, q + 12, factor)));
    } else {
        auto sum = hn::Add(hn::Add(pairs(w0, q), pairs(w1, q + 4)),
                           hn::Add(pairs(w2, q + 8), pairs(w3, q + 12)));
        if constexpr (F::kHalfScales) {
            if constexpr (F::kZero != 0)
                sum = hn::Sub(sum, zeroPairs<F::kZero>(a.halfSums + 4 * kHalf));
            return widen(sum, broadcastByte<kByte + kHalf>(scales));
        } else if constexpr (kStaysNarrow<F>) {
            if constexpr (F::kZero != 0 && kHalf == 1)
                sum = hn::Sub(sum, zeroPairs<F::kZero>(a.sums));
            return sum;
        } else {
            return widen(sum, hn::Set(Int16Tag(), 1));
        }
    }
}

/// The sum over a block of (weight - F::kZero) * activation, or of that times the scale of each
/// half.
template <class F, class Half>
HWY_INLINE Int32Vec joinHalves(Half low, Half high)
{
    if constexpr (kStaysNarrow<F>)
        return widen(hn::Add(low, high), hn::Set(Int16Tag(), 1));
    else
        return hn::Add(low, high);
}

/// Bytes kByte and kByte + 1 of `scales` times the sums of the activations of their 16 k.
template <int kByte>
HWY_INLINE Int32Vec scaledSums(Int8Vec scales, const TokenBlock& a)
{
    const auto low = hn::BitCast(Int16Tag(), broadcastDword(a.halfSums));
    const auto high = hn::BitCast(Int16Tag(), broadcastDword(a.halfSums + 4));
    return hn::Add(widen(low, broadcastByte<kByte>(scales)),
                   widen(high, broadcastByte<kByte + 1>(scales)));
}

#else

/// Signed weights become unsigned, 128 more, where the instruction wants that.
template <WeightRange kRange>
constexpr bool kShifted = HWY_ARCH_X86 && kRange == WeightRange::Signed;

template <WeightRange kRange>
HWY_INLINE Int32Vec quad(Uint8Vec w, const std::uint8_t* activations, Int32Vec sum)
{
    const auto a = hn::BitCast(Int8Tag(), broadcastDword(activations));
#if HWY_ARCH_X86
    if constexpr (kShifted<kRange>) w = hn::Xor(w, hn::Set(Uint8Tag(), 0x80));
    return hn::SumOfMulQuadAccumulate(Int32Tag(), w, a, sum);
#else
    return hn::SumOfMulQuadAccumulate(Int32Tag(), hn::BitCast(Int8Tag(), w), a, sum);
#endif
}

/// The sum of a pair of sums.
HWY_INLINE std::int32_t addPair(const std::uint8_t* sums)
{
    std::int16_t pair[2];
    std::memcpy(pair, sums, sizeof(pair));
    return pair[0] + pair[1];
}

template <int kByte>
HWY_INLINE Int32Vec signedByte(Int8Vec v)
{
    return hn::ShiftRight<24>(hn::ShiftLeft<24 - 8 * kByte>(hn::BitCast(Int32Tag(), v)));
}

/// Half kHalf of a block's dot product, as joinHalves() wants it. `scales` holds the scales of both
/// halves, in bytes kByte and kByte + 1 of every lane, where a format has one for each 16 k.
template <class F, int kHalf, int kByte>
HWY_INLINE Int32Vec halfDot(Uint8Vec w0, Uint8Vec w1, Uint8Vec w2, Uint8Vec w3, const TokenBlock& a,
                            [[maybe_unused]] Int8Vec scales)
{
    constexpr int kZero = F::kZero + (kShifted<F::kRange> ? 128 : 0);
    const std::uint8_t* q = a.values + 16 * kHalf;
    auto sum = hn::Zero(Int32Tag());
    if constexpr (kZero != 0 && F::kHalfScales)
        sum = hn::Set(Int32Tag(), -kZero * addPair(a.halfSums + 4 * kHalf));
    else if constexpr (kZero != 0 && kHalf == 0)
        sum = hn::Set(Int32Tag(), -kZero * addPair(a.sums));
    sum = quad<F::kRange>(w0, q, sum);
    sum = quad<F::kRange>(w1, q + 4, sum);
    sum = quad<F::kRange>(w2, q + 8, sum);
    sum = quad<F::kRange>(w3, q + 12, sum);
    if constexpr (F::kHalfScales) sum = hn::Mul(sum, signedByte<kByte + kHalf>(scales));
    return sum;
}

/// The sum over a block of (weight - F::kZero) * activation, or of that times the scale of each
/// half.
template <class F>
HWY_INLINE Int32Vec joinHalves(Int32Vec low, Int32Vec high)
{
    return hn::Add(low, high);
}

/// Bytes kByte and kByte + 1 of `scales` times the sums of the activations of their 16 k.
template <int kByte>
HWY_INLINE Int32Vec scaledSums(Int8Vec scales, const TokenBlock& a)
{
    const Int32Tag di;
    return hn::Add(hn::Mul(signedByte<kByte>(scales), hn::Set(di, addPair(a.halfSums))),
                   hn::Mul(signedByte<kByte + 1>(scales), hn::Set(di, addPair(a.halfSums + 4))));
}

#endif

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
