#include "engine/chat/jinja/percent_format.h"

#include "engine/chat/jinja/escape.h"
#include "engine/chat/jinja/format.h"
#include "engine/chat/jinja/number.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"
#include "engine/chat/jinja/unicode.h"

#include <charconv>
#include <cmath>
#include <format>

namespace engine::jinja {

namespace {

/// Python takes anything with items but a tuple or a text for a mapping, which may stay unused.
bool hasItems(Value value)
{
    switch (value.kind()) {
    case Kind::Dict:
    case Kind::List:
    case Kind::Range:
    case Kind::Bytes:
    case Kind::Undefined:
        return true;
    default:
        return false;
    }
}

class PercentFormatter {
public:
    PercentFormatter(Runtime& runtime, const Text& text, Value arguments)
        : m_runtime(runtime)
        , m_rest(text.utf8())
        , m_markup(text.isMarkup())
        , m_arguments(arguments)
    {
    }

    Outcome<Value> run()
    {
        TextBuilder out(m_runtime);
        while (!m_rest.empty() && !out.isFull()) {
            const std::size_t percent = std::min(m_rest.find('%'), m_rest.size());
            out.append(m_rest.substr(0, percent));
            m_rest.remove_prefix(percent);
            if (m_rest.empty()) break;
            m_rest.remove_prefix(1);
            TRY_ASSIGN(const std::string text, directive());
            out.append(text);
        }
        const bool isMapping = hasItems(m_arguments);
        const std::size_t given = m_arguments.is(Kind::Tuple) ? m_arguments.sequence().size() : 1;
        if (!isMapping && m_next < given)
            return failure("not all arguments converted during string formatting");
        return out.finish(m_markup);
    }

private:
    char take(std::string_view wanted)
    {
        if (m_rest.empty() || wanted.find(m_rest.front()) == std::string_view::npos) return 0;
        const char c = m_rest.front();
        m_rest.remove_prefix(1);
        return c;
    }

    Outcome<Value> nextArgument()
    {
        if (m_named) {
            const Value value = *m_named;
            m_named.reset();
            return value;
        }
        if (!m_arguments.is(Kind::Tuple)) {
            if (m_next++ > 0) return failure("not enough arguments for format string");
            return m_arguments;
        }
        const auto& items = m_arguments.sequence().items();
        if (m_next >= items.size()) return failure("not enough arguments for format string");
        return items[m_next++];
    }

    /// `(name)` before the flags.
    Outcome<void> readName()
    {
        if (take("(") == 0) return {};
        int open = 1;
        std::size_t end = 0;
        for (; end < m_rest.size(); ++end) {
            if (m_rest[end] == '(') ++open;
            if (m_rest[end] == ')' && --open == 0) break;
        }
        if (end == m_rest.size()) return failure("incomplete format key");
        if (!m_arguments.is(Kind::Dict)) return failure("format requires a mapping");
        const std::string_view name = m_rest.substr(0, end);
        const Value* found = m_arguments.dict().find(name);
        if (!found) return failure(pythonQuoted(name));
        m_named = *found;
        m_rest.remove_prefix(end + 1);
        return {};
    }

    Outcome<std::optional<std::int64_t>> readNumber()
    {
        if (take("*") != 0) {
            TRY_ASSIGN(const Value value, nextArgument());
            const auto number = asInteger(value);
            if (!number) return failure("* wants int");
            return number;
        }
        std::int64_t number = 0;
        const auto read = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), number);
        if (read.ec == std::errc::result_out_of_range) return failure("width too big");
        if (read.ec != std::errc{} || m_rest.front() == '-') return std::nullopt;
        m_rest.remove_prefix(static_cast<std::size_t>(read.ptr - m_rest.data()));
        return number;
    }

