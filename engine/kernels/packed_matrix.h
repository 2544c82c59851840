#pragma once

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/aligned_buffer.h"
#include "engine/tensor/tensor_view.h"

#include <cstddef>
#include <cstdint>

namespace engine {

/// How a matrix's bytes are dealt out among the lanes of a vector; rows of the table in
/// pack_format.cpp.
struct PackFormat;

/// The weights of one matrix (rows x columns), repacked without loss for the vector width of this
/// CPU: rows are taken in groups, a lane per row, and the groups lie one after the other. Rows that
/// are missing to the last group are zero. Immutable, so any thread may read it. Takes the file's
/// own bytes (and no more); types without an own format keep their block rows and are dequantized
/// on the fly.
class PackedMatrix {
public:
    /// The rows [rowBegin, rowBegin + rowCount) of `tensor`, its experts' rows counted one after
    /// the other. Errors: InvalidArgument (no such rows), UnsupportedType (holds no weights),
    /// BadTensor (columns that are not whole blocks, too few bytes), OutOfMemory.
    static Result<PackedMatrix> packRows(const TensorView& tensor, std::int64_t rowBegin,
                                         std::int64_t rowCount, ThreadPool& pool);
    /// The matrix of one expert; expert 0 of a plain matrix is the whole of it.
    static Result<PackedMatrix> pack(const TensorView& tensor, int expert, ThreadPool& pool);

    PackedMatrix() = default;

    DType dtype() const { return m_dtype; }
    int rows() const { return m_rows; }
    int columns() const { return m_columns; }
    /// The memory the packed weights take.
    std::size_t bytes() const { return m_buffer.size(); }

    /// True where products are taken with 8-bit activations: Activations::quantize() must have run.
    /// Otherwise the f32 rows are used as they are.
    bool quantized() const;

    /// Units in which the rows can be divided among threads.
    int groups() const { return m_groups; }
    int groupRows() const { return m_groupRows; }
    const std::byte* group(int index) const
    {
        return m_buffer.data() + static_cast<std::size_t>(index) * m_groupBytes;
    }
    std::size_t groupBytes() const { return m_groupBytes; }
    const PackFormat& format() const { return *m_format; }

    /// Writes row `row`, dequantized, to out[0, columns()). REQUIRES: 0 <= row < rows().
    void rowToFloat(int row, float* out) const;

private:
    AlignedBuffer m_buffer;
    const PackFormat* m_format = nullptr;
    std::size_t m_groupBytes = 0;
    DType m_dtype = DType::F32;
    int m_rows = 0;
    int m_columns = 0;
    int m_groups = 0;
    int m_groupRows = 0;
};

} // namespace engine
