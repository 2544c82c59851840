#include "engine/tokenizer/unicode.h"

#include "engine/tokenizer/unicode_tables.h"

#include <algorithm>
#include <optional>

namespace engine::unicode {

namespace {

constexpr char32_t kLast = 0x10FFFF;

/// The six payload bits of a continuation byte; nothing where there is none.
std::optional<char32_t> continuation(std::string_view text, std::size_t offset)
{
    if (offset >= text.size()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(text[offset]);
    if ((byte & 0xC0U) != 0x80U) return std::nullopt;
    return byte & 0x3FU;
}

constexpr std::size_t encodedLength(char32_t c)
{
    return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

} // namespace

Category category(char32_t c)
{
    if (c > kLast) return Category::Unassigned;
    const auto ranges = categoryRanges();
    const auto after = std::ranges::upper_bound(ranges, static_cast<std::uint32_t>(c) << 4 | 0xFU);
    return static_cast<Category>(*std::prev(after) & 0xFU);
}

bool isWhitespace(char32_t c)
{
    if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
           c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

char32_t toLower(char32_t c)
{
    const auto pairs = lowerCasePairs();
    const auto found = std::ranges::lower_bound(pairs, c, {}, &CharacterPair::from);
    return found != pairs.end() && found->from == c ? found->to : c;
}

char32_t baseCharacter(char32_t c)
{
    const auto ranges = baseRanges();
    const auto found = std::ranges::lower_bound(ranges, c, {}, &BaseRange::last);
    return found != ranges.end() && found->first <= c ? found->base : c;
}

Decoded decode(std::string_view text, std::size_t offset)
{
    const auto lead = static_cast<unsigned char>(text[offset]);
    if (lead < 0x80) return {lead, 1, true};
    if (lead < 0xC0 || lead >= 0xF8) return {};
    const std::size_t length = lengthByLead(text[offset]);
    char32_t value = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto bits = continuation(text, offset + i);
        if (!bits) return {};
        value = value << 6 | *bits;
    }
    if (value > kLast) return {};
    return {value, length, true};
}

void append(std::string& out, char32_t c)
{
    constexpr unsigned char kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    const std::size_t length = encodedLength(c);
    if (length == 1) {
        out.push_back(static_cast<char>(c));
        return;
    }
    const auto value = static_cast<std::uint32_t>(c);
    out.push_back(static_cast<char>(kLead[length] | value >> (6 * (length - 1))));
    for (std::size_t i = length - 1; i-- > 0;)
        out.push_back(static_cast<char>(0x80U | (value >> (6 * i) & 0x3FU)));
}

bool isClean(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        const Decoded c = decode(text, i);
        if (!c.valid || c.bytes != encodedLength(c.value)) return false;
        i += c.bytes;
    }
    return true;
}

std::string cleaned(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const Decoded c = decode(text, i);
        append(out, c.value);
        i += c.bytes;
    }
    return out;
}

std::string wellFormed(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const Decoded c = decode(text, i);
        append(out, c.value >= 0xD800 && c.value < 0xE000 ? kReplacement : c.value);
        i += c.bytes;
    }
    return out;
}

} // namespace engine::unicode
