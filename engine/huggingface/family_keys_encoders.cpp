#include "engine/huggingface/family_keys.h"

#include <algorithm>
#include <format>

// What families that turn texts into vectors and came after BERT's add to the common keys.

namespace engine {

namespace {

constexpr std::uint64_t kMeanPooling = 1;
constexpr std::uint64_t kClsPooling = 2;
constexpr std::uint64_t kRankPooling = 4;

} // namespace

Result<void> describeBertRanks(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("pooling_type", kRankPooling);
    return describeBert(config, keys);
}

Result<void> describeRobertaRanks(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("pooling_type", kRankPooling);
    return describeRoberta(config, keys);
}

Result<void> describeDistilBert(const ModelConfig& config, KeyWriter& keys)
{
    keys.number("attention.layer_norm_epsilon", 1e-12); // the family's, not in its configuration
    return describeBert(config, keys);
}

Result<void> describeDistilBertRanks(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("pooling_type", kRankPooling);
    keys.set("classifier.activation", std::string("relu"));
    return describeDistilBert(config, keys);
}

Result<void> describeModernBertRanks(const ModelConfig& config, KeyWriter& keys)
{
    const bool mean = config["classifier_pooling"].stringOr("cls") == "mean";
    keys.set("pooling_type", kRankPooling);
    keys.set("classifier.pooling_type", mean ? kMeanPooling : kClsPooling);
    keys.set("classifier.activation", config["classifier_activation"].stringOr("gelu"));
    return describeModernBert(config, keys);
}

Result<void> describeNomicBertMoe(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer("context_length",
                 std::min(config.integer("n_positions").value_or(2048),
                          config.integer("max_trained_positions").value_or(2048)));
    keys.integer("expert_count", config.integer("num_experts"));
    keys.integer("expert_used_count", config.integer("moe_top_k"));
    keys.integer("expert_feed_forward_length", config.integer({"n_inner", "intermediate_size"}));
    keys.set("expert_weights_norm", config.booleanOr("moe_normalize_expert_weights", false));
    return describeBert(config, keys);
}

Result<void> describeNeoBert(const ModelConfig& config, KeyWriter& keys)
{
    if (!config.booleanOr("rope", true)) return unsupported("rope", "expected true, found false");
    constexpr std::int64_t kUnit = 8; // the network's two thirds, rounded up
    const std::int64_t inner = 2 * config.integer("intermediate_size").value_or(0) / 3;
    keys.integer("feed_forward_length", (inner + kUnit - 1) / kUnit * kUnit);
    keys.integer("context_length",
                 config.integer({"max_length", "max_position_embeddings"}).value_or(1024));
    keys.number("attention.layer_norm_rms_epsilon",
                config.number({"norm_eps", "rms_norm_eps"}).value_or(1e-6));
    keys.set("pooling_type", kClsPooling);
    return describeBert(config, keys);
}

Result<void> describeT5Encoder(const ModelConfig& config, KeyWriter& keys)
{
    constexpr std::int64_t kFarthest = 128; // what every reader of the files takes for granted
    const auto farthest = config.integer("relative_attention_max_distance").value_or(kFarthest);
    if (farthest != kFarthest)
        return unsupported("relative_attention_max_distance",
                           std::format("expected {}, found {}", kFarthest, farthest));
    const std::string network =
        config["feed_forward_proj"].stringOr(config["dense_act_fn"].stringOr("relu"));
    if (network != "relu" && network != "gated-gelu")
        return unsupported("feed_forward_proj", std::format("expected relu or gated-gelu, found {}",
                                                            network.substr(0, 80)));
    TRY_ASSIGN(const std::int64_t heads, config.required({"num_heads"}));
    TRY_ASSIGN(const std::int64_t length, config.required({"d_kv"}));
    keys.integer("context_length", config.integer("n_positions").value_or(512));
    keys.integer("feed_forward_length", config.integer("d_ff"));
    keys.integer("attention.head_count", heads);
    keys.integer("attention.head_count_kv", heads);
    keys.integer("attention.key_length", length);
    keys.integer("attention.value_length", length);
    keys.number("attention.layer_norm_rms_epsilon",
                config.number("layer_norm_epsilon").value_or(1e-6));
    keys.integer("attention.relative_buckets_count",
                 config.integer("relative_attention_num_buckets").value_or(32));
    keys.set("pooling_type", kMeanPooling);
    return {};
}

Result<void> describeLlamaEmbed(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("attention.causal", false);
    keys.set("pooling_type",
             config["pooling"].stringOr("avg") == "cls" ? kClsPooling : kMeanPooling);
    return describeLlama(config, keys);
}

} // namespace engine
