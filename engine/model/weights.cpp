#include "engine/model/weights.h"

#include "engine/model/adapters.h"
#include "engine/model/weight_rules.h"

#include <algorithm>
#include <array>
#include <format>
#include <span>
#include <string>
#include <utility>

namespace engine {

namespace {

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
    WeightResolver(const ModelFile& file, const Hyperparameters& model, Adapters adapters = {})
        : m_file(file)
        , m_model(model)
        , m_adapters(std::move(adapters))
    {
    }

    Result<Weights> resolve()
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

    /// Tensors that are not there are added to `list` and no error any more.
    void collectMissing(std::vector<WantedTensor>& list) { m_missing = &list; }

private:
    using Shape = std::array<std::int64_t, 4>;

    Result<void> want(const std::string& name, const Shape& shape)
    {
        if (m_missing == nullptr) return missing(name);
        m_missing->push_back({name, shape});
        return {};
    }

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
                                describeShape(tensor.shape), expected),
                    tensor.name, static_cast<std::uint64_t>(std::max<std::int64_t>(0, elements)),
                    static_cast<std::uint64_t>(std::max<std::int64_t>(0, tensor.elements())));
    }

    /// A tensor of exactly this shape into `target`; a missing one is no error where `optional`.
    Result<void> find(TensorView& target, const std::string& name, const Shape& shape,
                      bool optional)
    {
        const TensorView* tensor = m_file.find(name);
        if (tensor == nullptr) return optional ? Result<void>{} : want(name, shape);
        if (tensor->shape != shape)
            return badShape(*tensor, describeShape(shape),
                            shape[0] * shape[1] * shape[2] * shape[3]);
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
        TRY(findUnscaled(target, name, inputs, outputs, optional));
        return findPlain(target.scale, inLayer(name) + ".scale", {1, 1, 1, 1});
    }

    Result<void> findUnscaled(Linear& target, std::string_view name, std::int64_t inputs,
                              std::int64_t outputs, bool optional)
    {
        const std::string stem = inLayer(name);
        TRY(find(target.weight, stem + ".weight", {inputs, outputs, 1, 1}, optional));
        TRY_ASSIGN(target.changes, m_adapters.changesOf(target.weight));
        return findPlain(target.bias, stem + ".bias", {outputs, 1, 1, 1});
    }

    /// One matrix for each of `count`. `rowCount` of the target is all the outputs.
    Result<void> findSet(LinearSet& target, const std::string& stem, const Shape& shape,
                         bool optional)
    {
        TRY(find(target.weight, stem + ".weight", shape, optional));
        TRY_ASSIGN(target.changes, m_adapters.changesOf(target.weight));
        TRY(findPlain(target.bias, stem + ".bias", {shape[1], shape[2], 1, 1}));
        TRY(findPlain(target.scale, stem + ".scale", {shape[2], 1, 1, 1}));
        target.rowCount = static_cast<int>(shape[1]);
        return {};
    }

    Result<void> findNorm(NormWeights& target, const NormName& name, std::int64_t width)
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

    Result<void> apply(LayerWeights& layer, const RuleSet& rules)
    {
        for (const LinearRule& rule : rules.linears)
            TRY(findLinear(layer.*rule.target, rule.name, size(rule.inputs), size(rule.outputs),
                           rule.optional));
        for (const SetRule& rule : rules.sets)
            TRY(findSet(layer.*rule.target, inLayer(rule.name),
                        {size(rule.inputs), size(rule.outputs), size(rule.count), 1},
                        rule.optional));
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
        if (tensor == nullptr) return optional ? Result<void>{} : want(name, {columns, rows, 1, 1});
        if (tensor->elements() != columns * rows)
            return badShape(*tensor, describeShape(Shape{columns, rows, 1, 1}), columns * rows);
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
        TRY(resolvePerLayer());
        const PositionKind position = row().position;
        if (position == PositionKind::Learned || position == PositionKind::Alibi)
            TRY(findRows(m_weights.positionEmbd, "position_embd.weight", width,
                         position == PositionKind::Alibi));
        return findRows(m_weights.tokenTypes, "token_types.weight", width, true);
    }

    Result<void> resolvePerLayer()
    {
        const std::int64_t width = m_model.embeddingLength;
        if (const std::int64_t length = m_model.perLayerLength; length > 0) {
            const std::int64_t all = length * m_model.blockCount;
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

    /// A matrix of so many columns and any number of rows; where it is missing, one for each
    /// position is asked for.
    Result<void> findRows(TensorView& target, const std::string& name, std::int64_t columns,
                          bool optional)
    {
        const TensorView* tensor = m_file.find(name);
        const std::int64_t rows =
            tensor == nullptr ? m_model.contextLength : std::max<std::int64_t>(1, tensor->rows());
        return find(target, name, {columns, rows, 1, 1}, optional);
    }

    Result<void> resolveOutput()
    {
        const std::int64_t width = m_model.embeddingLength;
        TRY(findNorm(m_weights.outputNorm, row().norms.output, width));
        TRY(findLinear(m_weights.output, "output", width, m_model.vocabularySize, true));
        if (!m_weights.output) m_weights.output.weight = m_weights.tokenEmbd;
        return resolvePooled();
    }

    /// What comes after pooling, in models for embeddings or for ranking. The lengths between are
    /// those of the tensors.
    Result<void> resolvePooled()
    {
        const std::int64_t width = m_model.embeddingLength;
        const std::int64_t inner = rowsOf("dense_2.weight");
        TRY(findLinear(m_weights.dense[0], "dense_2", width, inner, true));
        TRY(findLinear(m_weights.dense[1], "dense_3", m_weights.dense[0] ? inner : width,
                       rowsOf("dense_3.weight"), true));
        TRY(findLinear(m_weights.classifier, "cls", width, width, true));
        TRY(findNorm(m_weights.classifierNorm, {"cls.norm", true}, width));
        return findLinear(m_weights.classifierOutput, "cls.output", width,
                          rowsOf("cls.output.weight"), true);
    }

    /// Of a tensor whose rows may be any number; 1 where it is not there.
    std::int64_t rowsOf(std::string_view name) const
    {
        constexpr std::int64_t kMost = 1 << 20;
        const TensorView* tensor = m_file.find(name);
        return tensor == nullptr ? 1 : std::clamp<std::int64_t>(tensor->shape[1], 1, kMost);
    }

    Result<void> resolveRope()
    {
        const std::int64_t pairs = m_model.rope.dimensionCount / 2;
        if (pairs == 0) return {};
        const Shape shape{pairs, 1, 1, 1};
        TRY(resolveRopeFreqs(pairs));
        TRY(find(m_weights.ropeFactorsLong, "rope_factors_long.weight", shape, true));
        return find(m_weights.ropeFactorsShort, "rope_factors_short.weight", shape, true);
    }

    /// May have an entry for every pair of windowed layers too, where those turn more.
    Result<void> resolveRopeFreqs(std::int64_t pairs)
    {
        constexpr std::string_view kName = "rope_freqs.weight";
        const TensorView* tensor = m_file.find(kName);
        const std::int64_t sliding = m_model.ropeSliding.dimensionCount / 2;
        const bool covers = tensor != nullptr && sliding > pairs && tensor->shape[0] == sliding;
        return find(m_weights.ropeFreqs, std::string(kName), {covers ? sliding : pairs, 1, 1, 1},
                    true);
    }

    Result<void> resolveLayer(std::size_t index)
    {
        m_layer = static_cast<int>(index) % m_model.ownBlockCount;
        LayerWeights& layer = m_weights.layers[index];
        const LayerHyperparameters& numbers = m_model.layers[index];
        TRY(resolveNorms(layer));
        if (numbers.mixer == MixerKind::Attention ||
            numbers.mixer == MixerKind::AttentionAndMamba2) {
            TRY(resolveProjections(layer));
            TRY(resolveGate(layer, numbers));
            TRY(findQkNorm(layer.attnQNorm, "attn_q_norm", numbers.headCount, numbers.keyLength));
            TRY(findQkNorm(layer.attnKNorm, "attn_k_norm", numbers.headCountKv, numbers.keyLength));
        }
        TRY(apply(layer, mixerRules(numbers.mixer)));
        if (numbers.mixer == MixerKind::LatentAttention) TRY(resolveLatent(layer));
        if (numbers.mixer == MixerKind::GatedDeltaNet) TRY(resolveDeltaNet(layer));
        if (numbers.mixer == MixerKind::Rwkv6) TRY(checkLerps(layer));
        TRY(resolveFeedForward(layer, numbers));
        if (m_model.perLayerLength > 0) TRY(apply(layer, kPerLayerRules));
        if (row().altup) TRY(apply(layer, kAltupRules));
        TRY(findVector(layer.layerOutputScale, inLayer("layer_output_scale.weight"), 1, 1, true));
        const auto next = static_cast<int>(index) + 1;
        if (m_model.normsBetweenLoops && next < m_model.blockCount &&
            next % m_model.ownBlockCount == 0)
            layer.feedForwardResidualNorm = m_weights.outputNorm;
        m_layer = -1;
        return refuseChanges(layer);
    }

    /// Matrices that are not multiplied with as they are take no changes.
    static Result<void> refuseChanges(const LayerWeights& layer)
    {
        std::string_view name;
        for (const Linear* linear : {&layer.ssmConv1d, &layer.shortconvConv, &layer.attnKvB})
            if (!linear->changes.empty()) name = linear->weight.name;
        for (const LinearSet* set : {&layer.attnKB, &layer.attnVB})
            if (!set->changes.empty()) name = set->weight.name;
        return name.empty() ? Result<void>{} : Adapters::refuse(name);
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
            // A layer that reads another's keys and values may have its own; they are not used.
            const bool shared =
                m_model.layers[static_cast<std::size_t>(m_layer)].kvLayer != m_layer;
            if (shared) return {};
            TRY(findLinear(layer.attnK, "attn_k", width, k, false));
            return findLinear(layer.attnV, "attn_v", width, v, row().valueFromKey && k == v);
        }
        Linear fused;
        TRY(findLinear(fused, "attn_qkv", width, q + k + v, false));
        layer.attnQ = part(fused, 0, q);
        layer.attnK = part(fused, q, k);
        layer.attnV = part(fused, q + k, v);
        return {};
    }

    /// A gate of its own on what attention read: a number for each element or for each head.
    Result<void> resolveGate(LayerWeights& layer, const LayerHyperparameters& numbers)
    {
        const AttentionGate gate = row().attentionGate;
        if (gate == AttentionGate::None || gate == AttentionGate::InQuery) return {};
        const TensorView* tensor = m_file.find(inLayer("attn_gate.weight"));
        const bool byHead = tensor != nullptr && tensor->shape[1] == numbers.headCount;
        return findLinear(layer.attnGate, "attn_gate", m_model.embeddingLength,
                          byHead ? numbers.headCount : numbers.attentionWidth(),
                          row().attentionGateOptional);
    }

    static Linear part(const Linear& fused, std::int64_t first, std::int64_t count)
    {
        Linear linear = fused;
        linear.weight = rowRange(fused.weight, first, count);
        if (fused.bias.data != nullptr) linear.bias = elementRange(fused.bias, first, count);
        for (LowRank& change : linear.changes)
            change.b = rowRange(change.b, first, count);
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

    /// The five interpolations are one tensor or five.
    Result<void> checkLerps(const LayerWeights& layer)
    {
        const bool each = layer.timeMixLerpW.data && layer.timeMixLerpK.data &&
                          layer.timeMixLerpV.data && layer.timeMixLerpR.data &&
                          layer.timeMixLerpG.data;
        if (each || layer.timeMixLerpFused.data) return {};
        return want(inLayer("time_mix_lerp_fused.weight"), {m_model.embeddingLength, 1, 1, 5});
    }

    Result<void> resolveDeltaNet(LayerWeights& layer)
    {
        TRY(resolveDeltaInputs(layer));
        if (m_file.find(inLayer("ssm_ba.weight")) == nullptr)
            return apply(layer, kDeltaNetBetaRules);
        // By key head: the rates of its value heads, then their decays.
        const SsmHyperparameters& ssm = m_model.ssm;
        const std::int64_t each = ssm.timeStepRank / ssm.groupCount;
        Linear fused;
        TRY(findLinear(fused, "ssm_ba", m_model.embeddingLength, 2 * ssm.timeStepRank, false));
        layer.ssmBeta = gather(fused, std::array{RowPart{0, each}}, 2 * each);
        layer.ssmAlpha = gather(fused, std::array{RowPart{each, each}}, 2 * each);
        return {};
    }

    /// Queries, keys, values and gates of the heads: in older files one matrix, by key head.
    Result<void> resolveDeltaInputs(LayerWeights& layer)
    {
        if (m_file.find(inLayer("ssm_in.weight")) == nullptr)
            return apply(layer, kDeltaNetInputRules);
        const SsmHyperparameters& ssm = m_model.ssm;
        const std::int64_t key = ssm.stateSize;
        const std::int64_t values = ssm.innerSize / ssm.groupCount;
        const std::int64_t each = 2 * key + 2 * values;
        Linear fused;
        TRY(findLinear(fused, "ssm_in", m_model.embeddingLength, each * ssm.groupCount, false));
        layer.attnQkv = gather(
            fused, std::array{RowPart{0, key}, RowPart{key, key}, RowPart{2 * key, values}}, each);
        layer.attnGate = gather(fused, std::array{RowPart{2 * key + values, values}}, each);
        return {};
    }

    struct RowPart {
        std::int64_t first;
        std::int64_t count;
    };

    /// A matrix that lies in groups of `each` rows, put in another order: for each of `parts` in
    /// turn those rows of every group.
    TensorView gather(const TensorView& from, std::span<const RowPart> parts, std::int64_t each)
    {
        const std::int64_t groups = from.rows() / each;
        std::vector<std::byte>& bytes = m_weights.gathered.emplace_back();
        std::int64_t rows = 0;
        for (const RowPart& part : parts) {
            rows += part.count * groups;
            for (std::int64_t group = 0; group < groups; ++group) {
                const TensorView range = rowRange(from, group * each + part.first, part.count);
                bytes.insert(bytes.end(), range.data, range.data + range.sizeBytes);
            }
        }
        TensorView gathered = from;
        gathered.shape = {from.columns(), rows, 1, 1};
        gathered.data = bytes.data();
        gathered.sizeBytes = bytes.size();
        return gathered;
    }

    Linear gather(const Linear& from, std::span<const RowPart> parts, std::int64_t each)
    {
        Linear linear;
        linear.weight = gather(from.weight, parts, each);
        linear.scale = from.scale;
        linear.changes = from.changes;
        for (LowRank& change : linear.changes)
            change.b = gather(change.b, parts, each);
        return linear;
    }

    Result<void> resolveFeedForward(LayerWeights& layer, const LayerHyperparameters& numbers)
    {
        if (numbers.mixer == MixerKind::Rwkv6) return {}; // its network came with the mixer
        const bool beside = row().experts.besideDense;
        TRY(findUnscaled(layer.ffnGateInp, "ffn_gate_inp", m_model.embeddingLength,
                         m_model.experts.count, true));
        if (layer.ffnGateInp) {
            if (!beside)
                TRY(findPlain(layer.ffnGateInp.scale, inLayer("ffn_gate_inp.scale"), {1, 1, 1, 1}));
            TRY(resolveExperts(layer));
            const bool averaged =
                row().experts.averagedWithDense && m_file.find(inLayer("ffn_up.weight")) != nullptr;
            if (!beside && !averaged) return {};
            if (beside) TRY(apply(layer, kBesideDenseRules));
        }
        if (numbers.feedForwardLength == 0) return {};
        const std::int64_t width = m_model.embeddingLength;
        const std::int64_t inner = numbers.feedForwardLength;
        TRY(findLinear(layer.ffnDown, "ffn_down", inner, width, false));
        TRY(findNorm(layer.ffnSubNorm, {"ffn_sub_norm", true}, inner));
        TRY(findVector(layer.ffnActScales, inLayer("ffn.act.scales"), inner, 1, true));
        const TensorView* up = m_file.find(inLayer("ffn_up.weight"));
        const bool hasGate = m_file.find(inLayer("ffn_gate.weight")) != nullptr;
        const bool fused = row().gated && !hasGate && up != nullptr && up->shape[1] == 2 * inner;
        if (!fused) {
            if (row().gated && (hasGate || !row().gateOptional))
                TRY(findLinear(layer.ffnGate, "ffn_gate", width, inner, false));
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
        // Of some families the converter leaves the suffix out.
        if (layer.expProbsB.data == nullptr)
            TRY(findVector(layer.expProbsB, inLayer("exp_probs_b"), m_model.experts.count, 1,
                           true));
        if (m_model.experts.latentLength > 0) TRY(apply(layer, kLatentExpertRules));
        const bool fused = m_file.find(inLayer("ffn_gate_up_exps.weight")) != nullptr;
        if (fused) {
            LinearSet both;
            const std::int64_t inner = m_model.experts.feedForwardLength;
            const std::int64_t count = m_model.experts.count;
            TRY(findSet(both, inLayer("ffn_gate_up_exps"),
                        {size(Dimension::ExpertEmbedding), 2 * inner, count, 1}, false));
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
        const TensorView* down = m_file.find(inLayer("ffn_down_shexp.weight"));
        if (down == nullptr) return {};
        const std::int64_t width = m_model.embeddingLength;
        const std::int64_t inner = down->shape[0];
        if (inner < 1 || inner > kMostSharedLength)
            return badShape(*down, std::format("[1 to {}, {}]", kMostSharedLength, width), width);
        TRY(findLinear(layer.ffnDownShexp, "ffn_down_shexp", inner, width, false));
        TRY(findLinear(layer.ffnGateInpShexp, "ffn_gate_inp_shexp", width, 1, true));
        const TensorView* up = m_file.find(inLayer("ffn_up_shexp.weight"));
        if (row().gated && up != nullptr && up->shape[1] == 2 * inner) {
            Linear both;
            TRY(findLinear(both, "ffn_up_shexp", width, 2 * inner, false));
            layer.ffnGateShexp = part(both, 0, inner);
            layer.ffnUpShexp = part(both, inner, inner);
            return {};
        }
        if (row().gated) TRY(findLinear(layer.ffnGateShexp, "ffn_gate_shexp", width, inner, false));
        return findLinear(layer.ffnUpShexp, "ffn_up_shexp", width, inner, false);
    }

    static constexpr std::int64_t kMostSharedLength = 1 << 22;

    const ModelFile& m_file;
    const Hyperparameters& m_model;
    Weights m_weights;
    Adapters m_adapters;
    std::vector<WantedTensor>* m_missing = nullptr;
    int m_layer = -1; ///< the layer names are looked up in; -1: outside
};

} // namespace

Result<Weights> Weights::resolve(const ModelFile& file, const Hyperparameters& model,
                                 std::span<const AdapterFile> adapters)
{
    TRY_ASSIGN(Adapters read, Adapters::read(adapters, model.architecture->name));
    TRY_ASSIGN(Weights weights, WeightResolver(file, model, std::move(read)).resolve());
    weights.adapters.assign(adapters.begin(), adapters.end());
    return weights;
}

Result<std::vector<WantedTensor>> missingTensors(const ModelFile& file,
                                                 const Hyperparameters& model)
{
    std::vector<WantedTensor> list;
    WeightResolver resolver(file, model);
    resolver.collectMissing(list);
    TRY(resolver.resolve());
    return list;
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
    for (const LowRank& change : changes) {
        const std::int64_t rank = change.a.shape[1];
        linear.changes.push_back({rowRange(change.a, index * rank, rank),
                                  rowRange(change.b, index * rows + firstRow, rowCount),
                                  change.scale});
    }
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
