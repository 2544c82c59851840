// Keys of families with attention that came after most.

#include "engine/huggingface/family_keys.h"
#include "engine/huggingface/rope_keys.h"
#include "engine/huggingface/window_keys.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace engine {

namespace {

/// One value for the layers with a window, and one for the others; where the layers are not listed,
/// every `period`-th is one of the others.
std::vector<std::uint64_t> byWindow(const ModelConfig& config, std::int64_t windowed,
                                    std::int64_t others, std::size_t period)
{
    std::vector<std::uint64_t> values(static_cast<std::size_t>(config.layerCount()));
    const auto* const types = config["layer_types"].array();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool hasWindow =
            types ? i < types->size() && JsonView((*types)[i]).stringOr("") == "sliding_attention"
                  : (i + 1) % period != 0;
        values[i] = static_cast<std::uint64_t>(hasWindow ? windowed : others);
    }
    return values;
}

/// Of families whose layers have windows only where they are listed.
void writeListedWindows(const ModelConfig& config, KeyWriter& keys)
{
    if (config["layer_types"])
        writeWindows(config, keys);
    else
        keys.integer("attention.sliding_window", 0);
}

void writeSharedExperts(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer("leading_dense_block_count",
                 config.integer({"first_k_dense_replace", "num_dense_layers"}));
    keys.integer("expert_shared_count", config.integer({"num_shared_experts", "n_shared_experts"}));
    keys.number("expert_weights_scale",
                config.number({"routed_scaling_factor", "route_scale", "router_scaling_factor",
                               "moe_routed_scaling_factor"}));
}

} // namespace

Result<void> describeMistral4(const ModelConfig& config, KeyWriter& keys)
{
    keys.number("attention.temperature_scale",
                config.rope().global["llama_4_scaling_beta"].number());
    TRY(describeDeepSeek2(config, keys));
    // Unlike DeepSeek's, its scores are not magnified where the context is stretched.
    keys.number("rope.scaling.yarn_log_multiplier", 0.0);
    return {};
}

Result<void> describeApertus(const ModelConfig& config, KeyWriter& keys)
{
    struct Start {
        const char* key;
        double value;
    };
    // Each layer's own are tensors.
    for (const Start& start : {Start{"xielu.alpha_n", 0}, Start{"xielu.alpha_p", 0},
                               Start{"xielu.beta", 0.5}, Start{"xielu.eps", -1e-6}})
        keys.metadata().set(
            start.key,
            std::vector<double>(static_cast<std::size_t>(config.layerCount()), start.value));
    return describeLlama(config, keys);
}

Result<void> describeLlama4(const ModelConfig& config, KeyWriter& keys)
{
    constexpr std::int64_t kChunk = 8192;
    constexpr std::int64_t kExpertsWithoutNorm = 128;
    const std::int64_t chunk = config.integer("attention_chunk_size").value_or(kChunk);
    if (chunk != kChunk)
        return unsupported("attention_chunk_size",
                           std::format("expected {}, found {}", kChunk, chunk));
    const bool norm = config.booleanOr("use_qk_norm", true);
    if (norm != (config.expertCount() != kExpertsWithoutNorm))
        return unsupported("use_qk_norm",
                           norm ? "expected false, found true" : "expected true, found false");
    if (auto pattern = wholeList(config["no_rope_layers"]); pattern && !pattern->empty())
        keys.set("attention.rope_pattern", std::move(*pattern));
    const bool tuned = config.booleanOr("attn_temperature_tuning", true);
    keys.number("attention.temperature_scale",
                tuned ? config.number("attn_scale").value_or(0.1) : 0.0);
    keys.integer("attention.temperature_length", config.integer("floor_scale"));
    keys.integer("interleave_moe_layer_step", config.integer("interleave_moe_layer_step"));
    keys.integer("expert_feed_forward_length", config.integer("intermediate_size"));
    keys.integer("feed_forward_length", config.integer("intermediate_size_mlp"));
    return describeLlama(config, keys);
}

