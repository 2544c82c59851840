// Keys of families some of whose mixers are no attention.

#include "engine/huggingface/family_keys.h"
#include "engine/huggingface/rope_keys.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace engine {

namespace {

using Names = std::initializer_list<std::string_view>;

constexpr std::int64_t kNoLimit = std::int64_t{1} << 20U; // of a context without attention

/// `value` in the layers that `wanted` takes, by number and by the name in the list of layers.
template <typename Wanted>
std::vector<std::uint64_t> inLayers(const ModelConfig& config, const JsonView& list,
                                    std::int64_t value, Wanted wanted)
{
    std::vector<std::uint64_t> values(static_cast<std::size_t>(config.layerCount()), 0);
    const auto* const types = list.array();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string type =
            types && i < types->size() ? JsonView((*types)[i]).stringOr("") : std::string();
        if (wanted(i, type)) values[i] = static_cast<std::uint64_t>(value);
    }
    return values;
}

/// Of two sizes, each held to what a model can have.
std::int64_t times(std::int64_t a, std::int64_t b)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 20U;
    return std::min(a, kMost) * std::min(b, kMost);
}

/// How often and where in each period a layer has attention.
bool isInPeriod(const ModelConfig& config, std::size_t layer)
{
    const std::int64_t period = config.integer("attn_layer_period").value_or(8);
    const std::int64_t offset = config.integer("attn_layer_offset").value_or(4);
    return period > 0 && static_cast<std::int64_t>(layer) % period == offset;
}

/// A state space's sizes, where all of a family's names begin with "mamba_".
Result<void> writeMamba2(const ModelConfig& config, KeyWriter& keys)
{
    TRY_ASSIGN(const std::int64_t heads, config.required({"mamba_n_heads"}));
    const std::int64_t expanded =
        times(config.integer("mamba_expand").value_or(2), config.embeddingLength());
    keys.integer("ssm.conv_kernel", config.integer("mamba_d_conv").value_or(4));
    keys.integer("ssm.inner_size", config.integer("mamba_d_ssm").value_or(expanded));
    keys.integer("ssm.state_size", config.integer("mamba_d_state").value_or(256));
    keys.integer("ssm.group_count", config.integer("mamba_n_groups").value_or(1));
    keys.integer("ssm.time_step_rank", heads);
    return {};
}

void writeDeltaNet(const ModelConfig& config, KeyWriter& keys, std::int64_t valueHeads,
                   std::int64_t valueLength)
{
    keys.integer("ssm.conv_kernel", config.integer("linear_conv_kernel_dim").value_or(4));
    keys.integer("ssm.state_size", config.integer("linear_key_head_dim"));
    keys.integer("ssm.group_count", config.integer("linear_num_key_heads"));
    keys.integer("ssm.time_step_rank", valueHeads);
    keys.integer("ssm.inner_size", times(valueHeads, valueLength));
    keys.integer("full_attention_interval", config.integer("full_attention_interval"));
    if (config["layer_types"])
        keys.set("attention.recurrent_layers",
                 inLayers(config, config["layer_types"], 1, [](std::size_t, std::string_view type) {
                     return type == "linear_attention";
                 }));
}

} // namespace

Result<void> describeMamba(const ModelConfig& config, KeyWriter& keys)
{
    const std::int64_t width = config.embeddingLength();
    keys.integer("context_length", kNoLimit);
    keys.integer("feed_forward_length", 0);
    keys.integer("attention.head_count", 0);
    keys.integer("ssm.conv_kernel", config.integer({"conv_kernel", "d_conv"}).value_or(4));
    keys.integer("ssm.inner_size",
                 config.integer({"intermediate_size", "d_inner"}).value_or(2 * width));
    keys.integer("ssm.state_size", config.integer({"state_size", "d_state"}).value_or(16));
    keys.integer("ssm.time_step_rank",
                 config.integer({"time_step_rank", "dt_rank"}).value_or((width + 15) / 16));
    keys.number("attention.layer_norm_rms_epsilon",
                config.number({"layer_norm_epsilon", "rms_norm_eps"}).value_or(1e-5));
    return {};
}

Result<void> describeFalconMamba(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("ssm.dt_b_c_rms", true);
    return describeMamba(config, keys);
}

Result<void> describeMamba2(const ModelConfig& config, KeyWriter& keys)
{
    const std::int64_t inner =
        times(config.integer("expand").value_or(2), config.embeddingLength());
    const std::int64_t length = std::max<std::int64_t>(1, config.integer("head_dim").value_or(64));
    TRY(describeMamba(config, keys));
    keys.integer("ssm.inner_size", inner);
    keys.integer("ssm.state_size", config.integer({"state_size", "d_state"}).value_or(128));
    keys.integer("ssm.group_count", config.integer("n_groups").value_or(1));
    keys.integer("ssm.time_step_rank", config.integer("num_heads").value_or(inner / length));
    return {};
}

