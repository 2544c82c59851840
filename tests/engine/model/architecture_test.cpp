#include "engine/model/architecture.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace engine;

namespace {

TEST(Architecture, EveryRowIsFoundByItsName)
{
    std::set<std::string_view> names;
    for (const Architecture& row : architectures()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_EQ(findArchitecture(row.name), &row);
    }
    EXPECT_GE(names.size(), 80U);
    EXPECT_EQ(findArchitecture(""), nullptr);
    EXPECT_EQ(findArchitecture("LLAMA"), nullptr);
}

TEST(Architecture, RowsDoNotContradictThemselves)
{
    for (const Architecture& row : architectures()) {
        SCOPED_TRACE(row.name);
        // An activation of two numbers needs a gate, one of its own parameters has none.
        EXPECT_TRUE(row.gated || row.activation != ActivationKind::SwigluOai);
        EXPECT_TRUE(!row.gated || row.activation != ActivationKind::Xielu);
        EXPECT_TRUE(row.window.size > 0 || !row.window.fixedSize);
        EXPECT_TRUE(!row.causal || row.window.kind != WindowKind::Symmetric);
        const bool mixed = row.mixerPattern != MixerPattern::Every &&
                           row.mixerPattern != MixerPattern::NoneWhereNoHeads;
        EXPECT_TRUE(!mixed || row.mixer != MixerKind::Attention);
        // A parallel network must find something normed to read.
        const bool normed =
            !row.norms.attention.name.empty() || !row.norms.feedForward.name.empty();
        EXPECT_TRUE(normed || row.residual != ResidualKind::Parallel);
    }
}

TEST(Architecture, PicturesTokensAreNeverChosen)
{
    std::vector<float> logits(8300, 1.0F);
    hidePictureTokens(*findArchitecture("llama"), logits);
    EXPECT_EQ(std::ranges::count(logits, 1.0F), 8300);
    hidePictureTokens(*findArchitecture("chameleon"), logits);
    EXPECT_EQ(std::ranges::count(logits, 1.0F), 8300 - (8196 - 4));
    EXPECT_EQ(logits[3], 1.0F);
    EXPECT_LT(logits[4], -1e30F);
    EXPECT_LT(logits[8195], -1e30F);
    EXPECT_EQ(logits[8196], 1.0F);
    logits.resize(100); // a vocabulary that ends among them
    hidePictureTokens(*findArchitecture("chameleon"), logits);
}

TEST(Architecture, AnUnknownNameIsASentence)
{
    const auto row = requireArchitecture("foo9");
    ASSERT_FALSE(row);
    EXPECT_EQ(row.error().message, "this model is `foo9`; Inglenook does not know it yet");
    EXPECT_TRUE(requireArchitecture("llama"));
}

} // namespace