Result<void> describeGemma3n(const ModelConfig& config, KeyWriter& keys)
{
    // GGUF's reader of the family knows both numbers by itself.
    constexpr std::int64_t kSparse = 10;
    constexpr std::int64_t kOwn = 20;
    const std::int64_t layers = config.layerCount();
    const std::int64_t own = layers - config.integer("num_kv_shared_layers").value_or(0);
    if (own != std::min(layers, kOwn))
        return unsupported(
            "num_kv_shared_layers",
            std::format("expected {}, found {}", layers - std::min(layers, kOwn), layers - own));
    const auto sparsity = config["activation_sparsity_pattern"].numbers();
    for (std::int64_t i = 0; sparsity && i < std::min(layers, std::ssize(*sparsity)); ++i) {
        const double expected = i < kSparse ? 0.95 : 0;
        if (std::abs((*sparsity)[static_cast<std::size_t>(i)] - expected) > 1e-6)
            return unsupported("activation_sparsity_pattern",
                               std::format("expected {} for layer {}", expected, i));
    }
    if (auto list = wholeList(config["intermediate_size"]); list && !list->empty())
        keys.set("feed_forward_length", std::move(*list));
    keys.integer("embedding_length_per_layer_input", config.integer("hidden_size_per_layer_input"));
    return describeGemma3(config, keys);
}

Result<void> describeGemma4(const ModelConfig& config, KeyWriter& keys)
{
    TRY(describeGemma3(config, keys));
    const std::int64_t layers = config.layerCount();
    const std::int64_t shared =
        std::min(layers, config.integer("num_kv_shared_layers").value_or(0));
    keys.integer("attention.shared_kv_layers", shared);
    if (const auto length = config.integer("hidden_size_per_layer_input"); length.value_or(0) > 0)
        keys.integer("embedding_length_per_layer_input", *length);
    const std::int64_t length = config.headLength();
    const std::int64_t global = config.integer("global_head_dim").value_or(length);
    keys.integer("attention.key_length", global);
    keys.integer("attention.value_length", global);
    keys.integer("attention.key_length_swa", length);
    keys.integer("attention.value_length_swa", length);
    keys.integer("rope.dimension_count", global);
    keys.integer("rope.dimension_count_swa", length);
    keys.set("attention.head_count_kv",
             byWindow(config, config.headCountKv(),
                      config.integer("num_global_key_value_heads").value_or(config.headCountKv()),
                      6));
    const std::int64_t width = config.integer("intermediate_size").value_or(0);
    std::vector<std::uint64_t> widths(static_cast<std::size_t>(layers),
                                      static_cast<std::uint64_t>(width));
    if (config.booleanOr("use_double_wide_mlp", false))
        std::fill(widths.end() - shared, widths.end(), static_cast<std::uint64_t>(2 * width));
    keys.set("feed_forward_length", std::move(widths));
    keys.integer("expert_used_count", config.integer("top_k_experts"));
    return {};
}

Result<void> describeGemmaEmbedding(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("attention.causal", false);
    return describeGemma3(config, keys);
}

Result<void> describeModernBert(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("attention.causal", false);
    keys.number("attention.layer_norm_epsilon", config.number("norm_eps").value_or(1e-5));
    keys.set("hidden_activation", config["hidden_activation"].stringOr("gelu"));
    const std::int64_t every = config.integer("global_attn_every_n_layers").value_or(3);
    std::vector<bool> windowed(static_cast<std::size_t>(config.layerCount()));
    const auto* const types = config["layer_types"].array();
    for (std::size_t i = 0; i < windowed.size(); ++i)
        windowed[i] = types && i < types->size()
                          ? JsonView((*types)[i]).stringOr("") == "sliding_attention"
                          : every > 0 && static_cast<std::int64_t>(i) % every != 0;
    keys.integer("attention.sliding_window", config.integer("local_attention").value_or(128));
    keys.set("attention.sliding_window_pattern", std::move(windowed));
    return {};
}

Result<void> describeJinaBertV2(const ModelConfig& config, KeyWriter& keys)
{
    keys.number("attention.max_alibi_bias", 8.0);
    return describeBert(config, keys);
}

Result<void> describeAfmoe(const ModelConfig& config, KeyWriter& keys)
{
    if (!config.booleanOr("mup_enabled", false)) keys.number("embedding_scale", 1.0);
    keys.set("expert_weights_norm", config.booleanOr("route_norm", true));
    writeSharedExperts(config, keys);
    writeWindows(config, keys);
    return {};
}

Result<void> describeExaoneMoe(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("expert_weights_norm", config.booleanOr("norm_topk_prob", true));
    writeSharedExperts(config, keys);
    writeWindows(config, keys);
    return {};
}

