#include "tests/support/engine/gguf_builder.h"

#include "engine/base/byte_order.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace test {

namespace {

struct ScaleOffsets {
    engine::DType dtype;
    std::vector<std::size_t> halves; ///< where the block's f16 scales lie
};

const std::vector<ScaleOffsets>& scaleOffsets()
{
    using enum engine::DType;
    static const std::vector<ScaleOffsets> kOffsets = {
        {Q4_0, {0}},   {Q4_1, {0, 2}},   {Q5_0, {0}},   {Q5_1, {0, 2}}, {Q8_0, {0}},
        {Q8_1, {0}},   {Q2_K, {80, 82}}, {Q3_K, {108}}, {Q4_K, {0, 2}}, {Q5_K, {0, 2}},
        {Q6_K, {208}}, {IQ2_XXS, {0}},   {IQ2_XS, {0}}, {IQ3_XXS, {0}}, {IQ1_S, {0}},
        {IQ4_NL, {0}}, {IQ3_S, {0}},     {IQ2_S, {0}},  {IQ4_XS, {0}},  {TQ1_0, {52}},
        {TQ2_0, {64}}, {Q1_0, {0}},      {Q2_0, {0}},
    };
    return kOffsets;
}

void storeHalf(std::byte* at, double value)
{
    engine::storeLittle(at, engine::floatToHalf(static_cast<float>(value)));
}

// IQ1_M spreads its scale over the top nibbles of four words.
void storeSpreadHalf(std::byte* words, double value)
{
    const std::uint16_t half = engine::floatToHalf(static_cast<float>(value));
    for (std::size_t i = 0; i < 4; ++i) {
        std::byte& top = words[2 * i + 1];
        top = (top & std::byte{0x0F}) | static_cast<std::byte>((half >> (4 * i) & 0xFU) << 4U);
    }
}

void setScale(engine::DType dtype, std::byte* block, double scale)
{
    using enum engine::DType;
    if (dtype == IQ1_M) return storeSpreadHalf(block + 48, scale);
    if (dtype == Q8_K) return engine::storeLittle(block, static_cast<float>(scale));
    if (dtype == MXFP4) {
        block[0] = static_cast<std::byte>(std::clamp(std::ilogb(scale) + 127, 0, 254));
        return;
    }
    if (dtype == NVFP4) { // e4m3: the exponent alone, its bias is 7
        std::fill_n(block, 4,
                    static_cast<std::byte>(std::clamp(std::ilogb(scale) + 7, 0, 14) << 3));
        return;
    }
    for (const ScaleOffsets& row : scaleOffsets()) {
        if (row.dtype != dtype) continue;
        for (const std::size_t offset : row.halves)
            storeHalf(block + offset, scale);
    }
}

double deviationOf(engine::DType dtype, const std::vector<std::byte>& blocks, std::size_t elements)
{
    std::vector<float> values(elements);
    engine::dtypeInfo(dtype).dequantize(blocks.data(), values.data(), elements);
    double sum = 0;
    for (const float value : values)
        sum += static_cast<double>(value) * static_cast<double>(value);
    return std::sqrt(sum / static_cast<double>(elements));
}

} // namespace

std::vector<std::byte> randomBlocks(engine::DType dtype, std::size_t elements,
                                    RandomNumbers& random, double deviation)
{
    const engine::DTypeInfo& info = engine::dtypeInfo(dtype);
    std::vector<std::byte> blocks(elements / info.blockElements * info.blockBytes);
    for (std::byte& byte : blocks)
        byte = static_cast<std::byte>(random.next());
    const auto setAll = [&](double scale) {
        for (std::size_t i = 0; i < blocks.size(); i += info.blockBytes)
            setScale(dtype, blocks.data() + i, scale);
    };
    setAll(1.0);
    setAll(deviation / deviationOf(dtype, blocks, elements));
    return blocks;
}

} // namespace test
