// One group of rows times one tile of tokens, for any format; compiled once per target.
#if defined(ENGINE_KERNELS_BLOCK_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_KERNELS_BLOCK_PRODUCT_INL_H
#undef ENGINE_KERNELS_BLOCK_PRODUCT_INL_H
#else
#define ENGINE_KERNELS_BLOCK_PRODUCT_INL_H
#endif

#include "engine/kernels/dot-inl.h"
#include "engine/kernels/matmul_kernels.h"

#include <utility>

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

/// What a run of 32 k of a group needs beside its weights.
template <class F, int kSub>
HWY_INLINE FloatVec blockMinimum(const std::uint8_t* record)
{
    if constexpr (F::kMinimum)
        return F::template minimum<kSub>(record);
    else
        return hn::Zero(FloatTag());
}

template <class F, int kSub>
HWY_INLINE Int8Vec halfScales(const std::uint8_t* record)
{
    if constexpr (F::kHalfScales)
        return F::template halfScales<kSub>(record);
    else
        return hn::Zero(Int8Tag());
}

template <class F, int kSub>
HWY_INLINE Int8Vec halfMinimums(const std::uint8_t* record)
{
    if constexpr (F::kHalfScales && F::kMinimum)
        return F::template halfMinimums<kSub>(record);
    else
        return hn::Zero(Int8Tag());
}

/// One run of 32 k for every token of the tile; the weights are unpacked once. The sums stay in
/// memory, where they cost less than the registers they would take from the weights.
template <class F, int kSub>
HWY_INLINE void tileBlock(const std::uint8_t* HWY_RESTRICT record,
                          const QuantizedBlock* HWY_RESTRICT blocks, int tokens,
                          float* HWY_RESTRICT sums)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    const auto w0 = F::template weights<kSub, 0>(record);
    const auto w1 = F::template weights<kSub, 1>(record);
    const auto w2 = F::template weights<kSub, 2>(record);
    const auto w3 = F::template weights<kSub, 3>(record);
    const auto w4 = F::template weights<kSub, 4>(record);
    const auto w5 = F::template weights<kSub, 5>(record);
    const auto w6 = F::template weights<kSub, 6>(record);
    const auto w7 = F::template weights<kSub, 7>(record);
    const auto scale = F::template scale<kSub>(record);
    const auto minimum = blockMinimum<F, kSub>(record);
    const auto scales16 = halfScales<F, kSub>(record);
    const auto minimums16 = halfMinimums<F, kSub>(record);
    for (int t = 0; t < tokens; ++t, sums += lanes) {
        const QuantizedBlock& a = blocks[t];
        Int32Vec isum;
        if constexpr (F::kHalfScales)
            isum = scaledDot32<F, kSub % 2 * 2>(w0, w1, w2, w3, w4, w5, w6, w7, scales16, a);
        else
            isum = dot32<F>(w0, w1, w2, w3, w4, w5, w6, w7, a);
        auto acc = hn::Load(df, sums);
        acc = hn::MulAdd(hn::ConvertTo(df, isum), hn::Mul(scale, hn::Set(df, a.scale)), acc);
        if constexpr (F::kHalfScales && F::kMinimum)
            acc = hn::MulAdd(hn::ConvertTo(df, scaledSums<kSub % 2 * 2>(minimums16, a)),
                             hn::Mul(minimum, hn::Set(df, a.scale)), acc);
        else if constexpr (F::kMinimum)
            acc = hn::MulAdd(minimum, hn::Set(df, a.scaledSum), acc);
        hn::Store(acc, df, sums);
    }
}

template <class F, int... kSub>
HWY_INLINE void tileProduct(const QuantTile& tile, std::integer_sequence<int, kSub...>)
{
    const std::size_t recordBytes = F::kBlockBytes * hn::Lanes(Int32Tag());
    const auto tokens = static_cast<std::size_t>(tile.tokens);
    const std::uint8_t* record = tile.group;
    const QuantizedBlock* blocks = tile.blocks;
    for (std::size_t b = 0; b < tile.blockCount; b += F::kSubBlocks) {
        (tileBlock<F, kSub>(record, blocks + kSub * tokens, tile.tokens, tile.sums), ...);
        record += recordBytes;
        blocks += F::kSubBlocks * tokens;
    }
}

/// The same for one token; the compiler keeps the sums in a register.
template <class F, int... kSub>
HWY_INLINE void oneProduct(const QuantTile& tile, std::integer_sequence<int, kSub...>)
{
    const FloatTag df;
    const std::size_t recordBytes = F::kBlockBytes * hn::Lanes(df);
    const std::uint8_t* record = tile.group;
    const QuantizedBlock* blocks = tile.blocks;
    HWY_ALIGN float sums[16];
    hn::Store(hn::Load(df, tile.sums), df, sums);
    for (std::size_t b = 0; b < tile.blockCount; b += F::kSubBlocks) {
        (tileBlock<F, kSub>(record, blocks + kSub, 1, sums), ...);
        record += recordBytes;
        blocks += F::kSubBlocks;
    }
    hn::Store(hn::Load(df, sums), df, tile.sums);
}

template <class F>
void blockProduct(const QuantTile& tile)
{
    constexpr auto kSubs = std::make_integer_sequence<int, F::kSubBlocks>();
    if (tile.tokens == 1)
        oneProduct<F>(tile, kSubs);
    else
        tileProduct<F>(tile, kSubs);
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
