#include "engine/model/rope.h"

#include <array>
#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <numbers>

using namespace engine;

namespace {

RopeHyperparameters plain(int dimensions)
{
    RopeHyperparameters rope;
    rope.dimensionCount = dimensions;
    rope.originalContextLength = 2048;
    return rope;
}

TEST(Rope, TurnsPairsAsComplexNumbers)
{
    const RopeTable table = RopeTable::create(plain(8), RopeLayout::Adjacent, {});
    std::array<float, 4> cosines{};
    std::array<float, 4> sines{};
    table.angles(7, cosines, sines);
    std::array<float, 10> head{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const auto before = head;
    rotate(head, RopeLayout::Adjacent, cosines, sines);
    for (std::size_t i = 0; i < 4; ++i) {
        const double angle = 7 * std::pow(10000.0, -2.0 * static_cast<double>(i) / 8);
        const auto turned =
            std::complex<double>(before[2 * i], before[2 * i + 1]) * std::polar(1.0, angle);
        EXPECT_NEAR(head[2 * i], turned.real(), 1e-5);
        EXPECT_NEAR(head[2 * i + 1], turned.imag(), 1e-5);
    }
    EXPECT_EQ(head[8], 9.0F); // beyond the dimensions nothing turns
    EXPECT_EQ(head[9], 10.0F);
}

TEST(Rope, LayoutsDifferOnlyInTheOrderOfElements)
{
    const std::array<float, 2> cosines{0.6F, 0.8F};
    const std::array<float, 2> sines{0.8F, 0.6F};
    std::array<float, 4> adjacent{1, 2, 3, 4};
    std::array<float, 4> halves{1, 3, 2, 4};
    rotate(adjacent, RopeLayout::Adjacent, cosines, sines);
    rotate(halves, RopeLayout::Halves, cosines, sines);
    EXPECT_EQ(adjacent[0], halves[0]);
    EXPECT_EQ(adjacent[1], halves[2]);
    EXPECT_EQ(adjacent[2], halves[1]);
    EXPECT_EQ(adjacent[3], halves[3]);
}

TEST(Rope, LinearScalingSlowsEveryPair)
{
    RopeHyperparameters rope = plain(16);
    const RopeTable before = RopeTable::create(rope, RopeLayout::Halves, {});
    rope.scaling = RopeScaling::Linear;
    rope.factor = 4;
    const RopeTable after = RopeTable::create(rope, RopeLayout::Halves, {});
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_DOUBLE_EQ(after.frequencies[i], before.frequencies[i] / 4);
}

TEST(Rope, YarnKeepsFastPairsAndSlowsSlowOnes)
{
    RopeHyperparameters rope = plain(64);
    const RopeTable before = RopeTable::create(rope, RopeLayout::Halves, {});
    rope.scaling = RopeScaling::Yarn;
    rope.factor = 8;
    const RopeTable after = RopeTable::create(rope, RopeLayout::Halves, {});
    EXPECT_DOUBLE_EQ(after.frequencies.front(), before.frequencies.front());
    EXPECT_DOUBLE_EQ(after.frequencies.back(), before.frequencies.back() / 8);
    for (std::size_t i = 0; i < after.frequencies.size(); ++i) {
        const double turns =
            before.frequencies[i] * rope.originalContextLength / (2 * std::numbers::pi);
        const double ratio = after.frequencies[i] / before.frequencies[i];
        if (turns > 40) {
            EXPECT_DOUBLE_EQ(ratio, 1) << i;
        } else if (turns < 0.5) {
            EXPECT_DOUBLE_EQ(ratio, 0.125) << i;
        }
        EXPECT_LE(ratio, 1);
        EXPECT_GE(ratio, 0.125);
    }
}

TEST(Rope, FactorsDivideFrequencies)
{
    const std::array<float, 4> factors{1, 2, 4, 8};
    const RopeTable before = RopeTable::create(plain(8), RopeLayout::Halves, {});
    const RopeTable after = RopeTable::create(plain(8), RopeLayout::Halves, factors);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_DOUBLE_EQ(after.frequencies[i],
                         before.frequencies[i] / static_cast<double>(factors[i]));
}

// A text has three coordinates that are its position, and a fourth that is 0.
TEST(Rope, PairsOfTheFourthSectionStay)
{
    const auto still = [](std::array<int, 4> sections, bool interleaved) {
        engine::RopeHyperparameters rope = plain(32);
        rope.sections = sections;
        rope.sectionsInterleaved = interleaved;
        const RopeTable table = RopeTable::create(rope, RopeLayout::Halves, {});
        std::vector<int> pairs;
        for (int i = 0; i < 16; ++i)
            if (table.frequencies[static_cast<std::size_t>(i)] == 0) pairs.push_back(i);
        return pairs;
    };
    EXPECT_EQ(still({8, 4, 4, 0}, false), std::vector<int>());
    EXPECT_EQ(still({2, 2, 2, 2}, false), (std::vector<int>{6, 7, 14, 15}));
    EXPECT_EQ(still({8, 4, 4, 0}, true), (std::vector<int>{13, 14}));
    EXPECT_EQ(still({6, 5, 5, 0}, true), std::vector<int>());
}

TEST(Rope, AlibiSlopesHalveGeometrically)
{
    // Eight heads: 2^-1 ... 2^-8 (Press et al., section 3).
    for (int head = 0; head < 8; ++head)
        EXPECT_FLOAT_EQ(alibiSlope(head, 8, 8), std::exp2(-static_cast<float>(head + 1)));
    // Twelve: those of eight, then every other one of sixteen.
    EXPECT_FLOAT_EQ(alibiSlope(7, 12, 8), std::exp2(-8.0F));
    EXPECT_FLOAT_EQ(alibiSlope(8, 12, 8), std::exp2(-0.5F));
    EXPECT_FLOAT_EQ(alibiSlope(11, 12, 8), std::exp2(-3.5F));
}

} // namespace
