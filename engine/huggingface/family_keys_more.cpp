// Keys of families older than rotary positions, of those with experts, and of their like.

#include "engine/huggingface/family_keys.h"
#include "engine/huggingface/rope_keys.h"
#include "engine/huggingface/window_keys.h"

#include <cmath>
#include <format>

namespace engine {

namespace {

/// A network is four times as wide as the model where the configuration does not say.
void writeNetworkWidth(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer(
        "feed_forward_length",
        config.integer({"n_inner", "intermediate_size"}).value_or(4 * config.embeddingLength()));
}

/// A number, or the first of a list of one for each layer.
std::optional<std::int64_t> firstOf(const JsonView& value)
{
    const auto* list = value.array();
    return list && !list->empty() ? JsonView(list->front()).integer() : value.integer();
}

} // namespace

Result<void> describeGptJ(const ModelConfig& config, KeyWriter& keys)
{
    writeNetworkWidth(config, keys);
    keys.integer("rope.dimension_count", config.integer("rotary_dim").value_or(64));
    return {};
}

Result<void> describeBigCode(const ModelConfig& config, KeyWriter& keys)
{
    writeNetworkWidth(config, keys);
    keys.integer("attention.head_count_kv",
                 config.booleanOr("multi_query", true) ? 1 : config.headCount());
    return {};
}

Result<void> describeBloom(const ModelConfig& config, KeyWriter& keys)
{
    constexpr const char* kPost = "apply_residual_connection_post_layernorm";
    if (config.booleanOr(kPost, false))
        return fail(ErrorCode::BadMetadata,
                    std::format("config.json: {}: expected false, found true", kPost), kPost);
    writeNetworkWidth(config, keys);
    keys.integer("context_length", config.integer("seq_length").value_or(2048));
    return {};
}

Result<void> describeMpt(const ModelConfig& config, KeyWriter& keys)
{
    const JsonView attention = config["attn_config"];
    if (!attention["alibi"].boolean().value_or(true))
        return fail(ErrorCode::BadMetadata, "config.json: attn_config: expected alibi, found none",
                    "attn_config");
    keys.number("attention.max_alibi_bias", attention["alibi_bias_max"].number().value_or(8));
    keys.number("attention.clamp_kqv", attention["clip_qkv"].number());
    keys.integer("attention.head_count_kv",
                 attention["kv_n_heads"].integer().value_or(config.headCount()));
    keys.number("attention.layer_norm_epsilon", config.number("layer_norm_epsilon").value_or(1e-5));
    keys.integer("feed_forward_length",
                 config.integer("expansion_ratio").value_or(4) * config.embeddingLength());
    return {};
}

Result<void> describeNemotron(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 0.5);
    keys.number("attention.layer_norm_epsilon", config.number("norm_eps").value_or(1e-5));
    return {};
}

Result<void> describeOrion(const ModelConfig& config, KeyWriter& keys)
{
    keys.number("attention.layer_norm_epsilon", config.number("rms_norm_eps"));
    return {};
}

Result<void> describeHunyuan(const ModelConfig& config, KeyWriter& keys)
{
    const RopeConfig rope = config.rope();
    const auto alpha = rope.global["alpha"].number();
    const auto length = static_cast<double>(config.headLength());
    // The base grows with the context it was stretched to.
    if (alpha && *alpha > 0 && length > 2) {
        const double base = config.number("rope_theta").value_or(10000.0);
        keys.number("rope.freq_base", base * std::pow(*alpha, length / (length - 2)));
    }
    return {};
}

Result<void> describeHunyuanMoe(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer("expert_used_count", firstOf(config["moe_topk"]));
    keys.integer("expert_shared_count", firstOf(config["num_shared_expert"]));
    const auto width = config["moe_intermediate_size"] ? firstOf(config["moe_intermediate_size"])
                                                       : config.integer("intermediate_size");
    keys.integer("expert_feed_forward_length", width);
    keys.integer("expert_shared_feed_forward_length", config.integer("intermediate_size"));
    return describeHunyuan(config, keys);
}

Result<void> describeSharedExperts(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer("leading_dense_block_count", config.integer("first_k_dense_replace").value_or(0));
    keys.integer("expert_shared_count", config.integer("n_shared_experts").value_or(0));
    keys.number("expert_weights_scale", config.number("routed_scaling_factor"));
    keys.set("expert_weights_norm", config.booleanOr("norm_topk_prob", false));
    return {};
}

Result<void> describeDots1(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("expert_gating_func", std::uint64_t{2}); // a sigmoid
    writeWindowsOfUpper(config, keys);
    return describeSharedExperts(config, keys);
}

Result<void> describeGlm4Moe(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 0.5);
    keys.set("expert_gating_func", std::uint64_t{2}); // a sigmoid
    return describeSharedExperts(config, keys);
}

Result<void> describeRoberta(const ModelConfig& config, KeyWriter& keys)
{
    // Its first rows of positions are for padding.
    const std::int64_t unused = config.integer("pad_token_id").value_or(1) + 1;
    const std::int64_t rows = config.integer("max_position_embeddings").value_or(514);
    if (rows <= unused)
        return fail(ErrorCode::BadMetadata,
                    std::format("config.json: max_position_embeddings: expected more than {}, "
                                "found {}",
                                unused, rows),
                    "max_position_embeddings");
    keys.integer("context_length", rows - unused);
    return describeBert(config, keys);
}

Result<void> describeBitNet(const ModelConfig& config, KeyWriter& keys)
{
    const bool later = config.architecture() == "BitNetForCausalLM";
    const std::string activation = config["hidden_act"].stringOr(later ? "relu2" : "silu");
    if (activation != "relu2" && activation != "silu")
        return fail(ErrorCode::BadMetadata,
                    std::format("config.json: hidden_act: expected relu2 or silu, found {}",
                                activation.substr(0, 80)),
                    "hidden_act");
    keys.set("hidden_activation", activation);
    return {};
}

} // namespace engine
