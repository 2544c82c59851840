#include "tests/support/engine/npy.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>

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
    std::smatch shape;
    static const std::regex kTwo(R"('shape': \((\d+), (\d+)\))");
    static const std::regex kOne(R"('shape': \((\d+),\))");
    if (std::regex_search(header, shape, kTwo)) {
        array.rows = std::stoi(shape[1]);
        array.columns = std::stoi(shape[2]);
    } else if (std::regex_search(header, shape, kOne)) {
        array.rows = 1;
        array.columns = std::stoi(shape[1]);
    }
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
