#include "engine/kernels/packed_matrix.h"

#include "engine/kernels/pack_format.h"

#include <algorithm>
#include <array>
#include <format>
#include <limits>
#include <vector>

namespace engine {
namespace {

/// What the file claims must fit what it holds before anything is allocated.
Result<void> checkTensor(const TensorView& tensor, std::int64_t rowBegin, std::int64_t rowCount)
{
    const DTypeInfo& info = dtypeInfo(tensor.dtype);
    if (info.dequantize == nullptr)
        return fail(ErrorCode::UnsupportedType,
                    std::format("{}: {} cannot hold weights", tensor.name, info.name),
                    std::string(info.name));
    constexpr std::int64_t kMax = std::numeric_limits<int>::max();
    const bool shaped =
        std::ranges::all_of(tensor.shape, [](std::int64_t n) { return n >= 1 && n <= kMax; });
    if (!shaped || tensor.columns() % info.blockElements != 0)
        return fail(ErrorCode::BadTensor,
                    std::format("{}: rows of {} values are not whole {} blocks of {}", tensor.name,
                                tensor.columns(), info.name, info.blockElements),
                    tensor.name);
    if (rowBegin < 0 || rowCount < 1 || rowCount > kMax ||
        tensor.shape[1] > kMax / tensor.shape[2] ||
        tensor.shape[1] * tensor.shape[2] > kMax / tensor.shape[3] ||
        rowBegin > tensor.rows() - rowCount)
        return fail(
            ErrorCode::InvalidArgument,
            std::format("{}: has no {} rows from row {} on", tensor.name, rowCount, rowBegin),
            tensor.name);
    const std::uint64_t rows = static_cast<std::uint64_t>(tensor.rows());
    const std::uint64_t needed = rows * tensor.rowBytes(); // both below 2^38
    if (tensor.data == nullptr || tensor.sizeBytes < needed)
        return fail(
            ErrorCode::BadTensor,
            std::format("{}: {} bytes, {} are needed", tensor.name, tensor.sizeBytes, needed),
            tensor.name, needed, tensor.sizeBytes);
    return {};
}

PackGroup groupShape(const PackedMatrix& matrix)
{
    const DTypeInfo& info = dtypeInfo(matrix.dtype());
    return {.format = &matrix.format(),
            .groupRows = matrix.groupRows(),
            .blocks = static_cast<std::size_t>(matrix.columns()) / info.blockElements,
            .blockBytes = info.blockBytes};
}

} // namespace

Result<PackedMatrix> PackedMatrix::packRows(const TensorView& tensor, std::int64_t rowBegin,
                                            std::int64_t rowCount, ThreadPool& pool)
{
    TRY(checkTensor(tensor, rowBegin, rowCount));
    PackedMatrix matrix;
    matrix.m_dtype = tensor.dtype;
    matrix.m_format = &packFormat(tensor.dtype);
    matrix.m_rows = static_cast<int>(rowCount);
    matrix.m_columns = static_cast<int>(tensor.columns());
    matrix.m_groupRows = packGroupRows(matrix.m_format->kind);
    matrix.m_groups = (matrix.m_rows - 1) / matrix.m_groupRows + 1;
    const std::size_t rowBytes = tensor.rowBytes();
    const auto groupRows = static_cast<std::size_t>(matrix.m_groupRows);
    matrix.m_groupBytes = rowBytes * groupRows;
    TRY_ASSIGN(matrix.m_buffer, AlignedBuffer::allocate(matrix.m_groupBytes *
                                                        static_cast<std::size_t>(matrix.m_groups)));

    const PackGroup shape = groupShape(matrix);
    const std::byte* first = tensor.data + static_cast<std::size_t>(rowBegin) * rowBytes;
    const auto rows = static_cast<std::size_t>(rowCount);
    const auto packSome = [&](std::size_t begin, std::size_t end) {
        std::array<const std::byte*, 64> source{};
        for (std::size_t g = begin; g < end; ++g) {
            for (std::size_t r = 0; r < groupRows; ++r) {
                const std::size_t row = g * groupRows + r;
                source[r] = row < rows ? first + row * rowBytes : nullptr;
            }
            packGroup(shape, std::span(source.data(), groupRows),
                      matrix.m_buffer.data() + g * matrix.m_groupBytes);
        }
    };
    // Pieces of about a huge page, so that each is first touched by one thread.
    constexpr std::size_t kPieceBytes = std::size_t{2} << 20;
    pool.parallelFor(static_cast<std::size_t>(matrix.m_groups),
                     std::max<std::size_t>(1, kPieceBytes / matrix.m_groupBytes), packSome);
    return matrix;
}

Result<PackedMatrix> PackedMatrix::pack(const TensorView& tensor, int expert, ThreadPool& pool)
{
    const std::int64_t rows = tensor.shape[1];
    if (expert < 0 || expert >= tensor.shape[2])
        return fail(ErrorCode::InvalidArgument,
                    std::format("{}: has no expert {}", tensor.name, expert), tensor.name);
    const std::int64_t count = tensor.shape[2] > 1 ? rows : tensor.rows();
    return packRows(tensor, expert * rows, count, pool);
}

bool PackedMatrix::quantized() const
{
    return m_format->kind == PackKind::Blocks;
}

void PackedMatrix::rowToFloat(int row, float* out) const
{
    const DTypeInfo& info = dtypeInfo(m_dtype);
    const PackGroup shape = groupShape(*this);
    std::array<std::byte, 2048> blocks;
    const std::size_t run = std::min(blocks.size() / info.blockBytes, shape.blocks);
    for (std::size_t first = 0; first < shape.blocks; first += run) {
        const std::size_t count = std::min(run, shape.blocks - first);
        const std::span<std::byte> bytes(blocks.data(), count * info.blockBytes);
        unpackBlocks(shape, group(row / m_groupRows), row % m_groupRows, first, bytes);
        info.dequantize(bytes.data(), out + first * info.blockElements, count * info.blockElements);
    }
}

} // namespace engine
