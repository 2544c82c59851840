#pragma once

#include "engine/base/byte_order.h"
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>

namespace engine {

// How the codecs of blocks see their bytes.

inline std::uint32_t byteAt(const std::byte* block, std::size_t index)
{
    return std::to_integer<std::uint32_t>(block[index]);
}

inline float signedByteAt(const std::byte* block, std::size_t index)
{
    return static_cast<float>(std::to_integer<std::int8_t>(block[index]));
}

inline float halfAt(const std::byte* block, std::size_t offset)
{
    return halfToFloat(loadLittle<std::uint16_t>(block + offset));
}

inline void storeHalf(std::byte* block, std::size_t offset, float value)
{
    storeLittle(block + offset, floatToHalf(value));
}

/// An unsigned code less its offset, as a float.
inline float centered(std::uint32_t code, int offset)
{
    return static_cast<float>(static_cast<int>(code) - offset);
}

} // namespace engine
