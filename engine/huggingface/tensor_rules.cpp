#include "engine/huggingface/tensor_rules.h"

#include "engine/base/byte_order.h"
#include "engine/huggingface/family.h"

#include <cmath>
#include <format>
#include <numeric>

namespace engine {

namespace {

using Rows = std::vector<std::int64_t>;

std::int64_t rowCount(const TensorSource& source)
{
    return source.tensor.shape.empty() ? 1 : source.tensor.shape.front();
}

/// The `index`-th of the names parted by "|".
std::string_view part(std::string_view names, std::size_t index)
{
    for (; index > 0; --index)
        names.remove_prefix(std::min(names.find('|'), names.size() - 1) + 1);
    return names.substr(0, names.find('|'));
}

/// Heads the first `part` of whose rows are two halves (first elements of all pairs, then second
/// ones), turned to pairs.
Result<Rows> pairedRows(const TensorSource& source, std::int64_t heads, double part)
{
    const std::int64_t rows = rowCount(source);
    if (heads < 1 || rows % (2 * heads) != 0)
        return badTensor(source, std::format("expected rows for {} heads of even length, found {}",
                                             heads, rows));
    const std::int64_t length = rows / heads;
    const auto half = static_cast<std::int64_t>(part * static_cast<double>(length)) / 2;
    Rows order;
    order.reserve(static_cast<std::size_t>(rows));
    for (std::int64_t begin = 0; begin < rows; begin += length) {
        for (std::int64_t pair = 0; pair < half; ++pair) {
            order.push_back(begin + pair);
            order.push_back(begin + half + pair);
        }
        for (std::int64_t i = 2 * half; i < length; ++i)
            order.push_back(begin + i);
    }
    return order;
}

Result<SafetensorsEntry> rotaryRows(const TensorSource& source, std::int64_t heads,
                                    TensorWriter& writer)
{
    if (!writer.family().interleavedRope) return source.tensor;
    TRY_ASSIGN(const Rows order,
               pairedRows(source, heads, writer.config().partialRotaryFactor(1.0)));
    return writer.shaper().gather(source.tensor, order);
}

Result<void> writeRotary(const TensorSource& source, std::string_view name, std::int64_t heads,
                         TensorWriter& writer)
{
    TRY_ASSIGN(const SafetensorsEntry tensor, rotaryRows(source, heads, writer));
    return writer.write(source.name(name), tensor);
}

TensorSource with(const TensorSource& source, SafetensorsEntry tensor)
{
    TensorSource other = source;
    other.tensor = std::move(tensor);
    return other;
}

/// Row numbers of the queries, keys and values where they lie by groups: the queries of a group,
/// then its key, then its value.
struct GroupedRows {
    Rows queries, keys, values;
};

Result<GroupedRows> groupedRows(const TensorSource& source, const ModelConfig& config)
{
    const std::int64_t groups = config.headCountKv();
    const std::int64_t length = config.headLength();
    const std::int64_t perGroup = groups > 0 ? config.headCount() / groups : 0;
    if (groups < 1 || perGroup < 1 || length < 1 || rowCount(source) % groups != 0 ||
        rowCount(source) / groups != (perGroup + 2) * length)
        return badTensor(source,
                         std::format("expected rows for {} groups of {} + 2 heads of {}, found {}",
                                     groups, perGroup, length, rowCount(source)));
    GroupedRows rows;
    for (std::int64_t group = 0; group < groups; ++group) {
        std::int64_t row = group * (perGroup + 2) * length;
        for (std::int64_t i = 0; i < perGroup * length; ++i)
            rows.queries.push_back(row++);
        for (std::int64_t i = 0; i < length; ++i)
            rows.keys.push_back(row++);
        for (std::int64_t i = 0; i < length; ++i)
            rows.values.push_back(row++);
    }
    return rows;
}

/// [begin, begin + step, ...] below `end`.
Rows everyNth(std::int64_t begin, std::int64_t end, std::int64_t step)
{
    Rows rows;
    for (std::int64_t row = begin; row < end; row += step)
        rows.push_back(row);
    return rows;
}

/// A stack of matrices as one list of rows.
Result<SafetensorsEntry> flattened(const TensorSource& source)
{
    const std::vector<std::int64_t>& shape = source.tensor.shape;
    if (shape.size() < 2) return badTensor(source, "expected rows of experts");
    std::vector<std::int64_t> flat(shape.begin() + 1, shape.end());
    flat.front() *= shape.front();
    return TensorShaper::reshaped(source.tensor, std::move(flat));
}

/// Writes rows of `flat` as a tensor of `experts` matrices.
Result<void> writeExpertRows(const TensorSource& source, const SafetensorsEntry& flat,
                             std::span<const std::int64_t> rows, std::string_view name,
                             TensorWriter& writer)
{
    TRY_ASSIGN(SafetensorsEntry gathered, writer.shaper().gather(flat, rows));
    std::vector<std::int64_t> shape = source.tensor.shape;
    shape[1] = static_cast<std::int64_t>(rows.size()) / shape[0];
    return writer.write(source.name(name),
                        TensorShaper::reshaped(std::move(gathered), std::move(shape)));
}

/// Whether a stack of matrices has its inputs in columns.
bool liesAcross(const TensorSource& source, std::int64_t inputs)
{
    const std::vector<std::int64_t>& shape = source.tensor.shape;
    return shape.size() == 3 && shape[2] != inputs && shape[1] == inputs;
}

float unchanged(float value)
{
    return value;
}

float negativeExponential(float value)
{
    return -std::exp(value);
}

} // namespace

std::unexpected<Error> badTensor(const TensorSource& source, std::string_view what)
{
    return fail(ErrorCode::BadTensor, std::format("tensor {}: {}", source.tensor.name, what),
                source.tensor.name);
}

Result<void> deriveHead(const TensorSource& source, TensorWriter& writer)
{
    const bool tied =
        writer.family().alwaysTied || writer.config().booleanOr("tie_word_embeddings", false);
    if (tied && source.suffix == ".weight") return {};
    return writer.write(source.name(), source.tensor);
}

Result<void> deriveQuery(const TensorSource& source, TensorWriter& writer)
{
    return writeRotary(source, source.gguf, writer.config().headCount(), writer);
}

Result<void> deriveKey(const TensorSource& source, TensorWriter& writer)
{
    return writeRotary(source, source.gguf, writer.config().headCountKv(), writer);
}

Result<void> deriveOwnHeads(const TensorSource& source, TensorWriter& writer)
{
    const std::int64_t length = std::max<std::int64_t>(1, writer.config().headLength());
    return writeRotary(source, source.gguf, rowCount(source) / length, writer);
}

Result<void> deriveHeadNorm(const TensorSource& source, TensorWriter& writer)
{
    const std::vector<std::int64_t> shape = source.tensor.shape;
    if (shape.size() != 2) return badTensor(source, "expected numbers for each head");
    TRY_ASSIGN(
        SafetensorsEntry turned,
        rotaryRows(with(source, TensorShaper::reshaped(source.tensor, {shape[0] * shape[1]})),
                   shape[0], writer));
    return writer.write(source.name(), TensorShaper::reshaped(std::move(turned), shape));
}

Result<void> deriveSplitQkv(const TensorSource& source, TensorWriter& writer)
{
    const ModelConfig& config = writer.config();
    const std::int64_t queries = config.headCount() * config.headLength();
    const std::int64_t keys = config.headCountKv() * config.headLength();
    if (rowCount(source) != queries + 2 * keys)
        return badTensor(source, std::format("expected {} rows, found {}", queries + 2 * keys,
                                             rowCount(source)));
    TRY_ASSIGN(SafetensorsEntry q, TensorShaper::slice(source.tensor, 0, queries));
    TRY_ASSIGN(SafetensorsEntry k, TensorShaper::slice(source.tensor, queries, keys));
    TRY_ASSIGN(const SafetensorsEntry v, TensorShaper::slice(source.tensor, queries + keys, keys));
    TRY(writeRotary(with(source, std::move(q)), part(source.gguf, 0), config.headCount(), writer));
    TRY(writeRotary(with(source, std::move(k)), part(source.gguf, 1), config.headCountKv(),
                    writer));
    return writer.write(source.name(part(source.gguf, 2)), v);
}

Result<void> deriveGroupedQkv(const TensorSource& source, TensorWriter& writer)
{
    TRY_ASSIGN(GroupedRows rows, groupedRows(source, writer.config()));
    Rows all = std::move(rows.queries);
    all.insert(all.end(), rows.keys.begin(), rows.keys.end());
    all.insert(all.end(), rows.values.begin(), rows.values.end());
    TRY_ASSIGN(const SafetensorsEntry gathered, writer.shaper().gather(source.tensor, all));
    return writer.write(source.name(), gathered);
}

Result<void> deriveBigCodeQkv(const TensorSource& source, TensorWriter& writer)
{
    if (writer.config().booleanOr("multi_query", true))
        return writer.write(source.name(), source.tensor);
    return deriveGroupedQkv(source, writer);
}

Result<void> deriveSplitGroupedQkv(const TensorSource& source, TensorWriter& writer)
{
    const ModelConfig& config = writer.config();
    TRY_ASSIGN(const GroupedRows rows, groupedRows(source, config));
    TRY_ASSIGN(SafetensorsEntry q, writer.shaper().gather(source.tensor, rows.queries));
    TRY_ASSIGN(SafetensorsEntry k, writer.shaper().gather(source.tensor, rows.keys));
    TRY_ASSIGN(const SafetensorsEntry v, writer.shaper().gather(source.tensor, rows.values));
    TRY(writeRotary(with(source, std::move(q)), part(source.gguf, 0), config.headCount(), writer));
    TRY(writeRotary(with(source, std::move(k)), part(source.gguf, 1), config.headCountKv(),
                    writer));
    return writer.write(source.name(part(source.gguf, 2)), v);
}

Result<void> deriveLatentKv(const TensorSource& source, TensorWriter& writer)
{
    const ModelConfig& config = writer.config();
    TRY_ASSIGN(const std::int64_t keyLength, config.required({"qk_nope_head_dim"}));
    TRY_ASSIGN(const std::int64_t valueLength, config.required({"v_head_dim"}));
    const std::int64_t heads = config.headCountKv();
    const std::int64_t length = keyLength + valueLength;
    if (source.tensor.shape.size() != 2 || heads < 1 || keyLength < 1 || valueLength < 1 ||
        rowCount(source) % heads != 0 || rowCount(source) / heads != length)
        return badTensor(source, std::format("expected {} heads of {} rows, found {}", heads,
                                             length, rowCount(source)));
    Rows keys;
    Rows values;
    for (std::int64_t row = 0; row < rowCount(source); ++row)
        (row % length < keyLength ? keys : values).push_back(row);
    const std::int64_t rank = source.tensor.shape[1];
    TRY_ASSIGN(SafetensorsEntry k, writer.shaper().gather(source.tensor, keys));
    TRY_ASSIGN(SafetensorsEntry v, writer.shaper().gather(source.tensor, values));
    TRY_ASSIGN(const SafetensorsEntry turned, writer.shaper().transposed(TensorShaper::reshaped(
                                                  std::move(k), {heads, keyLength, rank})));
    TRY(writer.write(source.name(part(source.gguf, 0)), turned));
    return writer.write(source.name(part(source.gguf, 1)),
                        TensorShaper::reshaped(std::move(v), {heads, valueLength, rank}));
}

Result<void> deriveHalves(const TensorSource& source, TensorWriter& writer)
{
    const bool experts = source.tensor.shape.size() == 3;
    const std::int64_t rows = experts ? source.tensor.shape[1] : rowCount(source);
    if (source.tensor.shape.empty() || rows < 2 || rows % 2 != 0)
        return badTensor(source, std::format("expected an even number of rows, found {}", rows));
    if (!experts) {
        TRY_ASSIGN(const SafetensorsEntry upper, TensorShaper::slice(source.tensor, 0, rows / 2));
        TRY_ASSIGN(const SafetensorsEntry lower,
                   TensorShaper::slice(source.tensor, rows / 2, rows / 2));
        TRY(writer.write(source.name(part(source.gguf, 0)), upper));
        return writer.write(source.name(part(source.gguf, 1)), lower);
    }
    TRY_ASSIGN(const SafetensorsEntry flat, flattened(source));
    Rows upper;
    Rows lower;
    for (std::int64_t row = 0; row < flat.shape.front(); ++row)
        (row % rows < rows / 2 ? upper : lower).push_back(row);
    TRY(writeExpertRows(source, flat, upper, part(source.gguf, 0), writer));
    return writeExpertRows(source, flat, lower, part(source.gguf, 1), writer);
}

Result<void> deriveTransposed(const TensorSource& source, TensorWriter& writer)
{
    if (source.tensor.shape.size() < 2) return writer.write(source.name(), source.tensor); // a bias
    TRY_ASSIGN(const SafetensorsEntry turned, writer.shaper().transposed(source.tensor));
    return writer.write(source.name(), turned);
}

Result<void> deriveExpertHalves(const TensorSource& source, TensorWriter& writer)
{
    if (liesAcross(source, writer.config().embeddingLength()))
        return deriveTransposedHalves(source, writer);
    return deriveHalves(source, writer);
}

Result<void> deriveExpertDown(const TensorSource& source, TensorWriter& writer)
{
    const auto inner =
        writer.config().integer({"moe_intermediate_size", "intermediate_size"}).value_or(0);
    if (liesAcross(source, inner)) return deriveTransposed(source, writer);
    return writer.write(source.name(), source.tensor);
}

Result<void> deriveTransposedHalves(const TensorSource& source, TensorWriter& writer)
{
    TRY_ASSIGN(SafetensorsEntry turned, writer.shaper().transposed(source.tensor));
    return deriveHalves(with(source, std::move(turned)), writer);
}

Result<void> deriveEntry(const TensorSource& source, TensorWriter& writer)
{
    if (source.tensor.data.size() * 8 != source.tensor.type->bits)
        return badTensor(source, "expected one number");
    TRY_ASSIGN(const SafetensorsEntry number, writer.shaper().mapped(source.tensor, unchanged));
    writer.setEntry(source.gguf, source.layer, loadLittle<float>(number.data.data()));
    return {};
}

Result<void> deriveExpert(const TensorSource& source, TensorWriter& writer)
{
    return writer.collect(source.name(), source.expert, writer.config().expertCount(),
                          source.tensor);
}

Result<void> deriveQueryHead(const TensorSource& source, TensorWriter& writer)
{
    return writer.collect(source.name(), source.expert, writer.config().headCount(), source.tensor);
}

Result<void> deriveKeyHead(const TensorSource& source, TensorWriter& writer)
{
    return writer.collect(source.name(), source.expert, writer.config().headCountKv(),
                          source.tensor);
}

Result<void> deriveConvolution(const TensorSource& source, TensorWriter& writer)
{
    std::vector<std::int64_t> shape = source.tensor.shape;
    if (shape.size() == 3 && shape[1] == 1) shape.erase(shape.begin() + 1);
    return writer.write(source.name(), TensorShaper::reshaped(source.tensor, std::move(shape)));
}

Result<void> deriveDecay(const TensorSource& source, TensorWriter& writer)
{
    TRY_ASSIGN(const SafetensorsEntry decay,
               writer.shaper().mapped(source.tensor, negativeExponential));
    return writer.write(source.name(), decay);
}

Result<void> deriveFlatDecay(const TensorSource& source, TensorWriter& writer)
{
    std::int64_t count = 1;
    for (const std::int64_t dimension : source.tensor.shape)
        count *= dimension;
    return deriveDecay(with(source, TensorShaper::reshaped(source.tensor, {count})), writer);
}

Result<void> derivePositions(const TensorSource& source, TensorWriter& writer)
{
    const std::int64_t unused = writer.config().integer("pad_token_id").value_or(1) + 1;
    TRY_ASSIGN(const SafetensorsEntry rows,
               TensorShaper::slice(source.tensor, unused, rowCount(source) - unused));
    return writer.write(source.name(), rows);
}

Result<void> deriveAlternating(const TensorSource& source, TensorWriter& writer)
{
    const std::vector<std::int64_t>& shape = source.tensor.shape;
    if (shape.size() < 2 || shape[1] % 2 != 0)
        return badTensor(source, "expected an even number of rows for each expert");
    TRY_ASSIGN(const SafetensorsEntry flat, flattened(source));
    TRY(writeExpertRows(source, flat, everyNth(0, flat.shape.front(), 2), part(source.gguf, 0),
                        writer));
    return writeExpertRows(source, flat, everyNth(1, flat.shape.front(), 2), part(source.gguf, 1),
                           writer);
}

Result<void> deriveTransposedAlternating(const TensorSource& source, TensorWriter& writer)
{
    TRY_ASSIGN(SafetensorsEntry turned, writer.shaper().transposed(source.tensor));
    return deriveAlternating(with(source, std::move(turned)), writer);
}

} // namespace engine
