#include "engine/chat/fallback_templates.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

namespace engine {

namespace {

constexpr std::string_view kChatMl = R"jinja({%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %})jinja";

constexpr std::string_view kPhi4 = R"jinja({%- for message in messages %}
    {{- '<|im_start|>' + message.role + '<|im_sep|>' + message.content + '<|im_end|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant<|im_sep|>' }}
{%- endif %})jinja";

constexpr std::string_view kLlama3 = R"jinja({{- bos_token }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n' }}
    {{- message.content | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- endif %})jinja";

constexpr std::string_view kLlama4 = R"jinja({{- bos_token }}
{%- for message in messages %}
    {{- '<|header_start|>' + message.role + '<|header_end|>\n\n' }}
    {{- message.content | trim + '<|eot|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|header_start|>assistant<|header_end|>\n\n' }}
{%- endif %})jinja";

constexpr std::string_view kMistral = R"jinja({{- bos_token }}
{%- set ns = namespace(system='') %}
{%- for message in messages %}
    {%- if message.role == 'system' %}
        {%- set ns.system = ns.system + message.content + '\n\n' %}
    {%- elif message.role == 'assistant' %}
        {{- ' ' + message.content + eos_token }}
    {%- else %}
        {{- '[INST] ' + ns.system + message.content + ' [/INST]' }}
        {%- set ns.system = '' %}
    {%- endif %}
{%- endfor %})jinja";

constexpr std::string_view kLlama2 = R"jinja({%- set ns = namespace(system='') %}
{%- for message in messages %}
    {%- if message.role == 'system' %}
        {%- set ns.system = '<<SYS>>\n' + message.content + '\n<</SYS>>\n\n' %}
    {%- elif message.role == 'assistant' %}
        {{- ' ' + message.content | trim + ' ' + eos_token }}
    {%- else %}
        {{- bos_token + '[INST] ' + ns.system + message.content | trim + ' [/INST]' }}
        {%- set ns.system = '' %}
    {%- endif %}
{%- endfor %})jinja";

constexpr std::string_view kGemma = R"jinja({{- bos_token }}
{%- set ns = namespace(system='') %}
{%- for message in messages %}
    {%- if message.role == 'system' %}
        {%- set ns.system = ns.system + message.content | trim + '\n\n' %}
    {%- else %}
        {%- set role = 'model' if message.role == 'assistant' else 'user' %}
        {{- '<start_of_turn>' + role + '\n' + ns.system + message.content | trim }}
        {{- '<end_of_turn>\n' }}
        {%- set ns.system = '' %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<start_of_turn>model\n' }}
{%- endif %})jinja";

constexpr std::string_view kPhi3 = R"jinja({%- for message in messages %}
    {{- '<|' + message.role + '|>\n' + message.content + '<|end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|assistant|>\n' }}
{%- endif %})jinja";

constexpr std::string_view kZephyr = R"jinja({%- for message in messages %}
    {{- '<|' + message.role + '|>\n' + message.content + eos_token + '\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|assistant|>\n' }}
{%- endif %})jinja";

constexpr std::string_view kGlm4 = R"jinja({{- '[gMASK]<sop>' }}
{%- for message in messages %}
    {{- '<|' + message.role + '|>\n' + message.content }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|assistant|>\n' }}
{%- endif %})jinja";

constexpr std::string_view kCommandR = R"jinja({{- bos_token }}
{%- set names = {'system': 'SYSTEM', 'user': 'USER', 'assistant': 'CHATBOT'} %}
{%- for message in messages %}
    {{- '<|START_OF_TURN_TOKEN|><|' + names.get(message.role, 'SYSTEM') + '_TOKEN|>' }}
    {{- message.content | trim + '<|END_OF_TURN_TOKEN|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' }}
{%- endif %})jinja";

constexpr std::string_view kDeepSeek = R"jinja({{- bos_token }}
{%- for message in messages %}
    {%- if message.role == 'user' %}
        {{- '<｜User｜>' + message.content }}
    {%- elif message.role == 'assistant' %}
        {{- '<｜Assistant｜>' + message.content + eos_token }}
    {%- else %}
        {{- message.content }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<｜Assistant｜>' }}
{%- endif %})jinja";

constexpr std::string_view kGptOss = R"jinja({%- for message in messages %}
    {%- if message.role == 'assistant' %}
        {{- '<|start|>assistant<|channel|>final<|message|>' + message.content + '<|end|>' }}
    {%- else %}
        {{- '<|start|>' + message.role + '<|message|>' + message.content + '<|end|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start|>assistant' }}
{%- endif %})jinja";

