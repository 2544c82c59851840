#include "engine/chat/call_text.h"

namespace engine::call_text {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// Where the object that `text` begins with ends; npos where it does not.
std::size_t objectEnd(std::string_view text)
{
    std::size_t depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\') ++i;
            if (c == '"') inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '{') {
            ++depth;
        } else if (c == '}' && --depth == 0) {
            return i + 1;
        }
    }
    return std::string_view::npos;
}

} // namespace

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::optional<std::string_view> takeUntil(std::string_view& text, std::string_view mark)
{
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view before = text.substr(0, at);
    text.remove_prefix(at + mark.size());
    return before;
}

Json parseJson(std::string_view text)
{
    constexpr std::size_t kMostBytes = 1U << 20U;
    if (text.size() > kMostBytes) return Json(Json::value_t::discarded);
    return Json::parse(text.begin(), text.end(), nullptr, false);
}

std::string dump(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json valueOf(std::string_view text)
{
    const Json json = parseJson(trimmed(text));
    return json.is_discarded() ? Json(std::string(text)) : json;
}

std::optional<std::vector<std::string_view>> objectsIn(std::string_view text)
{
    std::vector<std::string_view> objects;
    while (true) {
        const std::size_t begin = text.find_first_not_of(" \t\r\n,;");
        if (begin == std::string_view::npos) return objects;
        text.remove_prefix(begin);
        const std::size_t end = text.front() == '{' ? objectEnd(text) : std::string_view::npos;
        if (end == std::string_view::npos) return std::nullopt;
        objects.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

} // namespace engine::call_text
