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

/// Makes values of one conversation, its texts marked where they hold control tokens.
class ConversationValues {
public:
    ConversationValues(Heap& heap, const TemplateSetting& setting)
        : m_heap(heap)
        , m_setting(setting)
    {
    }

    Value message(const ChatMessage& message) const
    {
        const bool byModel = message.role == "assistant";
        auto* dict = m_heap.make<Dict>();
        put(m_heap, *dict, "role", text(message.role));
        put(m_heap, *dict, "content", content(message.content, byModel));
        if (!message.reasoning.empty())
            put(m_heap, *dict, "reasoning_content", text(message.reasoning));
        if (!message.toolCalls.empty()) put(m_heap, *dict, "tool_calls", calls(message));
        if (!message.toolName.empty()) put(m_heap, *dict, "name", text(message.toolName));
        if (!message.toolCallId.empty())
            put(m_heap, *dict, "tool_call_id", text(message.toolCallId));
        return Value::of(dict);
    }

    Result<Value> option(std::string_view name, const std::string& json, jinja::Kind kind) const
    {
        const auto value = parsed(json);
        if (!value)
            return fail(ErrorCode::InvalidArgument,
                        std::string(name) + ": " + value.error().message, std::string(name));
        if (!value->is(kind))
            return fail(ErrorCode::InvalidArgument,
                        std::string(name) + (kind == jinja::Kind::List
                                                 ? ": expected a JSON array"
                                                 : ": expected a JSON object"),
                        std::string(name));
        return *value;
    }

private:
    std::string marked(std::string_view text, bool byModel) const
    {
        return m_setting.guard.marked(text, m_setting.mark, byModel);
    }
    Value text(const std::string& text, bool byModel = false) const
    {
        return m_heap.text(marked(text, byModel));
    }

    /// Parts: [{"type": "text", "text": ...}]
    Value content(const std::string& written, bool byModel) const
    {
        if (m_setting.form == ContentForm::Text) return text(written, byModel);
        auto* part = m_heap.make<Dict>();
        putText(m_heap, *part, "type", "text");
        put(m_heap, *part, "text", text(written, byModel));
        return m_heap.list({Value::of(part)});
    }

    Value calls(const ChatMessage& message) const
    {
        std::vector<Value> calls;
        for (const ToolCall& call : message.toolCalls) {
            auto* function = m_heap.make<Dict>();
            put(m_heap, *function, "name", text(call.name));
            put(m_heap, *function, "arguments", arguments(call));
            auto* entry = m_heap.make<Dict>();
            putText(m_heap, *entry, "type", "function");
            put(m_heap, *entry, "function", Value::of(function));
            if (!call.id.empty()) put(m_heap, *entry, "id", text(call.id));
            calls.push_back(Value::of(entry));
        }
        return m_heap.list(std::move(calls));
    }

    /// Templates expect a mapping; what is no JSON object stays the text it is.
    Value arguments(const ToolCall& call) const
    {
        const auto value = parsed(call.arguments);
        return value && value->is(jinja::Kind::Dict) ? *value : text(call.arguments);
    }

    jinja::Outcome<Value> parsed(const std::string& json) const
    {
        return jinja::readJson(m_heap, json,
                               [this](const std::string& text) { return marked(text, false); });
    }

    Heap& m_heap;
    const TemplateSetting& m_setting;
};

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
                                  const ChatRenderOptions& options, const TemplateSetting& setting)
{
    const ConversationValues values(heap, setting);
    auto* variables = heap.make<Dict>();
    for (const auto& [name, text] : setting.tokens)
        putText(heap, *variables, name, text);
    std::vector<Value> list;
    list.reserve(messages.size());
    for (const ChatMessage& message : messages)
        list.push_back(values.message(message));
    put(heap, *variables, "messages", heap.list(std::move(list)));
    put(heap, *variables, "add_generation_prompt", Value::boolean(options.addGenerationPrompt));
    put(heap, *variables, "documents", Value::none());
    Value tools;
    if (!options.tools.empty()) {
        TRY_ASSIGN(tools, values.option("tools", options.tools, jinja::Kind::List));
    }
    put(heap, *variables, "tools", tools);
    if (options.enableThinking)
        put(heap, *variables, "enable_thinking", Value::boolean(*options.enableThinking));
    if (!options.variables.empty()) {
        TRY_ASSIGN(const Value more,
                   values.option("variables", options.variables, jinja::Kind::Dict));
        for (const Dict::Entry& entry : more.dict().entries())
            put(heap, *variables, entry.key.text().utf8(), entry.value);
    }
    return variables;
}

} // namespace engine
