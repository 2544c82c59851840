#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"
#include "engine/tensor/tensor_view.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace engine {

/// A GGUF v3 file up to where the tensor data begins. Integers become 32-bit where they fit,
/// floats FLOAT32, as the format's own keys are. The tensors' data follow in the order given, each
/// padded to general.alignment (32 where the key is absent).
std::vector<std::byte> encodeGgufHeader(const Metadata& metadata,
                                        std::span<const TensorView> tensors);

/// Writes a whole file. Errors: IoError; InvalidArgument where a tensor's size is not what its
/// shape and dtype say.
Result<void> writeGguf(const std::filesystem::path& path, const Metadata& metadata,
                       std::span<const TensorView> tensors);

} // namespace engine
