#include "engine/model/weights.h"

#include "engine/model/weight_rules.h"

#include <algorithm>
#include <array>
#include <format>
#include <span>
#include <string>

namespace engine {

namespace {

std::string describe(std::span<const std::int64_t> shape)
{
    std::size_t rank = shape.size();
    while (rank > 1 && shape[rank - 1] == 1)
        --rank;
    std::string text = "[";
    for (std::size_t i = 0; i < rank; ++i)
        text += std::format("{}{}", i ? ", " : "", shape[i]);
    return text + "]";
}

/// Elements [first, first + count) of a tensor of a type without blocks.
TensorView elementRange(const TensorView& tensor, std::int64_t first, std::int64_t count)
{
    const std::uint64_t bytes = dtypeInfo(tensor.dtype).blockBytes;
    TensorView part = tensor;
    part.shape = {count, 1, 1, 1};
    part.rank = 1;
    part.data = tensor.data + static_cast<std::uint64_t>(first) * bytes;
    part.sizeBytes = static_cast<std::uint64_t>(count) * bytes;
    return part;
}

class WeightResolver {
public:
    WeightResolver(const ModelFile& file, const Hyperparameters& model)
        : m_file(file)
        , m_model(model)
    {
    }

    Result<Weights> resolve()
    {
        TRY(resolveEmbeddings());
        TRY(resolveOutput());
        TRY(resolveRope());
        m_weights.layers.resize(m_model.layers.size());
        for (std::size_t i = 0; i < m_model.layers.size(); ++i)
            TRY(resolveLayer(i));
        return std::move(m_weights);
    }

private:
    using Shape = std::array<std::int64_t, 4>;

    const Architecture& row() const { return *m_model.architecture; }

    std::string inLayer(std::string_view name) const
    {
        return m_layer < 0 ? std::string(name) : std::format("blk.{}.{}", m_layer, name);
    }

    std::unexpected<Error> missing(std::string name) const
    {
        std::string message = std::format("tensor `{}` is missing", name);
        return fail(ErrorCode::MissingTensor, std::move(message), std::move(name));
    }

    std::unexpected<Error> badShape(const TensorView& tensor, const std::string& expected,
                                    std::int64_t elements) const
    {
        return fail(ErrorCode::BadTensor,
                    std::format("tensor `{}` has the shape {}; expected {}", tensor.name,
                                describe(tensor.shape), expected),
                    tensor.name, static_cast<std::uint64_t>(std::max<std::int64_t>(0, elements)),
                    static_cast<std::uint64_t>(std::max<std::int64_t>(0, tensor.elements())));
    }

    /// The tensor holds weights and all its rows lie in the file.
    static Result<void> checkReadable(const TensorView& tensor)
    {
        const DTypeInfo& info = dtypeInfo(tensor.dtype);
        if (info.dequantize == nullptr)
            return fail(ErrorCode::UnsupportedType,
                        std::format("tensor `{}` is of type {}, which holds no weights",
                                    tensor.name, info.name),
                        std::string(info.name));
        const bool whole = tensor.columns() > 0 && tensor.columns() % info.blockElements == 0;
        if (!whole || tensor.sizeBytes / tensor.rowBytes() <
                          static_cast<std::uint64_t>(std::max<std::int64_t>(1, tensor.rows())))
            return fail(ErrorCode::BadTensor,
                        std::format("tensor `{}` of shape {} and type {} has {} bytes", tensor.name,
                                    describe(tensor.shape), info.name, tensor.sizeBytes),
                        tensor.name);
        return {};
    }

    /// A tensor of exactly this shape into `target`; a missing one is no error where `optional`.
    Result<void> find(TensorView& target, const std::string& name, const Shape& shape,
                      bool optional)
    {
        const TensorView* tensor = m_file.find(name);
        if (tensor == nullptr) {
            if (optional) return {};
            return missing(name);
        }
        if (tensor->shape != shape)
            return badShape(*tensor, describe(shape), shape[0] * shape[1] * shape[2] * shape[3]);
        TRY(checkReadable(*tensor));
        target = *tensor;
        return {};
    }

