#include "engine/kernels/activations.h"

#include <algorithm>
#include <bit>
#include <cstring>

// clang-format off: foreach_target.h comes before whatever includes highway.h
#include "engine/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/activations.cpp"
#include <hwy/foreach_target.h>
#include "engine/kernels/quantize-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

namespace {

/// Of 16 values: the sum of those with k % 4 < 2, and of the others.
HWY_INLINE void sumPairs(const std::int8_t* values, std::int16_t* sums)
{
    const hn::FixedTag<std::int8_t, 16> d8;
    const hn::Repartition<std::uint8_t, decltype(d8)> du8;
    const hn::Repartition<std::int16_t, decltype(d8)> d16;
    const hn::Repartition<std::int32_t, decltype(d8)> d32;
    auto pairs = hn::SatWidenMulPairwiseAdd(d16, hn::Set(du8, 1), hn::LoadU(d8, values));
    pairs = hn::Add(pairs, hn::BitCast(d16, hn::Shuffle1032(hn::BitCast(d32, pairs))));
    pairs = hn::Add(pairs, hn::BitCast(d16, hn::Shuffle2301(hn::BitCast(d32, pairs))));
    const std::int32_t both = hn::GetLane(hn::BitCast(d32, pairs));
    std::memcpy(sums, &both, sizeof(both));
}

/// Rounded to the eleven significant bits a half has, over the whole range of a float: the scale
/// a Q8_0 block of a file would have.
HWY_INLINE float shortened(float scale)
{
    constexpr std::uint32_t kDropped = 13;
    const auto bits = std::bit_cast<std::uint32_t>(scale);
    const std::uint32_t odd = (bits >> kDropped) & 1U;
    const std::uint32_t rounded = bits + ((1U << (kDropped - 1)) - 1) + odd;
    return std::bit_cast<float>(rounded & ~((1U << kDropped) - 1));
}

} // namespace

/// Blocks of one token of a tile of `tokens`, from the token's place in the first block on.
void quantizeRow(const float* x, std::size_t blocks, std::size_t tokens, std::size_t token,
                 std::uint8_t* tile)
{
    for (std::size_t b = 0; b < blocks;
         ++b, x += 32, tile += tokens * QuantizedBlock::kTokenBytes) {
        auto* values = reinterpret_cast<std::int8_t*>(tile + 32 * token);
        const float scale = shortened(quantize32(x, values));
        std::int16_t halfs[4];
        sumPairs(values, halfs);
        sumPairs(values + 16, halfs + 2);
        const std::int16_t sums[2] = {static_cast<std::int16_t>(halfs[0] + halfs[2]),
                                      static_cast<std::int16_t>(halfs[1] + halfs[3])};
        const float scaledSum = scale * static_cast<float>(sums[0] + sums[1]);
        std::memcpy(tile + QuantizedBlock::scales(tokens) + 4 * token, &scale, 4);
        std::memcpy(tile + QuantizedBlock::scaledSums(tokens) + 4 * token, &scaledSum, 4);
        std::memcpy(tile + QuantizedBlock::sums(tokens) + 4 * token, sums, 4);
        std::memcpy(tile + QuantizedBlock::halfSums(tokens) + 8 * token, halfs, 8);
    }
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine {

HWY_EXPORT(quantizeRow);

Result<Activations> Activations::create(int maxTokens, int maxColumns)
{
    Activations activations;
    const std::size_t blocks = (static_cast<std::size_t>(maxColumns) + 31) / 32;
    const auto tokens = static_cast<std::size_t>(maxTokens);
    TRY_ASSIGN(activations.m_buffer,
               AlignedBuffer::allocate(tokens * blocks * QuantizedBlock::kTokenBytes));
    activations.m_blocks = reinterpret_cast<std::uint8_t*>(activations.m_buffer.data());
    return activations;
}

void Activations::assign(const float* x, std::size_t stride, int tokens, int columns)
{
    m_rows = x;
    m_stride = stride;
    m_tokens = tokens;
    m_columns = columns;
}

void Activations::quantizeTiles(int tileBegin, int tileEnd)
{
    for (int t = tileBegin; t < tileEnd; ++t) {
        const int width = tileTokens(t);
        std::uint8_t* tile = m_blocks + tileOffset(t);
        for (int i = 0; i < width; ++i)
            HWY_DYNAMIC_DISPATCH(quantizeRow)(row(t * kTileTokens + i), blocksPerToken(),
                                              static_cast<std::size_t>(width),
                                              static_cast<std::size_t>(i), tile);
    }
}

void Activations::quantize(ThreadPool& pool)
{
    pool.parallelFor(static_cast<std::size_t>(tiles()), 1, [&](std::size_t begin, std::size_t end) {
        quantizeTiles(static_cast<int>(begin), static_cast<int>(end));
    });
}

} // namespace engine
#endif
