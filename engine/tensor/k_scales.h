#pragma once

#include "engine/tensor/block_bytes.h"

#include <array>

namespace engine {

/// The eight 6-bit scales and minimums of a Q4_K or Q5_K super-block, from their 12 packed bytes:
/// bytes 0-3 and 4-7 hold scales and minimums 0-3 in their low six bits and, in their top two, the
/// high bits of 4-7, whose low nibbles share bytes 8-11.
struct KScales {
    std::array<std::uint32_t, 8> scale;
    std::array<std::uint32_t, 8> minimum;
};

inline KScales unpackKScales(const std::byte* packed)
{
    KScales scales{};
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint32_t s = byteAt(packed, i);
        const std::uint32_t m = byteAt(packed, i + 4);
        const std::uint32_t low = byteAt(packed, i + 8);
        scales.scale[i] = s & 63U;
        scales.minimum[i] = m & 63U;
        scales.scale[i + 4] = (low & 0xFU) | (s >> 6U) << 4U;
        scales.minimum[i + 4] = low >> 4U | (m >> 6U) << 4U;
    }
    return scales;
}

inline void packKScales(const KScales& scales, std::byte* packed)
{
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint32_t s = scales.scale[i + 4];
        const std::uint32_t m = scales.minimum[i + 4];
        packed[i] = static_cast<std::byte>(scales.scale[i] | (s >> 4U) << 6U);
        packed[i + 4] = static_cast<std::byte>(scales.minimum[i] | (m >> 4U) << 6U);
        packed[i + 8] = static_cast<std::byte>((s & 0xFU) | (m & 0xFU) << 4U);
    }
}

/// The sixteen 6-bit scales of a Q3_K super-block, from their 12 packed bytes: low nibbles in bytes
/// 0-7 (8 to 15 in their high half), the top two bits of scale i in byte 8 + i % 4. Stored plus 32.
inline std::array<int, 16> unpackQ3KScales(const std::byte* packed)
{
    std::array<int, 16> scales{};
    for (std::size_t i = 0; i < 16; ++i) {
        const std::uint32_t low = byteAt(packed, i % 8) >> (i / 8 * 4) & 0xFU;
        const std::uint32_t high = byteAt(packed, 8 + i % 4) >> (i / 4 * 2) & 3U;
        scales[i] = static_cast<int>(low | high << 4U) - 32;
    }
    return scales;
}

inline void packQ3KScales(const std::array<int, 16>& scales, std::byte* packed)
{
    for (std::size_t i = 0; i < 12; ++i)
        packed[i] = std::byte{0};
    for (std::size_t i = 0; i < 16; ++i) {
        const auto code = static_cast<std::uint32_t>(scales[i] + 32);
        packed[i % 8] |= static_cast<std::byte>((code & 0xFU) << (i / 8 * 4));
        packed[8 + i % 4] |= static_cast<std::byte>(code >> 4U << (i / 4 * 2));
    }
}

} // namespace engine
