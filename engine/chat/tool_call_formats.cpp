#include "engine/chat/tool_call_formats.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string>

namespace engine {

namespace {

using Json = nlohmann::ordered_json;
using Calls = std::optional<std::vector<ToolCall>>;

constexpr std::string_view kBlank = " \t\r\n";

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// What stands before `mark`, which is taken too; nothing where there is none.
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

std::string textAt(const Json& object, std::string_view key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// {"name": ..., "arguments" or "parameters": ...}, perhaps within {"function": ...}.
std::optional<ToolCall> callFromObject(const Json& object)
{
    if (!object.is_object()) return std::nullopt;
    if (const auto inner = object.find("function"); inner != object.end() && inner->is_object()) {
        auto call = callFromObject(*inner);
        if (call && call->id.empty()) call->id = textAt(object, "id");
        return call;
    }
    ToolCall call;
    for (const char* key : {"name", "tool_name", "function"})
        if (call.name.empty()) call.name = textAt(object, key);
    for (const char* key : {"id", "tool_call_id"})
        if (call.id.empty()) call.id = textAt(object, key);
    if (call.name.empty()) return std::nullopt;
    for (const char* key : {"arguments", "parameters"}) {
        const auto found = object.find(key);
        if (found == object.end()) continue;
        call.arguments = found->is_string() ? found->get<std::string>() : dump(*found);
        return call;
    }
    call.arguments = "{}";
    return call;
}

/// One object or an array of them.
Calls callsFromJson(std::string_view body)
{
    const Json json = parseJson(trimmed(body));
    std::vector<ToolCall> calls;
    const auto add = [&calls](const Json& object) {
        auto call = callFromObject(object);
        if (call) calls.push_back(std::move(*call));
        return call.has_value();
    };
    if (json.is_array()) {
        for (const Json& object : json)
            if (!add(object)) return std::nullopt;
    } else if (!add(json)) {
        return std::nullopt;
    }
    return calls.empty() ? std::nullopt : Calls(std::move(calls));
}

/// A parameter written between tags: JSON where it is some, else the text.
Json parameterValue(std::string_view text)
{
    const Json json = parseJson(trimmed(text));
    return json.is_discarded() ? Json(std::string(text)) : json;
}

std::string_view withoutOuterNewlines(std::string_view text)
{
    if (text.starts_with('\n')) text.remove_prefix(1);
    if (text.ends_with('\n')) text.remove_suffix(1);
    return text;
}

/// name> followed by JSON, or by <parameter=key>value</parameter> ...
std::optional<ToolCall> functionElement(std::string_view element)
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
        arguments[std::string(trimmed(*key))] = parameterValue(withoutOuterNewlines(*value));
    }
    call.arguments = dump(arguments);
    return call;
}

Calls functionElements(std::string_view body)
{
    std::vector<ToolCall> calls;
    while (takeUntil(body, "<function=")) {
        std::string_view element = body;
        if (const auto closed = takeUntil(body, "</function>"))
            element = *closed;
        else
            body = {};
        auto call = functionElement(element);
        if (!call) return std::nullopt;
        calls.push_back(std::move(*call));
    }
    return calls.empty() ? std::nullopt : Calls(std::move(calls));
}

Calls singleFunction(std::string_view body)
{
    auto call = functionElement(body);
    return call ? Calls({std::move(*call)}) : std::nullopt;
}

/// GLM: name, then <arg_key>key</arg_key><arg_value>value</arg_value> ...
Calls keyValueElements(std::string_view body)
{
    ToolCall call;
    call.name = trimmed(body.substr(0, body.find("<arg_key>")));
    if (call.name.empty() || call.name.find_first_of("<>{}\n ") != std::string::npos)
        return std::nullopt;
    Json arguments = Json::object();
    while (takeUntil(body, "<arg_key>")) {
        const auto key = takeUntil(body, "</arg_key>");
        if (!key || !takeUntil(body, "<arg_value>")) return std::nullopt;
        const auto value = takeUntil(body, "</arg_value>");
        if (!value) return std::nullopt;
        arguments[std::string(trimmed(*key))] = parameterValue(*value);
    }
    call.arguments = dump(arguments);
    return Calls({std::move(call)});
}

/// Hermes, Qwen and GLM share their tag.
Calls toolCallElement(std::string_view body)
{
    if (auto calls = callsFromJson(body)) return calls;
    if (auto calls = functionElements(body)) return calls;
    return keyValueElements(body);
}

/// [{"name": ...}], or name[CALL_ID]id[ARGS]{...}
Calls mistralCalls(std::string_view body)
{
    if (auto calls = callsFromJson(body)) return calls;
    auto head = takeUntil(body, "[ARGS]");
    if (!head) {
        const std::size_t brace = body.find('{');
        if (brace == std::string_view::npos) return std::nullopt;
        head = body.substr(0, brace);
        body.remove_prefix(brace);
    }
    ToolCall call;
    const std::size_t mark = head->find("[CALL_ID]");
    call.name = trimmed(head->substr(0, mark));
    if (mark != std::string_view::npos) call.id = trimmed(head->substr(mark + 9));
    call.arguments = trimmed(body);
    if (call.name.empty() || !parseJson(call.arguments).is_object()) return std::nullopt;
    return Calls({std::move(call)});
}

/// Several objects with "; " between them, as Llama 3 may write them, or one.
Calls llamaCalls(std::string_view body)
{
    if (auto calls = callsFromJson(body)) return calls;
    std::vector<ToolCall> calls;
    for (body = trimmed(body); !body.empty();) {
        const std::size_t end = body.find("};");
        const std::string_view object =
            body.substr(0, end == std::string_view::npos ? end : end + 1);
        auto call = callFromObject(parseJson(trimmed(object)));
        if (!call) return std::nullopt;
        calls.push_back(std::move(*call));
        if (end == std::string_view::npos) break;
        body.remove_prefix(end + 2);
    }
    return calls.empty() ? std::nullopt : Calls(std::move(calls));
}

/// A tool that takes code: name.call(arguments), or Python for the interpreter.
Calls pythonTag(std::string_view body)
{
    if (auto calls = llamaCalls(body)) return calls;
    const std::string_view code = trimmed(body);
    if (code.empty()) return std::nullopt;
    const std::size_t dot = code.find(".call(");
    const bool isBuiltin = dot != std::string_view::npos && code.ends_with(')') &&
                           code.substr(0, dot).find_first_of(" \n(=") == std::string_view::npos;
    if (!isBuiltin)
        return Calls({ToolCall{.id = {},
                               .name = "code_interpreter",
                               .arguments = dump(Json{{"code", std::string(code)}})}});
    Json arguments = Json::object();
    std::string_view inside = code.substr(dot + 6, code.size() - dot - 7);
    const auto key = takeUntil(inside, "=");
    if (key) arguments[std::string(trimmed(*key))] = parameterValue(inside);
    return Calls({ToolCall{
        .id = {}, .name = std::string(code.substr(0, dot)), .arguments = dump(arguments)}});
}

/// assistant<|channel|>commentary to=functions.name <|constrain|>json<|message|>{...}
Calls harmonyCall(std::string_view body)
{
    const auto header = takeUntil(body, "<|message|>");
    if (!header) return std::nullopt;
    const std::size_t to = header->find(" to=");
    if (to == std::string_view::npos) return std::nullopt;
    std::string_view name = header->substr(to + 4);
    name = name.substr(0, name.find_first_of(" <\n"));
    if (name.starts_with("functions.")) name.remove_prefix(10);
    if (name.empty()) return std::nullopt;
    return Calls(
        {ToolCall{.id = {}, .name = std::string(name), .arguments = std::string(trimmed(body))}});
}

/// Kimi: functions.name:0<|tool_call_argument_begin|>{...}<|tool_call_end|> ...
Calls kimiCalls(std::string_view body)
{
    std::vector<ToolCall> calls;
    while (takeUntil(body, "<|tool_call_begin|>")) {
        const auto id = takeUntil(body, "<|tool_call_argument_begin|>");
        const auto arguments = takeUntil(body, "<|tool_call_end|>");
        if (!id || !arguments) return std::nullopt;
        std::string_view name = trimmed(*id);
        ToolCall call{.id = std::string(name), .name = {}, .arguments = {}};
        name = name.substr(0, name.rfind(':'));
        if (name.starts_with("functions.")) name.remove_prefix(10);
        call.name = name;
        call.arguments = trimmed(*arguments);
        calls.push_back(std::move(call));
    }
    return calls.empty() ? std::nullopt : Calls(std::move(calls));
}

/// function<｜tool▁sep｜>name and a block of JSON, or name<｜tool▁sep｜>{...}
Calls deepSeekCalls(std::string_view body)
{
    std::vector<ToolCall> calls;
    while (takeUntil(body, "<｜tool▁call▁begin｜>")) {
        const auto head = takeUntil(body, "<｜tool▁sep｜>");
        const auto rest = takeUntil(body, "<｜tool▁call▁end｜>");
        if (!head || !rest) return std::nullopt;
        std::string_view arguments = *rest;
        ToolCall call;
        call.name = trimmed(*head);
        if (const std::size_t fence = arguments.find("```json"); fence != std::string_view::npos) {
            call.name = trimmed(arguments.substr(0, fence));
            arguments = arguments.substr(fence + 7);
            arguments = arguments.substr(0, arguments.rfind("```"));
        }
        call.arguments = trimmed(arguments);
        if (call.name.empty() || !parseJson(call.arguments).is_object()) return std::nullopt;
        calls.push_back(std::move(call));
    }
    return calls.empty() ? std::nullopt : Calls(std::move(calls));
}

constexpr std::array kFormats = {
    ToolCallFormat{"<tool_call>", "</tool_call>", &toolCallElement},
    ToolCallFormat{"<seed:tool_call>", "</seed:tool_call>", &functionElements},
    ToolCallFormat{"<function=", "</function>", &singleFunction},
    ToolCallFormat{"<|python_tag|>", "", &pythonTag},
    ToolCallFormat{"[TOOL_CALLS]", "", &mistralCalls},
    ToolCallFormat{"<|start|>assistant", "<|call|>", &harmonyCall},
    ToolCallFormat{"<|tool_call|>", "", &callsFromJson},
    ToolCallFormat{"<|tool_call_start|>", "<|tool_call_end|>", &callsFromJson},
    ToolCallFormat{"<|START_ACTION|>", "<|END_ACTION|>", &callsFromJson},
    ToolCallFormat{"<TOOLCALL>", "</TOOLCALL>", &callsFromJson},
    ToolCallFormat{"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", &kimiCalls},
    ToolCallFormat{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", &deepSeekCalls},
};

} // namespace

std::span<const ToolCallFormat> toolCallFormats()
{
    return kFormats;
}

Calls parseBareCall(std::string_view answer)
{
    Calls calls = llamaCalls(answer);
    if (!calls) return std::nullopt;
    // A name alone is an ordinary object; arguments make it a call.
    const bool hasArguments = answer.find("\"parameters\"") != std::string_view::npos ||
                              answer.find("\"arguments\"") != std::string_view::npos;
    return hasArguments ? std::move(calls) : std::nullopt;
}

} // namespace engine
