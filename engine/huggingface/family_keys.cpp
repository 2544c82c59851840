#include "engine/huggingface/family_keys.h"

#include "engine/huggingface/rope_keys.h"
#include "engine/huggingface/window_keys.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace engine {

namespace {

std::vector<std::uint64_t> repeated(const ModelConfig& config, std::uint64_t value)
{
    return std::vector<std::uint64_t>(static_cast<std::size_t>(config.layerCount()), value);
}

void writeQueryScale(const ModelConfig& config, KeyWriter& keys)
{
    if (const auto length = config.number("query_pre_attn_scalar"); length.value_or(0) > 0)
        keys.number("attention.scale", 1 / std::sqrt(*length));
}

} // namespace

std::unexpected<Error> unsupported(std::string_view name, std::string_view what)
{
    return fail(ErrorCode::BadMetadata, std::format("config.json: {}: {}", name, what),
                std::string(name));
}

std::optional<std::vector<std::uint64_t>> wholeList(const JsonView& value)
{
    constexpr double kMost = 1 << 30;
    const auto numbers = value.numbers();
    if (!numbers) return std::nullopt;
    std::vector<std::uint64_t> list;
    list.reserve(numbers->size());
    for (const double number : *numbers)
        list.push_back(static_cast<std::uint64_t>(std::clamp(number, 0.0, kMost)));
    return list;
}

Result<void> describeLlama(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 1.0);
    return {};
}

Result<void> describeSmolLm3(const ModelConfig& config, KeyWriter& keys)
{
    if (const auto layers = config["no_rope_layers"].numbers()) {
        std::vector<std::uint64_t> rotates;
        rotates.reserve(layers->size());
        for (const double layer : *layers)
            rotates.push_back(layer != 0 ? 1 : 0);
        keys.set("attention.rope_pattern", std::move(rotates));
    } else if (const auto every = config.integer("no_rope_layer_interval"); every.value_or(0) > 0) {
        std::vector<std::uint64_t> rotates = repeated(config, 1);
        for (auto i = static_cast<std::size_t>(*every); i <= rotates.size();
             i += static_cast<std::size_t>(*every))
            rotates[i - 1] = 0;
        keys.set("attention.rope_pattern", std::move(rotates));
    }
    if (config.booleanOr("use_sliding_window", false)) writeWindows(config, keys);
    return describeLlama(config, keys);
}

Result<void> describeMistral(const ModelConfig& config, KeyWriter& keys)
{
    keys.number("attention.temperature_scale",
                config.rope().global["llama_4_scaling_beta"].number());
    writeWindowsOfAll(config, keys);
    return describeLlama(config, keys);
}

Result<void> describeStarCoder2(const ModelConfig& config, KeyWriter& keys)
{
    writeWindowsOfAll(config, keys);
    return {};
}

Result<void> describeQwen(const ModelConfig& config, KeyWriter& keys)
{
    writeWindowsOfUpper(config, keys);
    return {};
}

Result<void> describePartRotary(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 1.0);
    return {};
}

Result<void> describeGemma2(const ModelConfig& config, KeyWriter& keys)
{
    writeQueryScale(config, keys);
    keys.number("attn_logit_softcapping", config.number("attn_logit_softcapping").value_or(0));
    keys.number("final_logit_softcapping", config.number("final_logit_softcapping").value_or(0));
    writeWindows(config, keys);
    return {};
}

Result<void> describeGemma3(const ModelConfig& config, KeyWriter& keys)
{
    writeQueryScale(config, keys);
    keys.number("final_logit_softcapping", config.number("final_logit_softcapping").value_or(0));
    writeWindows(config, keys);
    return {};
}

Result<void> describePhi2(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 0.5);
    keys.integer(
        "feed_forward_length",
        config.integer({"intermediate_size", "n_inner"}).value_or(4 * config.embeddingLength()));
    return {};
}

Result<void> describePhi3(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 1.0);
    const RopeConfig rope = config.rope();
    const auto context = config.integer("max_position_embeddings");
    const auto original = rope.global["original_max_position_embeddings"].integer().or_else(
        [&] { return config.integer("original_max_position_embeddings"); });
    keys.integer("rope.scaling.original_context_length", original ? original : context);
    // 0 tells a model without windows.
    keys.integer("attention.sliding_window", config.integer("sliding_window").value_or(0));
    writeWindowsOfAll(config, keys);
    if (!rope.global["long_factor"] || !context || !original || *original < 2) return {};
    const double scale = static_cast<double>(*context) / static_cast<double>(*original);
    keys.number("rope.scaling.attn_factor",
                scale > 1
                    ? std::sqrt(1 + std::log(scale) / std::log(static_cast<double>(*original)))
                    : 1.0);
    return {};
}

