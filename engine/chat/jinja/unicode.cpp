#include "engine/chat/jinja/unicode.h"

#include "engine/chat/jinja/unicode_tables.h"

#include <algorithm>
#include <utility>

namespace engine::jinja::unicode {

namespace {

constexpr char32_t kReplacementBase = 0xDC00; // lone surrogates, as Python's "surrogateescape"
constexpr char32_t kFinalSigma = 0x3C2;
constexpr char32_t kSmallSigma = 0x3C3;
constexpr char32_t kCapitalSigma = 0x3A3;

unsigned byteAt(std::string_view text, std::size_t at)
{
    return static_cast<unsigned char>(text[at]);
}

bool isContinuation(unsigned byte)
{
    return (byte & 0xC0U) == 0x80U;
}

struct LeadByte {
    std::size_t bytes; // 0: none
    unsigned bits;
    char32_t smallest; // anything below is an overlong form
};

LeadByte leadByte(unsigned byte)
{
    if (byte < 0x80U) return {1, byte, 0};
    if (byte < 0xC2U) return {0, 0, 0};
    if (byte < 0xE0U) return {2, byte & 0x1FU, 0x80};
    if (byte < 0xF0U) return {3, byte & 0x0FU, 0x800};
    if (byte < 0xF5U) return {4, byte & 0x07U, 0x10000};
    return {0, 0, 0};
}

std::uint32_t propertiesOf(char32_t character)
{
    const auto runs = propertyRuns();
    const std::uint32_t key = (static_cast<std::uint32_t>(character) + 1U) << kPropertyBits;
    const auto next = std::ranges::lower_bound(runs, key);
    return *std::prev(next) & ((1U << kPropertyBits) - 1U);
}

/// Appends the counterpart of `character`; false where the table has none.
bool appendMapped(std::string& out, const CaseTable& table, char32_t character)
{
    const auto run = std::ranges::upper_bound(table.runs, character, {}, &CaseRun::first);
    if (run != table.runs.begin()) {
        const CaseRun& found = *std::prev(run);
        const auto step = static_cast<char32_t>(found.step);
        if (character <= found.last && (character - found.first) % step == 0) {
            append(out, static_cast<char32_t>(static_cast<std::int32_t>(character) + found.delta));
            return true;
        }
    }
    const auto special = std::ranges::lower_bound(table.special, character, {}, &CaseSpecial::from);
    if (special == table.special.end() || special->from != character) return false;
    for (const char32_t to : special->to)
        if (to != 0) append(out, to);
    return true;
}

void appendUpper(std::string& out, char32_t character)
{
    if (!appendMapped(out, upperTable(), character)) append(out, character);
}

void appendTitle(std::string& out, char32_t character)
{
    if (!appendMapped(out, titleTable(), character)) appendUpper(out, character);
}

/// A capital sigma that ends a word is written as the final small one (Unicode's Final_Sigma).
bool isFinalSigma(std::string_view text, std::size_t at, std::size_t bytes)
{
    std::size_t before = at;
    bool follows = false;
    while (before > 0) {
        before = previous(text, before);
        const char32_t character = decode(text, before).character;
        if (has(character, Property::CaseIgnorable)) continue;
        follows = isCased(character);
        break;
    }
    if (!follows) return false;
    for (std::size_t after = at + bytes; after < text.size();) {
        const Decoded next = decode(text, after);
        if (!has(next.character, Property::CaseIgnorable)) return !isCased(next.character);
        after += next.bytes;
    }
    return true;
}

void appendLower(std::string& out, std::string_view text, std::size_t at, const Decoded& decoded)
{
    if (decoded.character == kCapitalSigma) {
        append(out, isFinalSigma(text, at, decoded.bytes) ? kFinalSigma : kSmallSigma);
        return;
    }
    if (!appendMapped(out, lowerTable(), decoded.character)) append(out, decoded.character);
}

template <typename Function>
std::string mapped(std::string_view text, Function&& function)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Decoded decoded = decode(text, at);
        function(out, at, decoded);
        at += decoded.bytes;
    }
    return out;
}

} // namespace

Decoded decode(std::string_view text, std::size_t at)
{
    const unsigned first = byteAt(text, at);
    const LeadByte lead = leadByte(first);
    const Decoded malformed{kReplacementBase + static_cast<char32_t>(first), 1};
    if (lead.bytes == 1) return {static_cast<char32_t>(first), 1};
    if (lead.bytes == 0 || lead.bytes > text.size() - at) return malformed;
    auto character = static_cast<char32_t>(lead.bits);
    for (std::size_t i = 1; i < lead.bytes; ++i) {
        const unsigned byte = byteAt(text, at + i);
        if (!isContinuation(byte)) return malformed;
        character = (character << 6U) | (byte & 0x3FU);
    }
    if (character < lead.smallest || character > 0x10FFFF) return malformed;
    return {character, lead.bytes};
}

