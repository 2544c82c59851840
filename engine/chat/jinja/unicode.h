#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Characters as Python's `str` sees them, over UTF-8. Malformed bytes count as one character each,
/// so that no text is out of reach.
namespace engine::jinja::unicode {

struct Decoded {
    char32_t character = 0; ///< 0xDC00 + the byte where it belongs to no character
    std::size_t bytes = 0;
};

/// REQUIRES: at < text.size().
Decoded decode(std::string_view text, std::size_t at);
void append(std::string& text, char32_t character);
/// Texts may hold halves of UTF-16's pairs, as Python's do, in three bytes each. Here two that
/// belong together become their character, and any other U+FFFD.
std::string withoutSurrogates(std::string text);

/// Characters in a text.
std::size_t count(std::string_view text);
bool isAscii(std::string_view text);
/// Where the character `index` begins. REQUIRES: index <= count(text).
std::size_t offsetOf(std::string_view text, std::size_t index);
/// Where the character that ends before `end` begins. REQUIRES: 0 < end <= text.size().
std::size_t previous(std::string_view text, std::size_t end);

/// As unicode_tables.cpp packs them.
enum class Property : std::uint16_t {
    Alphabetic = 1 << 0,
    Decimal = 1 << 1,
    Digit = 1 << 2,
    Numeric = 1 << 3,
    Lower = 1 << 4,
    Upper = 1 << 5,
    Title = 1 << 6,
    CaseIgnorable = 1 << 7,
    Printable = 1 << 8,
};
bool has(char32_t character, Property property);
bool isSpace(char32_t character);
bool isAlphanumeric(char32_t character);
bool isCased(char32_t character);
/// `\w` of Python's `re`.
bool isWord(char32_t character);
/// str.isidentifier()
bool isIdentifier(std::string_view text);
/// 0 to 9 for a decimal digit of any script.
std::optional<int> decimalValue(char32_t character);

std::string lower(std::string_view text);
std::string upper(std::string_view text);
std::string foldCase(std::string_view text);
std::string swapCase(std::string_view text);
/// The first character in title case, the others in lower case.
std::string capitalize(std::string_view text);
/// str.title(): every run of cased characters capitalized.
std::string title(std::string_view text);

/// Without white space at the ends.
std::string_view stripLeft(std::string_view text);
std::string_view stripRight(std::string_view text);
inline std::string_view strip(std::string_view text)
{
    return stripLeft(stripRight(text));
}

} // namespace engine::jinja::unicode
