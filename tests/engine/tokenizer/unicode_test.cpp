#include "engine/tokenizer/unicode.h"

#include <gtest/gtest.h>

using namespace engine;
using unicode::Category;

TEST(Unicode, EveryCharacterSurvivesEncodingAndDecoding)
{
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        std::string text;
        unicode::append(text, c);
        const unicode::Decoded decoded = unicode::decode(text, 0);
        ASSERT_TRUE(decoded.valid && decoded.value == c && decoded.bytes == text.size())
            << static_cast<unsigned>(c);
        ASSERT_EQ(unicode::lengthByLead(text[0]), text.size());
        ASSERT_TRUE(unicode::isClean(text));
    }
}

TEST(Unicode, BrokenBytesAreOneReplacementEach)
{
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"\xFF", "\uFFFD"},
        {"a\xC3", "a\uFFFD"},
        {"\xE2\x82", "\uFFFD\uFFFD"},
        {"\xF0\x9F\x98", "\uFFFD\uFFFD\uFFFD"},
        {"\xC3(", "\uFFFD("},
        {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"}, // beyond the last character
        {"\xF8\x88\x80\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
        {"\xC0\xAF", "/"},                // over-long
        {"\xED\xA0\x80", "\xED\xA0\x80"}, // a surrogate
        {"\xE6\x97\xA5\xE6", "\xE6\x97\xA5\uFFFD"},
    };
    for (const auto& [text, expected] : rows) {
        EXPECT_EQ(unicode::cleaned(text), expected);
        EXPECT_EQ(unicode::isClean(text), text == expected);
    }
}

TEST(Unicode, KnowsCategories)
{
    EXPECT_EQ(unicode::category(U'a'), Category::Letter);
    EXPECT_EQ(unicode::category(U'中'), Category::Letter);
    EXPECT_EQ(unicode::category(U'7'), Category::Number);
    EXPECT_EQ(unicode::category(U'Ⅷ'), Category::Number);
    EXPECT_EQ(unicode::category(U'\u0301'), Category::Mark);
    EXPECT_EQ(unicode::category(U'!'), Category::Punctuation);
    EXPECT_EQ(unicode::category(U'。'), Category::Punctuation);
    EXPECT_EQ(unicode::category(U'+'), Category::Symbol);
    EXPECT_EQ(unicode::category(U'🚀'), Category::Symbol);
    EXPECT_EQ(unicode::category(U' '), Category::Separator);
    EXPECT_EQ(unicode::category(U'\0'), Category::Control);
    EXPECT_EQ(unicode::category(U'\uE000'), Category::Control);
    EXPECT_EQ(unicode::category(0xD800), Category::Control);
    EXPECT_EQ(unicode::category(0x10FFFF), Category::Unassigned);
    EXPECT_EQ(unicode::category(0x110000), Category::Unassigned);
}

TEST(Unicode, LowersCaseAndTakesAccentsOff)
{
    EXPECT_EQ(unicode::toLower(U'A'), U'a');
    EXPECT_EQ(unicode::toLower(U'É'), U'é');
    EXPECT_EQ(unicode::toLower(U'Ж'), U'ж');
    EXPECT_EQ(unicode::toLower(U'é'), U'é');
    EXPECT_EQ(unicode::toLower(U'中'), U'中');
    EXPECT_EQ(unicode::baseCharacter(U'é'), U'e');
    EXPECT_EQ(unicode::baseCharacter(U'Ǻ'), U'A');
    EXPECT_EQ(unicode::baseCharacter(U'각'), U'ᄀ');
    EXPECT_EQ(unicode::baseCharacter(U'e'), U'e');
    EXPECT_EQ(unicode::baseCharacter(0x10FFFF), char32_t{0x10FFFF});
}
