#include "engine/tensor/block_bytes.h"
#include "engine/tensor/block_codecs.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace engine {

namespace {

constexpr std::size_t kBlock = 32;
constexpr std::size_t kHalfBlock = 16;

// The value of largest magnitude, with its sign.
float extreme(const float* values)
{
    return *std::max_element(values, values + kBlock,
                             [](float a, float b) { return std::fabs(a) < std::fabs(b); });
}

float inverse(float d)
{
    return d == 0.0F ? 0.0F : 1.0F / d;
}

std::uint32_t nearestCode(float scaled, std::uint32_t most)
{
    return static_cast<std::uint32_t>(
        std::clamp(std::round(scaled), 0.0F, static_cast<float>(most)));
}

struct Codes {
    std::uint32_t code[kBlock];
};

// Symmetric about `offset`: the extreme value gets the code 0, which reaches one step further than
// the other end.
Codes symmetricCodes(const float* values, int offset, std::byte* block)
{
    storeHalf(block, 0, extreme(values) / static_cast<float>(-offset));
    const float id = inverse(halfAt(block, 0));
    Codes codes{};
    for (std::size_t i = 0; i < kBlock; ++i)
        codes.code[i] = nearestCode(values[i] * id + static_cast<float>(offset),
                                    static_cast<std::uint32_t>(2 * offset - 1));
    return codes;
}

// From the least value (at byte 2) in `most` steps (of the size at byte 0).
Codes rangeCodes(const float* values, std::uint32_t most, std::byte* block)
{
    const auto [least, greatest] = std::minmax_element(values, values + kBlock);
    storeHalf(block, 0, (*greatest - *least) / static_cast<float>(most));
    storeHalf(block, 2, *least);
    const float id = inverse(halfAt(block, 0));
    const float m = halfAt(block, 2);
    Codes codes{};
    for (std::size_t i = 0; i < kBlock; ++i)
        codes.code[i] = nearestCode((values[i] - m) * id, most);
    return codes;
}

void packNibbles(const Codes& codes, std::byte* bytes)
{
    for (std::size_t i = 0; i < kHalfBlock; ++i)
        bytes[i] = static_cast<std::byte>((codes.code[i] & 0xFU) |
                                          (codes.code[i + kHalfBlock] & 0xFU) << 4U);
}

void packFifthBits(const Codes& codes, std::byte* bytes)
{
    std::uint32_t high = 0;
    for (std::size_t i = 0; i < kBlock; ++i)
        high |= (codes.code[i] >> 4U) << i;
    storeLittle(bytes, high);
}

} // namespace

template <>
void encodeBlock<DType::Q4_0>(const float* values, std::byte* block)
{
    packNibbles(symmetricCodes(values, 8, block), block + 2);
}

template <>
void encodeBlock<DType::Q4_1>(const float* values, std::byte* block)
{
    packNibbles(rangeCodes(values, 15, block), block + 4);
}

template <>
void encodeBlock<DType::Q5_0>(const float* values, std::byte* block)
{
    const Codes codes = symmetricCodes(values, 16, block);
    packFifthBits(codes, block + 2);
    packNibbles(codes, block + 6);
}

template <>
void encodeBlock<DType::Q5_1>(const float* values, std::byte* block)
{
    const Codes codes = rangeCodes(values, 31, block);
    packFifthBits(codes, block + 4);
    packNibbles(codes, block + 8);
}

template <>
void encodeBlock<DType::Q8_0>(const float* values, std::byte* block)
{
    storeHalf(block, 0, std::fabs(extreme(values)) / 127.0F);
    const float id = inverse(halfAt(block, 0));
    for (std::size_t i = 0; i < kBlock; ++i) {
        const float code = std::clamp(std::round(values[i] * id), -127.0F, 127.0F);
        block[2 + i] = static_cast<std::byte>(static_cast<std::int8_t>(code));
    }
}

// OCP Microscaling: the largest value's exponent less that of the largest e2m1 number, 4.
template <>
void encodeBlock<DType::MXFP4>(const float* values, std::byte* block)
{
    static constexpr float kMagnitudes[8] = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
    const float largest = std::fabs(extreme(values));
    const int exponent = largest == 0.0F ? -127 : std::clamp(std::ilogb(largest) - 2, -127, 127);
    block[0] = static_cast<std::byte>(exponent + 127);
    Codes codes{};
    for (std::size_t i = 0; i < kBlock; ++i) {
        const float scaled = std::ldexp(std::fabs(values[i]), -exponent);
        const auto* nearest = std::min_element(
            std::begin(kMagnitudes), std::end(kMagnitudes),
            [scaled](float a, float b) { return std::fabs(a - scaled) < std::fabs(b - scaled); });
        codes.code[i] = static_cast<std::uint32_t>(nearest - std::begin(kMagnitudes)) |
                        (std::signbit(values[i]) ? 8U : 0U);
    }
    packNibbles(codes, block + 1);
}

} // namespace engine
