#include "engine/kernels/matmul.h"

#include "engine/kernels/lanes.h"
#include "engine/kernels/matmul_kernels.h"
#include "engine/kernels/pack_format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <hwy/cache_control.h>

namespace engine {
namespace {

constexpr std::size_t kTile = Activations::kTileTokens;
constexpr std::size_t kMaxLanes = 16;

/// Sums of one tile of tokens and one group of rows, before they go to their places.
struct alignas(64) TileSums {
    std::array<float, kTile * 4 * kMaxLanes> values;
};

const std::uint8_t* groupBytes(const PackedMatrix& matrix, int group)
{
    return reinterpret_cast<const std::uint8_t*>(matrix.group(group));
}

/// Whole groups by copies whose size the compiler knows.
void copyRows(const float* sums, std::size_t rows, float* out)
{
    if (rows == 8)
        std::memcpy(out, sums, 8 * sizeof(float));
    else if (rows == 16)
        std::memcpy(out, sums, 16 * sizeof(float));
    else
        std::copy_n(sums, rows, out);
}

/// Adds bias and residual and writes one token's sums of `rows` rows from `row` on.
void writeRows(const MatmulJob& job, int token, int row, std::size_t rows, const float* sums)
{
    float* out = job.out + static_cast<std::size_t>(token) * job.outStride + row;
    const float* bias = job.bias != nullptr ? job.bias + row : nullptr;
    if (bias == nullptr && !job.accumulate) {
        copyRows(sums, rows, out);
        return;
    }
    for (std::size_t r = 0; r < rows; ++r) {
        float value = sums[r];
        if (bias != nullptr) value += bias[r];
        out[r] = job.accumulate ? out[r] + value : value;
    }
}

/// What belongs to rows of the group that exist; `sums` is (tokens, rows of the group).
void writeSums(const MatmulJob& job, int group, int firstToken, int tokens, const float* sums)
{
    const int groupRows = job.matrix->groupRows();
    const int row = group * groupRows;
    const auto rows = static_cast<std::size_t>(std::min(groupRows, job.matrix->rows() - row));
    for (int t = 0; t < tokens; ++t)
        writeRows(job, firstToken + t, row, rows, sums + std::ptrdiff_t{t} * groupRows);
}

QuantKernel quantKernel(DType type)
{
    for (const auto family : {legacyQuantKernel, superQuantKernel, codebookQuantKernel})
        if (const QuantKernel kernel = family(type); kernel != nullptr) return kernel;
    return nullptr;
}

/// Groups of rows that stay in the second-level cache while a tile of tokens passes over them.
constexpr int kMaxPanelGroups = 32;

int panelGroups(const PackedMatrix& matrix)
{
    constexpr std::size_t kPanelBytes = std::size_t{192} << 10;
    return std::clamp(static_cast<int>(kPanelBytes / matrix.groupBytes()), 1, kMaxPanelGroups);
}

/// Blocks of a tile of tokens that stay in the first-level cache, about 64 and whole super-blocks.
std::size_t runBlocks(std::size_t blocks, int tokens)
{
    if (tokens == 1) return blocks;
    const std::size_t runs = (blocks + 63) / 64;
    return ((blocks + runs - 1) / runs + 7) / 8 * 8;
}

/// Sums of one tile of tokens and the groups of a panel.
struct PanelSums {
    alignas(64) std::array<float, kMaxPanelGroups * QuantTile::kGroupSums> values;

