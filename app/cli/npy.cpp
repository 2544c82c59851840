#include "app/cli/npy.h"

#include <cerrno>
#include <format>
#include <fstream>
#include <system_error>

namespace cli {

engine::Result<void> writeNpy(const std::filesystem::path& path, std::span<const float> values,
                              std::size_t rows, std::size_t columns)
{
    std::string header = std::format(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
    constexpr std::size_t kPrefix = 10; // magic, version, header length
    constexpr std::size_t kAlignment = 64;
    header.resize((kPrefix + header.size() + kAlignment) / kAlignment * kAlignment - kPrefix - 1,
                  ' ');
    header += '\n';

    errno = 0;
    std::ofstream file(path, std::ios::binary);
    file.write("\x93NUMPY\x01\x00", 8);
    const auto size = static_cast<std::uint16_t>(header.size());
    file.put(static_cast<char>(size & 0xFFU)).put(static_cast<char>(size >> 8U));
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size_bytes()));
    file.flush();
    if (file) return {};
    return engine::fail(engine::ErrorCode::IoError,
                        std::format("{}: the file could not be written ({}); name another with "
                                    "--out",
                                    path.string(), std::generic_category().message(errno)),
                        path.string());
}

} // namespace cli
