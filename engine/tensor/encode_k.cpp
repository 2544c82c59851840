#include "engine/tensor/block_codecs.h"
#include "engine/tensor/k_scales.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace engine {

namespace {

constexpr std::size_t kSuperBlock = 256;

using Codes = std::array<std::uint32_t, kSuperBlock>;

std::uint32_t nearestCode(float scaled, std::uint32_t most)
{
    return static_cast<std::uint32_t>(
        std::clamp(std::round(scaled), 0.0F, static_cast<float>(most)));
}

std::uint32_t nearestCode(float value, float step, std::uint32_t most)
{
    return step == 0.0F ? 0 : nearestCode(value / step, most);
}

// Step and depth below zero of each sub-block, and both as codes of two super-block scales.
template <std::size_t Subs>
struct RangeScales {
    float d = 0;
    float dmin = 0;
    std::array<std::uint32_t, Subs> scale{};
    std::array<std::uint32_t, Subs> minimum{};
};

template <std::size_t Subs>
RangeScales<Subs> rangeScales(const float* values, std::uint32_t mostCode, std::uint32_t mostScale)
{
    constexpr std::size_t length = kSuperBlock / Subs;
    std::array<float, Subs> steps{};
    std::array<float, Subs> depths{};
    for (std::size_t sub = 0; sub < Subs; ++sub) {
        const std::span<const float> run{values + sub * length, length};
        const float least = std::min(0.0F, *std::ranges::min_element(run));
        const float greatest = std::max(0.0F, *std::ranges::max_element(run));
        steps[sub] = (greatest - least) / static_cast<float>(mostCode);
        depths[sub] = -least;
    }
    const auto most = static_cast<float>(mostScale);
    RangeScales<Subs> scales;
    scales.d = halfToFloat(floatToHalf(*std::ranges::max_element(steps) / most));
    scales.dmin = halfToFloat(floatToHalf(*std::ranges::max_element(depths) / most));
    for (std::size_t sub = 0; sub < Subs; ++sub) {
        scales.scale[sub] = nearestCode(steps[sub], scales.d, mostScale);
        scales.minimum[sub] = nearestCode(depths[sub], scales.dmin, mostScale);
    }
    return scales;
}

template <std::size_t Subs>
Codes rangeCodes(const float* values, std::uint32_t mostCode, const RangeScales<Subs>& scales)
{
    Codes codes{};
    for (std::size_t i = 0; i < kSuperBlock; ++i) {
        const std::size_t sub = i / (kSuperBlock / Subs);
        const float step = scales.d * static_cast<float>(scales.scale[sub]);
        const float depth = scales.dmin * static_cast<float>(scales.minimum[sub]);
        codes[i] = nearestCode(values[i] + depth, step, mostCode);
    }
    return codes;
}

// Sixteen sub-blocks of 16 about zero: codes from 0 to 2 * offset - 1, scales with a sign, whose
// magnitude is at most `mostScale`.
struct SymmetricScales {
    float d = 0;
    std::array<int, 16> scale{};
};

SymmetricScales symmetricScales(const float* values, int offset, int mostScale)
{
    std::array<float, 16> steps{};
    for (std::size_t sub = 0; sub < 16; ++sub) {
        const std::span<const float> run{values + sub * 16, 16};
        const float extreme =
            *std::ranges::max_element(run, {}, [](float value) { return std::fabs(value); });
        steps[sub] = extreme / static_cast<float>(-offset);
    }
    const float largest =
        std::fabs(*std::ranges::max_element(steps, {}, [](float s) { return std::fabs(s); }));
    SymmetricScales scales;
    scales.d = halfToFloat(floatToHalf(largest / static_cast<float>(mostScale)));
    for (std::size_t sub = 0; sub < 16 && scales.d != 0.0F; ++sub)
        scales.scale[sub] =
            std::clamp(static_cast<int>(std::lround(steps[sub] / scales.d)), -mostScale, mostScale);
    return scales;
}

Codes symmetricCodes(const float* values, int offset, const SymmetricScales& scales)
{
    Codes codes{};
    for (std::size_t i = 0; i < kSuperBlock; ++i) {
        const float step = scales.d * static_cast<float>(scales.scale[i / 16]);
        const float steps = step == 0.0F ? 0.0F : values[i] / step;
        codes[i] = nearestCode(steps + static_cast<float>(offset),
                               static_cast<std::uint32_t>(2 * offset - 1));
    }
    return codes;
}

void orBits(std::byte& byte, std::uint32_t bits)
{
    byte |= static_cast<std::byte>(bits);
}

// Two bits of each code: 32 bytes hold 128 elements, a run of 32 in each pair of bits.
void packPairs(const Codes& codes, std::byte* bytes)
{
    for (std::size_t i = 0; i < kSuperBlock; ++i)
        orBits(bytes[i / 128 * 32 + i % 32], (codes[i] & 3U) << (i % 128 / 32 * 2));
}

// Four bits of each code: 32 bytes hold 64 elements, the low nibbles first.
void packNibbles(const Codes& codes, std::byte* bytes)
{
    for (std::size_t i = 0; i < kSuperBlock; ++i)
        orBits(bytes[i / 64 * 32 + i % 32], (codes[i] & 0xFU) << (i % 64 / 32 * 4));
}

// One bit of each code: bit j of byte i is element i of the j-th run of 32.
void packBits(const Codes& codes, std::size_t bit, std::byte* bytes)
{
    for (std::size_t i = 0; i < kSuperBlock; ++i)
        orBits(bytes[i % 32], (codes[i] >> bit & 1U) << (i / 32));
}

void clear(std::byte* block, std::size_t bytes)
{
    std::fill_n(block, bytes, std::byte{0});
}

} // namespace

