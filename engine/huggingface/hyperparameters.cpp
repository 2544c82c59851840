#include "engine/huggingface/family.h"
#include "engine/huggingface/rope_keys.h"

#include <algorithm>
#include <array>
#include <format>

namespace engine {

namespace {

using Names = std::initializer_list<std::string_view>;

/// A number that config.json and GGUF both have.
struct NumberRow {
    std::string_view gguf;
    std::array<std::string_view, 6> names; ///< first come, first served
    bool whole;
};

constexpr NumberRow kNumbers[] = {
    {"context_length",
     {"max_position_embeddings", "n_positions", "n_ctx", "max_sequence_length", "max_seq_len",
      "model_max_length"},
     true},
    {"embedding_length", {"hidden_size", "n_embd", "d_model", "dim", "model_dim"}, true},
    {"feed_forward_length",
     {"intermediate_size", "n_inner", "ffn_hidden_size", "hidden_dim"},
     true},
    {"vocab_size", {"vocab_size"}, true},
    {"attention.head_count", {"num_attention_heads", "n_head", "n_heads"}, true},
    {"attention.layer_norm_rms_epsilon", {"rms_norm_eps", "norm_eps"}, false},
    {"attention.layer_norm_epsilon",
     {"layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "layernorm_epsilon"},
     false},
    {"expert_count",
     {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"},
     true},
    {"expert_used_count", {"num_experts_per_tok", "num_experts_per_token", "moe_k"}, true},
    {"expert_feed_forward_length", {"moe_intermediate_size"}, true},
    {"expert_shared_feed_forward_length", {"shared_expert_intermediate_size"}, true},
    {"expert_group_count", {"n_group"}, true},
    {"expert_group_used_count", {"topk_group"}, true},
};

constexpr std::int64_t kMostHeadLength = 65'536;

struct GatingRow {
    std::string_view name;
    std::uint64_t gguf;
};

constexpr GatingRow kGatings[] = {{"softmax", 1}, {"sigmoid", 2}, {"noaux_tc", 2}};

std::optional<double> firstNumber(const ModelConfig& config, const NumberRow& row)
{
    // Where the file has the number by any of its names, the class has no say by another.
    const bool said = std::ranges::any_of(
        row.names, [&](std::string_view name) { return !name.empty() && config.says(name); });
    for (const std::string_view name : row.names) {
        if (name.empty()) break;
        if (said && !config.says(name)) continue;
        if (row.whole) {
            if (const auto value = config.integer(name)) return static_cast<double>(*value);
        } else if (const auto value = config.number(name)) {
            return value;
        }
    }
    return std::nullopt;
}

Result<void> requireSizes(const ModelConfig& config)
{
    const std::int64_t layers = config.layerCount();
    if (layers < 1 || layers > 1024)
        return fail(
            layers == 0 ? ErrorCode::MissingMetadata : ErrorCode::BadMetadata,
            std::format("config.json: expected num_hidden_layers from 1 to 1024, found {}", layers),
            "num_hidden_layers");
    if (config.embeddingLength() < 1)
        return fail(ErrorCode::MissingMetadata, "config.json: expected hidden_size", "hidden_size");
    const std::int64_t length = config.headLength();
    if (length > kMostHeadLength)
        return fail(ErrorCode::BadMetadata,
                    std::format("config.json: expected head_dim up to {}, found {}",
                                kMostHeadLength, length),
                    "head_dim", kMostHeadLength, static_cast<std::uint64_t>(length));
    const double rotary = config.partialRotaryFactor(1.0);
    if (!(rotary >= 0 && rotary <= 1))
        return fail(ErrorCode::BadMetadata,
                    std::format("config.json: expected partial_rotary_factor from 0 to 1, found {}",
                                rotary),
                    "partial_rotary_factor");
    return {};
}

Result<void> writeGating(const ModelConfig& config, KeyWriter& keys)
{
    const std::string name =
        config.any({"scoring_func", "score_function", "moe_router_activation_func"}).stringOr("");
    if (name.empty()) return {};
    for (const GatingRow& row : kGatings) {
        if (row.name == name) {
            keys.set("expert_gating_func", row.gguf);
            return {};
        }
    }
    return fail(
        ErrorCode::BadMetadata,
        std::format("config.json: expected scoring_func softmax or sigmoid, found {}", name),
        "scoring_func");
}

} // namespace

Result<void> writeHyperparameters(const ModelConfig& config, const Family& family,
                                  Metadata& metadata)
{
    KeyWriter keys(family.gguf, metadata);
    TRY(requireSizes(config));
    for (const NumberRow& row : kNumbers) {
        const auto value = firstNumber(config, row);
        if (!value) continue;
        if (row.whole)
            keys.integer(row.gguf, static_cast<std::int64_t>(*value));
        else
            keys.number(row.gguf, *value);
    }
    keys.integer("block_count", config.layerCount());
    if (config.headCount() > 0) keys.integer("attention.head_count_kv", config.headCountKv());
    if (config.integer("head_dim")) {
        keys.integer("attention.key_length", config.headLength());
        keys.integer("attention.value_length", config.headLength());
    }
    if (!config.booleanOr("is_causal", true)) keys.set("attention.causal", false);
    writeRopeKeys(config, keys);
    if (const auto norm = config["norm_topk_prob"].boolean())
        keys.set("expert_weights_norm", *norm);
    TRY(writeGating(config, keys));
    if (family.describe) TRY(family.describe(config, keys));
    return {};
}

} // namespace engine
