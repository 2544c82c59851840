#include "tests/support/engine/temp_folder.h"

#include <format>
#include <fstream>
#include <random>

namespace test {

TempFolder::TempFolder()
    : m_path(std::filesystem::temp_directory_path() /
             std::format("inglenook-test-{:08x}", std::random_device{}()))
{
    std::filesystem::create_directories(m_path);
}

TempFolder::~TempFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

std::filesystem::path TempFolder::write(std::string_view name, std::string_view bytes) const
{
    std::filesystem::path path = m_path / name;
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
}

} // namespace test
