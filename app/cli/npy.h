#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace cli {

/// Writes a C-ordered float32 array (rows, columns) in NumPy's format, version 1.0.
engine::Result<void> writeNpy(const std::filesystem::path& path, std::span<const float> values,
                              std::size_t rows, std::size_t columns);

} // namespace cli