Result<void> describeLaguna(const ModelConfig& config, KeyWriter& keys)
{
    if (config.number("moe_router_logit_softcapping").value_or(0) != 0)
        return unsupported("moe_router_logit_softcapping", "expected 0");
    keys.set("expert_gating_func", std::uint64_t{2}); // a sigmoid
    keys.set("expert_weights_norm", true);
    writeSharedExperts(config, keys);
    writeListedWindows(config, keys);
    writeRotaryPart(config, keys, 1.0);
    if (const auto part = config.rope().sliding["partial_rotary_factor"].number())
        keys.integer("rope.dimension_count_swa",
                     static_cast<std::int64_t>(std::clamp(*part, 0.0, 1.0) *
                                               static_cast<double>(config.headLength())));
    if (auto heads = wholeList(config["num_attention_heads_per_layer"]); heads && !heads->empty())
        keys.set("attention.head_count", std::move(*heads));
    return {};
}

Result<void> describeMellum(const ModelConfig& config, KeyWriter& keys)
{
    writeListedWindows(config, keys);
    return {};
}

Result<void> describeHunyuan3(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("expert_gating_func", std::uint64_t{2}); // a sigmoid
    keys.set("expert_weights_norm", config.booleanOr("route_norm", true));
    writeSharedExperts(config, keys);
    return {};
}

Result<void> describeMiniMaxM2(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 1.0);
    if (!config.rope().global["partial_rotary_factor"])
        keys.integer("rope.dimension_count", config.integer("rotary_dim"));
    keys.integer("expert_feed_forward_length", config.integer("intermediate_size"));
    keys.set("expert_gating_func", std::uint64_t{2}); // a sigmoid
    return {};
}

Result<void> describeCohere2Moe(const ModelConfig& config, KeyWriter& keys)
{
    if (config["shared_expert_combination_strategy"].stringOr("average") != "average" &&
        config.integer("num_shared_experts").value_or(0) > 0)
        return unsupported("shared_expert_combination_strategy", "expected average");
    const bool sigmoid = config["expert_selection_fn"].stringOr("sigmoid") == "sigmoid";
    keys.set("expert_gating_func", std::uint64_t{sigmoid ? 2U : 1U});
    keys.integer("expert_feed_forward_length", config.integer("intermediate_size"));
    const std::int64_t width = config.integer("intermediate_size").value_or(0);
    keys.integer("feed_forward_length",
                 config.integer("prefix_dense_intermediate_size").value_or(width));
    std::int64_t leading = config.integer("first_k_dense_replace").value_or(0);
    if (const auto* const types = config["mlp_layer_types"].array()) {
        const auto isDense = [](const nlohmann::json& type) {
            return JsonView(type).stringOr("") == "dense";
        };
        leading = std::ranges::find_if_not(*types, isDense) - types->begin();
    }
    // Dense layers at the beginning rotate in any case where none of them has a window.
    const bool rotates = config.integer("prefix_dense_sliding_window_pattern").value_or(1) == 1;
    keys.integer("leading_dense_block_count", rotates ? leading : 0);
    return describeCohere2(config, keys);
}

Result<void> describeMiniCpm3(const ModelConfig& config, KeyWriter& keys)
{
    TRY(describeMiniCpm(config, keys));
    return describeDeepSeek2(config, keys);
}

Result<void> describeDeepSeek(const ModelConfig& config, KeyWriter& keys)
{
    TRY(describeSharedExperts(config, keys));
    return describeLlama(config, keys);
}

Result<void> describeBailingMoe(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("expert_weights_norm", config.booleanOr("norm_topk_prob", false));
    writeSharedExperts(config, keys);
    return describeLlama(config, keys);
}

Result<void> describeBailingMoe2(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("expert_weights_norm", config.booleanOr("norm_topk_prob", false));
    writeSharedExperts(config, keys);
    writeRotaryPart(config, keys, 0.5);
    return {};
}

Result<void> describeChatGlm(const ModelConfig& config, KeyWriter& keys)
{
    const std::int64_t heads = config.headCount();
    const std::int64_t width = config.embeddingLength();
    const std::int64_t length =
        config.integer("kv_channels").value_or(heads > 0 ? width / heads : 0);
    const bool grouped = config.booleanOr("multi_query_attention", false);
    keys.integer("context_length", config.integer("seq_length").value_or(width));
    keys.integer("feed_forward_length", config.integer("ffn_hidden_size").value_or(4 * width));
    keys.integer("attention.head_count_kv",
                 grouped ? config.integer("multi_query_group_num").value_or(heads) : heads);
    keys.integer("attention.key_length", length);
    keys.integer("attention.value_length", length);
    keys.number("attention.layer_norm_rms_epsilon",
                config.number("layernorm_epsilon").value_or(1e-5));
    keys.integer("rope.dimension_count", length / 2);
    keys.number("rope.freq_base", 10000.0 * config.number("rope_ratio").value_or(1));
    return {};
}

Result<void> describeCodeShell(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer("attention.head_count_kv",
                 config.integer("num_query_groups").value_or(config.headCount()));
    return describeGpt2(config, keys);
}

