#include "engine/chat/tool_call_elements.h"

#include "engine/chat/call_body_scanner.h"
#include "engine/chat/call_text.h"

#include <algorithm>
#include <array>

namespace engine::tool_call_elements {

using namespace call_text;

namespace {

std::string_view withoutOuterNewlines(std::string_view text)
{
    if (text.starts_with('\n')) text.remove_prefix(1);
    if (text.ends_with('\n')) text.remove_suffix(1);
    return text;
}

std::optional<ToolCall> functionOf(std::string_view element)
{
    const auto name = takeUntil(element, ">");
    if (!name) return std::nullopt;
    ToolCall call{.id = {}, .name = std::string(trimmed(*name)), .arguments = {}};
    if (const std::string_view json = trimmed(element); json.starts_with('{')) {
        if (!parseJson(json).is_object()) return std::nullopt;
        call.arguments = json;
        return call;
    }
    Json arguments = Json::object();
    while (takeUntil(element, "<parameter=")) {
        const auto key = takeUntil(element, ">");
        const auto value = takeUntil(element, "</parameter>");
        if (!key || !value) return std::nullopt;
        arguments[std::string(trimmed(*key))] = valueOf(withoutOuterNewlines(*value));
    }
    call.arguments = dump(arguments);
    return call;
}

/// The tags of one way of writing invocations.
struct InvocationTags {
    std::string_view open;
    std::string_view close;
    std::string_view parameter;
    std::string_view parameterClose;
};

constexpr std::array<InvocationTags, 4> kInvocationTags = {{
    {"<invoke name=", "</invoke>", "<parameter name=", "</parameter>"},
    {"<｜DSML｜invoke name=", "</｜DSML｜invoke>",
     "<｜DSML｜parameter name=", "</｜DSML｜parameter>"},
    {"<｜GCML｜invoke name=", "</｜GCML｜invoke>",
     "<｜GCML｜parameter name=", "</｜GCML｜parameter>"},
    {"<atem:invoke name=", "</atem:invoke>", "<atem:parameter name=", "</atem:parameter>"},
}};
constexpr InvocationTags kNamedFunction = {"<function name=", "</function>",
                                           "<param name=", "</param>"};

/// One way of writing keys and values.
struct PairTags {
    std::string_view key;
    std::string_view keyClose;
    std::string_view type; ///< may be left out
    std::string_view typeClose;
    std::string_view value;
    std::string_view valueClose;
};
constexpr std::array<PairTags, 3> kPairTags = {{
    {"<arg_key>", "</arg_key>", "<arg_type>", "</arg_type>", "<arg_value>", "</arg_value>"},
    {"<ifm|arg_key>", "</ifm|arg_key>", "<ifm|arg_type>", "</ifm|arg_type>", "<ifm|arg_value>",
     "</ifm|arg_value>"},
    {"<arg_key:opensource>", "</arg_key:opensource>", "<arg_type:opensource>",
     "</arg_type:opensource>", "<arg_value:opensource>", "</arg_value:opensource>"},
}};
constexpr std::string_view kBehindName = "<tool_sep:opensource>";

/// "name" and what else is in the tag; `text` goes on behind it.
struct NameInTag {
    std::string name;
    bool isText = false; ///< string="true"
    bool isOther = false;
};

std::optional<NameInTag> takeName(std::string_view& text)
{
    auto tag = takeUntil(text, ">");
    if (!tag) return std::nullopt;
    NameInTag found;
    found.isText = tag->contains("string=\"true\"");
    found.isOther = tag->contains("string=\"false\"");
    if (tag->starts_with('"')) {
        tag->remove_prefix(1);
        found.name = tag->substr(0, tag->find('"'));
    } else {
        found.name = trimmed(*tag);
    }
    if (found.name.empty()) return std::nullopt;
    return found;
}

std::optional<ToolCall> invocation(std::string_view element, const InvocationTags& tags)
{
    const auto name = takeName(element);
    if (!name) return std::nullopt;
    Json arguments = Json::object();
    while (takeUntil(element, tags.parameter)) {
        const auto key = takeName(element);
        const auto value = takeUntil(element, tags.parameterClose);
        if (!key || !value) return std::nullopt;
        const std::string_view text =
            key->isText || key->isOther ? *value : withoutOuterNewlines(*value);
        arguments[key->name] = key->isText ? Json(std::string(text)) : valueOf(text);
    }
    return ToolCall{.id = {}, .name = name->name, .arguments = dump(arguments)};
}

/// Of Gemma 4: {key:value,...}, [value,...], <|"|>text<|"|>, and what JSON has beside them.
class BracedReader {
public:
    explicit BracedReader(std::string_view text)
        : m_text(text)
    {
    }

    std::optional<Json> value()
    {
        constexpr int kDeepest = 64;
        if (++m_depth > kDeepest) return std::nullopt;
        std::optional<Json> read;
        if (take("{"))
            read = members();
        else if (take("["))
            read = elements();
        else if (take(kQuote))
            read = text();
        else
            read = word();
        --m_depth;
        return read;
    }
    bool isAtEnd() const { return trimmed(m_text).empty(); }

private:
    static constexpr std::string_view kQuote = "<|\"|>";

