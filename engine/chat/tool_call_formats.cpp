#include "engine/chat/tool_call_formats.h"

#include "engine/chat/call_body_scanner.h"
#include "engine/chat/call_text.h"
#include "engine/chat/python_calls.h"
#include "engine/chat/tool_call_elements.h"
#include "engine/chat/tool_call_trees.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace engine {

namespace {

using namespace call_text;
using Calls = std::optional<std::vector<ToolCall>>;

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

/// One object, several with nothing or "; " between them, or an array of them.
Calls callsFromJson(std::string_view body)
{
    std::vector<ToolCall> calls;
    const auto add = [&calls](const Json& object) {
        auto call = callFromObject(object);
        if (call) calls.push_back(std::move(*call));
        return call.has_value();
    };
    if (const Json array = parseJson(trimmed(body)); array.is_array()) {
        for (const Json& object : array)
            if (!add(object)) return std::nullopt;
    } else {
        const auto objects = objectsIn(body);
        if (!objects) return std::nullopt;
        for (const std::string_view object : *objects)
            if (!add(parseJson(object))) return std::nullopt;
    }
    return calls.empty() ? std::nullopt : Calls(std::move(calls));
}

/// name, then JSON between marks of a block of code (Hunyuan).
Calls nameAndBlock(std::string_view body)
{
    const std::size_t fence = body.find("```json");
    if (fence == std::string_view::npos) return std::nullopt;
    ToolCall call;
    call.name = trimmed(body.substr(0, fence));
    body.remove_prefix(fence + 7);
    call.arguments = trimmed(body.substr(0, body.rfind("```")));
    if (call.name.empty() || !parseJson(call.arguments).is_object()) return std::nullopt;
    return Calls({std::move(call)});
}

/// Many families share this tag.
Calls toolCallElement(std::string_view body)
{
    constexpr std::array kWays = {&callsFromJson, &tool_call_elements::functions,
                                  &tool_call_elements::invocations, &nameAndBlock,
                                  &tool_call_elements::keysAndValues};
    for (const auto way : kWays)
        if (auto calls = way(body)) return calls;
    return std::nullopt;
}

/// JSON, or elements that are calls each.
Calls callElements(std::string_view body, std::string_view open, std::string_view close)
{
    if (auto calls = callsFromJson(body)) return calls;
    std::vector<ToolCall> all;
    while (takeUntil(body, open)) {
        const auto element = takeCallBody(body, close, false);
        auto calls = element ? toolCallElement(*element) : std::nullopt;
        if (!calls) return std::nullopt;
        std::ranges::move(*calls, std::back_inserter(all));
    }
    return all.empty() ? std::nullopt : Calls(std::move(all));
}

Calls toolCallsElement(std::string_view body)
{
    return callElements(body, "<tool_call>", "</tool_call>");
}

/// The same of K2 Horizon.
Calls markedCallsElement(std::string_view body)
{
    return callElements(body, "<ifm|tool_call>", "</ifm|tool_call>");
}

/// JSON, or Python (LFM2).
Calls jsonOrPython(std::string_view body)
{
    if (auto calls = callsFromJson(body)) return calls;
    return pythonCalls(body);
}

/// JSON that may be closed by a mark of its own (Phi-4).
Calls closedJson(std::string_view body)
{
    constexpr std::string_view kClose = "<|/tool_call|>";
    return callsFromJson(body.substr(0, body.find(kClose)));
}

/// functools[...], whose bracket is part of the mark.
Calls bracketOpened(std::string_view body)
{
    return callsFromJson('[' + std::string(body));
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

/// JSON, Python's list of calls, a tool of the model's own as name.call(arguments), or Python for
/// the interpreter.
Calls pythonTag(std::string_view body)
{
    constexpr std::string_view kOwn = ".call";
    if (auto calls = callsFromJson(body)) return calls;
    const std::string_view code = trimmed(body);
    if (code.empty()) return std::nullopt;
    auto calls = pythonCalls(code);
    if (calls && code.starts_with('[')) return calls;
    if (calls && calls->front().name.ends_with(kOwn)) {
        std::string& name = calls->front().name;
        name.erase(name.size() - kOwn.size());
        return calls;
    }
    return Calls({ToolCall{.id = {},
                           .name = "code_interpreter",
                           .arguments = dump(Json{{"code", std::string(code)}})}});
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
    if (trimmed(body).starts_with("<atem:")) return tool_call_elements::invocations(body);
    return Calls(
        {ToolCall{.id = {}, .name = std::string(name), .arguments = std::string(trimmed(body))}});
}

/// Kimi: functions.name:0<|tool_call_argument_begin|>{...}<|tool_call_end|> ...
Calls kimiCalls(std::string_view body)
{
    std::vector<ToolCall> calls;
    while (takeUntil(body, "<|tool_call_begin|>")) {
        const auto id = takeUntil(body, "<|tool_call_argument_begin|>");
        const auto arguments = takeCallBody(body, "<|tool_call_end|>", false);
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
        const auto rest = takeCallBody(body, "<｜tool▁call▁end｜>", true);
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

/// Solar Open: <|tool_call:begin|>id<|tool_call:name|>name<|tool_call:args|>{...} ...
Calls solarCalls(std::string_view body)
{
    std::vector<ToolCall> calls;
    while (takeUntil(body, "<|tool_call:begin|>")) {
        const auto id = takeUntil(body, "<|tool_call:name|>");
        const auto name = takeUntil(body, "<|tool_call:args|>");
        const auto arguments = takeCallBody(body, "<|tool_call:end|>", false);
        if (!id || !name || !arguments) return std::nullopt;
        calls.push_back({.id = std::string(trimmed(*id)),
                         .name = std::string(trimmed(*name)),
                         .arguments = std::string(trimmed(*arguments))});
        if (calls.back().name.empty() || !parseJson(calls.back().arguments).is_object())
            return std::nullopt;
    }
    return calls.empty() ? std::nullopt : Calls(std::move(calls));
}

/// [{"name": {arguments}}, ...] (Apertus)
Calls namedObjects(std::string_view body)
{
    const Json array = parseJson(trimmed(body));
    if (!array.is_array()) return std::nullopt;
    std::vector<ToolCall> calls;
    for (const Json& object : array) {
        if (!object.is_object() || object.size() != 1) return std::nullopt;
        const auto member = object.begin();
        calls.push_back({.id = {}, .name = member.key(), .arguments = dump(member.value())});
    }
    return calls.empty() ? std::nullopt : Calls(std::move(calls));
}

/// <|plugin|>{...} (InternLM)
Calls pluginCalls(std::string_view body)
{
    constexpr std::string_view kPlugin = "<|plugin|>";
    body = trimmed(body);
    if (!body.starts_with(kPlugin)) return std::nullopt;
    return callsFromJson(body.substr(kPlugin.size()));
}

/// <server_name>s</server_name><tool_name>t</tool_name><arguments>{...}</arguments> (MiroThinker)
Calls serverCall(std::string_view body)
{
    const auto element = [body](std::string_view open, std::string_view close) {
        std::string_view rest = body;
        const auto before = takeUntil(rest, open);
        const auto inside = before ? takeUntil(rest, close) : std::nullopt;
        return std::string(trimmed(inside.value_or(std::string_view())));
    };
    ToolCall call{.id = {},
                  .name = element("<tool_name>", "</tool_name>"),
                  .arguments = element("<arguments>", "</arguments>")};
    if (call.name.empty() || !parseJson(call.arguments).is_object()) return std::nullopt;
    return Calls({std::move(call)});
}

/// The elements of Hunyuan 3.
Calls openCallsElement(std::string_view body)
{
    return callElements(body, "<tool_call:opensource>", "</tool_call:opensource>");
}

constexpr std::array kFormats = {
    ToolCallFormat{"<tool_call>", "</tool_call>", &toolCallElement},
    ToolCallFormat{"<tool_calls>", "</tool_calls>", &toolCallsElement},
    ToolCallFormat{"<ifm|tool_calls>", "</ifm|tool_calls>", &markedCallsElement, true},
    ToolCallFormat{"<ifm|tool_call>", "</ifm|tool_call>", &toolCallElement},
    ToolCallFormat{"<|open|>tools<|sep|>", "<|close|>tools<|sep|>", &tool_call_trees::attributed},
    ToolCallFormat{"]<]minimax[>[<tool_call>", "]<]minimax[>[</tool_call>",
                   &tool_call_trees::nested},
    ToolCallFormat{"<atem:function_calls>", "</atem:function_calls>",
                   &tool_call_elements::invocations},
    ToolCallFormat{"<function name=", "</function>", &tool_call_elements::namedFunction},
    ToolCallFormat{"<seed:tool_call>", "</seed:tool_call>", &tool_call_elements::functions},
    ToolCallFormat{"<minimax:tool_call>", "</minimax:tool_call>", &tool_call_elements::invocations},
    ToolCallFormat{"<｜DSML｜function_calls>", "</｜DSML｜function_calls>",
                   &tool_call_elements::invocations},
    ToolCallFormat{"<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>",
                   &tool_call_elements::invocations},
    ToolCallFormat{"<｜GCML｜tool_calls>", "</｜GCML｜tool_calls>",
                   &tool_call_elements::invocations},
    ToolCallFormat{"<tool_calls:opensource>", "</tool_calls:opensource>", &openCallsElement, true},
    ToolCallFormat{"<|tool_calls|>", "<|calls|>", &solarCalls, true},
    ToolCallFormat{"<|tools_prefix|>", "<|tools_suffix|>", &namedObjects},
    ToolCallFormat{"<|action_start|>", "<|action_end|>", &pluginCalls},
    ToolCallFormat{"<use_mcp_tool>", "</use_mcp_tool>", &serverCall, true},
    ToolCallFormat{"<function=", "</function>", &tool_call_elements::function, true},
    ToolCallFormat{"<|python_tag|>", "", &pythonTag},
    ToolCallFormat{"[TOOL_CALLS]", "", &mistralCalls, true},
    ToolCallFormat{"<|start|>assistant", "<|call|>", &harmonyCall, true},
    ToolCallFormat{"<|tool_call|>", "", &closedJson},
    ToolCallFormat{"<|tool_call>", "<tool_call|>", &tool_call_elements::bracedPairs},
    ToolCallFormat{"<|tool_call_start|>", "<|tool_call_end|>", &jsonOrPython},
    ToolCallFormat{"<|START_ACTION|>", "<|END_ACTION|>", &callsFromJson},
    ToolCallFormat{"<TOOLCALL>", "</TOOLCALL>", &callsFromJson},
    ToolCallFormat{"functools[", "", &bracketOpened, true},
    ToolCallFormat{"<|message_sep|>\n\nfunction call<|role_sep|>", "<|message_sep|>",
                   &callsFromJson},
    ToolCallFormat{"<|function_call|>", "<|message_sep|>", &callsFromJson},
    ToolCallFormat{"function call<|role_sep|>", "<|message_sep|>", &callsFromJson},
    ToolCallFormat{"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", &kimiCalls, true},
    ToolCallFormat{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", &deepSeekCalls, true},
};

} // namespace

std::span<const ToolCallFormat> toolCallFormats()
{
    return kFormats;
}

Calls parseBareCall(std::string_view answer)
{
    if (trimmed(answer).starts_with('[')) return pythonCalls(answer);
    Calls calls = callsFromJson(answer);
    if (!calls) return std::nullopt;
    // A name alone is an ordinary object; arguments make it a call.
    const bool hasArguments = answer.find("\"parameters\"") != std::string_view::npos ||
                              answer.find("\"arguments\"") != std::string_view::npos;
    return hasArguments ? std::move(calls) : std::nullopt;
}

} // namespace engine
