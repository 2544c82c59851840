#include "engine/chat/jinja/json_writer.h"

#include "engine/chat/jinja/number.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/unicode.h"

#include <cmath>
#include <format>

namespace engine::jinja {

namespace {

std::string jsonFloat(double number)
{
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
    return floatText(number);
}

void appendEscape(std::string& out, char32_t character)
{
    const auto code = static_cast<std::uint32_t>(character);
    if (code < 0x10000) {
        out += std::format("\\u{:04x}", code);
        return;
    }
    const std::uint32_t rest = code - 0x10000;
    out += std::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10U), 0xDC00 + (rest & 0x3FFU));
}

std::string_view shortEscape(char c)
{
    switch (c) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    case '\b':
        return "\\b";
    case '\f':
        return "\\f";
    default:
        return {};
    }
}

std::string jsonText(std::string_view text, bool ascii)
{
    std::string out = "\"";
    for (std::size_t at = 0; at < text.size();) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        const std::string_view escape = shortEscape(text[at]);
        const bool control = decoded.character < 0x20;
        if (!escape.empty())
            out += escape;
        else if (control || (ascii && decoded.character > 0x7E))
            appendEscape(out, decoded.character);
        else
            out += text.substr(at, decoded.bytes);
        at += decoded.bytes;
    }
    out += '"';
    return out;
}

class JsonWriter {
public:
    JsonWriter(Runtime& runtime, const JsonStyle& style)
        : m_runtime(runtime)
        , m_style(style)
        , m_out(runtime)
    {
    }

    Outcome<std::string> run(Value value)
    {
        TRY(write(value));
        return m_out.take();
    }

private:
    Outcome<void> write(Value value)
    {
        TRY(m_runtime.spend());
        switch (value.kind()) {
        case Kind::None:
            m_out.append("null");
            return {};
        case Kind::Boolean:
            m_out.append(value.boolean() ? "true" : "false");
            return {};
        case Kind::Integer:
        case Kind::BigInteger:
            m_out.append(wholeText(value));
            return {};
        case Kind::Float:
            m_out.append(jsonFloat(value.number()));
            return {};
        case Kind::Text:
            TRY(m_runtime.spendBytes(value.text().utf8().size()));
            m_out.append(jsonText(value.text().utf8(), m_style.ascii));
            return {};
        case Kind::List:
        case Kind::Tuple:
            return writeList(value.sequence());
        case Kind::Dict:
            return writeDict(value.dict());
        default:
            return failure(
                std::format("Object of type {} is not JSON serializable", typeName(value)));
        }
    }

    void newLine()
    {
        if (!m_style.indent) return;
        m_out.append("\n");
        m_out.repeat(*m_style.indent, m_level);
    }

    Outcome<void> writeList(const Sequence& list)
    {
        if (list.size() == 0) {
            m_out.append("[]");
            return {};
        }
        TRY_ASSIGN(const Nesting nesting, m_runtime.nest());
        m_out.append("[");
        ++m_level;
        bool first = true;
        for (const Value item : list.items()) {
            if (m_out.isFull()) break;
            if (!first) m_out.append(m_style.itemSeparator);
            first = false;
            newLine();
            TRY(write(item));
        }
        --m_level;
        newLine();
        m_out.append("]");
        return {};
    }

    Outcome<std::string> keyText(Value key) const
    {
        switch (key.kind()) {
        case Kind::Text:
            return jsonText(key.text().utf8(), m_style.ascii);
        case Kind::None:
            return "\"null\"";
        case Kind::Boolean:
            return key.boolean() ? "\"true\"" : "\"false\"";
        case Kind::Integer:
        case Kind::BigInteger:
            return '"' + wholeText(key) + '"';
        case Kind::Float:
            return '"' + jsonFloat(key.number()) + '"';
        default:
            return failure(
                std::format("keys must be str, int, float, bool or None, not {}", typeName(key)));
        }
    }

    Outcome<void> writeDict(const Dict& dict)
    {
        if (dict.size() == 0) {
            m_out.append("{}");
            return {};
        }
        TRY_ASSIGN(const Nesting nesting, m_runtime.nest());
        std::vector<Dict::Entry> entries = dict.entries();
        if (m_style.sortKeys)
            TRY(stableSort(m_runtime, entries, [this](const auto& left, const auto& right) {
                return compare(m_runtime, Comparison::Less, left.key, right.key);
            }));
        m_out.append("{");
        ++m_level;
        bool first = true;
        for (const Dict::Entry& entry : entries) {
            if (m_out.isFull()) break;
            if (!first) m_out.append(m_style.itemSeparator);
            first = false;
            newLine();
            TRY_ASSIGN(const std::string key, keyText(entry.key));
            m_out.append(key);
            m_out.append(m_style.keySeparator);
            TRY(write(entry.value));
        }
        --m_level;
        newLine();
        m_out.append("}");
        return {};
    }

    Runtime& m_runtime;
    const JsonStyle& m_style;
    TextBuilder m_out;
    std::size_t m_level = 0;
};

} // namespace

Outcome<std::string> toJson(Runtime& runtime, Value value, const JsonStyle& style)
{
    return JsonWriter(runtime, style).run(value);
}

} // namespace engine::jinja
