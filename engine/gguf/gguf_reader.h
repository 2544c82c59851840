#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"
#include "engine/tensor/dtype.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace engine {

struct GgufTensorInfo {
    std::string name;
    DType dtype = DType::F32;
    std::array<std::int64_t, 4> shape{1, 1, 1, 1}; ///< the contiguous dimension first
    int rank = 0;
    std::uint64_t offset = 0; ///< from GgufHeader::dataOffset
    std::uint64_t sizeBytes = 0;
};

struct GgufHeader {
    std::uint32_t version = 0;
    bool bigEndian = false;
    Metadata metadata;
    std::vector<GgufTensorInfo> tensors; ///< in file order
    std::uint64_t dataOffset = 0;        ///< where the tensor data begins in the file
};

/// Reads all of a GGUF file but the tensors' values. Every tensor of the result lies within `file`,
/// aligned, and overlaps no other. Nothing is allocated before the file is seen to hold it.
///
/// Errors: NotAModelFile, UnsupportedVersion, FileTruncated (bytes needed and there), FileCorrupt,
/// BadMetadata, UnsupportedType, BadTensor.
Result<GgufHeader> readGgufHeader(std::span<const std::byte> file);

} // namespace engine
