#include "engine/tensor/dtype.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

namespace {

// The definitions of IEEE 754 binary16 and bfloat16.
float halfByDefinition(std::uint16_t half)
{
    const int exponent = half >> 10 & 31;
    const int mantissa = half & 1023;
    const double sign = (half & 0x8000) != 0 ? -1 : 1;
    if (exponent == 31) return mantissa != 0 ? std::nanf("") : static_cast<float>(sign * INFINITY);
    if (exponent == 0) return static_cast<float>(sign * std::ldexp(mantissa, -24));
    return static_cast<float>(sign * std::ldexp(1024 + mantissa, exponent - 25));
}

TEST(HalfTest, EveryHalfConvertsByDefinition)
{
    for (int i = 0; i < 65536; ++i) {
        const auto half = static_cast<std::uint16_t>(i);
        const float expected = halfByDefinition(half);
        const float found = engine::halfToFloat(half);
        if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(found)) << i;
            ASSERT_TRUE(std::isnan(engine::halfToFloat(engine::floatToHalf(found)))) << i;
            continue;
        }
        ASSERT_EQ(std::bit_cast<std::uint32_t>(found), std::bit_cast<std::uint32_t>(expected)) << i;
        ASSERT_EQ(engine::floatToHalf(found), half) << i;
    }
}

TEST(HalfTest, RoundsToTheNearestAndTiesToEven)
{
    // Between every two neighbours: a little below the middle, the middle, a little above.
    for (int i = 0; i < 0x7BFF; ++i) {
        const auto low = static_cast<std::uint16_t>(i);
        const auto high = static_cast<std::uint16_t>(i + 1);
        const float middle = (engine::halfToFloat(low) + engine::halfToFloat(high)) / 2;
        ASSERT_EQ(engine::floatToHalf(std::nextafter(middle, 0.0F)), low) << i;
        ASSERT_EQ(engine::floatToHalf(middle), i % 2 == 0 ? low : high) << i;
        ASSERT_EQ(engine::floatToHalf(std::nextafter(middle, INFINITY)), high) << i;
        ASSERT_EQ(engine::floatToHalf(-middle), 0x8000 | (i % 2 == 0 ? low : high)) << i;
    }
    EXPECT_EQ(engine::floatToHalf(65519.996F), 0x7BFF);
    EXPECT_EQ(engine::floatToHalf(65520.0F), 0x7C00);
    EXPECT_EQ(engine::floatToHalf(INFINITY), 0x7C00);
    EXPECT_EQ(engine::floatToHalf(-INFINITY), 0xFC00);
}

TEST(Bfloat16Test, RoundsToTheNearestAndTiesToEven)
{
    for (int i = 0; i < 0x7F7F; ++i) {
        const auto low = static_cast<std::uint16_t>(i);
        const auto high = static_cast<std::uint16_t>(i + 1);
        const auto middle = std::bit_cast<float>(static_cast<std::uint32_t>(i) << 16U | 0x8000U);
        ASSERT_EQ(engine::floatToBfloat16(engine::bfloat16ToFloat(low)), low) << i;
        ASSERT_EQ(engine::floatToBfloat16(std::nextafter(middle, 0.0F)), low) << i;
        ASSERT_EQ(engine::floatToBfloat16(middle), i % 2 == 0 ? low : high) << i;
        ASSERT_EQ(engine::floatToBfloat16(std::nextafter(middle, INFINITY)), high) << i;
    }
    EXPECT_TRUE(std::isnan(engine::bfloat16ToFloat(engine::floatToBfloat16(std::nanf("")))));
    EXPECT_EQ(engine::floatToBfloat16(std::bit_cast<float>(0x7F800001U)) & 0x7FFFU, 0x7FC0U);
}

} // namespace