    /// An optional tensor whose elements can be told apart without dequantizing.
    Result<void> findPlain(TensorView& target, const std::string& name, const Shape& shape)
    {
        TRY(find(target, name, shape, true));
        if (target.data == nullptr) return {};
        const DTypeInfo& info = dtypeInfo(target.dtype);
        if (info.blockElements == 1) return {};
        return fail(ErrorCode::UnsupportedType,
                    std::format("tensor `{}` is of type {}; expected a type without blocks", name,
                                info.name),
                    std::string(info.name));
    }

    std::int64_t size(Dimension dimension) const
    {
        const std::size_t layer = m_layer < 0 ? 0 : static_cast<std::size_t>(m_layer);
        return dimensionOf(dimension, m_model, m_model.layers[layer]);
    }

    Result<void> findLinear(Linear& target, std::string_view name, std::int64_t inputs,
                            std::int64_t outputs, bool optional)
    {
        const std::string stem = inLayer(name);
        TRY(find(target.weight, stem + ".weight", {inputs, outputs, 1, 1}, optional));
        TRY(findPlain(target.bias, stem + ".bias", {outputs, 1, 1, 1}));
        return findPlain(target.scale, stem + ".scale", {1, 1, 1, 1});
    }

    Result<void> findNorm(NormWeights& target, const NormName& name, std::int64_t width)
    {
        const bool unit = !row().normWeights && !name.optional;
        if (name.name.empty()) return {};
        std::string stem = inLayer(name.name);
        if (!name.instead.empty() && m_file.find(inLayer(name.instead) + ".weight") != nullptr)
            stem = inLayer(name.instead);
        TRY(find(target.weight, stem + ".weight", {width, 1, 1, 1}, name.optional || unit));
        TRY(find(target.bias, stem + ".bias", {width, 1, 1, 1}, true));
        target.present = target.weight.data != nullptr || unit;
        target.group = static_cast<int>(width);
        return {};
    }

    Result<void> apply(LayerWeights& layer, const RuleSet& rules)
    {
        for (const LinearRule& rule : rules.linears)
            TRY(findLinear(layer.*rule.target, rule.name, size(rule.inputs), size(rule.outputs),
                           rule.optional));
        for (const SetRule& rule : rules.sets) {
            LinearSet& target = layer.*rule.target;
            const std::string stem = inLayer(rule.name);
            const std::int64_t outputs = size(rule.outputs);
            const std::int64_t count = size(rule.count);
            TRY(find(target.weight, stem + ".weight", {size(rule.inputs), outputs, count, 1},
                     rule.optional));
            TRY(findPlain(target.bias, stem + ".bias", {outputs, count, 1, 1}));
            TRY(findPlain(target.scale, stem + ".scale", {count, 1, 1, 1}));
            target.rowCount = static_cast<int>(outputs);
        }
        for (const NormRule& rule : rules.norms)
            TRY(findNorm(layer.*rule.target, {rule.name, rule.optional}, size(rule.width)));
        for (const VectorRule& rule : rules.vectors)
            TRY(findVector(layer.*rule.target, inLayer(rule.name), size(rule.columns),
                           size(rule.rows), rule.optional));
        return {};
    }

    /// Numbers whose tensor may have dimensions of 1 before, between or after.
    Result<void> findVector(TensorView& target, const std::string& name, std::int64_t columns,
                            std::int64_t rows, bool optional)
    {
        const TensorView* tensor = m_file.find(name);
        if (tensor == nullptr) {
            if (optional) return {};
            return missing(name);
        }
        if (tensor->elements() != columns * rows)
            return badShape(*tensor, describe(Shape{columns, rows, 1, 1}), columns * rows);
        TRY(checkReadable(*tensor));
        target = *tensor;
        return {};
    }

