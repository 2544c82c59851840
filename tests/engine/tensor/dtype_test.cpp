#include "tests/support/engine/gguf_builder.h"

#include "engine/tensor/dtype.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using engine::DType;

TEST(DTypeTest, TheTableIsInIdOrderAndFindsItself)
{
    std::int64_t previous = -1;
    for (const engine::DTypeInfo& info : engine::dtypes()) {
        const auto id = static_cast<std::uint32_t>(info.type);
        EXPECT_LT(previous, id);
        previous = id;
        EXPECT_EQ(engine::findDType(id), &info);
        EXPECT_EQ(engine::findDType(info.name), &info);
        EXPECT_EQ(&engine::dtypeInfo(info.type), &info);
        EXPECT_EQ(engine::describeDType(id), info.name);
        EXPECT_NE(info.dequantize, nullptr) << info.name;
    }
    EXPECT_EQ(engine::findDType(std::uint32_t{4}), nullptr);
    EXPECT_EQ(engine::findDType("Q9_9"), nullptr);
}

TEST(DTypeTest, NamesWhatItDoesNotKnow)
{
    EXPECT_EQ(engine::describeDType(4), "retired type Q4_2");
    EXPECT_EQ(engine::describeDType(33), "retired type Q4_0_8_8");
    EXPECT_EQ(engine::describeDType(9999), "unknown type 9999");
}

/// The largest error a round trip may make, as a share of the block's largest value.
struct RoundTripBound {
    DType dtype;
    double share;
};

TEST(DTypeTest, QuantizingRoundsToTheNearestCode)
{
    static constexpr RoundTripBound kBounds[] = {
        {DType::F32, 0.0},         {DType::F16, 1.0 / 2048}, {DType::BF16, 1.0 / 256},
        {DType::Q8_0, 0.51 / 127}, {DType::Q4_0, 1.01 / 8},  {DType::Q4_1, 1.01 / 15},
        {DType::Q5_0, 1.01 / 16},  {DType::Q5_1, 1.01 / 31}, {DType::Q2_K, 0.45},
        {DType::Q3_K, 0.27},       {DType::Q4_K, 0.09},      {DType::Q5_K, 0.05},
        {DType::Q6_K, 0.035},      {DType::MXFP4, 1.01 / 4},
    };
    test::RandomNumbers random(7);
    for (const RoundTripBound& bound : kBounds) {
        const engine::DTypeInfo& info = engine::dtypeInfo(bound.dtype);
        const std::size_t count = 64 * std::size_t{256};
        const std::vector<float> values = random.normals(count, 0.05, 0.01);
        std::vector<std::byte> blocks(count / info.blockElements * info.blockBytes);
        info.quantize(values.data(), blocks.data(), count);
        std::vector<float> back(count);
        info.dequantize(blocks.data(), back.data(), count);
        const std::size_t run = std::max<std::size_t>(info.blockElements, 1);
        for (std::size_t i = 0; i < count; i += run) {
            double largest = 0;
            double error = 0;
            for (std::size_t j = i; j < i + run; ++j) {
                largest = std::max(largest, std::fabs(static_cast<double>(values[j])));
                error = std::max(error, std::fabs(static_cast<double>(values[j] - back[j])));
            }
            ASSERT_LE(error, bound.share * largest + 0x1p-25) << info.name << " block " << i / run;
        }
    }
}

TEST(DTypeTest, QuantizingBlocksOfOneValueIsExact)
{
    for (const engine::DTypeInfo& info : engine::dtypes()) {
        if (info.quantize == nullptr) continue;
        for (const float value : {0.0F, -2.0F, 1.0F}) {
            const std::vector<float> values(256, value);
            std::vector<std::byte> blocks(256 / info.blockElements * info.blockBytes);
            info.quantize(values.data(), blocks.data(), 256);
            std::vector<float> back(256);
            info.dequantize(blocks.data(), back.data(), 256);
            for (const float found : back)
                ASSERT_NEAR(found, value, 2e-3) << info.name;
        }
    }
}

TEST(DTypeTest, PlainNumbersAreTheirValues)
{
    const std::int16_t shorts[] = {-3, 7, 32767};
    float out[3];
    engine::dtypeInfo(DType::I16).dequantize(reinterpret_cast<const std::byte*>(shorts), out, 3);
    EXPECT_EQ(out[0], -3.0F);
    EXPECT_EQ(out[2], 32767.0F);
    const double doubles[] = {0.5, -1e300, 3.0};
    engine::dtypeInfo(DType::F64).dequantize(reinterpret_cast<const std::byte*>(doubles), out, 3);
    EXPECT_EQ(out[0], 0.5F);
    EXPECT_EQ(out[1], -INFINITY);
}

TEST(DTypeTest, RandomBlocksHaveTheDeviationAskedFor)
{
    test::RandomNumbers random(3);
    for (const engine::DTypeInfo& info : engine::dtypes()) {
        if (info.blockElements == 1) continue;
        const std::size_t count = 16 * std::size_t{256};
        const auto blocks = test::randomBlocks(info.type, count, random, 0.05);
        std::vector<float> values(count);
        info.dequantize(blocks.data(), values.data(), count);
        double sum = 0;
        for (const float value : values)
            sum += static_cast<double>(value) * static_cast<double>(value);
        const double deviation = std::sqrt(sum / static_cast<double>(count));
        EXPECT_GT(deviation, 0.02) << info.name;
        EXPECT_LT(deviation, 0.06) << info.name;
    }
}

} // namespace
