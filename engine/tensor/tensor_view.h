#pragma once

#include "engine/tensor/dtype.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace engine {

/// A tensor as it lies in a model file; owns nothing but its name. Shapes are in GGUF order:
/// shape[0] is contiguous (the columns, what a matrix is multiplied over), shape[1] the rows,
/// shape[2] the experts. Unused dimensions are 1.
struct TensorView {
    std::string name;
    DType dtype = DType::F32;
    std::array<std::int64_t, 4> shape{1, 1, 1, 1};
    int rank = 0;
    const std::byte* data = nullptr;
    std::uint64_t sizeBytes = 0;

    std::int64_t columns() const { return shape[0]; }
    std::int64_t rows() const { return shape[1] * shape[2] * shape[3]; }
    std::int64_t elements() const { return columns() * rows(); }
    std::uint64_t rowBytes() const
    {
        const DTypeInfo& info = dtypeInfo(dtype);
        return static_cast<std::uint64_t>(columns()) / info.blockElements * info.blockBytes;
    }
};

} // namespace engine
