// One group of rows times one tile of tokens, for any format; compiled once per target.
#if defined(ENGINE_KERNELS_BLOCK_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_KERNELS_BLOCK_PRODUCT_INL_H
#undef ENGINE_KERNELS_BLOCK_PRODUCT_INL_H
#else
#define ENGINE_KERNELS_BLOCK_PRODUCT_INL_H
#endif

#include "engine/kernels/dot-inl.h"
#include "engine/kernels/matmul_kernels.h"

#include <hwy/cache_control.h>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

/// What is unpacked once for all 8 runs of a super-block: their scales, then their minimums.
struct PreparedScales {
    HWY_ALIGN float values[2 * 8 * 16];

    HWY_INLINE float* scale(int sub) { return values + static_cast<std::size_t>(sub) * 16; }
    HWY_INLINE float* minimum(int sub) { return values + static_cast<std::size_t>(8 + sub) * 16; }
};

template <class F>
HWY_INLINE void prepareScales(const std::uint8_t* record, PreparedScales& prepared)
{
    if constexpr (F::kPrepares) F::prepare(record, prepared);
}

template <class F>
HWY_INLINE FloatVec runScale(const std::uint8_t* record, PreparedScales& prepared, int sub)
{
    if constexpr (F::kPrepares)
        return hn::Load(FloatTag(), prepared.scale(sub));
    else
        return F::scale(record);
}

template <class F>
HWY_INLINE FloatVec runMinimum(const std::uint8_t* record, PreparedScales& prepared, int sub)
{
    if constexpr (!F::kMinimum)
        return hn::Zero(FloatTag());
    else if constexpr (F::kPrepares)
        return hn::Load(FloatTag(), prepared.minimum(sub));
    else
        return F::minimum(record);
}

template <class F>
HWY_INLINE Int8Vec halfScales(const std::uint8_t* record, int sub)
{
    if constexpr (F::kHalfScales)
        return F::halfScales(record, sub);
    else
        return hn::Zero(Int8Tag());
}

template <class F>
HWY_INLINE Int8Vec halfMinimums(const std::uint8_t* record, int sub)
{
    if constexpr (F::kHalfScales && F::kMinimum)
        return F::halfMinimums(record, sub);
    else
        return hn::Zero(Int8Tag());
}

/// A tile of tokens and where their sums are.
struct TileTokens {
    const std::uint8_t* blocks;
    std::size_t count;
    float* sums;
};

/// isum times the scales, and the minimum, onto the sums of one token.
template <class F, int kByte>
HWY_INLINE FloatVec addRun(FloatVec acc, Int32Vec isum, FloatVec scale, FloatVec minimum,
                           [[maybe_unused]] Int8Vec minimums16, const TokenBlock& a)
{
    const FloatTag df;
    const auto token = broadcastFloat(a.scale);
    acc = hn::MulAdd(hn::ConvertTo(df, isum), hn::Mul(scale, token), acc);
    if constexpr (F::kHalfScales && F::kMinimum)
        acc = hn::MulAdd(hn::ConvertTo(df, scaledSums<kByte>(minimums16, a)),
                         hn::Mul(minimum, token), acc);
    else if constexpr (F::kMinimum)
        acc = hn::MulAdd(minimum, broadcastFloat(a.scaledSum), acc);
    return acc;
}

/// Targets with 16 registers have too few for the eight vectors of weights of a run and what is
/// computed with them: there a tile of tokens meets each half of a run in turn.
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
constexpr bool kTwoPasses = true;
#else
constexpr bool kTwoPasses = false;
#endif