    Outcome<std::string> directive()
    {
        NumberFormat format;
        const char* const afterPercent = m_rest.data();
        TRY(readName());
        bool zero = false;
        while (const char flag = take("-+ #0")) {
            if (flag == '-') format.align = '<';
            if (flag == '+') format.sign = '+';
            if (flag == ' ' && format.sign == '-') format.sign = ' ';
            if (flag == '#') format.alternative = true;
            if (flag == '0') zero = true;
        }
        TRY_ASSIGN(const std::optional<std::int64_t> width, readNumber());
        format.width = width.value_or(0);
        if (format.width < 0) {
            format.align = '<';
            format.width = -format.width;
        }
        if (take(".") != 0) {
            TRY_ASSIGN(const std::optional<std::int64_t> precision, readNumber());
            format.precision = std::max<std::int64_t>(precision.value_or(0), 0);
        }
        take("hlL");
        if (m_rest.empty()) return failure("incomplete format");
        format.type = m_rest.front();
        m_rest.remove_prefix(1);
        if (format.type == '%' && m_rest.data() == afterPercent + 1) return "%";
        if (zero && format.align == 0) {
            format.align = '=';
            format.fill = "0";
        }
        TRY_ASSIGN(const Value value, nextArgument());
        return convert(value, format);
    }

    Outcome<std::string> convert(Value value, NumberFormat format)
    {
        switch (format.type) {
        case 's':
        case 'r':
        case 'a':
            return convertText(value, format);
        case 'c':
            return convertCharacter(value, format);
        case 'd':
        case 'i':
        case 'u':
            format.type = 'd';
            return convertWhole(value, format);
        case 'x':
        case 'X':
        case 'o':
            if (!isWhole(value))
                return failure(std::format("%{} format: an integer is required, not {}",
                                           format.type, typeName(value)));
            return convertWhole(value, format);
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
            return convertFloat(value, format);
        default:
            return failure(std::format("unsupported format character '{}' ({:#x})", format.type,
                                       static_cast<unsigned char>(format.type)));
        }
    }

    Outcome<std::string> convertText(Value value, NumberFormat format)
    {
        TRY_ASSIGN(std::string text,
                   format.type == 's'
                       ? (m_markup ? toEscapedText(m_runtime, value) : toText(m_runtime, value))
                       : represent(m_runtime, value));
        if (format.type == 'a') text = asciiEscaped(text);
        if (m_markup && format.type != 's') text = escapeHtml(text);
        if (format.precision && *format.precision < static_cast<std::int64_t>(unicode::count(text)))
            text = text.substr(
                0, unicode::offsetOf(text, static_cast<std::size_t>(*format.precision)));
        format.fill = " ";
        return padded(m_runtime, text, format, '>');
    }

    Outcome<std::string> convertCharacter(Value value, NumberFormat format)
    {
        format.fill = " ";
        if (const Text* text = value.ifText()) {
            if (text->length() == 1) return padded(m_runtime, text->utf8(), format, '>');
        } else if (isWhole(value)) {
            format.align = format.align == 0 ? '>' : format.align;
            return formatWhole(m_runtime, value, format);
        }
        return failure("%c requires an int or a unicode character");
    }

    Outcome<std::string> convertWhole(Value value, NumberFormat format)
    {
        if (value.is(Kind::Float)) {
            if (!std::isfinite(value.number()))
                return failure("cannot convert float infinity or NaN to integer");
            TRY_ASSIGN(value, wholeValue(m_runtime, WholeNumber::truncated(value.number())));
        }
        if (value.isUndefined()) return undefinedFailure(value);
        if (!isWhole(value))
            return failure(std::format("%{} format: a real number is required, not {}", format.type,
                                       typeName(value)));
        if (!format.precision) return formatWhole(m_runtime, value, format);
        // A precision is the least number of digits.
        NumberFormat digits = format;
        digits.width = *format.precision + (wholeOf(value).isNegative() || format.sign != '-');
        if (format.alternative && format.type != 'd') digits.width += 2;
        digits.align = '=';
        digits.fill = "0";
        TRY_ASSIGN(const std::string text, formatWhole(m_runtime, value, digits));
        return padded(m_runtime, text, format, '>');
    }

    Outcome<std::string> convertFloat(Value value, const NumberFormat& format)
    {
        if (value.isUndefined()) return undefinedFailure(value);
        const auto number = asNumber(value);
        if (!number) return failure(std::format("must be real number, not {}", typeName(value)));
        return formatFloat(m_runtime, *number, format);
    }

    Runtime& m_runtime;
    std::string_view m_rest;
    bool m_markup;
    Value m_arguments;
    std::optional<Value> m_named;
    std::size_t m_next = 0;
};

} // namespace

Outcome<Value> percentFormat(Runtime& runtime, const Text& text, Value arguments)
{
    return PercentFormatter(runtime, text, arguments).run();
}

} // namespace engine::jinja