Result<void> describeGpt2(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer("feed_forward_length",
                 config.integer("n_inner").value_or(4 * config.embeddingLength()));
    return {};
}

Result<void> describeGptNeox(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 0.25);
    keys.set("use_parallel_residual", config.booleanOr("use_parallel_residual", true));
    return {};
}

Result<void> describeFalcon(const ModelConfig& config, KeyWriter& keys)
{
    if (config.booleanOr("alibi", false)) return unsupported("alibi", "expected false, found true");
    if (!config.booleanOr("parallel_attn", true))
        return unsupported("parallel_attn", "expected true, found false");
    keys.set("tensor_data_layout", std::string("jploski"));
    keys.integer("context_length", config.integer("max_position_embeddings").value_or(2048));
    keys.integer("feed_forward_length",
                 config.integer("ffn_hidden_size").value_or(4 * config.embeddingLength()));
    return {};
}

Result<void> describeStableLm(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 0.25);
    keys.set("use_parallel_residual", config.booleanOr("use_parallel_residual", true));
    return {};
}

Result<void> describeOlmo(const ModelConfig& config, KeyWriter& keys)
{
    keys.number("attention.layer_norm_epsilon", 1e-5); // the family's, not in its configuration
    keys.number("attention.clamp_kqv", config.number("clip_qkv"));
    return {};
}

Result<void> describeOlmoe(const ModelConfig& config, KeyWriter& /*keys*/)
{
    // It is of queries and keys after their norms, which no reader of the family knows.
    if (config["clip_qkv"]) return unsupported("clip_qkv", "expected none, found one");
    return {};
}

Result<void> describeLayerWindows(const ModelConfig& config, KeyWriter& keys)
{
    writeWindows(config, keys);
    return {};
}

Result<void> describeGranite(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 1.0);
    keys.number("attention.scale", config.number("attention_multiplier"));
    keys.number("embedding_scale", config.number("embedding_multiplier"));
    keys.number("residual_scale", config.number("residual_multiplier"));
    keys.number("logit_scale", config.number("logits_scaling"));
    return {};
}

Result<void> describeGraniteMoe(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer("expert_shared_feed_forward_length", config.integer("shared_intermediate_size"));
    return describeGranite(config, keys);
}

Result<void> describeCohere(const ModelConfig& config, KeyWriter& keys)
{
    keys.number("logit_scale", config.number("logit_scale"));
    keys.set("rope.scaling.type", std::string("none"));
    // The trained context where it differs from the positions the folder says.
    keys.integer("context_length", config.integer({"model_max_length", "max_position_embeddings"}));
    return {};
}

Result<void> describeCohere2(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 1.0);
    keys.number("logit_scale", config.number("logit_scale"));
    keys.set("rope.scaling.type", std::string("none"));
    writeWindows(config, keys);
    return {};
}

Result<void> describeGlm4(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 0.5);
    return {};
}

Result<void> describeErnieMoe(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer("interleave_moe_layer_step", config.integer("moe_layer_interval"));
    keys.integer("leading_dense_block_count", config.integer("moe_layer_start_index"));
    const auto shared = config.integer("moe_num_shared_experts");
    keys.integer("expert_shared_count", shared);
    const auto width = config.integer("moe_intermediate_size");
    if (shared && width) keys.integer("expert_shared_feed_forward_length", *shared * *width);
    return {};
}

Result<void> describeDeepSeek2(const ModelConfig& config, KeyWriter& keys)
{
    TRY_ASSIGN(const std::int64_t rank, config.required({"kv_lora_rank"}));
    TRY_ASSIGN(const std::int64_t rotary, config.required({"qk_rope_head_dim"}));
    TRY_ASSIGN(const std::int64_t plain, config.required({"qk_nope_head_dim"}));
    TRY_ASSIGN(const std::int64_t value, config.required({"v_head_dim"}));
    // Seen from the cache all heads share one key, which holds the value.
    keys.integer("attention.head_count_kv", 1);
    keys.integer("attention.q_lora_rank", config.integer("q_lora_rank"));
    keys.integer("attention.kv_lora_rank", rank);
    keys.integer("attention.key_length", rank + rotary);
    keys.integer("attention.value_length", rank);
    keys.integer("attention.key_length_mla", plain + rotary);
    keys.integer("attention.value_length_mla", value);
    keys.integer("rope.dimension_count", rotary);

    const bool experts = config.expertCount() > 0;
    keys.integer(
        "leading_dense_block_count",
        config.integer("first_k_dense_replace").value_or(experts ? 0 : config.layerCount()));
    keys.integer("expert_feed_forward_length",
                 config.integer({"moe_intermediate_size", "intermediate_size"}));
    keys.integer("expert_shared_count", config.integer("n_shared_experts").value_or(0));
    keys.number("expert_weights_scale", config.number("routed_scaling_factor"));
    if (config.booleanOr("norm_topk_prob", false)) keys.set("expert_weights_norm", true);
    if (const auto scale = config.rope().global["mscale_all_dim"].number())
        keys.number("rope.scaling.yarn_log_multiplier", 0.1 * *scale);
    return {};
}

