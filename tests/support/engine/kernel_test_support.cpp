#include "tests/support/engine/kernel_test_support.h"

#include <cstring>
#include <initializer_list>
#include <map>

namespace test {
namespace {

using engine::DType;

/// Where a block holds 16-bit scales.
const std::map<DType, std::vector<std::size_t>> kHalfOffsets = {
    {DType::F16, {0}},     {DType::Q4_0, {0}},    {DType::Q4_1, {0, 2}}, {DType::Q5_0, {0}},
    {DType::Q5_1, {0, 2}}, {DType::Q8_0, {0}},    {DType::Q8_1, {0, 2}}, {DType::Q2_K, {80, 82}},
    {DType::Q3_K, {108}},  {DType::Q4_K, {0, 2}}, {DType::Q5_K, {0, 2}}, {DType::Q6_K, {208}},
    {DType::IQ2_XXS, {0}}, {DType::IQ2_XS, {0}},  {DType::IQ2_S, {0}},   {DType::IQ3_XXS, {0}},
    {DType::IQ3_S, {0}},   {DType::IQ1_S, {0}},   {DType::IQ4_NL, {0}},  {DType::IQ4_XS, {0}},
    {DType::TQ1_0, {52}},  {DType::TQ2_0, {64}},  {DType::Q1_0, {0}},    {DType::Q2_0, {0}}};

void writeHalf(std::byte* at, float value)
{
    const std::uint16_t half = engine::floatToHalf(value);
    std::memcpy(at, &half, sizeof(half));
}

void writeFloat(std::byte* at, float value)
{
    std::memcpy(at, &value, sizeof(value));
}

/// Replaces what would be an infinite or absurd scale in a block of random bits.
void tameScales(DType type, std::byte* block, std::mt19937& random)
{
    std::normal_distribution<float> normal(0.0f, 0.01f);
    if (type == DType::F32) return writeFloat(block, normal(random));
    if (type == DType::Q8_K) return writeFloat(block, normal(random));
    if (type == DType::BF16) {
        const std::uint16_t value = engine::floatToBfloat16(normal(random));
        std::memcpy(block, &value, sizeof(value));
        return;
    }
    if (type == DType::F64) {
        const double value = static_cast<double>(normal(random));
        std::memcpy(block, &value, sizeof(value));
        return;
    }
    if (type == DType::IQ1_M) { // the scale's four nibbles are the high ones of four 16-bit words
        const std::uint16_t half = engine::floatToHalf(0.01f);
        for (unsigned i = 0; i < 4; ++i) {
            auto& high = block[48 + 2 * i + 1];
            high = (high & std::byte{15}) | static_cast<std::byte>(((half >> (4 * i)) & 15) << 4);
        }
        return;
    }
    if (type == DType::MXFP4) {
        block[0] = static_cast<std::byte>(118 + random() % 8);
        return;
    }
    if (type == DType::NVFP4) { // four 8-bit floats (E4M3)
        for (int i = 0; i < 4; ++i)
            block[i] = static_cast<std::byte>(random() % 0x40);
        return;
    }
    const auto found = kHalfOffsets.find(type);
    if (found == kHalfOffsets.end()) return;
    for (const std::size_t offset : found->second)
        writeHalf(block + offset, normal(random));
}

} // namespace

RandomTensor::RandomTensor(DType type, std::int64_t rows, std::int64_t columns, unsigned seed)
{
    const engine::DTypeInfo& info = engine::dtypeInfo(type);
    const auto blocks = static_cast<std::size_t>(rows * columns) / info.blockElements;
    bytes.resize(blocks * info.blockBytes);
    std::mt19937 random(seed);
    for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(random());
    for (std::size_t b = 0; b < blocks; ++b)
        tameScales(type, bytes.data() + b * info.blockBytes, random);
    view.name = "random";
    view.dtype = type;
    view.shape = {columns, rows, 1, 1};
    view.rank = 2;
    view.data = bytes.data();
    view.sizeBytes = bytes.size();
}

std::vector<float> RandomTensor::dequantized() const
{
    std::vector<float> values(static_cast<std::size_t>(view.elements()));
    engine::dtypeInfo(view.dtype).dequantize(bytes.data(), values.data(), values.size());
    return values;
}

void copyScales(DType type, const std::vector<std::byte>& from, std::vector<std::byte>& to)
{
    const std::size_t blockBytes = engine::dtypeInfo(type).blockBytes;
    std::vector<std::size_t> offsets;
    if (const auto found = kHalfOffsets.find(type); found != kHalfOffsets.end())
        offsets = found->second;
    for (std::size_t b = 0; b < from.size(); b += blockBytes) {
        for (const std::size_t offset : offsets)
            std::memcpy(&to[b + offset], &from[b + offset], sizeof(std::uint16_t));
        if (type == DType::MXFP4) to[b] = from[b];
        if (type == DType::Q8_K || type == DType::NVFP4) std::memcpy(&to[b], &from[b], 4);
        if (type == DType::IQ1_M) std::memcpy(&to[b + 48], &from[b + 48], 8);
    }
}

HeldBlock heldBlock(const engine::Activations& activations, int token, int block)
{
    using Layout = engine::QuantizedBlock;
    const int tile = token / engine::Activations::kTileTokens;
    const auto n = static_cast<std::size_t>(activations.tileTokens(tile));
    const auto t = static_cast<std::size_t>(token % engine::Activations::kTileTokens);
    const std::uint8_t* p =
        activations.tile(tile) + static_cast<std::size_t>(block) * n * Layout::kTokenBytes;
    HeldBlock held;
    std::memcpy(held.values, p + Layout::values(n) + 32 * t, 32);
    std::memcpy(&held.scale, p + Layout::scales(n) + 4 * t, 4);
    std::memcpy(&held.scaledSum, p + Layout::scaledSums(n) + 4 * t, 4);
    std::memcpy(held.sums, p + Layout::sums(n) + 4 * t, 4);
    std::memcpy(held.halfSums, p + Layout::halfSums(n) + 8 * t, 8);
    return held;
}

std::vector<DType> weightTypes()
{
    std::vector<DType> types;
    for (const engine::DTypeInfo& info : engine::dtypes())
        if (info.dequantize != nullptr) types.push_back(info.type);
    return types;
}

} // namespace test
