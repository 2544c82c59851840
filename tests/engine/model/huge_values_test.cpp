// Values whose squares no f32 holds: the fast norms must still give what the slow ones do.

#include "engine/model/fast_call.h"
#include "engine/model/reference_math.h"

#include <cmath>
#include <gtest/gtest.h>

namespace {

using engine::NormKind;

class HugeValues : public ::testing::TestWithParam<float> {};

TEST_P(HugeValues, AreNormalizedAsOthersAre)
{
    const float scale = GetParam();
    std::vector<float> x;
    for (int i = 0; i < 80; ++i)
        x.push_back(scale * static_cast<float>((i * 37) % 19 - 9));
    for (const NormKind kind : {NormKind::Rms, NormKind::Layer}) {
        for (const int group : {0, 16}) {
            engine::fast::PackedNorm norm{.present = true, .weight{}, .bias{}, .group = group};
            norm.weight.assign(group == 0 ? x.size() : 16, 0.5F);
            norm.bias.assign(norm.weight.size(), 0.25F);
            std::vector<float> fast = x;
            engine::fast::normalize(norm, kind, 1e-5F, x.data(), fast.data(),
                                    static_cast<int>(x.size()));
            const std::size_t size = norm.weight.size();
            for (std::size_t begin = 0; begin < x.size(); begin += size) {
                std::vector<float> slow(x.begin() + static_cast<std::ptrdiff_t>(begin),
                                        x.begin() + static_cast<std::ptrdiff_t>(begin + size));
                engine::reference::normalize(slow, kind, 1e-5F, norm.weight, norm.bias);
                for (std::size_t i = 0; i < size; ++i)
                    ASSERT_NEAR(fast[begin + i], slow[i], 1e-5F) << begin + i;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Scales, HugeValues,
                         ::testing::Values(1e-3F, 1.0F, 1e13F, 1e15F, 1e19F, 1e25F, 1e37F));

TEST(HugeValues, WhatIsNoNumberStaysNone)
{
    const engine::fast::PackedNorm norm{.present = true, .weight{}, .bias{}, .group = 0};
    const std::vector<float> x = {1.0F, NAN, 2.0F};
    std::vector<float> out = x;
    engine::fast::normalize(norm, NormKind::Rms, 1e-5F, x.data(), out.data(), 3);
    EXPECT_TRUE(std::isnan(out[0]));
}

} // namespace
