// Types whose elements are entries of a code book: groups of 8 (or 4) elements share an index, and
// their signs lie apart.

#include "engine/tensor/block_bytes.h"
#include "engine/tensor/block_codecs.h"
#include "engine/tensor/iq_grids.h"

#include <bit>

namespace engine {

namespace {

// The "XXS" and "IQ2_XS" types store seven signs of eight: the number of minus signs is even.
std::uint32_t eightSigns(std::uint32_t seven)
{
    const bool odd = std::popcount(seven) % 2 != 0;
    return seven | (odd ? 0x80U : 0U);
}

float signedValue(float value, std::uint32_t signs, std::size_t element)
{
    return (signs >> element & 1U) != 0 ? -value : value;
}

// Eight elements of an IQ2 code book.
float* putIq2(std::uint32_t entry, std::uint32_t signs, float scale, float* out)
{
    for (std::size_t i = 0; i < 8; ++i)
        *out++ = signedValue(scale * kIq2Levels[entry >> (2 * i) & 3U], signs, i);
    return out;
}

// Four elements of an IQ3 code book; `signs` begins with theirs.
float* putIq3Xxs(std::uint32_t entry, std::uint32_t signs, float scale, float* out)
{
    for (std::size_t i = 0; i < 4; ++i)
        *out++ = signedValue(scale * kIq3XxsLevels[entry >> (3 * i) & 7U], signs, i);
    return out;
}

float* putIq3S(std::uint32_t entry, std::uint32_t signs, float scale, float* out)
{
    for (std::size_t i = 0; i < 4; ++i) {
        const auto level = static_cast<float>(2 * (entry >> (3 * i) & 7U) + 1);
        *out++ = signedValue(scale * level, signs, i);
    }
    return out;
}

float* putIq1(std::uint32_t entry, float shift, float scale, float* out)
{
    for (std::size_t i = 0; i < 8; ++i)
        *out++ = scale * (centered(entry >> (2 * i) & 3U, 1) + shift);
    return out;
}

float iq2Scale(float d, std::uint32_t code)
{
    return d * (0.5F + static_cast<float>(code)) * 0.25F;
}

} // namespace

// d, then 8 bytes for each 32 elements: four indices, four sets of seven signs, a 4-bit scale.
template <>
void decodeBlock<DType::IQ2_XXS>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    for (std::size_t run = 0; run < 8; ++run) {
        const std::byte* bytes = block + 2 + 8 * run;
        const auto signs = loadLittle<std::uint32_t>(bytes + 4);
        const float scale = iq2Scale(d, signs >> 28U);
        for (std::size_t i = 0; i < 4; ++i)
            out = putIq2(kIq2XxsGrid[byteAt(bytes, i)], eightSigns(signs >> (7 * i) & 0x7FU), scale,
                         out);
    }
}

// d, 32 words of a 9-bit index and seven signs, 4-bit scales for each 16 elements.
template <>
void decodeBlock<DType::IQ2_XS>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    for (std::size_t group = 0; group < 32; ++group) {
        const std::uint32_t word = loadLittle<std::uint16_t>(block + 2 + 2 * group);
        const std::uint32_t code = byteAt(block, 66 + group / 4) >> (group % 4 / 2 * 4) & 0xFU;
        out = putIq2(kIq2XsGrid[word & 0x1FFU], eightSigns(word >> 9U), iq2Scale(d, code), out);
    }
}

// d, 32 low bytes of indices, 32 bytes of signs, 8 bytes with two high bits for each index, 4-bit
// scales for each 16 elements.
template <>
void decodeBlock<DType::IQ2_S>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    for (std::size_t group = 0; group < 32; ++group) {
        const std::uint32_t high = byteAt(block, 66 + group / 4) >> (group % 4 * 2) & 3U;
        const std::uint32_t code = byteAt(block, 74 + group / 4) >> (group % 4 / 2 * 4) & 0xFU;
        out = putIq2(kIq2SGrid[byteAt(block, 2 + group) | high << 8U], byteAt(block, 34 + group),
                     iq2Scale(d, code), out);
    }
}

