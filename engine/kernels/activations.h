#pragma once

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/aligned_buffer.h"

#include <cstddef>
#include <cstdint>

namespace engine {

/// Where the parts of a block lie: 32 consecutive activations of each of a tile's n tokens in 8
/// bits, x = scale * value, scale = max|x| / 127 in eleven bits, values rounded to nearest even;
/// and sums of them that stand for a weight format's zero point or minimum. Tokens lie side by side
/// in every part.
struct QuantizedBlock {
    static constexpr std::size_t kTokenBytes = 52;
    static constexpr std::size_t values(std::size_t) { return 0; }        ///< (n, 32) int8
    static constexpr std::size_t scales(std::size_t n) { return 32 * n; } ///< (n) f32
    /// (n) f32: scale * sum of all values, rounded once.
    static constexpr std::size_t scaledSums(std::size_t n) { return 36 * n; }
    /// (n, 2) int16: sums of the values with k % 4 < 2, and of the others.
    static constexpr std::size_t sums(std::size_t n) { return 40 * n; }
    /// (n, 2, 2) int16: the same of the first 16 values, and of the last 16.
    static constexpr std::size_t halfSums(std::size_t n) { return 44 * n; }
};

/// What a run of tokens multiplies matrices with: their f32 rows, and the same in 8 bits, quantized
/// once and shared by every matrix. Scratch memory made once for the largest run; assigning and
/// quantizing allocate nothing. A token's numbers do not depend on the tokens beside it.
class Activations {
public:
    /// Tokens are taken in tiles of so many (the last tile of a run may be narrower).
    static constexpr int kTileTokens = 8;

    /// Errors: OutOfMemory.
    static Result<Activations> create(int maxTokens, int maxColumns);

    /// Row t (of `columns` values) is x + t * stride. Nothing is copied: the rows must live and
    /// stay as they are until the last product. REQUIRES: tokens <= maxTokens, columns <=
    /// maxColumns.
    void assign(const float* x, std::size_t stride, int tokens, int columns);

    /// Quantizes the tiles [tileBegin, tileEnd) of the assigned rows. Several threads may quantize
    /// different tiles. REQUIRES: columns a multiple of 32.
    void quantizeTiles(int tileBegin, int tileEnd);
    /// All tiles, on all threads of the pool.
    void quantize(ThreadPool& pool);

    int tokens() const { return m_tokens; }
    int columns() const { return m_columns; }
    int tiles() const { return (m_tokens + kTileTokens - 1) / kTileTokens; }
    int tileTokens(int tile) const
    {
        const int left = m_tokens - tile * kTileTokens;
        return left < kTileTokens ? left : kTileTokens;
    }

    const float* row(int token) const
    {
        return m_rows + static_cast<std::size_t>(token) * m_stride;
    }
    std::size_t stride() const { return m_stride; }
    /// The blocks of a tile, columns / 32 of tileTokens() * QuantizedBlock::kTokenBytes each.
    const std::uint8_t* tile(int index) const { return m_blocks + tileOffset(index); }

private:
    std::size_t blocksPerToken() const { return static_cast<std::size_t>(m_columns) / 32; }
    std::size_t tileOffset(int index) const
    {
        return static_cast<std::size_t>(index) * kTileTokens * blocksPerToken() *
               QuantizedBlock::kTokenBytes;
    }

    AlignedBuffer m_buffer;
    std::uint8_t* m_blocks = nullptr;
    const float* m_rows = nullptr;
    std::size_t m_stride = 0;
    int m_tokens = 0;
    int m_columns = 0;
};

} // namespace engine
