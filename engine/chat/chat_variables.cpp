#include "engine/chat/chat_variables.h"

#include "engine/chat/jinja/json.h"
#include "engine/tokenizer/tokenizer.h"

#include <array>
#include <string_view>

namespace engine {

namespace {

using jinja::Dict;
using jinja::Heap;
using jinja::Value;

struct SpecialTokenKey {
    std::string_view variable;
    std::string_view key; ///< of the metadata, where it holds the token's id
};
constexpr std::array<SpecialTokenKey, 5> kMoreSpecialTokens = {{
    {"unk_token", "tokenizer.ggml.unknown_token_id"},
    {"pad_token", "tokenizer.ggml.padding_token_id"},
    {"sep_token", "tokenizer.ggml.seperator_token_id"}, // as the format spells it
    {"cls_token", "tokenizer.ggml.cls_token_id"},
    {"mask_token", "tokenizer.ggml.mask_token_id"},
}};

void put(Heap& heap, Dict& dict, std::string_view key, Value value)
{
    const Value text = heap.text(std::string(key));
    dict.set({jinja::DictKey::Type::Text, text.text().utf8()}, text, value);
}

void putText(Heap& heap, Dict& dict, std::string_view key, const std::string& text)
{
    put(heap, dict, key, heap.text(text));
}

/// Templates expect a mapping; what is no JSON object stays the text it is.
Value argumentsOf(Heap& heap, const ToolCall& call)
{
    const auto parsed = jinja::readJson(heap, call.arguments);
    return parsed && parsed->is(jinja::Kind::Dict) ? *parsed : heap.text(call.arguments);
}

Value toolCallsOf(Heap& heap, const ChatMessage& message)
{
    std::vector<Value> calls;
    for (const ToolCall& call : message.toolCalls) {
        auto* function = heap.make<Dict>();
        putText(heap, *function, "name", call.name);
        put(heap, *function, "arguments", argumentsOf(heap, call));
        auto* entry = heap.make<Dict>();
        putText(heap, *entry, "type", "function");
        put(heap, *entry, "function", Value::of(function));
        if (!call.id.empty()) putText(heap, *entry, "id", call.id);
        calls.push_back(Value::of(entry));
    }
    return heap.list(std::move(calls));
}

Value messageValue(Heap& heap, const ChatMessage& message)
{
    auto* dict = heap.make<Dict>();
    putText(heap, *dict, "role", message.role);
    putText(heap, *dict, "content", message.content);
    if (!message.reasoning.empty()) putText(heap, *dict, "reasoning_content", message.reasoning);
    if (!message.toolCalls.empty()) put(heap, *dict, "tool_calls", toolCallsOf(heap, message));
    if (!message.toolName.empty()) putText(heap, *dict, "name", message.toolName);
    if (!message.toolCallId.empty()) putText(heap, *dict, "tool_call_id", message.toolCallId);
    return Value::of(dict);
}

Result<Value> parseOption(Heap& heap, std::string_view name, const std::string& json,
                          jinja::Kind kind)
{
    const auto value = jinja::readJson(heap, json);
    if (!value)
        return fail(ErrorCode::InvalidArgument, std::string(name) + ": " + value.error().message,
                    std::string(name));
    if (!value->is(kind))
        return fail(ErrorCode::InvalidArgument,
                    std::string(name) + (kind == jinja::Kind::List ? ": expected a JSON array"
                                                                   : ": expected a JSON object"),
                    std::string(name));
    return *value;
}

} // namespace

SpecialTokens specialTokens(const Metadata& metadata, const Tokenizer& tokenizer)
{
    SpecialTokens tokens;
    const auto add = [&](std::string_view variable, std::int64_t id) {
        if (id < 0 || id >= tokenizer.size()) return;
        tokens.emplace_back(variable, tokenizer.piece(static_cast<TokenId>(id), true));
    };
    add("bos_token", tokenizer.bos());
    add("eos_token", tokenizer.eos());
    for (const SpecialTokenKey& row : kMoreSpecialTokens)
        add(row.variable, metadata.integerOr(row.key, -1));
    return tokens;
}

Result<const Dict*> chatVariables(Heap& heap, std::span<const ChatMessage> messages,
                                  const ChatRenderOptions& options, const SpecialTokens& tokens)
{
    auto* variables = heap.make<Dict>();
    for (const auto& [name, text] : tokens)
        putText(heap, *variables, name, text);
    std::vector<Value> list;
    list.reserve(messages.size());
    for (const ChatMessage& message : messages)
        list.push_back(messageValue(heap, message));
    put(heap, *variables, "messages", heap.list(std::move(list)));
    put(heap, *variables, "add_generation_prompt", Value::boolean(options.addGenerationPrompt));
    put(heap, *variables, "documents", Value::none());
    Value tools;
    if (!options.tools.empty()) {
        TRY_ASSIGN(tools, parseOption(heap, "tools", options.tools, jinja::Kind::List));
    }
    put(heap, *variables, "tools", tools);
    if (options.enableThinking)
        put(heap, *variables, "enable_thinking", Value::boolean(*options.enableThinking));
    if (!options.variables.empty()) {
        TRY_ASSIGN(const Value more,
                   parseOption(heap, "variables", options.variables, jinja::Kind::Dict));
        for (const Dict::Entry& entry : more.dict().entries())
            put(heap, *variables, entry.key.text().utf8(), entry.value);
    }
    return variables;
}

} // namespace engine