constexpr std::string_view kGranite = R"jinja({%- for message in messages %}
    {{- '<|start_of_role|>' + message.role + '<|end_of_role|>' }}
    {{- message.content + '<|end_of_text|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_of_role|>assistant<|end_of_role|>' }}
{%- endif %})jinja";

constexpr std::string_view kExaone = R"jinja({%- for message in messages %}
    {{- '[|' + message.role + '|]' + message.content }}
    {{- '\n' if message.role == 'user' else '[|endofturn|]\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '[|assistant|]' }}
{%- endif %})jinja";

constexpr std::string_view kOpenChat = R"jinja({{- bos_token }}
{%- for message in messages %}
    {%- if message.role == 'system' %}
        {{- message.content + '<|end_of_turn|>' }}
    {%- else %}
        {{- 'GPT4 Correct ' + message.role | capitalize + ': ' + message.content }}
        {{- '<|end_of_turn|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- 'GPT4 Correct Assistant:' }}
{%- endif %})jinja";

constexpr std::string_view kSeed = R"jinja({%- for message in messages %}
    {{- bos_token + message.role + '\n' + message.content + eos_token }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- bos_token + 'assistant\n' }}
{%- endif %})jinja";

constexpr std::string_view kPlain = R"jinja({%- for message in messages %}
    {{- message.content }}
    {%- if not loop.last %}
        {{- '\n\n' }}
    {%- endif %}
{%- endfor %})jinja";

/// A family and the tokens that only its models have, all of them. The first that fits is taken.
struct Row {
    std::array<std::string_view, 2> tokens;
    FallbackTemplate fallback;
};

constexpr std::array kRows = {
    Row{{"<|im_start|>", "<|im_sep|>"}, {"Phi-4", kPhi4}},
    Row{{"<|im_start|>", "<|im_end|>"}, {"ChatML", kChatMl}},
    Row{{"<|start_header_id|>", "<|eot_id|>"}, {"Llama 3", kLlama3}},
    Row{{"<|header_start|>", "<|eot|>"}, {"Llama 4", kLlama4}},
    Row{{"<start_of_turn>", "<end_of_turn>"}, {"Gemma", kGemma}},
    Row{{"<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>"}, {"Command R", kCommandR}},
    Row{{"<｜User｜>", "<｜Assistant｜>"}, {"DeepSeek", kDeepSeek}},
    Row{{"<|channel|>", "<|message|>"}, {"gpt-oss", kGptOss}},
    Row{{"<|start_of_role|>", "<|end_of_role|>"}, {"Granite", kGranite}},
    Row{{"<seed:bos>", "<seed:eos>"}, {"Seed-OSS", kSeed}},
    Row{{"[|assistant|]", "[|endofturn|]"}, {"EXAONE", kExaone}},
    Row{{"<sop>", "<|user|>"}, {"GLM-4", kGlm4}},
    Row{{"<|user|>", "<|end|>"}, {"Phi-3", kPhi3}},
    Row{{"<|user|>", "<|assistant|>"}, {"Zephyr", kZephyr}},
    Row{{"<|end_of_turn|>", "<|end_of_turn|>"}, {"OpenChat", kOpenChat}},
    Row{{"[INST]", "[/INST]"}, {"Mistral", kMistral}},
};

constexpr FallbackTemplate kPlainFallback{"", kPlain};
constexpr FallbackTemplate kLlama2Fallback{"Llama 2", kLlama2};

/// Llama 2 has no tokens of its own; its chat models say so in their names.
bool isNamedLlama2Chat(const Metadata& metadata)
{
    std::string name = metadata.stringOr("general.name", "");
    std::ranges::transform(name, name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    });
    return name.find("llama") != std::string::npos && name.find('2') != std::string::npos &&
           name.find("chat") != std::string::npos &&
           metadata.stringOr("tokenizer.ggml.model", "") == "llama";
}

} // namespace

const FallbackTemplate& fallbackTemplateFor(const Metadata& metadata)
{
    const auto* vocabulary = metadata.strings("tokenizer.ggml.tokens");
    if (!vocabulary) return kPlainFallback;
    std::unordered_set<std::string_view> wanted;
    for (const Row& row : kRows)
        wanted.insert(row.tokens.begin(), row.tokens.end());
    std::unordered_set<std::string_view> found;
    for (const std::string& token : *vocabulary)
        if (wanted.contains(token)) found.insert(token);
    for (const Row& row : kRows)
        if (std::ranges::all_of(row.tokens, [&](auto token) { return found.contains(token); }))
            return row.fallback;
    return isNamedLlama2Chat(metadata) ? kLlama2Fallback : kPlainFallback;
}

} // namespace engine
