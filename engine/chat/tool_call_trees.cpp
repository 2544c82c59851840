#include "engine/chat/tool_call_trees.h"

#include "engine/chat/call_body_scanner.h"
#include "engine/chat/call_text.h"

#include <array>
#include <format>
#include <string>
#include <utility>

namespace engine::tool_call_trees {

using namespace call_text;

namespace {

constexpr std::string_view kSeparator = "<|sep|>";

/// The value of `name="..."` in a tag, with what HTML escapes there.
std::string attributeOf(std::string_view tag, std::string_view name)
{
    constexpr std::array<std::pair<std::string_view, char>, 4> kEscapes = {
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}}};
    if (!takeUntil(tag, std::format(" {}=\"", name))) return {};
    const auto written = takeUntil(tag, "\"");
    std::string_view rest = written.value_or(std::string_view{});
    std::string out;
    while (!rest.empty()) {
        char next = rest.front();
        std::size_t bytes = 1;
        for (const auto& [escape, character] : kEscapes) {
            if (!rest.starts_with(escape)) continue;
            next = character;
            bytes = escape.size();
        }
        out += next;
        rest.remove_prefix(bytes);
    }
    return out;
}

std::optional<Json> attributedArguments(std::string_view element)
{
    std::string_view whole = element;
    if (takeUntil(whole, "<|open|>json") && takeUntil(whole, kSeparator)) {
        const auto text = takeUntil(whole, "<|close|>json<|sep|>");
        Json json = parseJson(text.value_or(std::string_view{}));
        return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
    }
    Json arguments = Json::object();
    while (takeUntil(element, "<|open|>argument")) {
        const auto tag = takeUntil(element, kSeparator);
        const auto value = takeUntil(element, "<|close|>argument<|sep|>");
        const std::string key = tag ? attributeOf(*tag, "key") : std::string();
        if (key.empty() || !value) return std::nullopt;
        const bool isText = attributeOf(*tag, "type") == "string";
        arguments[key] = isText ? Json(std::string(*value)) : valueOf(*value);
    }
    return arguments;
}

/// Of MiniMax M3: what stands between one mark and the next is a tag and the text behind it.
class NestedReader {
public:
    explicit NestedReader(std::string_view body)
    {
        takeUntil(body, kMark);
        while (!body.empty()) {
            std::string_view part = body.substr(0, body.find(kMark));
            body.remove_prefix(std::min(part.size() + kMark.size(), body.size()));
            const auto tag = takeUntil(part, ">");
            if (!tag || !tag->starts_with('<')) {
                m_tags.clear();
                return;
            }
            m_tags.push_back({tag->substr(1), part});
        }
    }

    Calls calls()
    {
        constexpr std::string_view kInvoke = "invoke";
        std::vector<ToolCall> calls;
        while (m_at < m_tags.size()) {
            const Tag tag = m_tags[m_at++];
            ToolCall call;
            if (tag.name.starts_with(kInvoke)) call.name = attributeOf(tag.name, "name");
            const auto arguments = members(kInvoke);
            if (call.name.empty() || !arguments) return std::nullopt;
            call.arguments = dump(*arguments);
            calls.push_back(std::move(call));
        }
        return calls.empty() ? std::nullopt : Calls(std::move(calls));
    }

private:
    static constexpr std::string_view kMark = "]<]minimax[>[";
    static constexpr std::size_t kDeepest = 64;

    struct Tag {
        std::string_view name;
        std::string_view text; // behind it
    };

    bool takeClose(std::string_view name)
    {
        if (m_at == m_tags.size()) return false;
        const std::string_view next = m_tags[m_at].name;
        if (!next.starts_with('/') || next.substr(1) != name) return false;
        ++m_at;
        return true;
    }

    std::optional<Json> value(const Tag& tag)
    {
        if (takeClose(tag.name)) return valueOf(tag.text);
        const bool isList = m_at < m_tags.size() && m_tags[m_at].name == "item";
        return isList ? items(tag.name) : members(tag.name);
    }
    std::optional<Json> members(std::string_view owner)
    {
        Json object = Json::object();
        while (!takeClose(owner)) {
            auto next = child();
            if (!next) return std::nullopt;
            object[std::string(next->first)] = std::move(next->second);
        }
        return object;
    }
    std::optional<Json> items(std::string_view owner)
    {
        Json array = Json::array();
        while (!takeClose(owner)) {
            auto next = child();
            if (!next) return std::nullopt;
            array.push_back(std::move(next->second));
        }
        return array;
    }
    std::optional<std::pair<std::string_view, Json>> child()
    {
        if (m_at == m_tags.size() || m_depth == kDeepest) return std::nullopt;
        const Tag tag = m_tags[m_at++];
        if (tag.name.starts_with('/')) return std::nullopt;
        ++m_depth;
        auto read = value(tag);
        --m_depth;
        if (!read) return std::nullopt;
        return std::pair(tag.name, std::move(*read));
    }

    std::vector<Tag> m_tags;
    std::size_t m_at = 0;
    std::size_t m_depth = 0;
};

} // namespace

Calls attributed(std::string_view body)
{
    std::vector<ToolCall> calls;
    while (takeUntil(body, "<|open|>call")) {
        const auto tag = takeUntil(body, kSeparator);
        const auto element = takeCallBody(body, "<|close|>call<|sep|>", false);
        if (!tag || !element) return std::nullopt;
        const auto arguments = attributedArguments(*element);
        ToolCall call{.id = {}, .name = attributeOf(*tag, "tool"), .arguments = {}};
        if (call.name.empty() || !arguments) return std::nullopt;
        call.arguments = dump(*arguments);
        calls.push_back(std::move(call));
    }
    return calls.empty() ? std::nullopt : Calls(std::move(calls));
}

Calls nested(std::string_view body)
{
    return NestedReader(body).calls();
}

} // namespace engine::tool_call_trees
