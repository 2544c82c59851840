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

/// A tile of tokens.
struct TileTokens {
    const std::uint8_t* blocks;
    std::size_t count;
};

/// A group of rows.
struct TileGroup {
    const std::uint8_t* record; ///< the blocks at hand, of all its rows
    PreparedScales& prepared;
    float* sums; ///< (tokens, lanes)
};

/// What meets a tile of tokens. Where it is one group, `second` is the same and not looked at.
struct TileGroups {
    TileGroup first;
    TileGroup second;
};

/// What a product is compiled for. Two groups share what is loaded of the tokens, which is what
/// one group waits for.
enum class TileShape : std::uint8_t { OneToken, OneGroup, TwoGroups };

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

/// A run of a group for one token.
template <class F, int kPhase>
HWY_INLINE void tokenRun(const TileGroup& group, int sub, const std::uint8_t* block)
{
    constexpr int kByte = kPhase % 2 * 2;
    const FloatTag df;
    const std::uint8_t* HWY_RESTRICT p = group.record;
    const TokenBlock a(block, 1, 0);
    const auto scales = halfScales<F>(p, sub);
    const auto low = halfDot<F, 0, kByte>(
        F::template weights<kPhase, 0>(p, sub), F::template weights<kPhase, 1>(p, sub),
        F::template weights<kPhase, 2>(p, sub), F::template weights<kPhase, 3>(p, sub), a, scales);
    const auto high = halfDot<F, 1, kByte>(
        F::template weights<kPhase, 4>(p, sub), F::template weights<kPhase, 5>(p, sub),
        F::template weights<kPhase, 6>(p, sub), F::template weights<kPhase, 7>(p, sub), a, scales);
    const auto sum = addRun<F, kByte>(
        hn::Load(df, group.sums), joinHalves<F>(low, high), runScale<F>(p, group.prepared, sub),
        runMinimum<F>(p, group.prepared, sub), halfMinimums<F>(p, sub), a);
    hn::Store(sum, df, group.sums);
}

/// The first halves of a run for every token, as halfDot() gives them: a vector a token, those of
/// the second group after those of the first. Weights are named one by one: SVE's vectors have no
/// size that an array could be made of.
template <class F, int kPhase, TileShape kShape>
HWY_INLINE void lowHalves(const TileGroups& groups, int sub, const std::uint8_t* block,
                          std::size_t count, std::uint8_t* HWY_RESTRICT lows)
{
    constexpr int kByte = kPhase % 2 * 2;
    const Uint8Tag d8;
    const std::size_t bytes = hn::Lanes(d8);
    const std::uint8_t* HWY_RESTRICT p = groups.first.record;
    const std::uint8_t* HWY_RESTRICT q = groups.second.record;
    const auto pScales = halfScales<F>(p, sub), qScales = halfScales<F>(q, sub);
    const auto p0 = F::template weights<kPhase, 0>(p, sub);
    const auto p1 = F::template weights<kPhase, 1>(p, sub);
    const auto p2 = F::template weights<kPhase, 2>(p, sub);
    const auto p3 = F::template weights<kPhase, 3>(p, sub);
    const auto q0 = F::template weights<kPhase, 0>(q, sub);
    const auto q1 = F::template weights<kPhase, 1>(q, sub);
    const auto q2 = F::template weights<kPhase, 2>(q, sub);
    const auto q3 = F::template weights<kPhase, 3>(q, sub);
    for (std::size_t t = 0; t < count; ++t) {
        const TokenBlock a(block, count, t);
        const auto pLow = halfDot<F, 0, kByte>(p0, p1, p2, p3, a, pScales);
        if constexpr (kShape == TileShape::TwoGroups) {
            const auto qLow = halfDot<F, 0, kByte>(q0, q1, q2, q3, a, qScales);
            hn::Store(hn::BitCast(d8, qLow), d8, lows + (count + t) * bytes);
        }
        hn::Store(hn::BitCast(d8, pLow), d8, lows + t * bytes);
    }
}

