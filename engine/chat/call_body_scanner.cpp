#include "engine/chat/call_body_scanner.h"

#include <array>
#include <utility>

namespace engine {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// What a value is written between where a call is written in tags.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kValueMarks = {{
    {"<parameter", "</parameter>"},
    {"<param ", "</param>"},
    {"<atem:parameter", "</atem:parameter>"},
    {"<arg_value>", "</arg_value>"},
    {"<ifm|arg_value>", "</ifm|arg_value>"},
    {"<|open|>argument", "<|close|>argument<|sep|>"},
    {"<|open|>json", "<|close|>json<|sep|>"},
    {"<｜DSML｜parameter", "</｜DSML｜parameter>"},
    {"<|\"|>", "<|\"|>"},
}};

/// Whether `text`, which is cut off at its end, may go on as `mark`.
bool mayBecome(std::string_view text, std::string_view mark)
{
    return text.size() < mark.size() && mark.starts_with(text);
}

} // namespace

std::optional<std::size_t> CallBodyScanner::find(std::string_view body)
{
    while (m_done < body.size()) {
        const std::string_view rest = body.substr(m_done);
        if (m_place != Place::String && m_place != Place::Value) {
            if (rest.starts_with(m_close)) return m_done;
            if (mayBecome(rest, m_close)) return std::nullopt;
        }
        const std::size_t bytes = step(rest);
        if (bytes == 0) return std::nullopt;
        m_done += bytes;
    }
    return std::nullopt;
}

std::size_t CallBodyScanner::step(std::string_view rest)
{
    switch (m_place) {
    case Place::Start:
        if (kBlank.contains(rest.front())) return 1;
        m_place = rest.front() == '{' || rest.front() == '[' ? Place::Json : Place::Tags;
        return m_place == Place::Tags ? stepTags(rest) : 1;
    case Place::Tags:
        return stepTags(rest);
    case Place::Value:
        return stepValue(rest);
    case Place::Json:
        if (rest.front() == '"') m_place = Place::String;
        return 1;
    case Place::String:
        return stepString(rest);
    }
    std::unreachable();
}

std::size_t CallBodyScanner::stepTags(std::string_view rest)
{
    if (m_namedFirst && rest.front() == '{') {
        m_place = Place::Json;
        return 1;
    }
    for (const auto& [open, close] : kValueMarks) {
        if (mayBecome(rest, open)) return 0;
        if (!rest.starts_with(open)) continue;
        m_valueClose = close;
        m_place = Place::Value;
        return open.size();
    }
    return 1;
}

std::size_t CallBodyScanner::stepValue(std::string_view rest)
{
    if (mayBecome(rest, m_valueClose)) return 0;
    if (!rest.starts_with(m_valueClose)) return 1;
    m_place = Place::Tags;
    return m_valueClose.size();
}

std::size_t CallBodyScanner::stepString(std::string_view rest)
{
    if (rest == "\\") return 0;
    if (rest.front() == '"') m_place = Place::Json;
    return rest.front() == '\\' ? 2 : 1;
}

std::optional<std::string_view> takeCallBody(std::string_view& text, std::string_view close,
                                             bool namedFirst)
{
    const auto end = CallBodyScanner(close, namedFirst).find(text);
    if (!end) return std::nullopt;
    const std::string_view body = text.substr(0, *end);
    text.remove_prefix(*end + close.size());
    return body;
}

} // namespace engine
