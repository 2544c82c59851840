#include "tests/support/engine/npy.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace test {

NpyArray readNpy(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    constexpr std::size_t kPreamble = 10; // magic, version, length of the header
    if (bytes.size() < kPreamble || !bytes.starts_with("\x93NUMPY\x01"))
        throw std::runtime_error("no array at " + path.string());
    const auto headerLength = static_cast<std::size_t>(static_cast<unsigned char>(bytes[8])) +
                              static_cast<std::size_t>(static_cast<unsigned char>(bytes[9])) * 256;
    const std::string header = bytes.substr(kPreamble, headerLength);

    NpyArray array;
    const std::size_t shape = header.find("'shape': (");
    if (shape == std::string::npos) throw std::runtime_error("no shape in " + path.string());
    if (std::sscanf(header.c_str() + shape, "'shape': (%d, %d)", &array.rows, &array.columns) == 1)
        array.columns = std::exchange(array.rows, 1);
    array.values.resize(static_cast<std::size_t>(array.rows) *
                        static_cast<std::size_t>(array.columns));
    const std::size_t size = array.values.size() * sizeof(float);
    if (header.find("'<f4'") == std::string::npos || array.values.empty() ||
        bytes.size() != kPreamble + headerLength + size)
        throw std::runtime_error("not a matrix of f32: " + path.string());
    std::memcpy(array.values.data(), bytes.data() + kPreamble + headerLength, size);
    return array;
}

} // namespace test