/// The second halves of a run, joined to the first; onto the sums, which stay in memory: there they
/// cost less than the registers they would take from the weights.
template <class F, int kPhase, TileShape kShape>
HWY_INLINE void addHighHalves(const TileGroups& groups, int sub, const std::uint8_t* block,
                              std::size_t count, const std::uint8_t* HWY_RESTRICT lows)
{
    constexpr int kByte = kPhase % 2 * 2;
    const FloatTag df;
    const Uint8Tag d8;
    const std::size_t lanes = hn::Lanes(df);
    const std::uint8_t* HWY_RESTRICT p = groups.first.record;
    const std::uint8_t* HWY_RESTRICT q = groups.second.record;
    float* HWY_RESTRICT pSums = groups.first.sums;
    float* HWY_RESTRICT qSums = groups.second.sums;
    const auto pScales = halfScales<F>(p, sub), qScales = halfScales<F>(q, sub);
    const auto p4 = F::template weights<kPhase, 4>(p, sub);
    const auto p5 = F::template weights<kPhase, 5>(p, sub);
    const auto p6 = F::template weights<kPhase, 6>(p, sub);
    const auto p7 = F::template weights<kPhase, 7>(p, sub);
    const auto q4 = F::template weights<kPhase, 4>(q, sub);
    const auto q5 = F::template weights<kPhase, 5>(q, sub);
    const auto q6 = F::template weights<kPhase, 6>(q, sub);
    const auto q7 = F::template weights<kPhase, 7>(q, sub);
    const auto pScale = runScale<F>(p, groups.first.prepared, sub);
    const auto qScale = runScale<F>(q, groups.second.prepared, sub);
    const auto pMinimum = runMinimum<F>(p, groups.first.prepared, sub);
    const auto qMinimum = runMinimum<F>(q, groups.second.prepared, sub);
    const auto pMinimums16 = halfMinimums<F>(p, sub), qMinimums16 = halfMinimums<F>(q, sub);
    for (std::size_t t = 0; t < count; ++t) {
        const TokenBlock a(block, count, t);
        const auto pHigh = halfDot<F, 1, kByte>(p4, p5, p6, p7, a, pScales);
        const auto add = [&](auto high, std::size_t at, const float* sums, FloatVec scale,
                             FloatVec minimum, Int8Vec minimums16) HWY_ATTR {
            const auto low =
                hn::BitCast(hn::DFromV<decltype(high)>(), hn::Load(d8, lows + at * 4 * lanes));
            return addRun<F, kByte>(hn::Load(df, sums), joinHalves<F>(low, high), scale, minimum,
                                    minimums16, a);
        };
        const auto pSum = add(pHigh, t, pSums + t * lanes, pScale, pMinimum, pMinimums16);
        if constexpr (kShape == TileShape::TwoGroups) {
            const auto qHigh = halfDot<F, 1, kByte>(q4, q5, q6, q7, a, qScales);
            const auto qSum =
                add(qHigh, count + t, qSums + t * lanes, qScale, qMinimum, qMinimums16);
            hn::Store(qSum, df, qSums + t * lanes);
        }
        hn::Store(pSum, df, pSums + t * lanes);
    }
}

/// Run `sub` of the groups' records, 32 k, for every token of the tile; the weights are unpacked
/// once. A tile meets each half of a run in turn: there are not registers for all of it. kPhase =
/// sub % F::kPhases is what the position of the weights' bits depends on.
template <class F, int kPhase, TileShape kShape>
HWY_INLINE void tileRun(const TileGroups& groups, int sub, const TileTokens& tile)
{
    const std::size_t count = kShape == TileShape::OneToken ? 1 : tile.count;
    const std::uint8_t* HWY_RESTRICT block =
        tile.blocks + static_cast<std::size_t>(sub) * count * QuantizedBlock::kTokenBytes;
    if constexpr (kShape == TileShape::OneToken) {
        tokenRun<F, kPhase>(groups.first, sub, block);
    } else {
        alignas(64) std::uint8_t lows[2 * Activations::kTileTokens * 64];
        lowHalves<F, kPhase, kShape>(groups, sub, block, count, lows);
        addHighHalves<F, kPhase, kShape>(groups, sub, block, count, lows);
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

template <class F, TileShape kShape, int... kPhase>
HWY_INLINE void tileProduct(TileGroups groups, std::size_t blockCount, TileTokens tile,
                            std::integer_sequence<int, kPhase...>)
{
    const std::size_t recordBytes = F::kBlockBytes * hn::Lanes(Int32Tag());
    for (std::size_t b = 0; b < blockCount; b += F::kSubBlocks) {
        if constexpr (kShape == TileShape::OneToken)
            prefetchRecord(groups.first.record + kPrefetchBytes, recordBytes);
        prepareScales<F>(groups.first.record, groups.first.prepared);
        if constexpr (kShape == TileShape::TwoGroups)
            prepareScales<F>(groups.second.record, groups.second.prepared);
        for (int sub = 0; sub < F::kSubBlocks; sub += F::kPhases)
            (tileRun<F, kPhase, kShape>(groups, sub + kPhase, tile), ...);
        groups.first.record += recordBytes;
        groups.second.record += recordBytes;
        tile.blocks += F::kSubBlocks * tile.count * QuantizedBlock::kTokenBytes;
    }
}

template <class F>
void blockProduct(const QuantTile& tile)
{
    constexpr auto kPhases = std::make_integer_sequence<int, F::kPhases>();
    const TileTokens tokens{tile.blocks, static_cast<std::size_t>(tile.tokens)};
    PreparedScales prepared, prepared2;
    if (tile.tokens == 1) { // the compiler keeps the sums in a register
        const FloatTag df;
        HWY_ALIGN float sums[16];
        hn::Store(hn::Load(df, tile.sums), df, sums);
        const TileGroup group{tile.group, prepared, sums};
        tileProduct<F, TileShape::OneToken>({group, group}, tile.blockCount, {tile.blocks, 1},
                                            kPhases);
        hn::Store(hn::Load(df, sums), df, tile.sums);
        return;
    }
    const TileGroup group{tile.group, prepared, tile.sums};
    if (tile.nextGroup == nullptr)
        tileProduct<F, TileShape::OneGroup>({group, group}, tile.blockCount, tokens, kPhases);
    else
        tileProduct<F, TileShape::TwoGroups>(
            {group, {tile.nextGroup, prepared2, tile.sums + QuantTile::kGroupSums}},
            tile.blockCount, tokens, kPhases);
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