Result<void> describeGraniteHybrid(const ModelConfig& config, KeyWriter& keys)
{
    TRY(describeGraniteMoe(config, keys));
    TRY(writeMamba2(config, keys));
    keys.set("attention.head_count_kv",
             inLayers(config, config["layer_types"], config.headCountKv(),
                      [](std::size_t, std::string_view type) { return type == "attention"; }));
    keys.set("rope.scaling.finetuned",
             config["position_embedding_type"].stringOr("nope") == "rope");
    if (config.expertCount() == 0)
        keys.integer("feed_forward_length", config.integer("shared_intermediate_size"));
    return {};
}

Result<void> describeBamba(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 1.0);
    TRY(writeMamba2(config, keys));
    const auto places = config["attn_layer_indices"].numbers();
    keys.set("attention.head_count_kv",
             inLayers(config, {}, config.headCountKv(), [&](std::size_t layer, std::string_view) {
                 return places && std::ranges::contains(*places, static_cast<double>(layer));
             }));
    keys.set("rope.scaling.finetuned", true);
    return {};
}

Result<void> describeJamba(const ModelConfig& config, KeyWriter& keys)
{
    const std::int64_t width = config.embeddingLength();
    const JsonView list = config.any({"layers_block_type"});
    keys.set("attention.head_count_kv", inLayers(config, list, config.headCountKv(),
                                                 [&](std::size_t layer, std::string_view type) {
                                                     return type.empty() ? isInPeriod(config, layer)
                                                                         : type == "attention";
                                                 }));
    keys.integer("ssm.conv_kernel", config.integer("mamba_d_conv").value_or(4));
    keys.integer("ssm.inner_size", times(config.integer("mamba_expand").value_or(2), width));
    keys.integer("ssm.state_size", config.integer("mamba_d_state").value_or(16));
    keys.integer("ssm.time_step_rank", config.integer("mamba_dt_rank").value_or((width + 15) / 16));
    return {};
}

Result<void> describeFalconH1(const ModelConfig& config, KeyWriter& keys)
{
    if (config.booleanOr("mamba_rms_norm", false) &&
        config.booleanOr("mamba_norm_before_gate", true))
        return unsupported("mamba_norm_before_gate", "expected false, found true");
    return writeMamba2(config, keys);
}

Result<void> describeNemotronH(const ModelConfig& config, KeyWriter& keys)
{
    const std::string letters = config["hybrid_override_pattern"].stringOr("");
    const JsonView list = config.any({"layers_block_type", "layer_types"});
    const auto inPattern = [&](std::int64_t value, Names names, std::string_view wanted) {
        return inLayers(config, list, value, [&](std::size_t layer, std::string_view type) {
            if (!type.empty()) return std::ranges::contains(names, type);
            return layer < letters.size() && wanted.contains(letters[layer]);
        });
    };
    const bool experts = config.expertCount() > 0;
    keys.set("attention.head_count_kv", inPattern(config.headCountKv(), {"attention"}, "*"));
    const auto width =
        config.integer(experts ? "moe_intermediate_size" : "intermediate_size").value_or(0);
    keys.set("feed_forward_length", inPattern(width, {"mlp", "moe"}, "-E"));
    keys.integer("attention.key_length", config.integer({"head_dim", "attention_head_dim"}));
    keys.integer("attention.value_length", config.integer({"head_dim", "attention_head_dim"}));
    TRY_ASSIGN(const std::int64_t heads, config.required({"mamba_num_heads"}));
    keys.integer("ssm.conv_kernel", config.integer("conv_kernel").value_or(4));
    keys.integer("ssm.state_size", config.integer("ssm_state_size").value_or(128));
    keys.integer("ssm.group_count", config.integer("n_groups").value_or(8));
    keys.integer("ssm.time_step_rank", heads);
    keys.integer("ssm.inner_size", times(heads, config.integer("mamba_head_dim").value_or(64)));
    keys.number("attention.layer_norm_rms_epsilon",
                config.number({"layer_norm_epsilon", "rms_norm_eps", "norm_eps"}).value_or(1e-5));
    keys.integer("moe_latent_size", config.integer("moe_latent_size"));
    keys.integer("expert_shared_feed_forward_length",
                 config.integer("moe_shared_expert_intermediate_size"));
    keys.number("expert_weights_scale", config.number("routed_scaling_factor"));
    return {};
}

