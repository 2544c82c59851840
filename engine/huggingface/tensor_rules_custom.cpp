// What families whose code came with their folders make of their tensors.

#include "engine/huggingface/family.h"
#include "engine/huggingface/tensor_rules.h"

#include <format>

namespace engine {

namespace {

using Rows = std::vector<std::int64_t>;

std::int64_t elements(const TensorSource& source)
{
    std::int64_t count = 1;
    for (const std::int64_t dimension : source.tensor.shape)
        count *= dimension;
    return count;
}

/// Rows of heads, so that those that read the same key come one after the other.
Result<Rows> gatheredHeads(const TensorSource& source, std::int64_t rows, const ModelConfig& config)
{
    const std::int64_t heads = config.headCount();
    const std::int64_t shared = config.integer("n_shared_head").value_or(1);
    if (heads < 1 || shared < 1 || heads % shared != 0 || rows % heads != 0)
        return badTensor(source, std::format("expected rows for {} heads, found {}", heads, rows));
    const std::int64_t length = rows / heads;
    const std::int64_t keys = heads / shared;
    Rows order;
    order.reserve(static_cast<std::size_t>(rows));
    for (std::int64_t head = 0; head < heads; ++head) {
        const std::int64_t from = head % shared * keys + head / shared;
        for (std::int64_t i = 0; i < length; ++i)
            order.push_back(from * length + i);
    }
    return order;
}

Result<void> writeMapped(const TensorSource& source, float (*function)(float), TensorWriter& writer)
{
    TRY_ASSIGN(const SafetensorsEntry mapped, writer.shaper().mapped(source.tensor, function));
    return writer.write(source.name(), mapped);
}

} // namespace

Result<void> derivePlamoQuery(const TensorSource& source, TensorWriter& writer)
{
    const std::int64_t rows = source.tensor.shape.empty() ? 0 : source.tensor.shape.front();
    TRY_ASSIGN(const Rows order, gatheredHeads(source, rows, writer.config()));
    TRY_ASSIGN(const SafetensorsEntry gathered, writer.shaper().gather(source.tensor, order));
    return writer.write(source.name(), gathered);
}

Result<void> derivePlamoOutput(const TensorSource& source, TensorWriter& writer)
{
    if (source.tensor.shape.size() != 2) return badTensor(source, "expected a matrix");
    TRY_ASSIGN(const Rows order, gatheredHeads(source, source.tensor.shape[1], writer.config()));
    TRY_ASSIGN(const SafetensorsEntry turned, writer.shaper().transposed(source.tensor));
    TRY_ASSIGN(const SafetensorsEntry gathered, writer.shaper().gather(turned, order));
    TRY_ASSIGN(const SafetensorsEntry back, writer.shaper().transposed(gathered));
    return writer.write(source.name(), back);
}

Result<void> derivePlusOne(const TensorSource& source, TensorWriter& writer)
{
    return writeMapped(source, [](float value) { return value + 1.0F; }, writer);
}

Result<void> derivePlusFifth(const TensorSource& source, TensorWriter& writer)
{
    return writeMapped(source, [](float value) { return value + 0.2F; }, writer);
}

Result<void> derivePlusElevenths(const TensorSource& source, TensorWriter& writer)
{
    return writeMapped(source, [](float value) { return value + 0.08944271909999159F; }, writer);
}

Result<void> deriveLerp(const TensorSource& source, TensorWriter& writer)
{
    constexpr std::string_view kLetters = "rwkvag";
    const std::size_t place = kLetters.find(source.tensor.name.back());
    if (place == std::string_view::npos)
        return badTensor(source, "expected one of r, w, k, v, a and g");
    return writer.collect(source.name(), static_cast<std::int64_t>(place),
                          static_cast<std::int64_t>(kLetters.size()),
                          TensorShaper::reshaped(source.tensor, {elements(source)}));
}

Result<void> deriveVectors(const TensorSource& source, TensorWriter& writer)
{
    const std::int64_t width = writer.config().embeddingLength();
    if (elements(source) % width != 0)
        return badTensor(source, std::format("expected vectors of {} numbers", width));
    return writer.write(source.name(),
                        TensorShaper::reshaped(source.tensor, {elements(source) / width, width}));
}

Result<void> deriveVector(const TensorSource& source, TensorWriter& writer)
{
    return writer.write(source.name(), TensorShaper::reshaped(source.tensor, {elements(source)}));
}

} // namespace engine
