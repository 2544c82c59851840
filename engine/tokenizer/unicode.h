#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace engine::unicode {

inline constexpr char32_t kReplacement = 0xFFFD;

/// The major general category; values as in unicode_tables.py.
enum class Category : std::uint8_t {
    Unassigned,
    Number,
    Letter,
    Separator,
    Mark,
    Punctuation,
    Symbol,
    Control, ///< controls, formats, surrogates, private use
};

Category category(char32_t c);
/// The White_Space property.
bool isWhitespace(char32_t c);
/// The first character of the lower-case mapping.
char32_t toLower(char32_t c);
/// The first character of the canonical decomposition: the letter without its accents.
char32_t baseCharacter(char32_t c);

/// One character of a byte string.
struct Decoded {
    char32_t value = kReplacement;
    std::size_t bytes = 1;
    bool valid = false; ///< false: a byte that belongs to no character stands for U+FFFD
};

/// Reads the character at `offset` as the vocabularies' reference readers do: surrogates and
/// over-long forms pass, what is cut or beyond U+10FFFF does not. REQUIRES: offset < text.size().
Decoded decode(std::string_view text, std::size_t offset);
void append(std::string& out, char32_t c);

/// Bytes a character takes judging by its first byte; 1 where that byte cannot begin one.
constexpr std::size_t lengthByLead(char lead)
{
    const unsigned high = static_cast<unsigned char>(lead) >> 4U;
    return high < 0xC ? 1 : high < 0xE ? 2 : high - 0xBU;
}

/// Bytes of the first character at `offset`, as cutting text into characters without looking at
/// their validity does it.
constexpr std::size_t characterLength(std::string_view text, std::size_t offset)
{
    const std::size_t length = lengthByLead(text[offset]);
    const std::size_t left = text.size() - offset;
    return length < left ? length : left;
}

/// True if decoding and encoding again gives the same bytes.
bool isClean(std::string_view text);
/// Decoded and encoded again: broken bytes become U+FFFD, over-long forms short.
std::string cleaned(std::string_view text);
/// The same with U+FFFD for surrogates too: UTF-8 as the standard has it.
std::string wellFormed(std::string_view text);

} // namespace engine::unicode