Result<void> describeDeepSeek3(const ModelConfig& config, KeyWriter& keys)
{
    // Its experts are chosen by a sigmoid, whether the configuration says so or not.
    if (!config["scoring_func"]) keys.set("expert_gating_func", std::uint64_t{2});
    return describeDeepSeek2(config, keys);
}

Result<void> describeGptOss(const ModelConfig& config, KeyWriter& keys)
{
    writeWindows(config, keys);
    keys.integer("expert_feed_forward_length", config.integer("intermediate_size"));
    return {};
}

Result<void> describeMiniCpm(const ModelConfig& config, KeyWriter& keys)
{
    writeRotaryPart(config, keys, 1.0);
    keys.number("embedding_scale", config.number("scale_emb"));
    if (const auto depth = config.number("scale_depth"))
        keys.number("residual_scale", *depth / std::sqrt(static_cast<double>(config.layerCount())));
    if (const auto base = config.number("dim_model_base"); base && *base > 0)
        keys.number("logit_scale", static_cast<double>(config.embeddingLength()) / *base);
    return {};
}

Result<void> describeBert(const ModelConfig& config, KeyWriter& keys)
{
    keys.set("attention.causal", false);
    keys.metadata().set("tokenizer.ggml.token_type_count",
                        static_cast<std::uint64_t>(config.integer("type_vocab_size").value_or(1)));
    return {};
}

Result<void> describeNomicBert(const ModelConfig& config, KeyWriter& keys)
{
    // The positions it was trained for, not those its rotations could be stretched to.
    const auto positions = config.integer("n_positions").value_or(2048);
    const auto trained = config.integer("max_trained_positions").value_or(2048);
    keys.integer("context_length", std::min(positions, trained));
    if (config.integer("moe_every_n_layers").value_or(0) > 0)
        return unsupported("moe_every_n_layers", "experts in this family are not read");
    return describeBert(config, keys);
}

Result<void> describeLfm2(const ModelConfig& config, KeyWriter& keys)
{
    keys.integer("shortconv.l_cache", config.integer("conv_L_cache"));
    keys.number("attention.layer_norm_rms_epsilon", config.number({"norm_eps", "block_norm_eps"}));
    std::vector<std::uint64_t> heads = repeated(config, 0);
    const auto headsKv = static_cast<std::uint64_t>(config.headCountKv());
    if (const auto* types = config["layer_types"].array()) {
        for (std::size_t i = 0; i < std::min(types->size(), heads.size()); ++i) {
            if (JsonView((*types)[i]).stringOr("") == "full_attention") heads[i] = headsKv;
        }
    } else if (const auto places = config["full_attn_idxs"].numbers()) {
        for (const double place : *places) {
            if (place >= 0 && place < static_cast<double>(heads.size()))
                heads[static_cast<std::size_t>(place)] = headsKv;
        }
    }
    keys.set("attention.head_count_kv", std::move(heads));
    // The network is narrower than the configuration says, rounded up.
    auto width = config.integer({"block_ff_dim", "intermediate_size"}).value_or(0);
    if (config.booleanOr("block_auto_adjust_ff_dim", true)) {
        const auto unit =
            std::max<std::int64_t>(config.integer("block_multiple_of").value_or(256), 1);
        const double factor = config.number("block_ffn_dim_multiplier").value_or(1.0);
        const std::int64_t twoThirds = 2 * width / 3;
        width = static_cast<std::int64_t>(std::clamp(factor, 0.0, 16.0) *
                                          static_cast<double>(twoThirds));
        width = (width + unit - 1) / unit * unit;
    }
    keys.integer("feed_forward_length", width);
    return {};
}

} // namespace engine
