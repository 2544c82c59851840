// Types of one scale (and perhaps one minimum) a block of 32 to 256: the first ggml types, the
// ternary ones and the 4-bit floats.

#include "engine/tensor/block_bytes.h"
#include "engine/tensor/block_codecs.h"

#include <array>
#include <bit>

namespace engine {

namespace {

// Blocks of 32: the low nibbles are the first 16 elements, the high nibbles the last 16.
constexpr std::size_t kHalfBlock = 16;

// The fifth bits of Q5_0 and Q5_1: bit i belongs to element i.
std::uint32_t fiveBits(std::uint32_t nibble, std::uint32_t highBits, std::size_t element)
{
    return nibble | ((highBits >> element & 1U) << 4U);
}

// The 4-bit floats e2m1 of MXFP4 and NVFP4, doubled so that they are whole numbers.
constexpr std::array<float, 16> kDoubledE2m1 = {0, 1,  2,  3,  4,  6,  8,  12,
                                                0, -1, -2, -3, -4, -6, -8, -12};

// Half of 2^(exponent - 127), the OCP scale type e8m0; 0 and 1 give subnormal floats.
float halfOfE8m0(std::uint32_t exponent)
{
    return std::bit_cast<float>(exponent < 2 ? 0x00200000U << exponent : (exponent - 1) << 23U);
}

// Half of the unsigned e4m3 number; its top bit is not used and its NaN counts as 0.
float halfOfUe4m3(std::uint32_t code)
{
    if (code == 0x7F) return 0.0F;
    const std::uint32_t exponent = code >> 3U & 0xFU;
    const auto mantissa = static_cast<float>(code & 7U);
    if (exponent == 0) return mantissa * 0x1p-10F;
    return (1.0F + mantissa * 0.125F) * std::bit_cast<float>((exponent - 8 + 127) << 23U);
}

} // namespace

template <>
void decodeBlock<DType::Q4_0>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    for (std::size_t i = 0; i < kHalfBlock; ++i) {
        const std::uint32_t codes = byteAt(block, 2 + i);
        out[i] = centered(codes & 0xFU, 8) * d;
        out[i + kHalfBlock] = centered(codes >> 4U, 8) * d;
    }
}

template <>
void decodeBlock<DType::Q4_1>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    const float m = halfAt(block, 2);
    for (std::size_t i = 0; i < kHalfBlock; ++i) {
        const std::uint32_t codes = byteAt(block, 4 + i);
        out[i] = centered(codes & 0xFU, 0) * d + m;
        out[i + kHalfBlock] = centered(codes >> 4U, 0) * d + m;
    }
}

template <>
void decodeBlock<DType::Q5_0>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    const auto high = loadLittle<std::uint32_t>(block + 2);
    for (std::size_t i = 0; i < kHalfBlock; ++i) {
        const std::uint32_t codes = byteAt(block, 6 + i);
        out[i] = centered(fiveBits(codes & 0xFU, high, i), 16) * d;
        out[i + kHalfBlock] = centered(fiveBits(codes >> 4U, high, i + kHalfBlock), 16) * d;
    }
}

template <>
void decodeBlock<DType::Q5_1>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    const float m = halfAt(block, 2);
    const auto high = loadLittle<std::uint32_t>(block + 4);
    for (std::size_t i = 0; i < kHalfBlock; ++i) {
        const std::uint32_t codes = byteAt(block, 8 + i);
        out[i] = centered(fiveBits(codes & 0xFU, high, i), 0) * d + m;
        out[i + kHalfBlock] = centered(fiveBits(codes >> 4U, high, i + kHalfBlock), 0) * d + m;
    }
}

template <>
void decodeBlock<DType::Q8_0>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    for (std::size_t i = 0; i < 32; ++i)
        out[i] = signedByteAt(block, 2 + i) * d;
}

// Bytes 2 and 3 hold d times the sum of the codes, which only dot products want.
template <>
void decodeBlock<DType::Q8_1>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    for (std::size_t i = 0; i < 32; ++i)
        out[i] = signedByteAt(block, 4 + i) * d;
}

template <>
void decodeBlock<DType::Q1_0>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    for (std::size_t i = 0; i < 128; ++i)
        out[i] = (byteAt(block, 2 + i / 8) >> (i % 8) & 1U) != 0 ? d : -d;
}

template <>
void decodeBlock<DType::Q2_0>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    for (std::size_t i = 0; i < 64; ++i)
        out[i] = centered(byteAt(block, 2 + i / 4) >> (2 * (i % 4)) & 3U, 1) * d;
}

// Five base-3 digits a byte, stored as the fraction byte/256 so that digit n is the whole part of 3
// times the fraction of byte * 3^n. 32 bytes, then 16, then 4 of four digits each; digits of one
// place lie side by side.
template <>
void decodeBlock<DType::TQ1_0>(const std::byte* block, float* out)
{
    struct Run {
        std::size_t offset, bytes, digits;
    };
    static constexpr std::array<Run, 3> kRuns = {{{0, 32, 5}, {32, 16, 5}, {48, 4, 4}}};
    static constexpr std::array<std::uint32_t, 5> kPowers = {1, 3, 9, 27, 81};
    const float d = halfAt(block, 52);
    for (const Run& run : kRuns) {
        for (std::size_t digit = 0; digit < run.digits; ++digit) {
            for (std::size_t i = 0; i < run.bytes; ++i) {
                const std::uint32_t fraction = byteAt(block, run.offset + i) * kPowers[digit];
                *out++ = centered((fraction & 0xFFU) * 3U >> 8U, 1) * d;
            }
        }
    }
}

template <>
void decodeBlock<DType::TQ2_0>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 64);
    for (std::size_t offset = 0; offset < 64; offset += 32) {
        for (std::size_t shift = 0; shift < 8; shift += 2) {
            for (std::size_t i = 0; i < 32; ++i)
                *out++ = centered(byteAt(block, offset + i) >> shift & 3U, 1) * d;
        }
    }
}

template <>
void decodeBlock<DType::MXFP4>(const std::byte* block, float* out)
{
    const float d = halfOfE8m0(byteAt(block, 0));
    for (std::size_t i = 0; i < kHalfBlock; ++i) {
        const std::uint32_t codes = byteAt(block, 1 + i);
        out[i] = kDoubledE2m1[codes & 0xFU] * d;
        out[i + kHalfBlock] = kDoubledE2m1[codes >> 4U] * d;
    }
}

// Four runs of 16 with a scale each.
template <>
void decodeBlock<DType::NVFP4>(const std::byte* block, float* out)
{
    for (std::size_t run = 0; run < 4; ++run) {
        const float d = halfOfUe4m3(byteAt(block, run));
        for (std::size_t i = 0; i < 8; ++i) {
            const std::uint32_t codes = byteAt(block, 4 + 8 * run + i);
            out[16 * run + i] = kDoubledE2m1[codes & 0xFU] * d;
            out[16 * run + i + 8] = kDoubledE2m1[codes >> 4U] * d;
        }
    }
}

} // namespace engine
