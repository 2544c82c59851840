#include "tests/support/engine/kernel_test_support.h"

#include "engine/kernels/activations.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

using namespace engine;

/// To eleven significant bits.
float shortened(float scale)
{
    int exponent = 0;
    const float mantissa = std::frexp(scale, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(mantissa, 11)), exponent - 11);
}

test::HeldBlock quantizedByDefinition(const float* x)
{
    test::HeldBlock block{};
    float most = 0.0f;
    for (int i = 0; i < 32; ++i)
        most = std::max(most, std::abs(x[i]));
    if (most < 1e-30f) return block;
    block.scale = shortened(most / 127.0f);
    const float inverse = 127.0f / most;
    int sums[4] = {};
    for (int i = 0; i < 32; ++i) {
        block.values[i] = static_cast<std::int8_t>(std::nearbyint(x[i] * inverse));
        sums[i / 16 * 2 + i % 4 / 2] += block.values[i];
    }
    for (int i = 0; i < 4; ++i)
        block.halfSums[i] = static_cast<std::int16_t>(sums[i]);
    for (int i = 0; i < 2; ++i)
        block.sums[i] = static_cast<std::int16_t>(sums[i] + sums[i + 2]);
    block.scaledSum = block.scale * static_cast<float>(block.sums[0] + block.sums[1]);
    return block;
}

TEST(Activations, AreQuantizedAsDefinedOnEveryTarget)
{
    constexpr int kTokens = 19, kColumns = 96;
    std::vector<float> x = test::randomFloats(kTokens * kColumns, 1);
    std::fill_n(x.begin(), 32, 0.0f);        // a block of zeros
    std::fill_n(x.begin() + 32, 32, 1e-38f); // too small to have a scale
    x[64] = 3e38f;
    for (std::size_t i = 96; i < 128; ++i)
        x[i] = static_cast<float>(i) - 95.5f; // ties
    x[127] = 127.0f;
    test::onEveryTarget([&](std::int64_t) {
        auto activations = Activations::create(kTokens, 128);
        ASSERT_TRUE(activations);
        activations->assign(x.data(), kColumns, kTokens, kColumns);
        ASSERT_EQ(activations->tiles(), 3);
        activations->quantizeTiles(0, activations->tiles());
        for (int t = 0; t < kTokens; ++t) {
            for (int b = 0; b < kColumns / 32; ++b) {
                const test::HeldBlock block = test::heldBlock(*activations, t, b);
                const test::HeldBlock expected =
                    quantizedByDefinition(&x[static_cast<std::size_t>(t * kColumns + b * 32)]);
                ASSERT_EQ(std::memcmp(&block, &expected, sizeof(block)), 0)
                    << "token " << t << " block " << b;
            }
        }
    });
}

TEST(Activations, WhatIsNotFiniteIsNotLost)
{
    test::onEveryTarget([](std::int64_t) {
        for (const float bad : {std::nanf(""), -std::nanf(""), HUGE_VALF, -HUGE_VALF}) {
            for (const std::size_t place : {0U, 17U, 31U}) {
                std::vector<float> x = test::randomFloats(64, 3);
                x[place] = bad;
                auto activations = Activations::create(1, 64);
                ASSERT_TRUE(activations);
                activations->assign(x.data(), 64, 1, 64);
                activations->quantizeTiles(0, 1);
                const test::HeldBlock block = test::heldBlock(*activations, 0, 0);
                EXPECT_TRUE(std::isnan(block.scale)) << bad << " at " << place;
                EXPECT_TRUE(std::isnan(block.scaledSum));
                EXPECT_TRUE(
                    std::ranges::all_of(block.values, [](int value) { return value == 0; }));
                EXPECT_TRUE(std::isfinite(test::heldBlock(*activations, 0, 1).scale));
            }
        }
    });
}

TEST(Activations, KeepTheirNumbersBesideOthersAndOnAnyThreads)
{
    constexpr int kColumns = 64;
    const std::vector<float> x = test::randomFloats(40 * kColumns, 2);
    auto all = Activations::create(40, kColumns);
    auto one = Activations::create(1, kColumns);
    ASSERT_TRUE(all && one);
    ThreadPool pool(3);
    all->assign(x.data(), kColumns, 40, kColumns);
    all->quantize(pool);
    for (int t = 0; t < 40; ++t) {
        one->assign(&x[static_cast<std::size_t>(t) * kColumns], kColumns, 1, kColumns);
        one->quantizeTiles(0, 1);
        for (int b = 0; b < 2; ++b) {
            const test::HeldBlock alone = test::heldBlock(*one, 0, b);
            const test::HeldBlock among = test::heldBlock(*all, t, b);
            EXPECT_EQ(std::memcmp(&alone, &among, sizeof(alone)), 0);
        }
    }
}

} // namespace
