#include "engine/chat/jinja/format.h"

#include "engine/chat/jinja/number.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"
#include "engine/chat/jinja/unicode.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <format>

namespace engine::jinja {

namespace {

constexpr std::int64_t kMostPrecision = 10'000;

std::string toChars(double number, std::chars_format style, int precision)
{
    std::string buffer(static_cast<std::size_t>(precision) + 400, '\0'); // 309 digits and signs
    const auto written =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, style, precision);
    buffer.resize(static_cast<std::size_t>(written.ptr - buffer.data()));
    return buffer;
}

std::string upperAscii(std::string text)
{
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

/// A general format with `#` keeps its zeros: digits up to the precision.
void keepZeros(std::string& digits, int precision)
{
    std::size_t mark = digits.find('e');
    if (mark == std::string::npos) mark = digits.size();
    std::string mantissa = digits.substr(0, mark);
    if (mantissa.find('.') == std::string::npos) mantissa += '.';
    const std::size_t first = mantissa.find_first_of("123456789");
    const std::size_t significant =
        first == std::string::npos ? mantissa.size() - 1
                                   : static_cast<std::size_t>(std::ranges::count_if(
                                         mantissa.substr(first), [](char c) { return c != '.'; }));
    if (significant < static_cast<std::size_t>(precision))
        mantissa.append(static_cast<std::size_t>(precision) - significant, '0');
    digits = mantissa + digits.substr(mark);
}

/// Without its sign, in lower case.
std::string floatDigits(double magnitude, const NumberFormat& format)
{
    if (std::isnan(magnitude)) return "nan";
    if (std::isinf(magnitude)) return "inf";
    const char type = static_cast<char>(format.type | 0x20);
    const int precision = static_cast<int>(format.precision.value_or(6));
    if (format.type == 0 && !format.precision) return floatText(magnitude);
    if (format.type == '%')
        return toChars(magnitude * 100, std::chars_format::fixed, precision) + "%";
    if (format.type != 0 && type == 'f') {
        std::string digits = toChars(magnitude, std::chars_format::fixed, precision);
        if (format.alternative && precision == 0) digits += '.';
        return digits;
    }
    if (format.type != 0 && type == 'e')
        return toChars(magnitude, std::chars_format::scientific, precision);
    const int significant = std::max(precision, 1);
    std::string digits = toChars(magnitude, std::chars_format::general, significant);
    if (format.alternative) keepZeros(digits, significant);
    if (format.type == 0 && digits.find_first_of(".e") == std::string::npos) {
        // Without a type a float always shows that it is one: by a digit behind the point, or where
        // the precision leaves none by an exponent.
        if (digits.size() < static_cast<std::size_t>(significant)) return digits + ".0";
        digits = toChars(magnitude, std::chars_format::scientific, significant - 1);
        const std::size_t mark = digits.find('e');
        const std::size_t last = digits.find_last_not_of("0.", mark - 1);
        digits.erase(last + 1, mark - last - 1);
    }
    return digits;
}

/// Thousands (or, in another base, every four digits) set apart; in the digits before any point.
std::string grouped(const std::string& digits, const NumberFormat& format)
{
    if (format.grouping == 0) return digits;
    const std::size_t size =
        format.type == 'x' || format.type == 'X' || format.type == 'o' || format.type == 'b' ? 4
                                                                                             : 3;
    const std::size_t whole =
        std::min(digits.find_first_not_of("0123456789abcdefABCDEF"), digits.size());
    std::string out;
    for (std::size_t i = 0; i < whole; ++i) {
        if (i > 0 && (whole - i) % size == 0) out += format.grouping;
        out += digits[i];
    }
    return out + digits.substr(whole);
}

std::string signFor(bool negative, const NumberFormat& format)
{
    if (negative) return "-";
    return format.sign == '-' ? std::string() : std::string(1, format.sign);
}

Outcome<std::string> finishNumber(Runtime& runtime, const std::string& prefix,
                                  const std::string& digits, const NumberFormat& format)
{
    const std::string body = grouped(digits, format);
    if (format.align != '=') return padded(runtime, prefix + body, format, '>');
    const auto length = static_cast<std::int64_t>(prefix.size() + body.size());
    TextBuilder out(runtime);
    out.append(prefix);
    if (format.grouping != 0 && format.fill == "0") {
        // The filling zeros are grouped too.
        std::string filled = digits;
        NumberFormat plain = format;
        const auto width = [&] {
            return static_cast<std::int64_t>(prefix.size() + grouped(filled, plain).size());
        };
        if (format.width > kMostPrecision) return overLimit("a width is too large");
        while (width() < format.width)
            filled.insert(filled.begin(), '0');
        out.append(grouped(filled, plain));
        return out.take();
    }
    if (format.width > length)
        out.repeat(format.fill, static_cast<std::size_t>(format.width - length));
    out.append(body);
    return out.take();
}

std::string_view basePrefix(char type)
{
    switch (type) {
    case 'x':
        return "0x";
    case 'X':
        return "0X";
    case 'o':
        return "0o";
    case 'b':
        return "0b";
    default:
        return "";
    }
}

unsigned baseOf(char type)
{
    switch (type) {
    case 'x':
    case 'X':
        return 16;
    case 'o':
        return 8;
    case 'b':
        return 2;
    default:
        return 10;
    }
}

/// Reads a format specification: [[fill]align][sign][z][#][0][width][grouping][.precision][type]
class SpecificationReader {
public:
    explicit SpecificationReader(std::string_view text)
        : m_text(text)
    {
    }

    Outcome<NumberFormat> read()
    {
        readAlignment();
        if (const char sign = take("+- ")) m_format.sign = sign;
        m_format.dropsNegativeZero = take("z") != 0;
        m_format.alternative = take("#") != 0;
        if (take("0") != 0 && !m_hasFill) {
            m_format.fill = "0";
            m_zeroFills = m_format.align == 0;
        }
        TRY_ASSIGN(const std::optional<std::int64_t> width, digits());
        m_format.width = width.value_or(0);
        m_format.grouping = take(",_");
        if (take(".") != 0) {
            TRY_ASSIGN(m_format.precision, digits());
            if (!m_format.precision) return failure("Format specifier missing precision");
        }
        m_format.type = take("bcdeEfFgGnosxX%");
        if (!m_text.empty()) return failure("Invalid format specifier");
        if (m_format.precision.value_or(0) > kMostPrecision) return failure("precision too big");
        return m_format;
    }
    bool zeroFills() const { return m_zeroFills; }

private:
    static constexpr std::string_view kAlignments = "<>=^";

    void readAlignment()
    {
        if (m_text.empty()) return;
        const std::size_t bytes = unicode::decode(m_text, 0).bytes;
        if (m_text.size() > bytes && kAlignments.find(m_text[bytes]) != std::string_view::npos) {
            m_format.fill = m_text.substr(0, bytes);
            m_format.align = m_text[bytes];
            m_hasFill = true;
            m_text.remove_prefix(bytes + 1);
            return;
        }
        m_format.align = take(kAlignments);
    }

    char take(std::string_view wanted)
    {
        if (m_text.empty() || wanted.find(m_text.front()) == std::string_view::npos) return 0;
        const char c = m_text.front();
        m_text.remove_prefix(1);
        return c;
    }

    Outcome<std::optional<std::int64_t>> digits()
    {
        std::int64_t value = 0;
        const auto read = std::from_chars(m_text.data(), m_text.data() + m_text.size(), value);
        if (read.ec == std::errc::result_out_of_range)
            return failure("Too many decimal digits in format string");
        if (read.ec != std::errc{} || value < 0) return std::nullopt;
        m_text.remove_prefix(static_cast<std::size_t>(read.ptr - m_text.data()));
        return value;
    }

    std::string_view m_text;
    NumberFormat m_format;
    bool m_hasFill = false;
    bool m_zeroFills = false; // behind the sign, in numbers
};

std::unexpected<Failure> unknownCode(const NumberFormat& format, Value value)
{
    return failure(std::format("Unknown format code '{}' for object of type '{}'", format.type,
                               typeName(value)));
}

Outcome<std::string> formatTextValue(Runtime& runtime, Value value, const NumberFormat& format)
{
    if (format.type != 0 && format.type != 's') return unknownCode(format, value);
    if (format.sign != '-') return failure("Sign not allowed in string format specifier");
    if (format.alternative || format.dropsNegativeZero)
        return failure("'#' and 'z' are not allowed in string format specifier");
    if (format.grouping != 0)
        return failure(std::format("Cannot specify '{}' with 's'.", format.grouping));
    if (format.align == '=') return failure("'=' alignment not allowed in string format specifier");
    std::string text = value.text().utf8();
    if (format.precision && *format.precision < static_cast<std::int64_t>(value.text().length()))
        text = text.substr(0, unicode::offsetOf(text, static_cast<std::size_t>(*format.precision)));
    return padded(runtime, text, format, '<');
}

Outcome<void> checkGrouping(const NumberFormat& format)
{
    const bool isBinary = std::string_view("xXob").contains(format.type);
    const bool isRefused = format.type == 'c' || format.type == 'n' ||
                           (format.grouping == ',' && format.type != 0 && isBinary);
    if (format.grouping == 0 || !isRefused) return {};
    return failure(std::format("Cannot specify '{}' with '{}'.", format.grouping, format.type));
}

Outcome<void> checkWhole(const NumberFormat& format)
{
    if (format.precision) return failure("Precision not allowed in integer format specifier");
    if (format.dropsNegativeZero)
        return failure("Negative zero coercion (z) not allowed in format specifier with integer");
    if (format.type == 'c' && (format.sign != '-' || format.alternative))
        return failure("Sign and '#' not allowed with integer format specifier 'c'");
    return {};
}

} // namespace

Outcome<std::string> padded(Runtime& runtime, const std::string& text, const NumberFormat& format,
                            char alignment)
{
    const auto length = static_cast<std::int64_t>(unicode::count(text));
    const std::int64_t missing = std::max<std::int64_t>(format.width - length, 0);
    const char align = format.align == 0 ? alignment : format.align;
    std::int64_t before = 0;
    if (align == '>' || align == '=') before = missing;
    if (align == '^') before = missing / 2;
    TextBuilder out(runtime);
    out.repeat(format.fill, static_cast<std::size_t>(before));
    out.append(text);
    out.repeat(format.fill, static_cast<std::size_t>(missing - before));
    return out.take();
}

Outcome<std::string> formatWhole(Runtime& runtime, Value value, const NumberFormat& format)
{
    const WholeNumber number = wholeOf(value);
    if (format.type == 'c') {
        const auto code = number.toInteger();
        if (!code || *code < 0 || *code > 0x10FFFF) return failure("%c arg not in range(0x110000)");
        std::string character;
        unicode::append(character, static_cast<char32_t>(*code));
        return padded(runtime, character, format, '<');
    }
    const WholeNumber magnitude = number.isNegative() ? number.negated() : number;
    std::string digits = magnitude.toText(baseOf(format.type));
    if (format.type == 'X') digits = upperAscii(digits);
    std::string prefix = signFor(number.isNegative(), format);
    if (format.alternative) prefix += basePrefix(format.type);
    return finishNumber(runtime, prefix, digits, format);
}

Outcome<std::string> formatFloat(Runtime& runtime, double number, const NumberFormat& format)
{
    if (format.precision.value_or(0) > kMostPrecision) return failure("precision too big");
    std::string digits = floatDigits(std::abs(number), format);
    if (format.type >= 'A' && format.type <= 'Z') digits = upperAscii(digits);
    const bool isZero = digits.find_first_not_of("0.eE+-%") == std::string::npos;
    const bool negative =
        std::signbit(number) && !std::isnan(number) && !(isZero && format.dropsNegativeZero);
    return finishNumber(runtime, signFor(negative, format), digits, format);
}

Outcome<std::string> formatValue(Runtime& runtime, Value value, std::string_view specification)
{
    if (specification.empty()) return toText(runtime, value);
    SpecificationReader reader(specification);
    TRY_ASSIGN(NumberFormat format, reader.read());
    if (value.is(Kind::Text)) return formatTextValue(runtime, value, format);
    if (reader.zeroFills()) format.align = '=';
    constexpr std::string_view kFloatTypes = "eEfFgG%";
    if (isNumber(value)) TRY(checkGrouping(format));
    if (format.type == 'n') format.type = value.is(Kind::Float) ? 'g' : 'd';
    if (isWhole(value) && kFloatTypes.find(format.type) == std::string_view::npos) {
        if (format.type == 's') return unknownCode(format, value);
        TRY(checkWhole(format));
        return formatWhole(runtime, value, format);
    }
    if (const auto number = asNumber(value)) {
        if (format.type != 0 && kFloatTypes.find(format.type) == std::string_view::npos)
            return unknownCode(format, value);
        return formatFloat(runtime, *number, format);
    }
    return failure(
        std::format("unsupported format string passed to {}.__format__", typeName(value)));
}

} // namespace engine::jinja
