#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace engine {

/// Reads a number stored little-endian at any address, whatever the machine.
template <typename T>
    requires std::is_trivially_copyable_v<T>
T loadLittle(const std::byte* bytes)
{
    T value;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&value, bytes, sizeof(T));
    } else {
        std::byte reversed[sizeof(T)];
        for (std::size_t i = 0; i < sizeof(T); ++i)
            reversed[i] = bytes[sizeof(T) - 1 - i];
        std::memcpy(&value, reversed, sizeof(T));
    }
    return value;
}

/// The inverse of loadLittle().
template <typename T>
    requires std::is_trivially_copyable_v<T>
void storeLittle(std::byte* bytes, T value)
{
    std::memcpy(bytes, &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) {
        for (std::size_t i = 0; i < sizeof(T) / 2; ++i)
            std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
    }
}

} // namespace engine