Result<void> describeQwen3Next(const ModelConfig& config, KeyWriter& keys)
{
    TRY_ASSIGN(const std::int64_t heads, config.required({"linear_num_value_heads"}));
    TRY_ASSIGN(const std::int64_t length, config.required({"linear_value_head_dim"}));
    writeRotaryPart(config, keys, 0.25);
    writeDeltaNet(config, keys, heads, length);
    return {};
}

Result<void> describeQwen35(const ModelConfig& config, KeyWriter& keys)
{
    const std::vector<double> given =
        config.rope().global["mrope_section"].numbers().value_or(std::vector<double>{11, 11, 10});
    std::vector<std::uint64_t> sections;
    sections.reserve(given.size());
    for (const double length : given)
        sections.push_back(static_cast<std::uint64_t>(std::clamp(length, 0.0, 65536.0)));
    sections.resize(4, 0);
    keys.set("rope.dimension_sections", std::move(sections));
    return describeQwen3Next(config, keys);
}

Result<void> describeLfm2Moe(const ModelConfig& config, KeyWriter& keys)
{
    TRY(describeLfm2(config, keys));
    keys.integer("feed_forward_length", config.integer("intermediate_size"));
    keys.integer("leading_dense_block_count", config.integer("num_dense_layers"));
    keys.number("expert_weights_scale", config.number("routed_scaling_factor"));
    return {};
}

Result<void> describePlamo2(const ModelConfig& config, KeyWriter& keys)
{
    if (!config.booleanOr("mamba_enabled", true))
        return unsupported("mamba_enabled", "expected true, found false");
    const std::int64_t step = config.integer("mamba_step").value_or(2);
    if (step < 1) return unsupported("mamba_step", "expected at least 1");
    const std::int64_t layers = config.layerCount();
    const std::int64_t length = config.integer("hidden_size_per_head").value_or(128);
    const auto attends = [&](std::size_t layer, std::string_view) {
        const auto at = static_cast<std::int64_t>(layer);
        return layers <= step / 2 ? at == layers - 1 : at % step == step / 2;
    };
    keys.set("attention.head_count",
             inLayers(config, {}, config.integer("num_attention_heads").value_or(32), attends));
    keys.set("attention.head_count_kv",
             inLayers(config, {}, config.integer("num_key_value_heads").value_or(4), attends));
    keys.integer("attention.key_length", length);
    keys.integer("attention.value_length", length);
    const std::int64_t mambaHeads = config.integer("mamba_num_heads").value_or(64);
    keys.integer("ssm.state_size", config.integer("mamba_d_state").value_or(64));
    keys.integer("ssm.conv_kernel", config.integer("mamba_d_conv").value_or(4));
    keys.integer("ssm.time_step_rank", mambaHeads);
    keys.integer("ssm.inner_size", times(mambaHeads, length));
    keys.number("attention.layer_norm_rms_epsilon", config.number("rms_norm_eps").value_or(1e-6));
    return {};
}

Result<void> describeRwkv7(const ModelConfig& config, KeyWriter& keys)
{
    // How wide the first of a low-rank matrix's two parts is, where the configuration does not say.
    struct Rank {
        std::string_view key;
        std::string_view name;
        double exponent;
        double factor;
    };
    constexpr Rank kRanks[] = {
        {"attention.decay_lora_rank", "decay_low_rank_dim", 0.5, 1.8},
        {"attention.iclr_lora_rank", "a_low_rank_dim", 0.5, 1.8},
        {"attention.value_residual_mix_lora_rank", "v_low_rank_dim", 0.5, 1.3},
        {"attention.gate_lora_rank", "gate_low_rank_dim", 0.8, 0.6},
    };
    constexpr double kUnit = 32;
    const auto width = static_cast<double>(config.embeddingLength());
    for (const Rank& rank : kRanks) {
        const double guess = std::round(std::pow(width, rank.exponent) * rank.factor / kUnit);
        keys.integer(rank.key, config.integer(rank.name).value_or(
                                   static_cast<std::int64_t>(std::max(1.0, guess) * kUnit)));
    }
    keys.integer("context_length", kNoLimit);
    keys.integer("wkv.head_size", config.integer("head_dim").value_or(64));
    keys.integer("feed_forward_length",
                 config.integer("intermediate_size").value_or(4 * config.embeddingLength()));
    keys.integer("attention.head_count", 0);
    keys.number("attention.layer_norm_epsilon", config.number("norm_eps").value_or(1e-5));
    return {};
}

} // namespace engine