// d, 64 indices, then for each 32 elements four sets of seven signs and a 4-bit scale.
template <>
void decodeBlock<DType::IQ3_XXS>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    for (std::size_t run = 0; run < 8; ++run) {
        const auto signs = loadLittle<std::uint32_t>(block + 66 + 4 * run);
        const float scale = d * (0.5F + static_cast<float>(signs >> 28U)) * 0.5F;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::uint32_t eight = eightSigns(signs >> (7 * i) & 0x7FU);
            const std::byte* index = block + 2 + 8 * run + 2 * i;
            out = putIq3Xxs(kIq3XxsGrid[byteAt(index, 0)], eight, scale, out);
            out = putIq3Xxs(kIq3XxsGrid[byteAt(index, 1)], eight >> 4U, scale, out);
        }
    }
}

// d, 64 low bytes of indices, their ninth bits in 8 bytes, 32 bytes of signs, 4-bit scales for each
// 32 elements.
template <>
void decodeBlock<DType::IQ3_S>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    for (std::size_t group = 0; group < 64; ++group) {
        const std::size_t run = group / 8;
        const std::uint32_t code = byteAt(block, 106 + run / 2) >> (run % 2 * 4) & 0xFU;
        const std::uint32_t high = byteAt(block, 66 + run) >> (group % 8) & 1U;
        const std::uint32_t signs = byteAt(block, 74 + group / 2) >> (group % 2 * 4);
        const float scale = d * static_cast<float>(1 + 2 * code);
        out = putIq3S(kIq3SGrid[byteAt(block, 2 + group) | high << 8U], signs, scale, out);
    }
}

// d, 32 low bytes of indices, then for each 32 elements a word: three high bits for each index, a
// 3-bit scale, and the sign of the shift.
template <>
void decodeBlock<DType::IQ1_S>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    for (std::size_t run = 0; run < 8; ++run) {
        const std::uint32_t word = loadLittle<std::uint16_t>(block + 34 + 2 * run);
        const float scale = d * static_cast<float>(2 * (word >> 12U & 7U) + 1);
        const float shift = (word & 0x8000U) != 0 ? -0.125F : 0.125F;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::uint32_t high = word >> (3 * i) & 7U;
            out = putIq1(kIq1Grid[byteAt(block, 2 + 4 * run + i) | high << 8U], shift, scale, out);
        }
    }
}

// 32 low bytes of indices, a nibble for each with three high bits and the sign of its shift, four
// words of 3-bit scales for each 16 elements, whose top nibbles together are d.
template <>
void decodeBlock<DType::IQ1_M>(const std::byte* block, float* out)
{
    std::uint32_t words[4];
    std::uint32_t d16 = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        words[i] = loadLittle<std::uint16_t>(block + 48 + 2 * i);
        d16 |= words[i] >> 12U << (4 * i);
    }
    const float d = halfToFloat(static_cast<std::uint16_t>(d16));
    for (std::size_t group = 0; group < 32; ++group) {
        const std::uint32_t code = words[group / 8] >> (group % 8 / 2 * 3) & 7U;
        const std::uint32_t high = byteAt(block, 32 + group / 2) >> (group % 2 * 4);
        const float shift = (high & 8U) != 0 ? -0.125F : 0.125F;
        out = putIq1(kIq1Grid[byteAt(block, group) | (high & 7U) << 8U], shift,
                     d * static_cast<float>(2 * code + 1), out);
    }
}

// d, 16 bytes of nibbles as in Q4_0.
template <>
void decodeBlock<DType::IQ4_NL>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    for (std::size_t i = 0; i < 16; ++i) {
        const std::uint32_t codes = byteAt(block, 2 + i);
        out[i] = d * kIq4Levels[codes & 0xFU];
        out[i + 16] = d * kIq4Levels[codes >> 4U];
    }
}

// d, a word with the two high bits of eight scales, their low nibbles in 4 bytes, 128 bytes of
// nibbles.
template <>
void decodeBlock<DType::IQ4_XS>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    const std::uint32_t high = loadLittle<std::uint16_t>(block + 2);
    for (std::size_t run = 0; run < 8; ++run) {
        const std::uint32_t code =
            (byteAt(block, 4 + run / 2) >> (run % 2 * 4) & 0xFU) | (high >> (2 * run) & 3U) << 4U;
        const float scale = d * centered(code, 32);
        for (std::size_t i = 0; i < 16; ++i) {
            const std::uint32_t codes = byteAt(block, 8 + 16 * run + i);
            out[32 * run + i] = scale * kIq4Levels[codes & 0xFU];
            out[32 * run + i + 16] = scale * kIq4Levels[codes >> 4U];
        }
    }
}

} // namespace engine