void append(std::string& text, char32_t character)
{
    const auto code = static_cast<std::uint32_t>(character);
    const auto put = [&text](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (code < 0x80U) {
        put(code);
    } else if (code < 0x800U) {
        put(0xC0U | (code >> 6U));
        put(0x80U | (code & 0x3FU));
    } else if (code >= kReplacementBase + 0x80U && code <= kReplacementBase + 0xFFU) {
        put(code - kReplacementBase); // the byte that was no character
    } else if (code < 0x10000U) {
        put(0xE0U | (code >> 12U));
        put(0x80U | ((code >> 6U) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    } else {
        put(0xF0U | (code >> 18U));
        put(0x80U | ((code >> 12U) & 0x3FU));
        put(0x80U | ((code >> 6U) & 0x3FU));
        put(0x80U | (code & 0x3FU));
    }
}

std::string withoutSurrogates(std::string text)
{
    constexpr std::string_view kLeads = "\xED";
    std::size_t at = text.find(kLeads);
    if (at == std::string::npos) return text;
    std::string out = text.substr(0, at);
    while (at < text.size()) {
        const Decoded half = decode(text, at);
        at += half.bytes;
        const bool isHalf = half.bytes == 3 && half.character >= 0xD800 && half.character < 0xE000;
        const bool isHigh = isHalf && half.character < 0xDC00;
        const Decoded low = isHigh && at < text.size() ? decode(text, at) : Decoded{};
        if (low.bytes == 3 && low.character >= 0xDC00 && low.character < 0xE000) {
            append(out, 0x10000 + ((half.character - 0xD800) << 10U) + (low.character - 0xDC00));
            at += low.bytes;
        } else {
            append(out, isHalf ? U'\uFFFD' : half.character);
        }
    }
    return out;
}

bool isAscii(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

std::size_t count(std::string_view text)
{
    if (isAscii(text)) return text.size();
    std::size_t characters = 0;
    for (std::size_t at = 0; at < text.size(); ++characters)
        at += decode(text, at).bytes;
    return characters;
}

std::size_t offsetOf(std::string_view text, std::size_t index)
{
    std::size_t at = 0;
    while (index-- > 0)
        at += decode(text, at).bytes;
    return at;
}

std::size_t previous(std::string_view text, std::size_t end)
{
    // A character of several bytes that ends exactly here, or else the one byte before.
    for (std::size_t bytes = 2; bytes <= 4 && bytes <= end; ++bytes)
        if (decode(text.substr(0, end), end - bytes).bytes == bytes) return end - bytes;
    return end - 1;
}

bool has(char32_t character, Property property)
{
    return (propertiesOf(character) & static_cast<std::uint32_t>(property)) != 0;
}

bool isSpace(char32_t character)
{
    switch (character) {
    case 0x20:
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000:
        return true;
    default:
        return (character >= 0x09 && character <= 0x0D) ||
               (character >= 0x1C && character <= 0x1F) ||
               (character >= 0x2000 && character <= 0x200A);
    }
}

bool isAlphanumeric(char32_t character)
{
    constexpr std::uint32_t kAny = static_cast<std::uint32_t>(Property::Alphabetic) |
                                   static_cast<std::uint32_t>(Property::Decimal) |
                                   static_cast<std::uint32_t>(Property::Digit) |
                                   static_cast<std::uint32_t>(Property::Numeric);
    return (propertiesOf(character) & kAny) != 0;
}

bool isCased(char32_t character)
{
    constexpr std::uint32_t kAny = static_cast<std::uint32_t>(Property::Lower) |
                                   static_cast<std::uint32_t>(Property::Upper) |
                                   static_cast<std::uint32_t>(Property::Title);
    return (propertiesOf(character) & kAny) != 0;
}

bool isWord(char32_t character)
{
    return character == U'_' || isAlphanumeric(character);
}

bool isIdentifier(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const Decoded decoded = decode(text, at);
        const bool letter =
            decoded.character == U'_' || has(decoded.character, Property::Alphabetic);
        if (!letter && (at == 0 || !has(decoded.character, Property::Decimal))) return false;
        at += decoded.bytes;
    }
    return !text.empty();
}

std::optional<int> decimalValue(char32_t character)
{
    const auto zeros = decimalZeros();
    const auto next = std::ranges::upper_bound(zeros, character);
    if (next == zeros.begin()) return std::nullopt;
    const char32_t distance = character - *std::prev(next);
    if (distance > 9) return std::nullopt;
    return static_cast<int>(distance);
}

std::string lower(std::string_view text)
{
    return mapped(text, [&](std::string& out, std::size_t at, const Decoded& decoded) {
        appendLower(out, text, at, decoded);
    });
}

std::string upper(std::string_view text)
{
    return mapped(text, [](std::string& out, std::size_t, const Decoded& decoded) {
        appendUpper(out, decoded.character);
    });
}

std::string foldCase(std::string_view text)
{
    return mapped(text, [](std::string& out, std::size_t, const Decoded& decoded) {
        const char32_t character = decoded.character;
        if (!appendMapped(out, foldTable(), character) &&
            !appendMapped(out, lowerTable(), character))
            append(out, character);
    });
}

std::string swapCase(std::string_view text)
{
    return mapped(text, [&](std::string& out, std::size_t at, const Decoded& decoded) {
        if (has(decoded.character, Property::Upper))
            appendLower(out, text, at, decoded);
        else if (has(decoded.character, Property::Lower))
            appendUpper(out, decoded.character);
        else
            append(out, decoded.character);
    });
}

std::string capitalize(std::string_view text)
{
    return mapped(text, [&](std::string& out, std::size_t at, const Decoded& decoded) {
        if (at == 0)
            appendTitle(out, decoded.character);
        else
            appendLower(out, text, at, decoded);
    });
}

std::string title(std::string_view text)
{
    bool inWord = false;
    return mapped(text, [&](std::string& out, std::size_t at, const Decoded& decoded) {
        if (inWord)
            appendLower(out, text, at, decoded);
        else
            appendTitle(out, decoded.character);
        inWord = isCased(decoded.character);
    });
}

std::string_view stripLeft(std::string_view text)
{
    std::size_t at = 0;
    while (at < text.size()) {
        const Decoded decoded = decode(text, at);
        if (!isSpace(decoded.character)) break;
        at += decoded.bytes;
    }
    return text.substr(at);
}

std::string_view stripRight(std::string_view text)
{
    std::size_t end = text.size();
    while (end > 0) {
        const std::size_t at = previous(text, end);
        if (!isSpace(decode(text, at).character)) break;
        end = at;
    }
    return text.substr(0, end);
}

} // namespace engine::jinja::unicode
