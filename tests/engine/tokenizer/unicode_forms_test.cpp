#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/unicode_forms.h"

#include <gtest/gtest.h>

using namespace engine;
using unicode::Form;

TEST(UnicodeForms, ComposeAndDecompose)
{
    struct Row {
        std::string_view text;
        std::string_view nfd;
        std::string_view nfc;
        std::string_view nfkc;
    };
    const Row rows[] = {
        {"plain", "plain", "plain", "plain"},
        {"\u00C9a", "E\u0301a", "\u00C9a", "\u00C9a"},
        {"e\u0301", "e\u0301", "\u00E9", "\u00E9"},
        {"\uFB01 \u2167", "\uFB01 \u2167", "\uFB01 \u2167", "fi VIII"},
        {"\uAC01", "\u1100\u1161\u11A8", "\uAC01", "\uAC01"},
        {"\u1100\u1161\u11A8", "\u1100\u1161\u11A8", "\uAC01", "\uAC01"},
        // Marks of another class change places, those of one do not.
        {"a\u0301\u0323", "a\u0323\u0301", "\u1EA1\u0301", "\u1EA1\u0301"},
        {"a\u0301\u0300", "a\u0301\u0300", "\u00E1\u0300", "\u00E1\u0300"},
        // Composed to something that is never written so.
        {"\u0915\u093C", "\u0915\u093C", "\u0915\u093C", "\u0915\u093C"},
        {"\u0344", "\u0308\u0301", "\u0308\u0301", "\u0308\u0301"},
        {"\u212B", "A\u030A", "\u00C5", "\u00C5"},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(unicode::normalized(row.text, Form::Nfd), row.nfd) << row.text;
        EXPECT_EQ(unicode::normalized(row.text, Form::Nfc), row.nfc) << row.text;
        EXPECT_EQ(unicode::normalized(row.text, Form::Nfkc), row.nfkc) << row.text;
    }
}

TEST(UnicodeForms, WhatIsInAFormStaysAsItIs)
{
    for (char32_t c = 0; c <= 0x2FFFF; ++c) {
        if (c >= 0xD800 && c < 0xE000) continue;
        std::string text;
        unicode::append(text, c);
        for (const Form form : {Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd}) {
            const std::string once = unicode::normalized(text, form);
            ASSERT_EQ(unicode::normalized(once, form), once) << static_cast<unsigned>(c);
        }
        ASSERT_EQ(unicode::normalized(unicode::normalized(text, Form::Nfd), Form::Nfc),
                  unicode::normalized(text, Form::Nfc))
            << static_cast<unsigned>(c);
    }
}
