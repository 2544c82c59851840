#include "engine/kernels/aligned_buffer.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <format>
#include <limits>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace engine {
namespace {

constexpr std::size_t kAlignment = 64;

#if defined(__linux__)
constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// A mapping of `bytes` (whole pages) that begins at a multiple of kHugePage; null when there is
/// none. It ends where it must: a last part that fills no huge page is given small ones, so that
/// what is resident is what was asked for.
std::byte* mapHuge(std::size_t bytes)
{
    const std::size_t wide = bytes + kHugePage;
    void* raw = mmap(nullptr, wide, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    auto* begin = static_cast<std::byte*>(raw);
    const std::size_t before =
        (kHugePage - reinterpret_cast<std::uintptr_t>(raw) % kHugePage) % kHugePage;
    if (before > 0) munmap(begin, before);
    munmap(begin + before + bytes, wide - before - bytes);
    madvise(begin + before, bytes, MADV_HUGEPAGE);
    return begin + before;
}
#endif

} // namespace

Result<AlignedBuffer> AlignedBuffer::allocate(std::size_t bytes)
{
    const auto outOfMemory = [bytes] {
        return fail(ErrorCode::OutOfMemory, std::format("{} bytes could not be allocated", bytes),
                    {}, bytes);
    };
    if (bytes == 0) return AlignedBuffer();
    if (bytes > std::numeric_limits<std::size_t>::max() / 4) return outOfMemory();
#if defined(__linux__)
    if (bytes >= kHugePage) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t mapped = (bytes + page - 1) / page * page;
        std::byte* data = mapHuge(mapped);
        if (data == nullptr) return outOfMemory();
        return AlignedBuffer(data, bytes, mapped);
    }
#endif
    void* data = ::operator new(bytes, std::align_val_t{kAlignment}, std::nothrow);
    if (data == nullptr) return outOfMemory();
    std::memset(data, 0, bytes);
    return AlignedBuffer(static_cast<std::byte*>(data), bytes, 0);
}

AlignedBuffer::AlignedBuffer(AlignedBuffer&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr))
    , m_size(std::exchange(other.m_size, 0))
    , m_mapped(std::exchange(other.m_mapped, 0))
{
}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept
{
    if (this != &other) {
        release();
        m_data = std::exchange(other.m_data, nullptr);
        m_size = std::exchange(other.m_size, 0);
        m_mapped = std::exchange(other.m_mapped, 0);
    }
    return *this;
}

AlignedBuffer::~AlignedBuffer()
{
    release();
}

void AlignedBuffer::release()
{
    if (m_data == nullptr) return;
#if defined(__linux__)
    if (m_mapped > 0) {
        munmap(m_data, m_mapped);
        m_data = nullptr;
        return;
    }
#endif
    ::operator delete(m_data, std::align_val_t{kAlignment});
    m_data = nullptr;
}

} // namespace engine
