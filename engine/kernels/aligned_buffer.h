#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <span>

namespace engine {

/// Bytes of fixed size, aligned to 64 bytes; 2 MiB and more are aligned to and, where the system
/// gives them, kept on huge pages. Fresh bytes are zero. Movable; the bytes stay where they are.
class AlignedBuffer {
public:
    /// Errors: OutOfMemory (expected = bytes).
    static Result<AlignedBuffer> allocate(std::size_t bytes);

    AlignedBuffer() = default;
    AlignedBuffer(AlignedBuffer&& other) noexcept;
    AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;
    AlignedBuffer(const AlignedBuffer&) = delete;
    AlignedBuffer& operator=(const AlignedBuffer&) = delete;
    ~AlignedBuffer();

    std::byte* data() { return m_data; }
    const std::byte* data() const { return m_data; }
    std::size_t size() const { return m_size; }

private:
    AlignedBuffer(std::byte* data, std::size_t size, std::size_t mapped)
        : m_data(data)
        , m_size(size)
        , m_mapped(mapped)
    {
    }
    void release();

    std::byte* m_data = nullptr;
    std::size_t m_size = 0;
    std::size_t m_mapped = 0; ///< bytes of the system's mapping; 0 where the heap holds the bytes
};

} // namespace engine
