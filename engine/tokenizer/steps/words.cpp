#include "engine/tokenizer/steps/words.h"

#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <utility>

namespace engine::words {

bool isOther(char32_t c)
{
    return unicode::category(c) == unicode::Category::Control;
}

bool isNumeric(char32_t c)
{
    return unicode::category(c) == unicode::Category::Number;
}

bool isPunctuation(char32_t c)
{
    const unicode::Category category = unicode::category(c);
    return category == unicode::Category::Punctuation ||
           (category == unicode::Category::Symbol && c < 0x80);
}

bool isPartOfWord(char32_t c)
{
    constexpr char32_t kConnectors[] = {U'_',   0x203F, 0x2040, 0x2054, 0xFE33, 0xFE34,
                                        0xFE4D, 0xFE4E, 0xFE4F, 0xFF3F, 0x200C, 0x200D};
    switch (unicode::category(c)) {
    case unicode::Category::Letter:
    case unicode::Category::Mark:
    case unicode::Category::Number:
        return true;
    default:
        return std::ranges::contains(kConnectors, c);
    }
}

bool isIdeograph(char32_t c)
{
    constexpr std::pair<char32_t, char32_t> kRanges[] = {
        {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},   {0x20000, 0x2A6DF},
        {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F},
    };
    return std::ranges::any_of(kRanges,
                               [c](auto range) { return c >= range.first && c <= range.second; });
}

std::size_t lastCharacter(std::string_view text)
{
    std::size_t begin = text.size() - 1;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U)
        --begin;
    return begin;
}

std::string_view withoutLeadingSpace(std::string_view text)
{
    while (!text.empty()) {
        const unicode::Decoded c = unicode::decode(text, 0);
        if (!unicode::isWhitespace(c.value)) break;
        text.remove_prefix(c.bytes);
    }
    return text;
}

std::string_view withoutTrailingSpace(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t begin = lastCharacter(text);
        if (!unicode::isWhitespace(unicode::decode(text, begin).value)) break;
        text.remove_suffix(text.size() - begin);
    }
    return text;
}

} // namespace engine::words
