#pragma once

#include "engine/base/result.h"
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// An element type of the safetensors format.
struct SafetensorsType {
    std::string_view name;
    std::uint32_t bits;         ///< of one element
    std::optional<DType> dtype; ///< ours of the same layout
};

/// Null for a name the format does not have.
const SafetensorsType* findSafetensorsType(std::string_view name);

/// A tensor as it lies in a safetensors file. Shapes are in Hugging Face order: the last dimension
/// is contiguous.
struct SafetensorsEntry {
    std::string name{};
    const SafetensorsType* type = nullptr;
    std::vector<std::int64_t> shape{}; ///< may be empty: a scalar
    std::span<const std::byte> data{}; ///< in the file
};

/// Reads a safetensors file: 8 bytes of header length, a JSON header, the data. Strict: known
/// types, sizes that are what shapes and types say, and data that the tensors cover without gap or
/// overlap.
///
/// Errors: FileTruncated, FileCorrupt, UnsupportedType, BadTensor.
Result<std::vector<SafetensorsEntry>> readSafetensors(std::span<const std::byte> file);

} // namespace engine
