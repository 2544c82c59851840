// Rules for the tensors of mixers that are no attention.

#include "engine/huggingface/family.h"
#include "engine/huggingface/tensor_rules.h"

#include <algorithm>
#include <array>
#include <format>

namespace engine {

namespace {

/// How many value heads of a gated delta net read each of its key heads, and how long they are.
struct DeltaHeads {
    std::int64_t keys = 0;
    std::int64_t keyLength = 0;
    std::int64_t valuesPerKey = 0;
    std::int64_t valueLength = 0;

    std::int64_t values() const { return keys * valuesPerKey; }
};

Result<DeltaHeads> deltaHeads(const ModelConfig& config)
{
    DeltaHeads heads;
    TRY_ASSIGN(heads.keys, config.required({"linear_num_key_heads"}));
    TRY_ASSIGN(heads.keyLength, config.required({"linear_key_head_dim"}));
    TRY_ASSIGN(heads.valueLength, config.required({"linear_value_head_dim"}));
    TRY_ASSIGN(const std::int64_t values, config.required({"linear_num_value_heads"}));
    constexpr std::int64_t kMost = 65'536;
    const bool sane = std::max({heads.keys, heads.keyLength, heads.valueLength, values}) <= kMost;
    if (!sane || heads.keys < 1 || values < 1 || values % heads.keys != 0)
        return fail(ErrorCode::BadMetadata,
                    std::format("config.json: expected linear_num_value_heads to be a multiple of "
                                "{} key heads, found {}",
                                heads.keys, values),
                    "linear_num_value_heads");
    heads.valuesPerKey = values / heads.keys;
    return heads;
}

/// Rows [first, first + count * heads) with the heads in GGUF's order, `count` rows a head; what
/// lies before stays.
std::vector<std::int64_t> tiledRows(const DeltaHeads& heads, std::int64_t first, std::int64_t count)
{
    std::vector<std::int64_t> rows;
    rows.reserve(static_cast<std::size_t>(first + heads.values() * count));
    for (std::int64_t row = 0; row < first; ++row)
        rows.push_back(row);
    for (std::int64_t value = 0; value < heads.valuesPerKey; ++value)
        for (std::int64_t key = 0; key < heads.keys; ++key)
            for (std::int64_t row = 0; row < count; ++row)
                rows.push_back(first + (key * heads.valuesPerKey + value) * count + row);
    return rows;
}

/// Puts the last `heads` blocks of `count` rows in GGUF's order.
Result<SafetensorsEntry> tiled(const TensorSource& source, std::int64_t count, TensorWriter& writer)
{
    TRY_ASSIGN(const DeltaHeads heads, deltaHeads(writer.config()));
    const std::int64_t rows = source.tensor.shape.empty() ? 1 : source.tensor.shape.front();
    const std::int64_t first = rows - heads.values() * count;
    if (count < 1 || first < 0)
        return badTensor(source, std::format("expected at least {} rows, found {}",
                                             heads.values() * count, rows));
    return writer.shaper().gather(source.tensor, tiledRows(heads, first, count));
}

TensorSource with(const TensorSource& source, SafetensorsEntry tensor)
{
    TensorSource other = source;
    other.tensor = std::move(tensor);
    return other;
}

/// Falcon H1: what a tensor's numbers are multiplied by, by its GGUF name.
struct Multiplier {
    std::string_view tensor;
    std::string_view name;    ///< in config.json
    std::string_view other{}; ///< a second one
    int index = -1;           ///< in a list
};

constexpr std::array kMultipliers = {
    Multiplier{"token_embd", "embedding_multiplier"},
    Multiplier{"output", "lm_head_multiplier"},
    Multiplier{"blk.{}.attn_q", "attention_in_multiplier"},
    Multiplier{"blk.{}.attn_k", "attention_in_multiplier", "key_multiplier"},
    Multiplier{"blk.{}.attn_v", "attention_in_multiplier"},
    Multiplier{"blk.{}.attn_output", "attention_out_multiplier"},
    Multiplier{"blk.{}.ssm_in", "ssm_in_multiplier"},
    Multiplier{"blk.{}.ssm_out", "ssm_out_multiplier"},
    Multiplier{"blk.{}.ffn_gate", "mlp_multipliers", {}, 0},
    Multiplier{"blk.{}.ffn_down", "mlp_multipliers", {}, 1},
};

double numberAt(const JsonView& value, int index)
{
    if (index < 0) return value.number().value_or(1);
    const auto numbers = value.numbers();
    const auto at = static_cast<std::size_t>(index);
    return numbers && at < numbers->size() ? (*numbers)[at] : 1.0;
}

double multiplierOf(std::string_view gguf, const ModelConfig& config)
{
    for (const Multiplier& row : kMultipliers) {
        if (row.tensor != gguf) continue;
        const double other = row.other.empty() ? 1 : numberAt(config[row.other], -1);
        return other * numberAt(config[row.name], row.index);
    }
    return 1;
}

/// z, x, B, C and dt each have a multiplier of their own.
Result<std::vector<float>> ssmInFactors(const TensorSource& source, const ModelConfig& config)
{
    TRY_ASSIGN(const std::int64_t inner, config.required({"mamba_d_ssm"}));
    TRY_ASSIGN(const std::int64_t groups, config.required({"mamba_n_groups"}));
    TRY_ASSIGN(const std::int64_t state, config.required({"mamba_d_state"}));
    TRY_ASSIGN(const std::int64_t heads, config.required({"mamba_n_heads"}));
    const std::int64_t rows = source.tensor.shape.empty() ? 0 : source.tensor.shape.front();
    constexpr std::int64_t kMost = 1 << 24;
    if (groups > kMost || state > kMost || rows > kMost ||
        2 * inner + 2 * groups * state + heads != rows)
        return badTensor(
            source,
            std::format("expected z, x, B, C and dt below each other, found {} rows", rows));
    std::vector<float> factors;
    const std::array lengths{inner, inner, groups * state, groups * state, heads};
    for (int part = 0; std::cmp_less(part, lengths.size()); ++part)
        factors.insert(factors.end(),
                       static_cast<std::size_t>(lengths[static_cast<std::size_t>(part)]),
                       static_cast<float>(numberAt(config["ssm_multipliers"], part)));
    return factors;
}

Result<void> writeScaled(const TensorSource& source, TensorWriter& writer)
{
    const auto factor = static_cast<float>(multiplierOf(source.gguf, writer.config()));
    std::vector<float> factors{factor};
    if (source.gguf == "blk.{}.ssm_in") {
        TRY_ASSIGN(factors, ssmInFactors(source, writer.config()));
        for (float& each : factors)
            each *= factor;
    }
    TRY_ASSIGN(const SafetensorsEntry scaled, writer.shaper().scaled(source.tensor, factors));
    return writer.write(source.name(), scaled);
}

} // namespace

Result<void> deriveTiledValues(const TensorSource& source, TensorWriter& writer)
{
    TRY_ASSIGN(const DeltaHeads heads, deltaHeads(writer.config()));
    TRY_ASSIGN(SafetensorsEntry rows, tiled(source, heads.valueLength, writer));
    return deriveConvolution(with(source, std::move(rows)), writer);
}

Result<void> deriveTiledHeads(const TensorSource& source, TensorWriter& writer)
{
    TRY_ASSIGN(const SafetensorsEntry rows, tiled(source, 1, writer));
    return writer.write(source.name(), rows);
}

Result<void> deriveTiledDecay(const TensorSource& source, TensorWriter& writer)
{
    TRY_ASSIGN(SafetensorsEntry rows, tiled(source, 1, writer));
    return deriveDecay(with(source, std::move(rows)), writer);
}

Result<void> deriveTiledColumns(const TensorSource& source, TensorWriter& writer)
{
    TRY_ASSIGN(const DeltaHeads heads, deltaHeads(writer.config()));
    const std::vector<std::int64_t> shape = source.tensor.shape;
    if (shape.size() != 2 || shape[1] != heads.values() * heads.valueLength)
        return badTensor(source,
                         std::format("expected {} columns", heads.values() * heads.valueLength));
    // Each head's columns of a row as a row of their own.
    const SafetensorsEntry flat =
        TensorShaper::reshaped(source.tensor, {shape[0] * heads.values(), heads.valueLength});
    const std::vector<std::int64_t> one = tiledRows(heads, 0, 1);
    std::vector<std::int64_t> order;
    order.reserve(static_cast<std::size_t>(flat.shape.front()));
    for (std::int64_t row = 0; row < shape[0]; ++row)
        for (const std::int64_t head : one)
            order.push_back(row * heads.values() + head);
    TRY_ASSIGN(SafetensorsEntry gathered, writer.shaper().gather(flat, order));
    return writer.write(source.name(), TensorShaper::reshaped(std::move(gathered), shape));
}

Result<void> deriveSsmNorm(const TensorSource& source, TensorWriter& writer)
{
    const std::int64_t groups = writer.config().integer({"mamba_n_groups", "n_groups"}).value_or(1);
    const std::int64_t width = source.tensor.shape.empty() ? 1 : source.tensor.shape.front();
    if (groups < 1 || width % groups != 0)
        return badTensor(source, std::format("expected {} groups of equal length", groups));
    return writer.write(source.name(),
                        TensorShaper::reshaped(source.tensor, {groups, width / groups}));
}

Result<void> deriveFalconH1(const TensorSource& source, TensorWriter& writer)
{
    const ModelConfig& config = writer.config();
    const bool tied = config.booleanOr("tie_word_embeddings", false);
    if (source.gguf == "output" && tied) return {};
    if (source.gguf == "token_embd" && tied) { // the same numbers, but not times the same
        TensorSource output = source;
        output.gguf = "output";
        TRY(writeScaled(output, writer));
    }
    return writeScaled(source, writer);
}

Result<void> deriveSharedHalves(const TensorSource& source, TensorWriter& writer)
{
    TensorSource named = source;
    if (writer.config().expertCount() > 0) named.gguf = "blk.{}.ffn_gate_shexp|blk.{}.ffn_up_shexp";
    return deriveHalves(named, writer);
}

Result<void> deriveShared(const TensorSource& source, TensorWriter& writer)
{
    const bool experts = writer.config().expertCount() > 0;
    return writer.write(source.name(experts ? "blk.{}.ffn_down_shexp" : source.gguf),
                        source.tensor);
}

} // namespace engine
