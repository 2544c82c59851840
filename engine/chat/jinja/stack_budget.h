#pragma once

#include "engine/base/address_sanitizer.h"

#include <cstddef>
#include <cstdint>

#ifdef _MSC_VER
#include <intrin.h>
#endif

namespace engine::jinja {

/// How much of its thread's stack a recursion may use from where it began.
class StackBudget {
public:
    /// Frames are larger in a build that checks its memory.
    static constexpr std::size_t kFrameGrowth = kAddressSanitizer ? 8 : 1;

    explicit StackBudget(std::size_t bytes)
        : m_begin(stackPointer())
        , m_bytes(bytes * kFrameGrowth)
    {
    }

    bool isSpent() const
    {
        const std::uintptr_t here = stackPointer();
        return (m_begin > here ? m_begin - here : here - m_begin) > m_bytes;
    }

private:
    /// (The address of a local would not do under AddressSanitizer.)
    static std::uintptr_t stackPointer()
    {
#ifdef _MSC_VER
        return reinterpret_cast<std::uintptr_t>(_AddressOfReturnAddress());
#else
        return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
#endif
    }

    std::uintptr_t m_begin;
    std::size_t m_bytes;
};

} // namespace engine::jinja
