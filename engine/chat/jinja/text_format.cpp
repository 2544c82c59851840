// str.format: the fields of a text replaced by arguments.

#include "engine/chat/jinja/attributes.h"
#include "engine/chat/jinja/escape.h"
#include "engine/chat/jinja/format.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"
#include "engine/chat/jinja/unicode.h"

#include <algorithm>
#include <charconv>
#include <format>

namespace engine::jinja {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

std::optional<std::size_t> wholeIndex(std::string_view text)
{
    std::size_t index = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), index);
    if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size())
        return std::nullopt;
    return index;
}

class TextFormatter {
public:
    TextFormatter(Runtime& runtime, const Arguments& arguments, bool markup)
        : m_runtime(runtime)
        , m_arguments(arguments)
        , m_markup(markup)
    {
    }

    /// `depth`: how often fields may still stand inside a format specification.
    Outcome<std::string> format(std::string_view text, int depth)
    {
        TextBuilder out(m_runtime);
        while (!text.empty() && !out.isFull()) {
            const std::size_t brace = std::min(text.find_first_of("{}"), text.size());
            out.append(text.substr(0, brace));
            text.remove_prefix(brace);
            if (text.empty()) break;
            if (text.size() > 1 && text[1] == text[0]) {
                out.append(text.substr(0, 1));
                text.remove_prefix(2);
                continue;
            }
            if (text[0] == '}') return failure("Single '}' encountered in format string");
            const std::size_t end = fieldEnd(text);
            if (end == kNone) return failure("expected '}' before end of string");
            TRY_ASSIGN(const std::string field, this->field(text.substr(1, end - 1), depth));
            out.append(field);
            text.remove_prefix(end + 1);
        }
        return out.take();
    }

private:
    static std::size_t fieldEnd(std::string_view text)
    {
        int open = 0;
        bool inBrackets = false; // [...] in the name may hold braces
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '[' && open == 1) inBrackets = true;
            if (text[i] == ']') inBrackets = false;
            if (inBrackets) continue;
            if (text[i] == '{') ++open;
            if (text[i] == '}' && --open == 0) return i;
        }
        return kNone;
    }

    Outcome<std::string> field(std::string_view field, int depth)
    {
        if (depth == 0) return failure("Max string recursion exceeded");
        std::size_t nameEnd = 0;
        for (bool inBrackets = false; nameEnd < field.size(); ++nameEnd) {
            const char c = field[nameEnd];
            if (c == '[') inBrackets = true;
            if (c == ']') inBrackets = false;
            if (!inBrackets && (c == ':' || c == '!')) break;
        }
        TRY_ASSIGN(Value value, valueOf(field.substr(0, nameEnd)));
        std::string_view rest = field.substr(nameEnd);
        if (rest.starts_with('!')) {
            if (rest.size() < 2) return failure("end of string while looking for conversion");
            TRY_ASSIGN(value, converted(value, rest[1]));
            rest.remove_prefix(2);
            if (!rest.empty() && rest[0] != ':')
                return failure("expected ':' after conversion specifier");
        }
        TRY_ASSIGN(const std::string specification,
                   format(rest.substr(rest.empty() ? 0 : 1), depth - 1));
        TRY_ASSIGN(const std::string text, formatValue(m_runtime, value, specification));
        const bool escapes = m_markup && !(value.is(Kind::Text) && value.text().isMarkup());
        return escapes ? escapeHtml(text) : text;
    }

    Outcome<Value> converted(Value value, char conversion)
    {
        if (conversion == 's') return toTextValue(m_runtime, value);
        if (conversion != 'r' && conversion != 'a')
            return failure(std::format("Unknown conversion specifier {}", conversion));
        TRY_ASSIGN(std::string text, represent(m_runtime, value));
        return m_runtime.text(conversion == 'a' ? asciiEscaped(text) : std::move(text));
    }

    Outcome<Value> valueOf(std::string_view name)
    {
        const std::size_t first = std::min(name.find_first_of(".["), name.size());
        TRY_ASSIGN(Value value, argument(name.substr(0, first), first == name.size()));
        name.remove_prefix(first);
        while (!name.empty()) {
            const bool isItem = name[0] == '[';
            const std::size_t end =
                std::min(isItem ? name.find(']') : name.find_first_of(".[", 1), name.size());
            if (isItem && end == name.size()) return failure("Missing ']' in format string");
            const std::string_view step = name.substr(1, end - 1);
            if (step.empty()) return failure("Empty attribute in format string");
            TRY_ASSIGN(value, stepInto(value, step, isItem));
            name.remove_prefix(isItem ? end + 1 : end);
        }
        return value;
    }

    Outcome<Value> stepInto(Value value, std::string_view step, bool isItem)
    {
        if (isItem)
            if (const auto index = wholeIndex(step))
                return itemOf(m_runtime, value, Value::size(*index));
        const Value key = m_runtime.heap().text(std::string(step));
        return isItem ? itemOf(m_runtime, value, key) : attributeOf(m_runtime, value, key);
    }

    /// `isWhole`: nothing of the argument is asked for; only then does the numbering matter.
    Outcome<Value> argument(std::string_view name, bool isWhole)
    {
        std::optional<std::size_t> index = wholeIndex(name);
        const bool isAutomatic = name.empty() && isWhole;
        if (isAutomatic || index) {
            if (isWhole && m_isAutomatic && *m_isAutomatic != isAutomatic)
                return failure("cannot switch between automatic field numbering and manual field "
                               "specification");
            if (isWhole) m_isAutomatic = isAutomatic;
            if (isAutomatic) index = m_next++;
            if (*index >= m_arguments.positional.size())
                return failure(std::format(
                    "Replacement index {} out of range for positional args tuple", *index));
            return m_arguments.positional[*index];
        }
        const Value* named = m_arguments.find(name);
        if (!named) return failure(pythonQuoted(name));
        return *named;
    }

    Runtime& m_runtime;
    const Arguments& m_arguments;
    bool m_markup;
    std::optional<bool> m_isAutomatic;
    std::size_t m_next = 0;
};

} // namespace

Outcome<Value> formatText(Runtime& runtime, const Text& text, const Arguments& arguments)
{
    TRY_ASSIGN(std::string formatted,
               TextFormatter(runtime, arguments, text.isMarkup()).format(text.utf8(), 2));
    return runtime.text(std::move(formatted), text.isMarkup());
}

} // namespace engine::jinja
