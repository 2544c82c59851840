#include "engine/chat/jinja/text_search.h"

#include <gtest/gtest.h>
#include <random>

namespace {

using engine::jinja::find;
using engine::jinja::findAll;
using engine::jinja::findLast;
using engine::jinja::TextFinder;

/// Texts of few letters, so that needles nearly match everywhere.
std::string randomText(std::mt19937& random, std::size_t length)
{
    std::string text;
    for (std::size_t i = 0; i < length; ++i)
        text += static_cast<char>('a' + static_cast<int>(random() % 2));
    return text;
}

TEST(TextSearchTest, FindsWhatThePlainSearchFinds)
{
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        const std::string haystack = randomText(random, random() % 200);
        const std::string needle = randomText(random, 1 + random() % 12);
        ASSERT_EQ(find(haystack, needle), haystack.find(needle)) << haystack << ' ' << needle;
        ASSERT_EQ(findLast(haystack, needle), haystack.rfind(needle)) << haystack << ' ' << needle;
        const std::size_t from = random() % (haystack.size() + 1);
        ASSERT_EQ(TextFinder(needle).find(haystack, from), haystack.find(needle, from))
            << haystack << ' ' << needle << ' ' << from;
    }
}

TEST(TextSearchTest, OccurrencesDoNotOverlap)
{
    EXPECT_EQ(findAll("aaaaa", "aa", 9), (std::vector<std::size_t>{0, 2}));
    EXPECT_EQ(findAll("aaaaa", "aa", 1), (std::vector<std::size_t>{0}));
    EXPECT_TRUE(findAll("abc", "x", 9).empty());
}

TEST(TextSearchTest, AnEmptyNeedleIsEverywhere)
{
    EXPECT_EQ(find("abc", ""), 0U);
    EXPECT_EQ(findLast("abc", ""), 3U);
}

} // namespace