Result<void> describeJais(const ModelConfig& config, KeyWriter& keys)
{
    keys.number("attention.max_alibi_bias", 8.0);
    return describeGpt2(config, keys);
}

Result<void> describeMimo2(const ModelConfig& config, KeyWriter& keys)
{
    const auto pattern = wholeList(config["hybrid_layer_pattern"]);
    if (!pattern || std::cmp_not_equal(pattern->size(), config.layerCount()))
        return unsupported("hybrid_layer_pattern", "expected a number for each layer");
    const std::int64_t all = config.headCountKv();
    const std::int64_t windowed = config.integer("swa_num_key_value_heads").value_or(all);
    std::vector<std::uint64_t> heads;
    std::vector<bool> isWindowed;
    heads.reserve(pattern->size());
    isWindowed.reserve(pattern->size());
    for (const std::uint64_t kind : *pattern) {
        isWindowed.push_back(kind == 1);
        heads.push_back(static_cast<std::uint64_t>(kind == 1 ? windowed : all));
    }
    keys.set("attention.head_count_kv", std::move(heads));
    keys.integer("attention.sliding_window", config.integer("sliding_window"));
    keys.set("attention.sliding_window_pattern", std::move(isWindowed));
    keys.integer("attention.value_length", config.integer("v_head_dim"));
    keys.number("attention.value_scale", config.number("attention_value_scale"));
    keys.number("attention.layer_norm_rms_epsilon",
                config.number("layernorm_epsilon").value_or(1e-5));
    writeRotaryPart(config, keys, 1.0);
    return {};
}

Result<void> describeStep35(const ModelConfig& config, KeyWriter& keys)
{
    const JsonView other = config["attention_other_setting"];
    const std::int64_t heads = config.headCount();
    const std::int64_t groups = config.integer("num_attention_groups").value_or(heads);
    keys.set("attention.head_count",
             byWindow(config, other["num_attention_heads"].integer().value_or(heads), heads, 1));
    keys.set("attention.head_count_kv",
             byWindow(config, other["num_attention_groups"].integer().value_or(groups), groups, 1));
    writeWindows(config, keys);
    if (const auto bases = config["rope_theta"].numbers(); bases && bases->size() >= 2) {
        // By layer: the first sees all, the second has a window.
        keys.number("rope.freq_base", (*bases)[0]);
        keys.number("rope.freq_base_swa", (*bases)[1]);
    }
    keys.integer("rope.dimension_count", config.headLength());
    keys.integer("expert_count", config.integer("moe_num_experts"));
    keys.integer("expert_used_count", config.integer("moe_top_k"));
    keys.number("expert_weights_scale", config.number("moe_router_scaling_factor"));
    if (const auto norm = config["norm_expert_weight"].boolean())
        keys.set("expert_weights_norm", *norm);
    struct Limit {
        const char* key;
        const char* name;
    };
    for (const Limit& limit : {Limit{"swiglu_clamp_exp", "swiglu_limits"},
                               Limit{"swiglu_clamp_shexp", "swiglu_limits_shared"}}) {
        const auto* const list = config[limit.name].array();
        if (!list) continue;
        std::vector<double> values;
        values.reserve(list->size());
        for (const nlohmann::json& value : *list)
            values.push_back(JsonView(value).number().value_or(0));
        values.resize(static_cast<std::size_t>(config.layerCount()), 0);
        keys.set(limit.key, std::move(values));
    }
    return {};
}

Result<void> describeSmallThinker(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer("expert_count", config.integer("moe_num_primary_experts"));
    keys.integer("expert_used_count", config.integer("moe_num_active_primary_experts"));
    keys.integer("expert_feed_forward_length", config.integer("moe_ffn_hidden_size"));
    keys.integer("feed_forward_length", config.integer("moe_ffn_hidden_size"));
    const bool softmax = config.booleanOr("moe_primary_router_apply_softmax", false);
    keys.set("expert_gating_func", std::uint64_t{softmax ? 1U : 2U});
    const auto layout = config["sliding_window_layout"].numbers();
    if (layout && std::ranges::any_of(*layout, [](double kind) { return kind != 0; }))
        keys.integer("attention.sliding_window", config.integer("sliding_window_size"));
    return {};
}

Result<void> describeNanbeige(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer("num_loops", config.integer("num_loops"));
    if (const auto skips = config["skip_loop_final_norm"].boolean())
        keys.set("skip_loop_final_norm", *skips);
    return describeLlama(config, keys);
}

} // namespace engine
