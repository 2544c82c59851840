#include "engine/kernels/matmul.h"

#include "engine/kernels/lanes.h"
#include "engine/kernels/matmul_kernels.h"
#include "engine/kernels/pack_format.h"

#include <algorithm>
#include <array>
#include <cstring>

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

/// Adds bias and residual and writes what belongs to rows that exist.
void writeSums(const MatmulJob& job, int group, int firstToken, int tokens, const float* sums)
{
    const int groupRows = job.matrix->groupRows();
    const int row = group * groupRows;
    const auto rows = static_cast<std::size_t>(std::min(groupRows, job.matrix->rows() - row));
    const float* bias = job.bias != nullptr ? job.bias + row : nullptr;
    for (int t = 0; t < tokens; ++t, sums += groupRows) {
        float* out = job.out + static_cast<std::size_t>(firstToken + t) * job.outStride + row;
        for (std::size_t r = 0; r < rows; ++r) {
            float value = sums[r];
            if (bias != nullptr) value += bias[r];
            out[r] = job.accumulate ? out[r] + value : value;
        }
    }
}

QuantKernel quantKernel(DType type)
{
    const QuantKernel kernel = legacyQuantKernel(type);
    return kernel != nullptr ? kernel : superQuantKernel(type);
}

/// Groups of rows that stay in the second-level cache while a tile of tokens, which stays in the
/// first, passes over them.
int panelGroups(const PackedMatrix& matrix)
{
    constexpr std::size_t kPanelBytes = std::size_t{192} << 10;
    return static_cast<int>(std::max<std::size_t>(1, kPanelBytes / matrix.groupBytes()));
}

void quantPart(const MatmulJob& job, const MatmulPart& part)
{
    const PackedMatrix& matrix = *job.matrix;
    const Activations& input = *job.input;
    const QuantKernel kernel = quantKernel(matrix.dtype());
    const int panel = panelGroups(matrix);
    TileSums sums;
    for (int first = part.groupBegin; first < part.groupEnd; first += panel) {
        const int last = std::min(first + panel, part.groupEnd);
        for (int t = part.tileBegin; t < part.tileEnd; ++t) {
            const int tokens = input.tileTokens(t);
            const auto used = static_cast<std::size_t>(tokens * matrix.groupRows());
            for (int g = first; g < last; ++g) {
                std::fill_n(sums.values.begin(), used, 0.0f);
                kernel({.group = groupBytes(matrix, g),
                        .blocks = input.tile(t),
                        .blockCount = static_cast<std::size_t>(matrix.columns()) / 32,
                        .tokens = tokens,
                        .sums = sums.values.data()});
                writeSums(job, g, t * Activations::kTileTokens, tokens, sums.values.data());
            }
        }
    }
}

void floatPart(const MatmulJob& job, const MatmulPart& part)
{
    const PackedMatrix& matrix = *job.matrix;
    const Activations& input = *job.input;
    const FloatKernel kernel = floatKernel(matrix.dtype());
    TileSums sums;
    for (int g = part.groupBegin; g < part.groupEnd; ++g) {
        for (int t = part.tileBegin; t < part.tileEnd; ++t) {
            const int tokens = input.tileTokens(t);
            const int token = t * Activations::kTileTokens;
            std::fill_n(sums.values.begin(), tokens * matrix.groupRows(), 0.0f);
            kernel({.weights = groupBytes(matrix, g),
                    .columns = static_cast<std::size_t>(matrix.columns()),
                    .x = input.row(token),
                    .stride = input.stride(),
                    .tokens = tokens,
                    .sums = sums.values.data()});
            writeSums(job, g, token, tokens, sums.values.data());
        }
    }
}

/// Columns dequantized at a time for types without packed blocks.
constexpr std::size_t kRunColumns = 256;

/// A run of columns of one group, dequantized and transposed to (column, row).
struct alignas(64) DequantizedRun {
    std::array<float, kRunColumns * 4 * kMaxLanes> weights;
    std::array<float, kRunColumns> row;

    void fill(const PackedMatrix& matrix, int group, std::size_t firstColumn, std::size_t columns)
    {
        const DTypeInfo& info = dtypeInfo(matrix.dtype());
        const auto rows = static_cast<std::size_t>(matrix.groupRows());
        const std::size_t rowBytes = matrix.groupBytes() / rows;
        const std::byte* blocks =
            matrix.group(group) + firstColumn / info.blockElements * info.blockBytes;
        for (std::size_t r = 0; r < rows; ++r, blocks += rowBytes) {
            info.dequantize(blocks, row.data(), columns);
            for (std::size_t k = 0; k < columns; ++k)
                weights[k * rows + r] = row[k];
        }
    }
};

/// Sums of a few tiles, so that one dequantized run serves all of them.
constexpr int kRunTiles = 8;

void dequantizedTiles(const MatmulJob& job, int group, int tileBegin, int tileEnd)
{
    const PackedMatrix& matrix = *job.matrix;
    const Activations& input = *job.input;
    const FloatKernel kernel = floatKernel(DType::F32);
    const auto columns = static_cast<std::size_t>(matrix.columns());
    std::array<TileSums, kRunTiles> sums{};
    DequantizedRun run;
    for (std::size_t k = 0; k < columns; k += kRunColumns) {
        const std::size_t width = std::min(kRunColumns, columns - k);
        run.fill(matrix, group, k, width);
        for (int t = tileBegin; t < tileEnd; ++t)
            kernel({.weights = reinterpret_cast<const std::uint8_t*>(run.weights.data()),
                    .columns = width,
                    .x = input.row(t * Activations::kTileTokens) + k,
                    .stride = input.stride(),
                    .tokens = input.tileTokens(t),
                    .sums = sums[static_cast<std::size_t>(t - tileBegin)].values.data()});
    }
    for (int t = tileBegin; t < tileEnd; ++t)
        writeSums(job, group, t * Activations::kTileTokens, input.tileTokens(t),
                  sums[static_cast<std::size_t>(t - tileBegin)].values.data());
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

/// Rows of groups in a unit of work: small enough that no thread waits long for the last, large
/// enough that a unit is worth its atomic operation.
int unitGroups(const PackedMatrix& matrix, int tokens)
{
    constexpr std::size_t kUnitBytes = std::size_t{64} << 10;
    const std::size_t groups = std::max<std::size_t>(1, kUnitBytes / matrix.groupBytes());
    return static_cast<int>(tokens >= 32 ? std::max<std::size_t>(1, groups) : groups);
}

std::size_t units(const MatmulJob& job)
{
    const int size = unitGroups(*job.matrix, job.input->tokens());
    return static_cast<std::size_t>((job.matrix->groups() + size - 1) / size);
}

} // namespace

void matmul(std::span<const MatmulJob> jobs, ThreadPool& pool)
{
    std::size_t count = 0;
    for (const MatmulJob& job : jobs)
        count += units(job);
    pool.parallelFor(count, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t unit = begin; unit < end; ++unit) {
            std::size_t inJob = unit;
            const MatmulJob* job = jobs.data();
            for (; inJob >= units(*job); ++job)
                inJob -= units(*job);
            const int size = unitGroups(*job->matrix, job->input->tokens());
            const int first = static_cast<int>(inJob) * size;
            matmulPart(*job, {.groupBegin = first,
                              .groupEnd = std::min(first + size, job->matrix->groups()),
                              .tileBegin = 0,
                              .tileEnd = job->input->tiles()});
        }
    });
}

} // namespace engine
