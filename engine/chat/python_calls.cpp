#include "engine/chat/python_calls.h"

#include "engine/chat/call_text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace engine {

namespace {

using namespace call_text;

bool isNameCharacter(char c)
{
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

class Reader {
public:
    explicit Reader(std::string_view text)
        : m_text(text)
    {
    }

    std::optional<std::vector<ToolCall>> calls()
    {
        const bool isList = take('[');
        std::vector<ToolCall> read;
        do {
            auto one = call();
            if (!one) return std::nullopt;
            read.push_back(std::move(*one));
        } while (isList && take(',') && !peeks(']'));
        if (isList && !take(']')) return std::nullopt;
        skipBlank();
        return m_text.empty() ? std::optional(std::move(read)) : std::nullopt;
    }

private:
    void skipBlank()
    {
        m_text.remove_prefix(std::min(m_text.find_first_not_of(" \t\r\n"), m_text.size()));
    }
    bool peeks(char c)
    {
        skipBlank();
        return m_text.starts_with(c);
    }
    bool take(char c)
    {
        if (!peeks(c)) return false;
        m_text.remove_prefix(1);
        return true;
    }
    std::string_view name()
    {
        skipBlank();
        std::size_t size = 0;
        while (size < m_text.size() && isNameCharacter(m_text[size]))
            ++size;
        const std::string_view read = m_text.substr(0, size);
        m_text.remove_prefix(read.size());
        return read;
    }

    std::optional<ToolCall> call()
    {
        const std::string_view function = name();
        if (function.empty() || !take('(')) return std::nullopt;
        Json arguments = Json::object();
        while (!take(')')) {
            const std::string_view key = name();
            if (key.empty() || !take('=')) return std::nullopt;
            auto read = value();
            if (!read || (!take(',') && !peeks(')'))) return std::nullopt;
            arguments[std::string(key)] = std::move(*read);
        }
        return ToolCall{.id = {}, .name = std::string(function), .arguments = dump(arguments)};
    }

    std::optional<Json> value()
    {
        constexpr int kDeepest = 64;
        if (++m_depth > kDeepest) return std::nullopt;
        std::optional<Json> read;
        if (peeks('"') || peeks('\''))
            read = text();
        else if (take('['))
            read = elements(']');
        else if (take('('))
            read = elements(')');
        else if (take('{'))
            read = members();
        else
            read = word();
        --m_depth;
        return read;
    }

    std::optional<Json> elements(char close)
    {
        Json array = Json::array();
        while (!take(close)) {
            auto read = value();
            if (!read || (!take(',') && !peeks(close))) return std::nullopt;
            array.push_back(std::move(*read));
        }
        return array;
    }

    std::optional<Json> members()
    {
        Json object = Json::object();
        while (!take('}')) {
            const auto key = value();
            if (!key || !key->is_string() || !take(':')) return std::nullopt;
            auto read = value();
            if (!read || (!take(',') && !peeks('}'))) return std::nullopt;
            object[key->get<std::string>()] = std::move(*read);
        }
        return object;
    }

    std::optional<Json> word()
    {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kConstants = {{
            {"True", "true"},
            {"False", "false"},
            {"None", "null"},
            {"true", "true"},
            {"false", "false"},
            {"null", "null"},
        }};
        skipBlank();
        const std::size_t end = std::min(m_text.find_first_of(",)]} \t\r\n"), m_text.size());
        const std::string_view written = m_text.substr(0, end);
        m_text.remove_prefix(end);
        for (const auto& [python, json] : kConstants)
            if (written == python) return parseJson(json);
        const Json number = parseJson(written);
        return number.is_number() ? std::optional(number) : std::nullopt;
    }

    /// The escapes of Python that JSON has too, and \' and a line's end.
    std::optional<Json> text()
    {
        constexpr std::string_view kEscapes = "n\nt\tr\rb\bf\f\\\\\"\"''";
        const char quote = m_text.front();
        std::string read;
        for (std::size_t i = 1; i < m_text.size(); ++i) {
            char c = m_text[i];
            if (c == quote) {
                m_text.remove_prefix(i + 1);
                return Json(std::move(read));
            }
            if (c == '\\' && i + 1 < m_text.size()) {
                const std::size_t escape = pairOf(kEscapes, m_text[++i]);
                if (escape == std::string_view::npos) read += '\\';
                c = escape == std::string_view::npos ? m_text[i] : kEscapes[escape + 1];
            }
            read += c;
        }
        return std::nullopt;
    }
    static std::size_t pairOf(std::string_view pairs, char first)
    {
        for (std::size_t i = 0; i < pairs.size(); i += 2)
            if (pairs[i] == first) return i;
        return std::string_view::npos;
    }

    std::string_view m_text;
    int m_depth = 0;
};

} // namespace

std::optional<std::vector<ToolCall>> pythonCalls(std::string_view text)
{
    return Reader(text).calls();
}

} // namespace engine