template <>
void encodeBlock<DType::Q2_K>(const float* values, std::byte* block)
{
    clear(block, 84);
    const auto scales = rangeScales<16>(values, 3, 15);
    for (std::size_t sub = 0; sub < 16; ++sub)
        block[sub] = static_cast<std::byte>(scales.scale[sub] | scales.minimum[sub] << 4U);
    packPairs(rangeCodes(values, 3, scales), block + 16);
    storeHalf(block, 80, scales.d);
    storeHalf(block, 82, scales.dmin);
}

template <>
void encodeBlock<DType::Q3_K>(const float* values, std::byte* block)
{
    clear(block, 110);
    const SymmetricScales scales = symmetricScales(values, 4, 31);
    const Codes codes = symmetricCodes(values, 4, scales);
    packBits(codes, 2, block);
    packPairs(codes, block + 32);
    packQ3KScales(scales.scale, block + 96);
    storeHalf(block, 108, scales.d);
}

template <>
void encodeBlock<DType::Q4_K>(const float* values, std::byte* block)
{
    clear(block, 144);
    const auto scales = rangeScales<8>(values, 15, 63);
    storeHalf(block, 0, scales.d);
    storeHalf(block, 2, scales.dmin);
    packKScales({.scale = scales.scale, .minimum = scales.minimum}, block + 4);
    packNibbles(rangeCodes(values, 15, scales), block + 16);
}

template <>
void encodeBlock<DType::Q5_K>(const float* values, std::byte* block)
{
    clear(block, 176);
    const auto scales = rangeScales<8>(values, 31, 63);
    const Codes codes = rangeCodes(values, 31, scales);
    storeHalf(block, 0, scales.d);
    storeHalf(block, 2, scales.dmin);
    packKScales({.scale = scales.scale, .minimum = scales.minimum}, block + 4);
    packBits(codes, 4, block + 16);
    packNibbles(codes, block + 48);
}

template <>
void encodeBlock<DType::Q6_K>(const float* values, std::byte* block)
{
    clear(block, 210);
    const SymmetricScales scales = symmetricScales(values, 32, 127);
    const Codes codes = symmetricCodes(values, 32, scales);
    for (std::size_t i = 0; i < kSuperBlock; ++i) {
        const std::size_t half = i / 128;
        const std::size_t run = i % 128 / 32;
        orBits(block[half * 64 + run % 2 * 32 + i % 32], (codes[i] & 0xFU) << (run / 2 * 4));
        orBits(block[128 + half * 32 + i % 32], (codes[i] >> 4U) << (run * 2));
    }
    for (std::size_t sub = 0; sub < 16; ++sub)
        block[192 + sub] = static_cast<std::byte>(static_cast<std::int8_t>(scales.scale[sub]));
    storeHalf(block, 208, scales.d);
}

} // namespace engine
