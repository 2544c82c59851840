#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
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

    /// True where somebody wrote to the file or cut it since it was opened; what was cut reads as
    /// zeros. Replacing or deleting it changes nothing here.
    bool hasChanged() const;

    /// A hint: the range is not needed any more. Its pages may be dropped; reading it again still
    /// works.
    void drop(std::span<const std::byte> range) const;

private:
    /// What tells one state of a file from another.
    struct Stamp {
        std::int64_t size = 0;
        std::int64_t seconds = 0;
        std::int64_t nanoseconds = 0;
        bool operator==(const Stamp&) const = default;
    };
    static Stamp stampOf(int file);

    std::span<const std::byte> m_bytes;
    int m_file = -1; // kept open to look at it again
    Stamp m_stamp;
};

} // namespace engine