    float* group(int index)
    {
        return values.data() + static_cast<std::size_t>(index) * QuantTile::kGroupSums;
    }
};

/// A token's sums of all groups, then the next token's: neighbours in memory one after the other.
void writePanel(const MatmulJob& job, const MatmulPart& part, int tile, PanelSums& sums)
{
    const int groupRows = job.matrix->groupRows();
    for (int t = 0; t < job.input->tileTokens(tile); ++t)
        for (int g = part.groupBegin; g < part.groupEnd; ++g) {
            const int row = g * groupRows;
            const int rows = std::min(groupRows, job.matrix->rows() - row);
            writeRows(job, tile * Activations::kTileTokens + t, row, static_cast<std::size_t>(rows),
                      sums.group(g - part.groupBegin) + std::ptrdiff_t{t} * groupRows);
        }
}

/// Brings near what writePanel() is going to write, while the products are computed.
void prefetchPanel(const MatmulJob& job, const MatmulPart& part, int tile)
{
    constexpr int kLineFloats = 16;
    const int begin = part.groupBegin * job.matrix->groupRows();
    const int end = std::min(part.groupEnd * job.matrix->groupRows(), job.matrix->rows());
    for (int t = 0; t < job.input->tileTokens(tile); ++t) {
        const int token = tile * Activations::kTileTokens + t;
        const float* out = job.out + static_cast<std::size_t>(token) * job.outStride;
        for (int row = begin; row < end; row += kLineFloats)
            hwy::Prefetch(out + row);
    }
}

void quantPanel(const MatmulJob& job, QuantKernel kernel, const MatmulPart& part, PanelSums& sums)
{
    const PackedMatrix& matrix = *job.matrix;
    const Activations& input = *job.input;
    const auto blocks = static_cast<std::size_t>(matrix.columns()) / 32;
    const std::size_t bytesPerBlock = matrix.groupBytes() / blocks;
    for (int t = part.tileBegin; t < part.tileEnd; ++t) {
        const int tokens = input.tileTokens(t);
        const std::size_t tileBytes =
            static_cast<std::size_t>(tokens) * QuantizedBlock::kTokenBytes;
        const std::size_t run = runBlocks(blocks, tokens);
        if (tokens > 1) prefetchPanel(job, part, t);
        for (int g = part.groupBegin; g < part.groupEnd; ++g)
            std::fill_n(sums.group(g - part.groupBegin), tokens * matrix.groupRows(), 0.0f);
        const int together = tokens > 1 ? 2 : 1;
        for (std::size_t b = 0; b < blocks; b += run)
            for (int g = part.groupBegin; g < part.groupEnd; g += together) {
                const std::uint8_t* group = groupBytes(matrix, g) + b * bytesPerBlock;
                const bool two = together == 2 && g + 1 < part.groupEnd;
                kernel({.group = group,
                        .nextGroup = two ? group + matrix.groupBytes() : nullptr,
                        .blocks = input.tile(t) + b * tileBytes,
                        .blockCount = std::min(run, blocks - b),
                        .tokens = tokens,
                        .sums = sums.group(g - part.groupBegin)});
            }
        writePanel(job, part, t, sums);
    }
}

void quantPart(const MatmulJob& job, const MatmulPart& part)
{
    const QuantKernel kernel = quantKernel(job.matrix->dtype());
    const int panel = panelGroups(*job.matrix);
    PanelSums sums;
    for (int g = part.groupBegin; g < part.groupEnd; g += panel)
        quantPanel(job, kernel,
                   {.groupBegin = g,
                    .groupEnd = std::min(g + panel, part.groupEnd),
                    .tileBegin = part.tileBegin,
                    .tileEnd = part.tileEnd},
                   sums);
}

/// Columns of F32, F16 or BF16 taken at a time, so that a tile's share stays in the first-level
/// cache.
constexpr std::size_t kRunColumns = 256;

void floatTile(const MatmulJob& job, FloatKernel kernel, int group, int tile)
{
    const PackedMatrix& matrix = *job.matrix;
    const Activations& input = *job.input;
    const auto columns = static_cast<std::size_t>(matrix.columns());
    const std::size_t columnBytes = matrix.groupBytes() / columns;
    const int tokens = input.tileTokens(tile);
    const int token = tile * Activations::kTileTokens;
    const std::size_t run = tokens == 1 ? columns : kRunColumns;
    TileSums sums;
    std::fill_n(sums.values.begin(), tokens * matrix.groupRows(), 0.0f);
    for (std::size_t k = 0; k < columns; k += run)
        kernel({.weights = groupBytes(matrix, group) + k * columnBytes,
                .columns = std::min(run, columns - k),
                .x = input.row(token) + k,
                .stride = input.stride(),
                .tokens = tokens,
                .sums = sums.values.data()});
    writeSums(job, group, token, tokens, sums.values.data());
}

void floatPart(const MatmulJob& job, const MatmulPart& part)
{
    const FloatKernel kernel = floatKernel(job.matrix->dtype());
    for (int g = part.groupBegin; g < part.groupEnd; ++g)
        for (int t = part.tileBegin; t < part.tileEnd; ++t)
            floatTile(job, kernel, g, t);
}

/// Tokens that share a dequantized run of a row.
constexpr int kRunTiles = 8;
constexpr std::size_t kRunTokens = kRunTiles * kTile;

struct alignas(64) LaneSums {
    std::array<float, kRunTokens * 16> values;