/// Run `sub` of a record, 32 k, for every token of the tile; the weights are unpacked once. The
/// sums stay in memory, where they cost less than the registers they would take from the weights.
/// kPhase = sub % F::kPhases is what the position of the weights' bits depends on.
template <class F, int kPhase, bool kOneToken>
HWY_INLINE void tileRun(const std::uint8_t* HWY_RESTRICT record, PreparedScales& prepared, int sub,
                        TileTokens tile)
{
    constexpr int kByte = kPhase % 2 * 2;
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const std::size_t count = kOneToken ? 1 : tile.count;
    const std::uint8_t* HWY_RESTRICT block =
        tile.blocks + static_cast<std::size_t>(sub) * count * QuantizedBlock::kTokenBytes;
    float* HWY_RESTRICT sums = tile.sums;
    const auto scales16 = halfScales<F>(record, sub);

    const auto w0 = F::template weights<kPhase, 0>(record, sub);
    const auto w1 = F::template weights<kPhase, 1>(record, sub);
    const auto w2 = F::template weights<kPhase, 2>(record, sub);
    const auto w3 = F::template weights<kPhase, 3>(record, sub);
    alignas(64) std::uint8_t lows[Activations::kTileTokens * 64];
    const Uint8Tag d8;
    if constexpr (kTwoPasses && !kOneToken)
        for (std::size_t t = 0; t < count; ++t)
            hn::Store(hn::BitCast(d8, halfDot<F, 0, kByte>(w0, w1, w2, w3,
                                                           TokenBlock(block, count, t), scales16)),
                      d8, lows + t * 4 * lanes);

    const auto w4 = F::template weights<kPhase, 4>(record, sub);
    const auto w5 = F::template weights<kPhase, 5>(record, sub);
    const auto w6 = F::template weights<kPhase, 6>(record, sub);
    const auto w7 = F::template weights<kPhase, 7>(record, sub);
    const auto scale = runScale<F>(record, prepared, sub);
    const auto minimum = runMinimum<F>(record, prepared, sub);
    const auto minimums16 = halfMinimums<F>(record, sub);
    for (std::size_t t = 0; t < count; ++t, sums += lanes) {
        const TokenBlock a(block, count, t);
        const auto high = halfDot<F, 1, kByte>(w4, w5, w6, w7, a, scales16);
        auto low = high;
        if constexpr (kTwoPasses && !kOneToken)
            low = hn::BitCast(hn::DFromV<decltype(high)>(), hn::Load(d8, lows + t * 4 * lanes));
        else
            low = halfDot<F, 0, kByte>(w0, w1, w2, w3, a, scales16);
        const auto isum = joinHalves<F>(low, high);
        hn::Store(addRun<F, kByte>(hn::Load(df, sums), isum, scale, minimum, minimums16, a), df,
                  sums);
    }
}

/// A single token passes over weights once, at the pace of memory. The parts of a super-block are
/// not met in the order they lie in, and hardware stops looking ahead at the end of every page of 4
/// KiB.
constexpr std::size_t kPrefetchBytes = 4096;

HWY_INLINE void prefetchRecord(const std::uint8_t* record, std::size_t bytes)
{
    constexpr std::size_t kLine = 64;
    for (std::size_t i = 0; i < bytes; i += kLine)
        hwy::Prefetch(record + i);
}

template <class F, bool kOneToken, int... kPhase>
HWY_INLINE void tileProduct(const std::uint8_t* record, std::size_t blockCount, TileTokens tile,
                            std::integer_sequence<int, kPhase...>)
{
    const std::size_t recordBytes = F::kBlockBytes * hn::Lanes(Int32Tag());
    PreparedScales prepared;
    for (std::size_t b = 0; b < blockCount; b += F::kSubBlocks) {
        if constexpr (kOneToken) prefetchRecord(record + kPrefetchBytes, recordBytes);
        prepareScales<F>(record, prepared);
        for (int sub = 0; sub < F::kSubBlocks; sub += F::kPhases)
            (tileRun<F, kPhase, kOneToken>(record, prepared, sub + kPhase, tile), ...);
        record += recordBytes;
        tile.blocks += F::kSubBlocks * tile.count * QuantizedBlock::kTokenBytes;
    }
}

template <class F>
void blockProduct(const QuantTile& tile)
{
    constexpr auto kPhases = std::make_integer_sequence<int, F::kPhases>();
    if (tile.tokens == 1) { // the compiler keeps the sums in a register
        const FloatTag df;
        HWY_ALIGN float sums[16];
        hn::Store(hn::Load(df, tile.sums), df, sums);
        tileProduct<F, true>(tile.group, tile.blockCount, {tile.blocks, 1, sums}, kPhases);
        hn::Store(hn::Load(df, sums), df, tile.sums);
    } else {
        tileProduct<F, false>(tile.group, tile.blockCount,
                              {tile.blocks, static_cast<std::size_t>(tile.tokens), tile.sums},
                              kPhases);
    }
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
