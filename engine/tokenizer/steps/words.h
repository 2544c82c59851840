#pragma once

#include <cstddef>
#include <string_view>

/// What the readers of tokenizer.json files take characters for.
namespace engine::words {

/// Controls, formats and private use.
bool isOther(char32_t c);
/// Category N.
bool isNumeric(char32_t c);
/// Category P, and every mark of ASCII that is no letter, digit or space.
bool isPunctuation(char32_t c);
/// Letters, digits, marks, joiners and characters that connect words.
bool isPartOfWord(char32_t c);
/// Characters that are words of their own to BERT.
bool isIdeograph(char32_t c);

std::string_view withoutLeadingSpace(std::string_view text);
std::string_view withoutTrailingSpace(std::string_view text);
/// Where the last character of `text` begins. REQUIRES: it is not empty.
std::size_t lastCharacter(std::string_view text);

} // namespace engine::words
