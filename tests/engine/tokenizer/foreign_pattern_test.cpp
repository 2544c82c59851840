#include "tests/support/engine/processor_time.h"

#include "engine/tokenizer/regex.h"
#include "engine/tokenizer/steps/foreign_pattern.h"
#include "engine/tokenizer/steps/foreign_splitter.h"

#include <gtest/gtest.h>

using namespace engine;

namespace {

/// What the pattern matches, with bars between.
std::string matchesOf(std::string_view pattern, std::string_view text)
{
    const auto find = findPattern(pattern);
    if (!find) return find.error().message;
    std::string out;
    for (const PatternPart& part : (*find)()(text))
        if (part.isMatch) out += std::string(text.substr(part.begin, part.end - part.begin)) + '|';
    return out;
}

} // namespace

TEST(ForeignPattern, MeansWhatItsReaderMeans)
{
    struct Row {
        const char* pattern;
        const char* text;
        const char* matches;
    };
    const Row rows[] = {
        {"[a[bc]]+", "xabcx", "abc|"},
        {"[^a[bc]]+", "xaybzc", "x|y|z|"},
        {"[a-z&&[^aeiou]]+", "hello", "h|ll|"},
        {"[\\w&&[^\\d_]]+", "ab1_cd", "ab|cd|"},
        {"[^a-c&&[b-z]]", "abcd", "a|d|"},
        {"[a[^b-z]]", "ab-", "a|-|"},
        {"\\h+", "fgA0", "f|A0|"},
        {"[\\h]+", "fgA0", "f|A0|"},
        {"(?m:a.b)", "a\nb", "a\nb|"},
        {"a.b", "a\nb", ""},
        {"^a$", "a\na", "a|a|"},
        {"\\s+", "a \u00A0\u3000b", " \u00A0\u3000|"},
        {"\\S+", "a \u00E9b", "a|\u00E9b|"},
        {"\\w+", "n\u00E4-\u0301x", "n\u00E4|\u0301x|"},
        {"\\u00e9", "e\u00E9", "\u00E9|"},
        {"\\p{Lu}+", "ABc\u00C9", "AB|\u00C9|"},
        {"\\p{Han}+", "\u4E16\u754C\u3002\u30FC\u3005x", "\u4E16\u754C|\u3005|"},
        {"[\\p{^Katakana}\\d]+", "\u30A2\u30FC1a", "\u30FC1a|"},
        {"\\P{Greek}+", "\u03B1b\u03B2", "b|"},
        {"[[:digit:]]+", "a12", "12|"},
        {"[]a]+", "a]b", "a]|"},
        {"(?=[A-Z])", "aBcD", "||"},
        {"", "ab", "|||"},
        {"x*", "axb", "|x||"},
    };
    for (const Row& row : rows)
        EXPECT_EQ(matchesOf(row.pattern, row.text), row.matches) << row.pattern;
    EXPECT_FALSE(findPattern("a("));
    EXPECT_FALSE(findPattern(std::string(100'000, 'a')));
}

TEST(ForeignPattern, NoPatternIsSlow)
{
    std::string text(200'000, 'a');
    text += "c";
    for (const char* pattern : {"a+b|a", "(?:a+)+b", "(a|aa)+$", "(?=(aaa)+(?!a))", "(?<=a)a*b",
                                "[^c]*d|a", "a{1,500}b"}) {
        const test::ProcessorTime time;
        const auto find = findPattern(pattern);
        ASSERT_TRUE(find);
        std::size_t covered = 0;
        for (const PatternPart& part : (*find)()(text)) {
            ASSERT_EQ(part.begin, covered) << pattern;
            covered = part.end;
        }
        EXPECT_EQ(covered, text.size());
        EXPECT_LT(time.seconds(), 3) << pattern;
    }
}

TEST(ForeignPattern, AMatchMayBeLongerThanAnyWindow)
{
    const std::string text = "b" + std::string(50'000, 'a') + "b" + std::string(9'000, 'x');
    EXPECT_EQ(matchesOf("ba+b", text).size(), 50'003U);
    EXPECT_EQ(matchesOf("x+(?!x)", text).size(), 9'001U);
}

TEST(SplitBehavior, DecidesWhatBecomesOfMatches)
{
    // a--b-c: what is matched are the dashes.
    const std::string_view text = "a--b-c";
    const auto find = findPattern("-");
    ASSERT_TRUE(find);
    const auto pieces = [&](std::string_view behavior, bool invert) {
        std::string out;
        for (const PatternPart& part : split((*find)()(text), *splitBehavior(behavior), invert))
            out += std::string(text.substr(part.begin, part.end - part.begin)) + '|';
        return out;
    };
    EXPECT_EQ(pieces("Isolated", false), "a|-|-|b|-|c|");
    EXPECT_EQ(pieces("Removed", false), "a|b|c|");
    EXPECT_EQ(pieces("Removed", true), "-|-|-|");
    EXPECT_EQ(pieces("Contiguous", false), "a|--|b|-|c|");
    EXPECT_EQ(pieces("MergedWithPrevious", false), "a-|-|b-|c|");
    EXPECT_EQ(pieces("MergedWithNext", false), "a|-|-b|-c|");
    EXPECT_FALSE(splitBehavior("Lost"));
}
