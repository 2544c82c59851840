#pragma once

#include <filesystem>
#include <vector>

namespace test {

/// A two-dimensional (or one-dimensional: rows = 1) array of little-endian f32 as numpy writes it.
struct NpyArray {
    int rows = 0;
    int columns = 0;
    std::vector<float> values;
};

/// Throws std::runtime_error where the file is not such an array: the running test fails.
NpyArray readNpy(const std::filesystem::path& path);

} // namespace test
