#include "engine/base/mapped_file.h"

#include "engine/base/mapping_guard.h"

#include <cstdint>
#include <format>
#include <limits>

#ifdef _WIN32
#define NOMINMAX
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace engine {

namespace {

std::unexpected<Error> notFound(const std::filesystem::path& path)
{
    return fail(ErrorCode::FileNotFound,
                std::format("{}: no such file; check the path", path.string()), path.string());
}

std::unexpected<Error> unreadable(const std::filesystem::path& path, std::string_view why)
{
    return fail(ErrorCode::FileUnreadable, std::format("{}: {}", path.string(), why),
                path.string());
}

} // namespace

MappedFile::MappedFile(MappedFile&& other) noexcept
    : m_bytes(std::exchange(other.m_bytes, {}))
    , m_file(std::exchange(other.m_file, -1))
    , m_stamp(other.m_stamp)
{
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    std::swap(m_bytes, other.m_bytes);
    std::swap(m_file, other.m_file);
    std::swap(m_stamp, other.m_stamp);
    return *this;
}

#ifdef _WIN32

Result<MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return notFound(path);
    if (!std::filesystem::is_regular_file(path, error))
        return unreadable(path, "expected a file, found a folder or a device; name a file");
    HANDLE file = CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING,
                              FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file == INVALID_HANDLE_VALUE)
        return unreadable(path, "the file cannot be opened for reading; check its permissions");
    LARGE_INTEGER size{};
    GetFileSizeEx(file, &size);
    MappedFile mapped;
    if (size.QuadPart > 0) {
        HANDLE mapping = CreateFileMappingW(file, nullptr, PAGE_READONLY, 0, 0, nullptr);
        void* data = mapping ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0) : nullptr;
        if (mapping) CloseHandle(mapping);
        if (data)
            mapped.m_bytes = {static_cast<const std::byte*>(data),
                              static_cast<std::size_t>(size.QuadPart)};
    }
    CloseHandle(file);
    if (size.QuadPart > 0 && mapped.m_bytes.empty())
        return unreadable(path, "the file cannot be mapped into memory");
    return mapped;
}

MappedFile::~MappedFile()
{
    if (!m_bytes.empty()) UnmapViewOfFile(m_bytes.data());
}

bool MappedFile::hasChanged() const
{
    return false; // nobody else could open it for writing
}

void MappedFile::drop(std::span<const std::byte> range) const
{
    // Unlocking pages that are not locked removes them from the working set.
    VirtualUnlock(const_cast<std::byte*>(range.data()), range.size());
}

#else

Result<MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    // O_NONBLOCK: a FIFO must not hang the caller before it is seen to be one.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        if (errno == ENOENT || errno == ENOTDIR) return notFound(path);
        return unreadable(path, "the file cannot be opened for reading; check its permissions");
    }
    struct stat info{};
    if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        ::close(file);
        return unreadable(path, "expected a file, found a folder or a device; name a file");
    }
    MappedFile mapped;
    if (info.st_size > 0) {
        const auto size = static_cast<std::size_t>(info.st_size);
        void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
        if (data == MAP_FAILED) { // NOLINT(performance-no-int-to-ptr): the system's macro
            ::close(file);
            return unreadable(path, "the file cannot be mapped into memory");
        }
        mapped.m_bytes = {static_cast<const std::byte*>(data), size};
        guardMapping(mapped.m_bytes);
    }
    mapped.m_file = file;
    mapped.m_stamp = stampOf(file);
    return mapped;
}

MappedFile::~MappedFile()
{
    if (m_file >= 0) ::close(m_file);
    if (m_bytes.empty()) return;
    unguardMapping(m_bytes);
    ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
}

MappedFile::Stamp MappedFile::stampOf(int file)
{
    struct stat info{};
    if (::fstat(file, &info) != 0) return {};
#ifdef __APPLE__
    const timespec& time = info.st_mtimespec;
#else
    const timespec& time = info.st_mtim;
#endif
    return {info.st_size, time.tv_sec, time.tv_nsec};
}

bool MappedFile::hasChanged() const
{
    return m_file >= 0 && stampOf(m_file) != m_stamp;
}

void MappedFile::drop(std::span<const std::byte> range) const
{
    // Only whole pages can be dropped.
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<std::uintptr_t>(range.data());
    const std::size_t before = (page - address % page) % page;
    if (range.size() < before + page) return;
    const std::size_t bytes = (range.size() - before) / page * page;
    ::madvise(const_cast<std::byte*>(range.data() + before), bytes, MADV_DONTNEED);
}

#endif

} // namespace engine