    Result<void> resolveEmbeddings()
    {
        const std::int64_t width = m_model.embeddingLength;
        TRY(find(m_weights.tokenEmbd, "token_embd.weight", {width, m_model.vocabularySize, 1, 1},
                 false));
        TRY(findNorm(m_weights.embeddingNorm, row().norms.embedding, width));
        if (row().position == PositionKind::Learned)
            TRY(findRows(m_weights.positionEmbd, "position_embd.weight", width, false));
        return findRows(m_weights.tokenTypes, "token_types.weight", width, true);
    }

    /// A matrix of so many columns and any number of rows.
    Result<void> findRows(TensorView& target, const std::string& name, std::int64_t columns,
                          bool optional)
    {
        const TensorView* tensor = m_file.find(name);
        const std::int64_t rows = tensor == nullptr ? 1 : std::max<std::int64_t>(1, tensor->rows());
        return find(target, name, {columns, rows, 1, 1}, optional);
    }

    Result<void> resolveOutput()
    {
        const std::int64_t width = m_model.embeddingLength;
        TRY(findNorm(m_weights.outputNorm, row().norms.output, width));
        TRY(findLinear(m_weights.output, "output", width, m_model.vocabularySize, true));
        if (!m_weights.output) m_weights.output.weight = m_weights.tokenEmbd;
        return {};
    }

    Result<void> resolveRope()
    {
        const std::int64_t pairs = m_model.rope.dimensionCount / 2;
        if (pairs == 0) return {};
        const Shape shape{pairs, 1, 1, 1};
        TRY(find(m_weights.ropeFreqs, "rope_freqs.weight", shape, true));
        TRY(find(m_weights.ropeFactorsLong, "rope_factors_long.weight", shape, true));
        return find(m_weights.ropeFactorsShort, "rope_factors_short.weight", shape, true);
    }

    Result<void> resolveLayer(std::size_t index)
    {
        m_layer = static_cast<int>(index);
        LayerWeights& layer = m_weights.layers[index];
        const LayerHyperparameters& numbers = m_model.layers[index];
        TRY(resolveNorms(layer));
        if (numbers.mixer == MixerKind::Attention ||
            numbers.mixer == MixerKind::AttentionAndMamba2) {
            TRY(resolveProjections(layer));
            TRY(findQkNorm(layer.attnQNorm, "attn_q_norm", numbers.headCount, numbers.keyLength));
            TRY(findQkNorm(layer.attnKNorm, "attn_k_norm", numbers.headCountKv, numbers.keyLength));
        }
        TRY(apply(layer, mixerRules(numbers.mixer)));
        if (numbers.mixer == MixerKind::LatentAttention) TRY(resolveLatent(layer));
        if (numbers.mixer == MixerKind::GatedDeltaNet) TRY(resolveDeltaNet(layer));
        TRY(resolveFeedForward(layer, numbers));
        m_layer = -1;
        return {};
    }

    Result<void> resolveNorms(LayerWeights& layer)
    {
        const NormNames& names = row().norms;
        const std::int64_t width = m_model.embeddingLength;
        TRY(findNorm(layer.attentionNorm, names.attention, width));
        TRY(findNorm(layer.attentionPostNorm, names.attentionPost, width));
        TRY(findNorm(layer.attentionResidualNorm, names.attentionResidual, width));
        TRY(findNorm(layer.attentionResidualNorm2, names.attentionResidual2, width));
        TRY(findNorm(layer.feedForwardNorm, names.feedForward, width));
        TRY(findNorm(layer.feedForwardPostNorm, names.feedForwardPost, width));
        return findNorm(layer.feedForwardResidualNorm, names.feedForwardResidual, width);
    }

