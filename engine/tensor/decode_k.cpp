// Super-blocks of 256 whose 16 or 8 sub-blocks have quantized scales (and minimums).

#include "engine/tensor/block_codecs.h"
#include "engine/tensor/k_scales.h"

namespace engine {

// scales[16] (scale low, minimum high nibble), codes[64], d, dmin. 32 bytes hold 128 elements: two
// bits of each byte a run of 32.
template <>
void decodeBlock<DType::Q2_K>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 80);
    const float dmin = halfAt(block, 82);
    for (std::size_t sub = 0; sub < 16; ++sub) {
        const std::uint32_t scale = byteAt(block, sub);
        const float dl = d * centered(scale & 0xFU, 0);
        const float ml = dmin * centered(scale >> 4U, 0);
        const std::byte* codes = block + 16 + sub / 8 * 32 + sub % 2 * 16;
        const std::size_t shift = sub % 8 / 2 * 2;
        for (std::size_t i = 0; i < 16; ++i)
            *out++ = dl * centered(byteAt(codes, i) >> shift & 3U, 0) - ml;
    }
}

// high bits[32], codes[64] as in Q2_K, scales[12], d. A clear high bit means minus 4.
template <>
void decodeBlock<DType::Q3_K>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 108);
    const std::array<int, 16> scales = unpackQ3KScales(block + 96);
    for (std::size_t sub = 0; sub < 16; ++sub) {
        const float dl = d * static_cast<float>(scales[sub]);
        const std::byte* high = block + sub % 2 * 16;
        const std::byte* codes = block + 32 + sub / 8 * 32 + sub % 2 * 16;
        const std::size_t shift = sub % 8 / 2 * 2;
        for (std::size_t i = 0; i < 16; ++i) {
            const int minus = (byteAt(high, i) >> (sub / 2) & 1U) != 0 ? 0 : 4;
            *out++ = dl * centered(byteAt(codes, i) >> shift & 3U, minus);
        }
    }
}

// d, dmin, scales[12], codes[128]: 32 bytes hold two sub-blocks of 32, low nibbles first.
template <>
void decodeBlock<DType::Q4_K>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    const float dmin = halfAt(block, 2);
    const KScales scales = unpackKScales(block + 4);
    for (std::size_t sub = 0; sub < 8; ++sub) {
        const float dl = d * centered(scales.scale[sub], 0);
        const float ml = dmin * centered(scales.minimum[sub], 0);
        const std::byte* codes = block + 16 + sub / 2 * 32;
        for (std::size_t i = 0; i < 32; ++i)
            *out++ = dl * centered(byteAt(codes, i) >> (sub % 2 * 4) & 0xFU, 0) - ml;
    }
}

// As Q4_K with 32 bytes of fifth bits before the codes: bit j of byte i is element i of sub-block
// j.
template <>
void decodeBlock<DType::Q5_K>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 0);
    const float dmin = halfAt(block, 2);
    const KScales scales = unpackKScales(block + 4);
    for (std::size_t sub = 0; sub < 8; ++sub) {
        const float dl = d * centered(scales.scale[sub], 0);
        const float ml = dmin * centered(scales.minimum[sub], 0);
        const std::byte* codes = block + 48 + sub / 2 * 32;
        for (std::size_t i = 0; i < 32; ++i) {
            const std::uint32_t low = byteAt(codes, i) >> (sub % 2 * 4) & 0xFU;
            const std::uint32_t high = byteAt(block, 16 + i) >> sub & 1U;
            *out++ = dl * centered(low | high << 4U, 0) - ml;
        }
    }
}

// low nibbles[128], high pairs[64], signed scales[16], d. A half of 128 elements is four runs of
// 32: the low nibbles of 32 bytes, of the next 32, then their high nibbles; run r has bit pair r of
// the 32 high bytes.
template <>
void decodeBlock<DType::Q6_K>(const std::byte* block, float* out)
{
    const float d = halfAt(block, 208);
    for (std::size_t run = 0; run < 8; ++run) {
        const std::byte* low = block + run / 4 * 64 + run % 2 * 32;
        const std::byte* high = block + 128 + run / 4 * 32;
        for (std::size_t i = 0; i < 32; ++i) {
            const std::uint32_t code = (byteAt(low, i) >> (run % 4 / 2 * 4) & 0xFU) |
                                       (byteAt(high, i) >> (run % 4 * 2) & 3U) << 4U;
            *out++ = d * signedByteAt(block, 192 + run * 2 + i / 16) * centered(code, 32);
        }
    }
}

// d in f32, codes[256], sums of 16 codes, which only dot products want.
template <>
void decodeBlock<DType::Q8_K>(const std::byte* block, float* out)
{
    const auto d = loadLittle<float>(block);
    for (std::size_t i = 0; i < 256; ++i)
        out[i] = d * signedByteAt(block, 4 + i);
}

} // namespace engine
