// Rules for the tensors of families with attention that came after most.

#include "engine/base/byte_order.h"
#include "engine/huggingface/family.h"
#include "engine/huggingface/tensor_rules.h"
#include "engine/model/weight_rules.h"

#include <cmath>
#include <cstring>
#include <format>

namespace engine {

namespace {

float unchanged(float value)
{
    return value;
}

bool isTied(const TensorWriter& writer)
{
    return writer.config().booleanOr("tie_word_embeddings", false);
}

/// What each column of a matrix in f32 is divided by, once each of its rows has been read.
std::vector<double> columnLengths(const SafetensorsEntry& matrix)
{
    const auto columns = static_cast<std::size_t>(matrix.shape.back());
    std::vector<double> lengths(columns);
    for (std::size_t i = 0; i * sizeof(float) < matrix.data.size(); ++i) {
        const double value = loadLittle<float>(matrix.data.data() + i * sizeof(float));
        lengths[i % columns] += value * value;
    }
    for (double& length : lengths)
        length = std::sqrt(length) + 1e-7;
    return lengths;
}

} // namespace

Result<void> deriveNormedHead(const TensorSource& source, TensorWriter& writer)
{
    if (isTied(writer) || !writer.config().booleanOr("norm_head", false) ||
        source.suffix != ".weight" || source.tensor.shape.size() != 2)
        return deriveHead(source, writer);
    TRY_ASSIGN(SafetensorsEntry matrix, writer.shaper().mapped(source.tensor, unchanged));
    const std::vector<double> lengths = columnLengths(matrix);
    const std::span<std::byte> bytes = writer.shaper().allocate(matrix.data.size());
    for (std::size_t i = 0; i * sizeof(float) < bytes.size(); ++i) {
        const std::size_t at = i * sizeof(float);
        const double value = loadLittle<float>(matrix.data.data() + at);
        storeLittle(bytes.data() + at, static_cast<float>(value / lengths[i % lengths.size()]));
    }
    matrix.data = bytes;
    return writer.write(source.name(), matrix);
}

Result<void> deriveVocabularyRows(const TensorSource& source, TensorWriter& writer)
{
    constexpr std::int64_t kMost = 1 << 21;
    SafetensorsEntry rows = source.tensor;
    const std::int64_t wanted = writer.config().integer("vocab_size").value_or(0);
    // A few tokens at the end have none; a folder with hardly any is none of this family's.
    const bool isShort = rows.shape.size() == 2 && rows.shape.front() < wanted;
    if (isShort && wanted <= kMost && rows.shape.front() >= wanted / 2) {
        const std::size_t width = rows.data.size() / static_cast<std::size_t>(rows.shape.front());
        const std::span<std::byte> bytes =
            writer.shaper().allocate(width * static_cast<std::size_t>(wanted));
        std::memset(bytes.data(), 0, bytes.size());
        std::memcpy(bytes.data(), rows.data.data(), rows.data.size());
        rows.data = bytes;
        rows.shape.front() = wanted;
    }
    return writer.write(source.name(), rows);
}

Result<void> deriveAltupProjection(const TensorSource& source, TensorWriter& writer)
{
    return writer.collect(source.name(), source.layer, kAltupStreams - 1, source.tensor);
}

Result<void> deriveJais(const TensorSource& source, TensorWriter& writer)
{
    const ModelConfig& config = writer.config();
    const double embedding =
        config.number({"mup_embeddings_scale", "embeddings_scale"}).value_or(1);
    const auto alpha = config.number("mup_output_alpha");
    const double width = alpha ? *alpha * config.number("mup_width_scale").value_or(1)
                               : config.number("width_scale").value_or(1);
    const auto write = [&](std::string_view name, double factor) -> Result<void> {
        const auto scale = static_cast<float>(factor);
        TRY_ASSIGN(const SafetensorsEntry scaled,
                   writer.shaper().scaled(source.tensor, {&scale, 1}));
        return writer.write(source.name(name), scaled);
    };
    const bool tied = config.booleanOr("tie_word_embeddings", true);
    if (source.gguf == "output") return tied ? Result<void>{} : write("output", width);
    if (tied) TRY(write("output", width)); // the same numbers, but not times the same
    return write("token_embd", embedding);
}

Result<void> deriveHalfNorm(const TensorSource& source, TensorWriter& writer)
{
    const std::size_t bar = source.gguf.find('|');
    const bool second = source.expert > 0;
    return writer.write(
        source.name(second ? source.gguf.substr(bar + 1) : source.gguf.substr(0, bar)),
        source.tensor);
}

namespace {

/// (experts * rows, columns) as (experts, rows, columns).
Result<SafetensorsEntry> byExpert(const TensorSource& source, const TensorWriter& writer)
{
    const std::vector<std::int64_t>& shape = source.tensor.shape;
    const std::int64_t count = writer.config().expertCount();
    if (shape.size() == 2 && count > 0 && shape[0] % count == 0)
        return TensorShaper::reshaped(source.tensor, {count, shape[0] / count, shape[1]});
    return fail(
        ErrorCode::BadTensor,
        std::format("tensor {}: expected rows for each of {} experts", source.tensor.name, count),
        std::string(source.tensor.name));
}

} // namespace

Result<void> deriveExpertRows(const TensorSource& source, TensorWriter& writer)
{
    TRY_ASSIGN(const SafetensorsEntry matrices, byExpert(source, writer));
    return writer.write(source.name(), matrices);
}

Result<void> deriveExpertRowsTransposed(const TensorSource& source, TensorWriter& writer)
{
    TRY_ASSIGN(const SafetensorsEntry matrices, byExpert(source, writer));
    TRY_ASSIGN(const SafetensorsEntry turned, writer.shaper().transposed(matrices));
    return writer.write(source.name(), turned);
}

} // namespace engine