    /// Adds the 16 lanes of a token as a tree.
    float total(std::size_t token)
    {
        float* lanes = values.data() + token * 16;
        for (std::size_t width = 8; width > 0; width /= 2)
            for (std::size_t i = 0; i < width; ++i)
                lanes[i] += lanes[i + width];
        return lanes[0];
    }
};

/// One row times a few tiles of tokens.
void dequantizedRow(const MatmulJob& job, const std::byte* blocks, int firstToken,
                    std::size_t tokens, LaneSums& sums)
{
    const DTypeInfo& info = dtypeInfo(job.matrix->dtype());
    const auto columns = static_cast<std::size_t>(job.matrix->columns());
    std::array<float, kRunColumns> weights;
    std::fill_n(sums.values.begin(), tokens * 16, 0.0f);
    for (std::size_t k = 0; k < columns; k += kRunColumns) {
        const std::size_t width = std::min(kRunColumns, columns - k);
        info.dequantize(blocks + k / info.blockElements * info.blockBytes, weights.data(), width);
        rowRun({.weights = weights.data(),
                .columns = width,
                .x = job.input->row(firstToken) + k,
                .stride = job.input->stride(),
                .tokens = tokens,
                .lanes = sums.values.data()});
    }
}

void dequantizedTiles(const MatmulJob& job, int group, int tileBegin, int tileEnd)
{
    const PackedMatrix& matrix = *job.matrix;
    const auto groupRows = static_cast<std::size_t>(matrix.groupRows());
    const std::size_t rowBytes = matrix.groupBytes() / groupRows;
    const int firstToken = tileBegin * Activations::kTileTokens;
    const int lastToken = std::min(tileEnd * Activations::kTileTokens, job.input->tokens());
    const auto tokens = static_cast<std::size_t>(lastToken - firstToken);
    std::array<float, kRunTokens * 8> totals;
    LaneSums sums;
    for (std::size_t r = 0; r < groupRows; ++r) {
        dequantizedRow(job, matrix.group(group) + r * rowBytes, firstToken, tokens, sums);
        for (std::size_t t = 0; t < tokens; ++t)
            totals[t * groupRows + r] = sums.total(t);
    }
    writeSums(job, group, firstToken, static_cast<int>(tokens), totals.data());
}

void dequantizedPart(const MatmulJob& job, const MatmulPart& part)
{
    for (int g = part.groupBegin; g < part.groupEnd; ++g)
        for (int t = part.tileBegin; t < part.tileEnd; t += kRunTiles)
            dequantizedTiles(job, g, t, std::min(t + kRunTiles, part.tileEnd));
}

} // namespace

void matmulPart(const MatmulJob& job, const MatmulPart& part)
{
    switch (job.matrix->format().kind) {
    case PackKind::Blocks:
        return quantPart(job, part);
    case PackKind::Floats:
        return floatPart(job, part);
    case PackKind::Rows:
        return dequantizedPart(job, part);
    }
}

namespace {

/// What a group of rows costs: the bytes that are read for few tokens, the products for many.
std::size_t groupCost(const MatmulJob& job)
{
    constexpr int kManyTokens = 4;
    const PackedMatrix& matrix = *job.matrix;
    return job.input->tokens() < kManyTokens ? matrix.groupBytes()
                                             : static_cast<std::size_t>(matrix.groupRows()) *
                                                   static_cast<std::size_t>(matrix.columns());
}

/// Work divided into pieces of falling size: each thread first finds one of half its even share,
/// then of a quarter, ... So a thread reads long stretches, and the last pieces are small enough
/// that none waits long for another.
class FallingPieces {
public:
    FallingPieces(std::size_t total, int threads)
        : m_total(total)
        , m_threads(static_cast<std::size_t>(threads))
    {
    }

    std::size_t count() const { return m_threads == 1 ? 1 : kLevels * m_threads; }
    /// Where piece `index` begins; that of count() is the total.
    std::size_t begin(std::size_t index) const
    {
        if (index >= count()) return m_total;
        const std::size_t level = index / m_threads, place = index % m_threads;
        const std::size_t left = m_total >> level; // what the levels before have left over
        const std::size_t taken = level + 1 < kLevels ? left / 2 : left;
        return m_total - left + taken / m_threads * place;
    }

private:
    static constexpr std::size_t kLevels = 5;
    std::size_t m_total;
    std::size_t m_threads;
};

/// The groups of a job that begin within [begin, end) of its cost.
void matmulStretch(const MatmulJob& job, std::size_t begin, std::size_t end)
{
    const std::size_t cost = groupCost(job);
    const auto groups = static_cast<std::size_t>(job.matrix->groups());
    const std::size_t first = std::min((begin + cost - 1) / cost, groups);
    const std::size_t last = std::min((end + cost - 1) / cost, groups);
    if (first >= last) return;
    matmulPart(job, {.groupBegin = static_cast<int>(first),
                     .groupEnd = static_cast<int>(last),
                     .tileBegin = 0,
                     .tileEnd = job.input->tiles()});
}

std::size_t jobCost(const MatmulJob& job)
{
    return groupCost(job) * static_cast<std::size_t>(job.matrix->groups());
}

} // namespace

void matmul(std::span<const MatmulJob> jobs, ThreadPool& pool)
{
    std::size_t total = 0;
    for (const MatmulJob& job : jobs)
        total += jobCost(job);
    const FallingPieces pieces(total, pool.threads());
    pool.parallelFor(pieces.count(), 1, [&](std::size_t first, std::size_t last) {
        const std::size_t begin = pieces.begin(first), end = pieces.begin(last);
        std::size_t offset = 0;
        for (const MatmulJob& job : jobs) {
            const std::size_t cost = jobCost(job);
            if (begin < offset + cost && end > offset)
                matmulStretch(job, begin > offset ? begin - offset : 0, end - offset);
            offset += cost;
        }
    });
}

} // namespace engine
