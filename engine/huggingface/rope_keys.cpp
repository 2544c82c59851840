#include "engine/huggingface/rope_keys.h"

#include "engine/base/byte_order.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <numbers>

namespace engine {

namespace {

/// The context that `scaling` stretches.
std::optional<std::int64_t> originalLength(const ModelConfig& config, const RopeConfig& rope)
{
    return rope.global["original_max_position_embeddings"].integer().or_else(
        [&] { return config.integer("max_position_embeddings"); });
}

/// How many times as long the context becomes; null says that the two lengths do.
std::optional<double> stretch(const ModelConfig& config, const RopeConfig& rope)
{
    if (const auto factor = rope.global["factor"].number()) return factor;
    const auto length = config.integer("max_position_embeddings");
    const auto original = originalLength(config, rope);
    if (rope.type != "yarn" || !length || original.value_or(0) == 0) return std::nullopt;
    return static_cast<double>(*length) / static_cast<double>(*original);
}

/// What cosine and sine are multiplied by, where it is not what the paper has for `factor`.
std::optional<double> yarnMagnitude(const RopeConfig& rope, double factor)
{
    if (const auto given = rope.global.any({"attention_factor", "attn_factor"}).number())
        return given;
    const auto key = rope.global["mscale"].number();
    const auto query = rope.global["mscale_all_dim"].number();
    if (key.value_or(0) == 0 || query.value_or(0) == 0) return std::nullopt;
    const double logarithm = factor <= 1 ? 0 : 0.1 * std::log(factor);
    return (1 + *key * logarithm) / (1 + *query * logarithm);
}

void writeYarn(const ModelConfig& config, const RopeConfig& rope, double factor, KeyWriter& keys)
{
    keys.integer("rope.scaling.original_context_length", originalLength(config, rope));
    keys.number("rope.scaling.yarn_ext_factor", rope.global["extrapolation_factor"].number());
    keys.number("rope.scaling.yarn_beta_fast", rope.global["beta_fast"].number());
    keys.number("rope.scaling.yarn_beta_slow", rope.global["beta_slow"].number());
    if (rope.global["truncate"].boolean() == false) keys.set("rope.scaling.yarn_truncate", false);
    keys.number("rope.scaling.yarn_attn_factor", yarnMagnitude(rope, factor));
}

Result<void> writeFactors(const std::string& name, std::span<const double> factors,
                          TensorWriter& writer)
{
    const std::span<std::byte> data = writer.shaper().allocate(factors.size() * sizeof(float));
    for (std::size_t i = 0; i < factors.size(); ++i)
        storeLittle(data.data() + i * sizeof(float), static_cast<float>(factors[i]));
    const auto count = static_cast<std::int64_t>(factors.size());
    return writer.writeBlocks(name, DType::F32, {&count, 1}, data);
}

// Llama 3.1: slow rotations are divided by `factor`, fast ones are left, those between are mixed by
// their wavelength.
std::vector<double> llama3Factors(const RopeConfig& rope, double base, std::int64_t length)
{
    const auto value = [&](std::string_view name, double fallback) {
        return rope.global[name].number().value_or(fallback);
    };
    const double factor = value("factor", 8);
    const double low = value("low_freq_factor", 1);
    const double high = value("high_freq_factor", 4);
    const double context = value("original_max_position_embeddings", 8192);
    std::vector<double> factors;
    for (std::int64_t i = 0; i < length / 2; ++i) {
        // In f32, as the model was trained with.
        const float frequency =
            1.0F / std::pow(static_cast<float>(base),
                            static_cast<float>(2 * i) / static_cast<float>(length));
        const double wavelength = 2 * std::numbers::pi / static_cast<double>(frequency);
        if (wavelength < context / high) {
            factors.push_back(1);
        } else if (wavelength > context / low) {
            factors.push_back(factor);
        } else {
            const double smooth = (context / wavelength - low) / (high - low);
            factors.push_back(1 / ((1 - smooth) / factor + smooth));
        }
    }
    return factors;
}

Result<void> writeLongFactors(const ModelConfig& config, const RopeConfig& rope,
                              TensorWriter& writer)
{
    // Of compressed attention's heads only a part is rotated.
    const double rotary =
        config.integer("qk_rope_head_dim")
            .transform([](std::int64_t length) { return static_cast<double>(length); })
            .value_or(config.partialRotaryFactor(1.0) * static_cast<double>(config.headLength()));
    const auto pairs = static_cast<std::size_t>(rotary / 2);
    for (const auto& [name, tensor] : {std::pair{"long_factor", "rope_factors_long.weight"},
                                       std::pair{"short_factor", "rope_factors_short.weight"}}) {
        const auto factors = rope.global[name].numbers();
        if (!factors || factors->size() != pairs)
            return fail(ErrorCode::BadMetadata,
                        std::format("config.json: {}: expected {} numbers, found {}", name, pairs,
                                    factors ? factors->size() : 0),
                        name, pairs, factors ? factors->size() : 0);
        TRY(writeFactors(tensor, *factors, writer));
    }
    return {};
}

/// Gemma 4: the first pairs turn as fast as if all of a head did, the others not at all.
std::vector<double> proportionalFactors(const ModelConfig& config)
{
    constexpr double kStill = 1e30;
    constexpr std::int64_t kMost = 65'536;
    const std::int64_t length =
        std::min(kMost, config.integer("global_head_dim").value_or(config.headLength()));
    const auto turning = static_cast<std::int64_t>(config.partialRotaryFactor(1.0) *
                                                   static_cast<double>(length) / 2);
    std::vector<double> factors;
    factors.reserve(static_cast<std::size_t>(length / 2));
    for (std::int64_t pair = 0; pair < length / 2; ++pair)
        factors.push_back(pair < turning ? 1 : kStill);
    return factors;
}

double ropeBase(const ModelConfig& config)
{
    return config.rope()
        .global["rope_theta"]
        .number()
        .or_else([&] { return config.number("rope_theta"); })
        .value_or(10000.0);
}

} // namespace

void writeRopeKeys(const ModelConfig& config, KeyWriter& keys)
{
    const RopeConfig rope = config.rope();
    keys.number("rope.freq_base", rope.global["rope_theta"].number().or_else([&] {
        return config.number(
            {"rope_theta", "global_rope_theta", "rotary_emb_base", "rope_theta_global"});
    }));
    keys.number("rope.freq_base_swa", rope.sliding["rope_theta"].number().or_else([&] {
        return config.number({"rope_local_base_freq", "local_rope_theta", "swa_rope_theta"});
    }));
    const auto factor = stretch(config, rope);
    if ((rope.type == "linear" || rope.type == "yarn") && factor) {
        keys.set("rope.scaling.type", rope.type);
        keys.number("rope.scaling.factor", *factor);
        if (rope.type == "yarn") writeYarn(config, rope, *factor, keys);
    }
    if (rope.type == "su" || rope.type == "longrope")
        keys.set("rope.scaling.type", std::string("longrope"));
}

void writeRotaryPart(const ModelConfig& config, KeyWriter& keys, double fallback)
{
    keys.integer("rope.dimension_count",
                 static_cast<std::int64_t>(config.partialRotaryFactor(fallback) *
                                           static_cast<double>(config.headLength())));
}

Result<void> writeRopeFactors(const ModelConfig& config, TensorWriter& writer)
{
    const RopeConfig rope = config.rope();
    if (rope.type == "llama3")
        return writeFactors("rope_freqs.weight",
                            llama3Factors(rope, ropeBase(config), config.headLength()), writer);
    if (rope.type == "proportional")
        return writeFactors("rope_freqs.weight", proportionalFactors(config), writer);
    if (rope.type == "su" || rope.type == "longrope") return writeLongFactors(config, rope, writer);
    return {};
}

} // namespace engine
