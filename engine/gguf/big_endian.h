#pragma once

#include "engine/tensor/dtype.h"

#include <cstddef>
#include <span>

namespace engine {

/// Turns the data of one tensor of a big-endian file into little-endian, in place. Within a block
/// every number of more than one byte is reversed: the scales, and the words that ggml reads as
/// such. REQUIRES: whole blocks.
void swapTensorBytes(DType dtype, std::span<std::byte> data);

} // namespace engine