    bool take(std::string_view mark)
    {
        if (!m_text.starts_with(mark)) return false;
        m_text.remove_prefix(mark.size());
        return true;
    }
    std::optional<Json> text()
    {
        const auto inside = takeUntil(m_text, kQuote);
        return inside ? std::optional(Json(std::string(*inside))) : std::nullopt;
    }
    /// A number, true, false, null; anything else is a text of one word.
    std::optional<Json> word()
    {
        const std::size_t end = std::min(m_text.find_first_of(",]}"), m_text.size());
        const std::string_view read = trimmed(m_text.substr(0, end));
        m_text.remove_prefix(end);
        return read.empty() ? std::nullopt : std::optional(valueOf(read));
    }
    std::optional<Json> members()
    {
        Json object = Json::object();
        while (!take("}")) {
            std::optional<std::string_view> key;
            if (take(kQuote)) {
                key = takeUntil(m_text, kQuote);
                if (!take(":")) return std::nullopt;
            } else {
                key = takeUntil(m_text, ":");
            }
            if (!key) return std::nullopt;
            auto read = value();
            if (!read || (!take(",") && !m_text.starts_with('}'))) return std::nullopt;
            object[std::string(trimmed(*key))] = std::move(*read);
        }
        return object;
    }
    std::optional<Json> elements()
    {
        Json array = Json::array();
        while (!take("]")) {
            auto read = value();
            if (!read || (!take(",") && !m_text.starts_with(']'))) return std::nullopt;
            array.push_back(std::move(*read));
        }
        return array;
    }

    std::string_view m_text;
    int m_depth = 0;
};

} // namespace

Calls function(std::string_view element)
{
    auto call = functionOf(element);
    return call ? Calls({std::move(*call)}) : std::nullopt;
}

Calls functions(std::string_view body)
{
    std::vector<ToolCall> calls;
    while (takeUntil(body, "<function=")) {
        std::string_view element = body;
        if (const auto closed = takeCallBody(body, "</function>", true))
            element = *closed;
        else
            body = {};
        auto call = functionOf(element);
        if (!call) return std::nullopt;
        calls.push_back(std::move(*call));
    }
    return calls.empty() ? std::nullopt : Calls(std::move(calls));
}

Calls invocations(std::string_view body)
{
    std::vector<ToolCall> calls;
    for (const InvocationTags& tags : kInvocationTags) {
        std::string_view rest = body;
        while (takeUntil(rest, tags.open)) {
            const auto element = takeCallBody(rest, tags.close, false);
            auto call = element ? invocation(*element, tags) : std::nullopt;
            if (!call) return std::nullopt;
            calls.push_back(std::move(*call));
        }
    }
    return calls.empty() ? std::nullopt : Calls(std::move(calls));
}

Calls namedFunction(std::string_view body)
{
    auto call = invocation(body, kNamedFunction);
    // The tag is one that documents may have: nothing but parameters may stand in it.
    takeUntil(body, ">");
    while (takeUntil(body, kNamedFunction.parameter).transform(trimmed) == "")
        takeUntil(body, kNamedFunction.parameterClose);
    return call && trimmed(body).empty() ? Calls({std::move(*call)}) : std::nullopt;
}

Calls keysAndValues(std::string_view body)
{
    const auto* const used = std::ranges::find_if(
        kPairTags, [body](const PairTags& tags) { return body.contains(tags.key); });
    const PairTags& tags = used == kPairTags.end() ? kPairTags.front() : *used;
    const std::string_view head = body.substr(0, body.find(tags.key));
    ToolCall call;
    call.name = trimmed(head.substr(0, head.find(kBehindName)));
    if (call.name.empty() || call.name.find_first_of("<>{}\n ") != std::string::npos)
        return std::nullopt;
    Json arguments = Json::object();
    while (takeUntil(body, tags.key)) {
        const auto key = takeUntil(body, tags.keyClose);
        auto between = key ? takeUntil(body, tags.value) : std::nullopt;
        const auto value = between ? takeUntil(body, tags.valueClose) : std::nullopt;
        if (!value) return std::nullopt;
        const bool isText = takeUntil(*between, tags.type) &&
                            trimmed(between->substr(0, between->find(tags.typeClose))) == "string";
        arguments[std::string(trimmed(*key))] =
            isText ? Json(std::string(*value)) : valueOf(*value);
    }
    call.arguments = dump(arguments);
    return Calls({std::move(call)});
}

Calls bracedPairs(std::string_view body)
{
    body = trimmed(body);
    if (!body.starts_with("call:")) return std::nullopt;
    body.remove_prefix(5);
    const std::size_t brace = body.find('{');
    if (brace == std::string_view::npos) return std::nullopt;
    BracedReader reader(body.substr(brace));
    const auto arguments = reader.value();
    if (!arguments || !reader.isAtEnd()) return std::nullopt;
    return Calls({ToolCall{.id = {},
                           .name = std::string(trimmed(body.substr(0, brace))),
                           .arguments = dump(*arguments)}});
}

} // namespace engine::tool_call_elements