    /// Queries, keys and values: three matrices, or one whose rows are theirs in that order.
    Result<void> resolveProjections(LayerWeights& layer)
    {
        const std::int64_t width = m_model.embeddingLength;
        const std::int64_t q = size(Dimension::QueryProjection);
        const std::int64_t k = size(Dimension::Key);
        const std::int64_t v = size(Dimension::Value);
        if (m_file.find(inLayer("attn_qkv.weight")) == nullptr) {
            TRY(findLinear(layer.attnQ, "attn_q", width, q, false));
            TRY(findLinear(layer.attnK, "attn_k", width, k, false));
            return findLinear(layer.attnV, "attn_v", width, v, false);
        }
        Linear fused;
        TRY(findLinear(fused, "attn_qkv", width, q + k + v, false));
        layer.attnQ = part(fused, 0, q);
        layer.attnK = part(fused, q, k);
        layer.attnV = part(fused, q + k, v);
        return {};
    }

    static Linear part(const Linear& fused, std::int64_t first, std::int64_t count)
    {
        Linear linear = fused;
        linear.weight = rowRange(fused.weight, first, count);
        if (fused.bias.data != nullptr) linear.bias = elementRange(fused.bias, first, count);
        return linear;
    }

    /// A norm of queries or keys: of each head with the same weights or its own, or of all heads
    /// together. The shape says which.
    Result<void> findQkNorm(NormWeights& target, std::string_view name, int heads, int length)
    {
        const TensorView* tensor = m_file.find(inLayer(name) + ".weight");
        if (tensor == nullptr) return {};
        const std::int64_t all = static_cast<std::int64_t>(heads) * length;
        const bool each =
            tensor->shape == Shape{length, 1, 1, 1} || tensor->shape == Shape{length, heads, 1, 1};
        if (!each && tensor->shape != Shape{all, 1, 1, 1})
            return badShape(*tensor, std::format("[{}] or [{}]", length, all), length);
        TRY(checkReadable(*tensor));
        target.present = true;
        target.weight = *tensor;
        target.group = each ? length : static_cast<int>(all);
        return find(target.bias, inLayer(name) + ".bias", tensor->shape, true);
    }

    Result<void> resolveLatent(LayerWeights& layer)
    {
        if (m_model.latent.qLoraRank > 0)
            TRY(apply(layer, kLatentQueryRules));
        else
            TRY(apply(layer, kPlainQueryRules));
        if (m_file.find(inLayer("attn_kv_b.weight")) != nullptr)
            return apply(layer, kFusedKvBRules);
        return apply(layer, kSplitKvBRules);
    }

    Result<void> resolveDeltaNet(LayerWeights& layer)
    {
        if (m_file.find(inLayer("ssm_ba.weight")) != nullptr)
            return apply(layer, kDeltaNetFusedBetaRules);
        return apply(layer, kDeltaNetBetaRules);
    }

    Result<void> resolveFeedForward(LayerWeights& layer, const LayerHyperparameters& numbers)
    {
        TRY(apply(layer, kFeedForwardRules));
        if (layer.ffnGateInp) return resolveExperts(layer);
        if (numbers.feedForwardLength == 0) return {};
        const std::int64_t width = m_model.embeddingLength;
        const std::int64_t inner = numbers.feedForwardLength;
        TRY(findLinear(layer.ffnDown, "ffn_down", inner, width, false));
        const TensorView* up = m_file.find(inLayer("ffn_up.weight"));
        const bool fused = row().gated && m_file.find(inLayer("ffn_gate.weight")) == nullptr &&
                           up != nullptr && up->shape[1] == 2 * inner;
        if (!fused) {
            if (row().gated) TRY(findLinear(layer.ffnGate, "ffn_gate", width, inner, false));
            return findLinear(layer.ffnUp, "ffn_up", width, inner, false);
        }
        Linear both;
        TRY(findLinear(both, "ffn_up", width, 2 * inner, false));
        layer.ffnGate = part(both, 0, inner);
        layer.ffnUp = part(both, inner, inner);
        return {};
    }

