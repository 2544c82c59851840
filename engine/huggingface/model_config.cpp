#include "engine/huggingface/model_config.h"

#include "engine/huggingface/model_folder.h"

#include <algorithm>
#include <format>

namespace engine {

namespace {

constexpr std::string_view kConfigFile = "config.json";
constexpr std::uint64_t kMostConfigBytes = 16U << 20U;
constexpr std::int64_t kMostInteger = std::int64_t{1} << 40U;

// Classes of the text parts that say their type alone.
struct TextRow {
    std::string_view type;
    std::string_view huggingFace;
};

constexpr TextRow kTexts[] = {
    {"cohere", "CohereForCausalLM"},
    {"cohere2", "Cohere2ForCausalLM"},
    {"deepseek_v2", "DeepseekV2ForCausalLM"},
    {"deepseek_v3", "DeepseekV3ForCausalLM"},
    {"ernie4_5", "Ernie4_5ForCausalLM"},
    {"exaone4", "Exaone4ForCausalLM"},
    {"gemma3_text", "Gemma3ForCausalLM"},
    {"gpt_oss", "GptOssForCausalLM"},
    {"granite", "GraniteForCausalLM"},
    {"granitemoehybrid", "GraniteMoeHybridForCausalLM"},
    {"internlm2", "InternLM2ForCausalLM"},
    {"lfm2", "Lfm2ForCausalLM"},
    {"llama", "LlamaForCausalLM"},
    {"ministral3", "Ministral3ForCausalLM"},
    {"mistral", "MistralForCausalLM"},
    {"mixtral", "MixtralForCausalLM"},
    {"olmo2", "Olmo2ForCausalLM"},
    {"phi", "PhiForCausalLM"},
    {"phi3", "Phi3ForCausalLM"},
    {"qwen2", "Qwen2ForCausalLM"},
    {"qwen2_moe", "Qwen2MoeForCausalLM"},
    {"qwen3", "Qwen3ForCausalLM"},
    {"qwen3_moe", "Qwen3MoeForCausalLM"},
    {"smollm3", "SmolLM3ForCausalLM"},
    {"stablelm", "StableLmForCausalLM"},
};

std::string classOf(const JsonView& config)
{
    const auto* names = config["architectures"].array();
    return names && !names->empty() ? JsonView(names->front()).stringOr("") : std::string{};
}

std::string textClassOf(const JsonView& text)
{
    if (std::string name = classOf(text); !name.empty()) return name;
    const auto* const row =
        std::ranges::find(kTexts, text["model_type"].stringOr(""), &TextRow::type);
    return row == std::end(kTexts) ? std::string{} : std::string(row->huggingFace);
}

} // namespace

Result<ModelConfig> ModelConfig::read(const std::filesystem::path& folder)
{
    auto json = readJsonFile(folder / kConfigFile, kMostConfigBytes);
    if (!json && json.error().code == ErrorCode::FileNotFound) return noModelIn(folder);
    if (!json) return std::unexpected(std::move(json).error());
    if (!json->is_object())
        return fail(ErrorCode::FileCorrupt, std::format("{}: expected an object", kConfigFile),
                    std::string(kConfigFile));
    return fromJson(std::move(*json));
}

ModelConfig ModelConfig::fromJson(nlohmann::json json)
{
    ModelConfig config;
    for (const char* part : {"text_config", "llm_config", "language_config"}) {
        const auto text = json.find(part);
        if (text == json.end() || !text->is_object()) continue;
        // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): json grows below
        const nlohmann::json inner = *text;
        config.m_textArchitecture = textClassOf(JsonView(inner));
        for (const auto& [name, value] : inner.items()) {
            const bool says = !value.is_null() || !json.contains(name);
            // What the whole model says of its head holds for its text.
            const bool isOfWhole =
                name == "architectures" || (name == "tie_word_embeddings" && json.contains(name));
            if (says && !isOfWhole) json[name] = value;
        }
    }
    config.m_json = std::move(json);
    return config;
}

std::string ModelConfig::architecture() const
{
    return classOf(JsonView(m_json));
}

JsonView ModelConfig::any(std::initializer_list<std::string_view> names) const
{
    if (const JsonView value = JsonView(m_json).any(names)) return value;
    const bool said =
        std::ranges::any_of(names, [this](std::string_view name) { return m_json.contains(name); });
    return said ? JsonView() : JsonView(m_defaults).any(names);
}

std::optional<std::int64_t>
ModelConfig::integer(std::initializer_list<std::string_view> names) const
{
    const auto integer = any(names).integer();
    return integer && *integer >= 0 && *integer <= kMostInteger ? integer : std::nullopt;
}

std::optional<double> ModelConfig::number(std::initializer_list<std::string_view> names) const
{
    return any(names).number();
}

bool ModelConfig::booleanOr(std::string_view name, bool fallback) const
{
    return any({name}).boolean().value_or(fallback);
}

Result<std::int64_t> ModelConfig::required(std::initializer_list<std::string_view> names) const
{
    if (const auto value = integer(names)) return *value;
    const std::string name(*names.begin());
    return fail(has(name) ? ErrorCode::BadMetadata : ErrorCode::MissingMetadata,
                std::format("{}: expected {}, a number of 0 to 2^40", kConfigFile, name), name);
}

std::int64_t ModelConfig::layerCount() const
{
    if (const auto count = integer(
            {"num_hidden_layers", "n_layers", "n_layer", "num_layers", "num_transformer_layers"}))
        return *count;
    // Folders that list their layers need not count them.
    const auto* const list = any({"layers_block_type"}).array();
    return list ? std::ssize(*list) : 0;
}

std::int64_t ModelConfig::headCount() const
{
    return integer({"num_attention_heads", "n_head", "n_heads"}).value_or(0);
}

std::int64_t ModelConfig::headCountKv() const
{
    // Falcon's first layout and StarCoder's: one for all heads, whatever their files count.
    if (booleanOr("multi_query", false) && !booleanOr("new_decoder_architecture", false)) return 1;
    return integer({"num_key_value_heads", "n_kv_heads", "num_kv_heads", "n_head_kv"})
        .value_or(headCount());
}

std::int64_t ModelConfig::embeddingLength() const
{
    return integer({"hidden_size", "n_embd", "d_model", "dim", "model_dim"}).value_or(0);
}

std::int64_t ModelConfig::headLength() const
{
    const std::int64_t heads = headCount();
    return integer("head_dim").value_or(heads > 0 ? embeddingLength() / heads : 0);
}

std::int64_t ModelConfig::expertCount() const
{
    return integer({"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts",
                    "moe_num_primary_experts"})
        .or_else([this] { return (*this)["ffn_config"]["moe_num_experts"].integer(); })
        .value_or(0);
}

double ModelConfig::partialRotaryFactor(double fallback) const
{
    if (const auto factor = rope().global["partial_rotary_factor"].number()) return *factor;
    return number({"partial_rotary_factor", "rope_pct", "rope_percent", "rotary_pct"})
        .value_or(fallback);
}

RopeConfig ModelConfig::rope() const
{
    const JsonView all = any({"rope_parameters", "rope_scaling"});
    RopeConfig rope{.global = all, .sliding = {}, .type = {}};
    if (const JsonView full = all["full_attention"]) rope.global = full;
    rope.sliding = all["sliding_attention"];
    rope.type = rope.global.any({"rope_type", "type"}).stringOr("");
    if (rope.type == "default") rope.type.clear();
    return rope;
}

} // namespace engine
