// Keys of families whose code came with their folders.

#include "engine/huggingface/family_keys.h"
#include "engine/huggingface/rope_keys.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace engine {

namespace {

using Sizes = std::vector<std::uint64_t>;

constexpr std::int64_t kMostSize = 1 << 30;

std::int64_t roundedUp(std::int64_t value, std::int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/// `factor` times the width, in whole numbers; what no model has becomes a bound.
std::int64_t scaledWidth(const ModelConfig& config, double factor)
{
    const double width = factor * static_cast<double>(config.embeddingLength());
    return static_cast<std::int64_t>(std::clamp(width, 0.0, static_cast<double>(kMostSize)));
}

/// As OpenELM's code rounds: to the nearest multiple, but not down by more than a tenth.
std::int64_t nearestMultiple(std::int64_t value, std::int64_t unit)
{
    const std::int64_t near = std::max(unit, (value + unit / 2) / unit * unit);
    return 10 * near < 9 * value ? near + unit : near;
}

} // namespace

Result<void> describeQwen1(const ModelConfig& config, KeyWriter& keys)
{
    // It was trained for less than the positions it could be stretched to.
    const auto positions = config.integer("max_position_embeddings");
    const auto trained = config.integer("seq_length");
    if (positions || trained)
        keys.integer("context_length",
                     std::min(positions.value_or(kMostSize), trained.value_or(kMostSize)));
    keys.number("attention.layer_norm_rms_epsilon",
                config.number("layer_norm_epsilon").value_or(1e-6));
    keys.integer("attention.key_length", config.integer("kv_channels"));
    keys.integer("attention.value_length", config.integer("kv_channels"));
    writeRotaryPart(config, keys, 1.0);
    return {};
}

Result<void> describeOpenElm(const ModelConfig& config, KeyWriter& keys)
{
    for (const auto& [name, key] : {std::pair{"num_query_heads", "attention.head_count"},
                                    std::pair{"num_kv_heads", "attention.head_count_kv"}}) {
        auto heads = wholeList(config[name]);
        if (!heads || heads->empty()) return unsupported(name, "expected a list of numbers");
        keys.set(key, std::move(*heads));
    }
    const auto factors = config["ffn_multipliers"].numbers();
    if (!factors) return unsupported("ffn_multipliers", "expected a list of numbers");
    const std::int64_t unit =
        std::clamp<std::int64_t>(config.integer("ffn_dim_divisor").value_or(256), 1, kMostSize);
    Sizes widths;
    for (const double factor : *factors)
        widths.push_back(
            static_cast<std::uint64_t>(nearestMultiple(scaledWidth(config, factor), unit)));
    keys.set("feed_forward_length", std::move(widths));
    keys.integer("context_length", config.integer("max_context_length"));
    keys.integer("rope.dimension_count", config.headLength());
    keys.number("rope.freq_base", config.number("rope_freq_constant"));
    keys.number("attention.layer_norm_rms_epsilon", 1e-6); // the family's, not in its configuration
    return {};
}

Result<void> describeDeci(const ModelConfig& config, KeyWriter& keys)
{
    constexpr std::int64_t kUnit = 256;
    if (auto heads = wholeList(config["num_key_value_heads_per_layer"]))
        keys.set("attention.head_count_kv", std::move(*heads));
    const auto* const blocks = config["block_configs"].array();
    if (!blocks) return describeLlama(config, keys);
    Sizes heads;
    Sizes headsKv;
    Sizes widths;
    const auto all = static_cast<std::uint64_t>(config.headCount());
    for (const nlohmann::json& block : *blocks) {
        const JsonView attention = JsonView(block)["attention"];
        const JsonView network = JsonView(block)["ffn"];
        const std::int64_t group = attention["n_heads_in_group"].integer().value_or(0);
        const bool linear = attention["replace_with_linear"].boolean().value_or(false);
        heads.push_back(group > 0 || linear ? all : 0);
        headsKv.push_back(group > 0 ? all / static_cast<std::uint64_t>(group) : 0);
        if (network["replace_with_linear"].boolean().value_or(false))
            return unsupported("block_configs", "a network that is one matrix is not read");
        const double factor = network["ffn_mult"].number().value_or(0);
        widths.push_back(
            static_cast<std::uint64_t>(roundedUp(scaledWidth(config, 2 * factor / 3), kUnit)));
    }
    keys.set("attention.head_count", std::move(heads));
    keys.set("attention.head_count_kv", std::move(headsKv));
    keys.set("feed_forward_length", std::move(widths));
    keys.integer("attention.key_length", config.headLength());
    keys.integer("attention.value_length", config.headLength());
    return describeLlama(config, keys);
}

Result<void> describeDbrx(const ModelConfig& config, KeyWriter& keys)
{
    const JsonView attention = config["attn_config"];
    const JsonView network = config["ffn_config"];
    // The sum of the weights' absolute values is brought to 1.
    if (network["moe_normalize_expert_weights"].number().value_or(1) != 1)
        return unsupported("ffn_config", "expected moe_normalize_expert_weights 1");
    keys.integer("attention.head_count_kv", attention["kv_n_heads"].integer().value_or(1));
    keys.number("rope.freq_base", attention["rope_theta"].number());
    keys.number("attention.clamp_kqv", attention["clip_qkv"].number());
    keys.number("attention.layer_norm_epsilon", 1e-5); // the family's, not in its configuration
    keys.integer("feed_forward_length", network["ffn_hidden_size"].integer());
    keys.integer("expert_feed_forward_length", network["ffn_hidden_size"].integer());
    keys.integer("expert_count", config.expertCount());
    keys.integer("expert_used_count", network["moe_top_k"].integer());
    return {};
}

Result<void> describeChameleon(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("swin_norm", config.booleanOr("swin_norm", false));
    return describeLlama(config, keys);
}

Result<void> describeRefact(const ModelConfig& config, KeyWriter& keys)
{
    constexpr std::int64_t kUnit = 256;
    keys.integer("feed_forward_length", roundedUp(8 * config.embeddingLength() / 3, kUnit));
    keys.integer("attention.head_count_kv", 1);
    keys.number("attention.layer_norm_rms_epsilon",
                config.number("layer_norm_epsilon").value_or(1e-5));
    return {};
}

Result<void> describePlamo(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer("context_length", config.integer("max_position_embeddings").value_or(4096));
    const std::int64_t shared = config.integer("n_shared_head").value_or(1);
    if (shared < 1 || config.headCount() % shared != 0)
        return unsupported("n_shared_head", "expected a divisor of num_attention_heads");
    keys.integer("attention.head_count_kv", config.headCount() / shared);
    return {};
}

Result<void> describePlamo3(const ModelConfig& config, KeyWriter& keys)
{
    const std::int64_t period = config.integer("sliding_window_pattern").value_or(8);
    if (period < 1) return unsupported("sliding_window_pattern", "expected at least 1");
    std::vector<bool> windowed(static_cast<std::size_t>(config.layerCount()));
    for (std::size_t i = 0; i < windowed.size(); ++i)
        windowed[i] = (static_cast<std::int64_t>(i) + 1) % period != 0;
    keys.integer("attention.sliding_window",
                 config.integer({"window_size", "sliding_window"}).value_or(2048));
    keys.set("attention.sliding_window_pattern", std::move(windowed));
    keys.number("rope.freq_base_swa", config.number("rope_local_theta"));
    return {};
}

Result<void> describeKimiLinear(const ModelConfig& config, KeyWriter& keys)
{
    TRY(describeDeepSeek2(config, keys));
    const JsonView linear = config["linear_attn_config"];
    if (!config.booleanOr("mla_use_nope", false))
        return unsupported("mla_use_nope", "expected true");
    if (linear["num_heads"].integer() != config.headCount())
        return unsupported("linear_attn_config",
                           std::format("expected num_heads {}", config.headCount()));
    Sizes headsKv(static_cast<std::size_t>(config.layerCount()), 0);
    // Layers are counted from 1.
    for (const std::uint64_t layer : wholeList(linear["full_attn_layers"]).value_or(Sizes{}))
        if (layer >= 1 && layer <= headsKv.size()) headsKv[layer - 1] = 1;
    keys.set("attention.head_count_kv", std::move(headsKv));
    keys.integer("kda.head_dim", linear["head_dim"].integer());
    keys.integer("ssm.conv_kernel", linear["short_conv_kernel_size"].integer().value_or(4));
    keys.integer("expert_shared_count", config.integer("num_shared_experts"));
    keys.integer("expert_group_count", config.integer("num_expert_group"));
    keys.set("expert_weights_norm", config.booleanOr("moe_renormalize", true));
    return {};
}

} // namespace engine
