#include "engine/model/weight_resolver.h"

#include <algorithm>
#include <format>

namespace engine {

Result<Weights> WeightResolver::resolve()
{
    TRY(resolveEmbeddings());
    TRY(resolveOutput());
    TRY(resolveRope());
    m_weights.layers.resize(m_model.layers.size());
    for (std::size_t i = 0; i < m_model.layers.size(); ++i) {
        const bool runsAgain = std::cmp_greater_equal(i, m_model.ownBlockCount);
        if (runsAgain && m_missing != nullptr) break; // they are in the list already
        TRY(resolveLayer(i));
    }
    TRY(m_adapters.checkAllUsed());
    return std::move(m_weights);
}

Result<void> WeightResolver::want(const std::string& name, const Shape& shape)
{
    if (m_missing == nullptr) return missing(name);
    m_missing->push_back({name, shape});
    return {};
}

std::string WeightResolver::inLayer(std::string_view name) const
{
    if (m_layer < 0) return std::string(name);
    if (!row().encoderNames) return std::format("blk.{}.{}", m_layer, name);
    constexpr std::string_view kOutput = "attn_output";
    if (name.starts_with(kOutput))
        return std::format("enc.blk.{}.attn_o{}", m_layer, name.substr(kOutput.size()));
    return std::format("enc.blk.{}.{}", m_layer, name);
}

std::unexpected<Error> WeightResolver::missing(std::string name) const
{
    std::string message = std::format("tensor `{}` is missing", name);
    return fail(ErrorCode::MissingTensor, std::move(message), std::move(name));
}

std::unexpected<Error> WeightResolver::badShape(const TensorView& tensor,
                                                const std::string& expected,
                                                std::int64_t elements) const
{
    return fail(ErrorCode::BadTensor,
                std::format("tensor `{}` has the shape {}; expected {}", tensor.name,
                            describeShape(tensor.shape), expected),
                tensor.name, static_cast<std::uint64_t>(std::max<std::int64_t>(0, elements)),
                static_cast<std::uint64_t>(std::max<std::int64_t>(0, tensor.elements())));
}

Result<void> WeightResolver::find(TensorView& target, const std::string& name, const Shape& shape,
                                  bool optional)
{
    const TensorView* tensor = m_file.find(name);
    if (tensor == nullptr) return optional ? Result<void>{} : want(name, shape);
    if (tensor->shape != shape)
        return badShape(*tensor, describeShape(shape), shape[0] * shape[1] * shape[2] * shape[3]);
    TRY(checkReadable(*tensor));
    target = *tensor;
    return {};
}

Result<void> WeightResolver::findPlain(TensorView& target, const std::string& name,
                                       const Shape& shape)
{
    TRY(find(target, name, shape, true));
    if (target.data == nullptr) return {};
    const DTypeInfo& info = dtypeInfo(target.dtype);
    if (info.blockElements == 1) return {};
    return fail(
        ErrorCode::UnsupportedType,
        std::format("tensor `{}` is of type {}; expected a type without blocks", name, info.name),
        std::string(info.name));
}

std::int64_t WeightResolver::size(Dimension dimension) const
{
    const std::size_t layer = m_layer < 0 ? 0 : static_cast<std::size_t>(m_layer);
    return dimensionOf(dimension, m_model, m_model.layers[layer]);
}

Result<void> WeightResolver::findLinear(Linear& target, std::string_view name, std::int64_t inputs,
                                        std::int64_t outputs, bool optional)
{
    TRY(findUnscaled(target, name, inputs, outputs, optional));
    return findPlain(target.scale, inLayer(name) + ".scale", {1, 1, 1, 1});
}

Result<void> WeightResolver::findUnscaled(Linear& target, std::string_view name,
                                          std::int64_t inputs, std::int64_t outputs, bool optional)
{
    const std::string stem = inLayer(name);
    TRY(find(target.weight, stem + ".weight", {inputs, outputs, 1, 1}, optional));
    TRY_ASSIGN(target.changes, m_adapters.changesOf(target.weight));
    return findPlain(target.bias, stem + ".bias", {outputs, 1, 1, 1});
}

Result<void> WeightResolver::findSet(LinearSet& target, const std::string& stem, const Shape& shape,
                                     bool optional)
{
    TRY(find(target.weight, stem + ".weight", shape, optional));
    TRY_ASSIGN(target.changes, m_adapters.changesOf(target.weight));
    TRY(findPlain(target.bias, stem + ".bias", {shape[1], shape[2], 1, 1}));
    TRY(findPlain(target.scale, stem + ".scale", {shape[2], 1, 1, 1}));
    target.rowCount = static_cast<int>(shape[1]);
    return {};
}

Result<void> WeightResolver::findNorm(NormWeights& target, const NormName& name, std::int64_t width)
{
    const bool unit = !row().normWeights && !name.optional;
    if (name.name.empty()) return {};
    std::string stem = inLayer(name.name);
    if (!name.instead.empty() && m_file.find(inLayer(name.instead) + ".weight") != nullptr)
        stem = inLayer(name.instead);
    // A few converters wrote norms without the usual suffix.
    const bool bare = m_file.find(stem) != nullptr;
    TRY(find(target.weight, bare ? stem : stem + ".weight", {width, 1, 1, 1},
             name.optional || unit));
    TRY(find(target.bias, stem + ".bias", {width, 1, 1, 1}, true));
    target.present = target.weight.data != nullptr || unit;
    target.group = static_cast<int>(width);
    return {};
}

Result<void> WeightResolver::apply(LayerWeights& layer, const RuleSet& rules)
{
    for (const LinearRule& rule : rules.linears)
        TRY(findLinear(layer.*rule.target, rule.name, size(rule.inputs), size(rule.outputs),
                       rule.optional));
    for (const SetRule& rule : rules.sets)
        TRY(findSet(layer.*rule.target, inLayer(rule.name),
                    {size(rule.inputs), size(rule.outputs), size(rule.count), 1}, rule.optional));
    for (const NormRule& rule : rules.norms)
        TRY(findNorm(layer.*rule.target, {rule.name, rule.optional}, size(rule.width)));
    for (const VectorRule& rule : rules.vectors)
        TRY(findVector(layer.*rule.target, inLayer(rule.name), size(rule.columns), size(rule.rows),
                       rule.optional));
    return {};
}

Result<void> WeightResolver::findVector(TensorView& target, const std::string& name,
                                        std::int64_t columns, std::int64_t rows, bool optional)
{
    const TensorView* tensor = m_file.find(name);
    if (tensor == nullptr) return optional ? Result<void>{} : want(name, {columns, rows, 1, 1});
    if (tensor->elements() != columns * rows)
        return badShape(*tensor, describeShape(Shape{columns, rows, 1, 1}), columns * rows);
    TRY(checkReadable(*tensor));
    target = *tensor;
    return {};
}

Result<void> WeightResolver::resolveEmbeddings()
{
    const std::int64_t width = m_model.embeddingLength;
    TRY(find(m_weights.tokenEmbd, "token_embd.weight", {width, m_model.vocabularySize, 1, 1},
             false));
    TRY(findNorm(m_weights.embeddingNorm, row().norms.embedding, width));
    if (row().embeddingNormUnit)
        m_weights.embeddingNorm = {
            .present = true, .weight{}, .bias{}, .group = m_model.embeddingLength};
    TRY(resolvePerLayer());
    const PositionKind position = row().position;
    if (position == PositionKind::Learned || position == PositionKind::Alibi)
        TRY(findRows(m_weights.positionEmbd, "position_embd.weight", width,
                     position == PositionKind::Alibi));
    return findRows(m_weights.tokenTypes, "token_types.weight", width, true);
}

Result<void> WeightResolver::resolvePerLayer()
{
    const std::int64_t width = m_model.embeddingLength;
    if (const std::int64_t length = m_model.perLayerLength; length > 0) {
        const std::int64_t all = length * m_model.blockCount;
        if (!row().perLayerOfStream)
            TRY(find(m_weights.perLayerTokenEmbd, "per_layer_token_embd.weight",
                     {all, m_model.vocabularySize, 1, 1}, false));
        TRY(findLinear(m_weights.perLayerModelProj, "per_layer_model_proj", width, all, false));
        TRY(findNorm(m_weights.perLayerProjNorm, {"per_layer_proj_norm"}, length));
    }
    if (!row().altup) return {};
    if (m_model.perLayerLength == 0) return missing("per_layer_proj_norm.weight");
    constexpr std::int64_t kOthers = kAltupStreams - 1;
    for (auto [set, name] : {std::pair{&m_weights.altupProj, "altup_proj"},
                             std::pair{&m_weights.altupUnembdProj, "altup_unembd_proj"}}) {
        TRY(findSet(*set, name, {width, width, kOthers, 1}, false));
    }
    return {};
}

Result<void> WeightResolver::findRows(TensorView& target, const std::string& name,
                                      std::int64_t columns, bool optional)
{
    const TensorView* tensor = m_file.find(name);
    const std::int64_t rows =
        tensor == nullptr ? m_model.contextLength : std::max<std::int64_t>(1, tensor->rows());
    return find(target, name, {columns, rows, 1, 1}, optional);
}

Result<void> WeightResolver::resolveOutput()
{
    const std::int64_t width = m_model.embeddingLength;
    TRY(findNorm(m_weights.outputNorm, row().norms.output, width));
    if (!row().outputOfPooled)
        TRY(findLinear(m_weights.output, "output", width, m_model.vocabularySize, true));
    if (!m_weights.output) m_weights.output.weight = m_weights.tokenEmbd;
    return resolvePooled();
}

Result<void> WeightResolver::resolvePooled()
{
    const std::int64_t width = m_model.embeddingLength;
    const std::string_view first = row().outputOfPooled ? "output" : "dense_2";
    const std::int64_t inner = rowsOf(std::string(first) + ".weight");
    TRY(findLinear(m_weights.dense[0], first, width, inner, !row().outputOfPooled));
    TRY(findLinear(m_weights.dense[1], "dense_3", m_weights.dense[0] ? inner : width,
                   rowsOf("dense_3.weight"), true));
    TRY(findLinear(m_weights.classifier, "cls", width, width, true));
    TRY(findNorm(m_weights.classifierNorm, {"cls.norm", true}, width));
    return findLinear(m_weights.classifierOutput, "cls.output", width, rowsOf("cls.output.weight"),
                      true);
}

std::int64_t WeightResolver::rowsOf(std::string_view name) const
{
    constexpr std::int64_t kMost = 1 << 20;
    const TensorView* tensor = m_file.find(name);
    return tensor == nullptr ? 1 : std::clamp<std::int64_t>(tensor->shape[1], 1, kMost);
}

Result<void> WeightResolver::resolveRope()
{
    const std::int64_t pairs = m_model.rope.dimensionCount / 2;
    if (pairs == 0) return {};
    const Shape shape{pairs, 1, 1, 1};
    TRY(resolveRopeFreqs(pairs));
    TRY(find(m_weights.ropeFactorsLong, "rope_factors_long.weight", shape, true));
    return find(m_weights.ropeFactorsShort, "rope_factors_short.weight", shape, true);
}

Result<void> WeightResolver::resolveRopeFreqs(std::int64_t pairs)
{
    constexpr std::string_view kName = "rope_freqs.weight";
    const TensorView* tensor = m_file.find(kName);
    const std::int64_t sliding = m_model.ropeSliding.dimensionCount / 2;
    const bool covers = tensor != nullptr && sliding > pairs && tensor->shape[0] == sliding;
    return find(m_weights.ropeFreqs, std::string(kName), {covers ? sliding : pairs, 1, 1, 1}, true);
}

} // namespace engine
