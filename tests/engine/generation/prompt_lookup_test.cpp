#include "engine/generation/prompt_lookup.h"

#include <gtest/gtest.h>
#include <string_view>
#include <vector>

namespace {

/// Letters are tokens.
std::string guessed(std::string_view context, std::size_t most = 5)
{
    const std::vector<engine::TokenId> tokens(context.begin(), context.end());
    std::string text;
    for (const engine::TokenId id : engine::lookUpContinuation(tokens, most))
        text += static_cast<char>(id);
    return text;
}

TEST(PromptLookupTest, GoesOnAsItDidBefore)
{
    EXPECT_EQ(guessed("the cat sat; the c"), "at sa");
    EXPECT_EQ(guessed("the cat sat; the c", 2), "at");
}

TEST(PromptLookupTest, NothingThatWasNotThere)
{
    EXPECT_EQ(guessed("abcdef"), "");
    EXPECT_EQ(guessed("abcxc"), ""); // one token is too little
    EXPECT_EQ(guessed(""), "");
    EXPECT_EQ(guessed("aa"), "");
    EXPECT_EQ(guessed("abab", 0), "");
}

TEST(PromptLookupTest, MoreOfTheSameBeatsMoreRecent)
{
    EXPECT_EQ(guessed("wxyz1 yz2 wxyz", 1), "1");
    EXPECT_EQ(guessed("yz1 yz2 yz", 1), "2");
}

TEST(PromptLookupTest, ARunOfOneTokenGoesOn)
{
    EXPECT_EQ(guessed("aaaaaa", 3), "a");
    EXPECT_EQ(guessed("abababab", 3), "ab");
}

} // namespace