    Result<void> resolveExperts(LayerWeights& layer)
    {
        TRY(apply(layer, kExpertRules));
        const bool fused = m_file.find(inLayer("ffn_gate_up_exps.weight")) != nullptr;
        if (fused) {
            LinearSet both;
            const std::int64_t inner = m_model.experts.feedForwardLength;
            const std::int64_t count = m_model.experts.count;
            const std::string stem = inLayer("ffn_gate_up_exps");
            TRY(find(both.weight, stem + ".weight", {m_model.embeddingLength, 2 * inner, count, 1},
                     false));
            TRY(findPlain(both.bias, stem + ".bias", {2 * inner, count, 1, 1}));
            TRY(findPlain(both.scale, stem + ".scale", {count, 1, 1, 1}));
            both.rowCount = static_cast<int>(inner);
            layer.ffnGateExps = both;
            layer.ffnUpExps = both;
            layer.ffnUpExps.firstRow = static_cast<int>(inner);
        } else {
            if (row().gated) TRY(apply(layer, kExpertGateRules));
            TRY(apply(layer, kExpertUpRules));
        }
        return resolveSharedExperts(layer);
    }

    /// The length of the shared experts is that of their tensors.
    Result<void> resolveSharedExperts(LayerWeights& layer)
    {
        const TensorView* up = m_file.find(inLayer("ffn_up_shexp.weight"));
        if (up == nullptr) return {};
        const std::int64_t width = m_model.embeddingLength;
        const std::int64_t inner = up->shape[1];
        if (inner < 1 || inner > kMostSharedLength)
            return badShape(*up, std::format("[{}, 1 to {}]", width, kMostSharedLength), width);
        if (row().gated) TRY(findLinear(layer.ffnGateShexp, "ffn_gate_shexp", width, inner, false));
        TRY(findLinear(layer.ffnUpShexp, "ffn_up_shexp", width, inner, false));
        TRY(findLinear(layer.ffnDownShexp, "ffn_down_shexp", inner, width, false));
        return findLinear(layer.ffnGateInpShexp, "ffn_gate_inp_shexp", width, 1, true);
    }

    static constexpr std::int64_t kMostSharedLength = 1 << 22;

    const ModelFile& m_file;
    const Hyperparameters& m_model;
    Weights m_weights;
    int m_layer = -1; ///< the layer names are looked up in; -1: outside
};

} // namespace

Result<Weights> Weights::resolve(const ModelFile& file, const Hyperparameters& model)
{
    return WeightResolver(file, model).resolve();
}

TensorView rowRange(const TensorView& tensor, std::int64_t first, std::int64_t count)
{
    TensorView part = tensor;
    part.shape = {tensor.columns(), count, 1, 1};
    part.rank = 2;
    part.data = tensor.data + static_cast<std::uint64_t>(first) * tensor.rowBytes();
    part.sizeBytes = static_cast<std::uint64_t>(count) * tensor.rowBytes();
    return part;
}

Linear LinearSet::at(int index) const
{
    Linear linear;
    const std::int64_t rows = weight.shape[1];
    linear.weight = rowRange(weight, index * rows + firstRow, rowCount);
    if (bias.data != nullptr) linear.bias = elementRange(bias, index * rows + firstRow, rowCount);
    if (scale.data != nullptr) linear.scale = elementRange(scale, index, 1);
    return linear;
}

std::vector<float> readVector(const TensorView& tensor)
{
    std::vector<float> values;
    if (tensor.data == nullptr) return values;
    values.resize(static_cast<std::size_t>(tensor.elements()));
    dtypeInfo(tensor.dtype).dequantize(tensor.data, values.data(), values.size());
    return values;
}

std::vector<float> ropeFactors(const Weights& weights, const Hyperparameters& model,
                               int contextLength)
{
    if (weights.ropeFreqs.data != nullptr) return readVector(weights.ropeFreqs);
    const bool isLong = contextLength > model.rope.originalContextLength;
    return readVector(isLong ? weights.ropeFactorsLong : weights.ropeFactorsShort);
}

} // namespace engine
