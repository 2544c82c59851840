#include "engine/chat/jinja/number_reader.h"

#include "engine/chat/jinja/unicode.h"

#include <charconv>
#include <limits>
#include <string>

namespace engine::jinja {

namespace {

constexpr std::size_t kMostDigits = 4300; // as Python

/// White space off, digits of any script in ASCII, letters in lower case.
std::string plain(std::string_view text)
{
    std::string out;
    text = unicode::strip(text);
    for (std::size_t at = 0; at < text.size();) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        if (const auto digit = unicode::decimalValue(decoded.character))
            out += static_cast<char>('0' + *digit);
        else if (decoded.character >= U'A' && decoded.character <= U'Z')
            out += static_cast<char>(text[at] | 0x20);
        else
            out += text.substr(at, decoded.bytes);
        at += decoded.bytes;
    }
    return out;
}

/// Takes a sign; true where it is a minus.
bool takeSign(std::string_view& text)
{
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    return negative;
}

int prefixBase(std::string_view text)
{
    if (text.starts_with("0x")) return 16;
    if (text.starts_with("0o")) return 8;
    if (text.starts_with("0b")) return 2;
    return 0;
}

int digitValue(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    return std::numeric_limits<int>::max();
}

/// Digits with at most one underscore between two of them.
bool areDigits(std::string_view text, int base)
{
    bool lastWasDigit = false;
    for (const char c : text) {
        const bool digit = digitValue(c) < base;
        if (!digit && (c != '_' || !lastWasDigit)) return false;
        lastWasDigit = digit;
    }
    return lastWasDigit;
}

} // namespace

std::optional<WholeNumber> readWhole(std::string_view text, int base)
{
    const std::string digits = plain(text);
    std::string_view rest = digits;
    const bool negative = takeSign(rest);
    const int prefix = prefixBase(rest);
    bool leadingZero = false;
    if (prefix != 0 && (base == prefix || base == 0)) {
        rest.remove_prefix(2);
        if (rest.starts_with('_')) rest.remove_prefix(1);
        base = prefix;
    } else if (base == 0) {
        base = 10;
        leadingZero = rest.starts_with('0');
    }
    if (base < 2 || base > 36 || rest.size() > kMostDigits || !areDigits(rest, base))
        return std::nullopt;
    const WholeNumber number = WholeNumber::parse(rest, static_cast<unsigned>(base));
    if (leadingZero && !number.isZero()) return std::nullopt;
    return negative ? number.negated() : number;
}

std::optional<double> readFloat(std::string_view text)
{
    const std::string digits = plain(text);
    std::string_view rest = digits;
    const bool negative = takeSign(rest);
    double number = 0;
    if (rest == "inf" || rest == "infinity") {
        number = std::numeric_limits<double>::infinity();
    } else if (rest == "nan") {
        number = std::numeric_limits<double>::quiet_NaN();
    } else {
        std::string bare;
        for (std::size_t i = 0; i < rest.size(); ++i) {
            if (rest[i] != '_') {
                bare += rest[i];
                continue;
            }
            const auto isDigit = [&](std::size_t at) {
                return at < rest.size() && digitValue(rest[at]) < 10;
            };
            if (i == 0 || !isDigit(i - 1) || !isDigit(i + 1)) return std::nullopt;
        }
        if (bare.empty() || !(digitValue(bare[0]) < 10 || bare[0] == '.')) return std::nullopt;
        const auto read = std::from_chars(bare.data(), bare.data() + bare.size(), number);
        if (read.ptr != bare.data() + bare.size() || read.ec == std::errc::invalid_argument)
            return std::nullopt;
        // Beyond the range: strtod gives infinity or zero, as Python does.
        if (read.ec == std::errc::result_out_of_range) number = std::strtod(bare.c_str(), nullptr);
    }
    return negative ? -number : number;
}

} // namespace engine::jinja
