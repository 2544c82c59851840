#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace engine {

/// A file mapped read-only. Movable; the bytes stay where they are. Reading from several threads is
/// fine.
class MappedFile {
public:
    /// Errors: FileNotFound, FileUnreadable (a folder, a device, no permission). An empty file maps
    /// to no bytes.
    static Result<MappedFile> open(const std::filesystem::path& path);

    MappedFile() = default;
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    std::span<const std::byte> bytes() const { return m_bytes; }

    /// Hints: the range is read soon (read-ahead), or is not needed any more (its pages may be
    /// dropped; reading it again still works).
    void willNeed(std::span<const std::byte> range) const;
    void drop(std::span<const std::byte> range) const;

private:
    std::span<const std::byte> m_bytes;
};

} // namespace engine
