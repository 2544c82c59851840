#include "engine/model/hyperparameter_reader.h"

#include "engine/model/context_limit.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace engine {

using namespace bounds;

HyperparameterReader::HyperparameterReader(const ModelFile& file, const Architecture& architecture)
    : m_file(file)
    , m_reader(file.metadata(), architecture.name)
    , m_plain(file.metadata(), {})
    , m_architecture(architecture)
{
    m_model.architecture = &architecture;
}

Result<Hyperparameters> HyperparameterReader::read()
{
    TRY(readSizes());
    TRY(readNorms());
    TRY(readLayers());
    TRY(readWindows());
    TRY(readSharing());
    TRY(readLatent());
    TRY(readRope());
    TRY(readAttention());
    TRY(readTemperature());
    TRY(readScales());
    TRY(readExperts());
    TRY(readMixers());
    TRY(readRwkv());
    TRY(readXielu());
    TRY(readClamps());
    TRY(readLoops());
    m_model.mostPositions = static_cast<int>(contextLimit(m_file.metadata()));
    if (m_model.mostPositions > 0)
        m_model.contextLength = std::min(m_model.contextLength, m_model.mostPositions);
    return std::move(m_model);
}

std::unexpected<Error> HyperparameterReader::bad(std::string_view name, std::string_view what) const
{
    std::string key = m_reader.key(name);
    std::string message = std::format("`{}` {}", key, what);
    return fail(ErrorCode::BadMetadata, std::move(message), std::move(key));
}

Result<void> HyperparameterReader::readSizes()
{
    TRY_ASSIGN(m_model.contextLength, m_reader.integer("context_length", kPositions));
    TRY_ASSIGN(m_model.embeddingLength, m_reader.integer("embedding_length", kWidth));
    TRY_ASSIGN(m_model.blockCount, m_reader.integer("block_count", kBlockCount));
    // Layers that only predict further tokens are no part of the forward pass.
    TRY_ASSIGN(const int next,
               m_reader.integerOr("nextn_predict_layers", 0, {0, m_model.blockCount - 1}));
    m_model.blockCount -= next;
    TRY(readPerLayerLength());
    TRY_ASSIGN(m_model.causal, m_reader.booleanOr("attention.causal", m_architecture.causal));
    TRY_ASSIGN(const int pooling, m_reader.integerOr("pooling_type", 0, {0, 4}));
    m_model.poolingType = static_cast<PoolingType>(pooling);
    TRY(readActivation());
    m_model.parallelResidual = m_architecture.residual == ResidualKind::Parallel;
    if (m_architecture.residual == ResidualKind::ByMetadata) {
        TRY_ASSIGN(m_model.parallelResidual, m_reader.booleanOr("use_parallel_residual", true));
    }
    return {};
}

Result<void> HyperparameterReader::readPerLayerLength()
{
    const TensorView* norm = m_file.find("per_layer_proj_norm.weight");
    if (norm == nullptr) return {};
    const bool sane = norm->columns() > 0 && norm->columns() <= kHeadLength.most;
    TRY_ASSIGN(m_model.perLayerLength,
               m_reader.integerOr("embedding_length_per_layer_input",
                                  sane ? static_cast<int>(norm->columns()) : 0, kHeadLengthOrNone));
    return {};
}

Result<void> HyperparameterReader::readActivation()
{
    m_model.activation = m_architecture.activation;
    if (m_architecture.reluWithoutGate && m_file.find("enc.blk.0.ffn_gate.weight") == nullptr)
        m_model.activation = ActivationKind::Relu;
    if (!m_architecture.activationByMetadata) return {};
    TRY_ASSIGN(const std::string name, m_reader.stringOr("hidden_activation", ""));
    if (name == "silu" || name == "swish" || name == "swiglu")
        m_model.activation = ActivationKind::Silu;
    if (name == "relu2") m_model.activation = ActivationKind::ReluSquared;
    return {};
}

Result<void> HyperparameterReader::readNorms()
{
    const bool rms =
        m_architecture.norm == NormKind::Rms ||
        (m_architecture.normByEpsilon && m_reader.contains("attention.layer_norm_rms_epsilon"));
    m_model.norm = rms ? NormKind::Rms : NormKind::Layer;
    TRY_ASSIGN(m_model.normsAfter, m_reader.booleanOr("swin_norm", false));
    constexpr float kUsual = 1e-5f; // of the norm a family uses beside its own
    if (rms) {
        TRY_ASSIGN(m_model.layerNormRmsEpsilon,
                   m_reader.number("attention.layer_norm_rms_epsilon", kEpsilon));
        TRY_ASSIGN(m_model.layerNormEpsilon,
                   m_reader.numberOr("attention.layer_norm_epsilon", kUsual, kEpsilon));
    } else {
        TRY_ASSIGN(m_model.layerNormEpsilon,
                   m_reader.number("attention.layer_norm_epsilon", kEpsilon));
        TRY_ASSIGN(m_model.layerNormRmsEpsilon,
                   m_reader.numberOr("attention.layer_norm_rms_epsilon", kUsual, kEpsilon));
    }
    return {};
}

Result<void> HyperparameterReader::readAttention()
{
    const Architecture& row = m_architecture;
    TRY_ASSIGN(const float scale,
               m_reader.numberOr("attention.output_scale", row.attentionScale, kNotNegative));
    TRY_ASSIGN(m_model.attentionScale, m_reader.numberOr("attention.scale", scale, kNotNegative));
    if (m_model.attentionScale == 0 && row.queryScaleByEmbedding == m_model.blockCount) {
        const int heads = m_model.layers.front().headCount;
        const int each = m_model.embeddingLength / std::max(1, heads);
        m_model.attentionScale = 1 / std::sqrt(static_cast<float>(each));
    }
    if (m_model.attentionScale == 0 && row.scoresByKeyLength)
        m_model.attentionScale = 1 / static_cast<float>(m_model.layers.front().keyLength);
    // Only a part of a query or key is rotated in compressed attention, so its scale carries
    // YaRN's magnitude, once for the query and once for the key (DeepSeek-V2).
    if (m_yarnQueryMagnitude != 1) {
        const float usual = 1 / std::sqrt(static_cast<float>(m_model.latent.keyLength));
        if (m_model.attentionScale == 0) m_model.attentionScale = usual;
        m_model.attentionScale *= m_yarnQueryMagnitude * m_yarnQueryMagnitude;
    }
    if (row.hasAttentionSoftcap) {
        TRY_ASSIGN(m_model.attnLogitSoftcapping,
                   m_reader.numberOr("attn_logit_softcapping", row.attentionSoftcap, kNotNegative));
    }
    TRY_ASSIGN(m_model.clampKqv, m_reader.numberOr("attention.clamp_kqv", 0, kNotNegative));
    if (row.position == PositionKind::Buckets) {
        TRY_ASSIGN(m_model.relativeBuckets,
                   m_reader.integer("attention.relative_buckets_count", {4, 4096}));
    }
    if (row.position == PositionKind::Alibi ||
        (row.alibiBlockCount > 0 && row.alibiBlockCount == m_model.blockCount)) {
        TRY_ASSIGN(m_model.maxAlibiBias,
                   m_reader.numberOr("attention.max_alibi_bias", row.maxAlibiBias, kNotNegative));
        m_model.alibi = m_model.maxAlibiBias > 0;
    }
    return {};
}

Result<void> HyperparameterReader::readTemperature()
{
    const Architecture& row = m_architecture;
    const bool windowed = std::ranges::any_of(m_model.layers, &LayerHyperparameters::windowed);
    const bool chunked = row.window.kind == WindowKind::Chunked;
    if (chunked && !windowed) return {};
    TRY_ASSIGN(m_model.temperatureScale, m_reader.numberOr("attention.temperature_scale",
                                                           row.temperatureScale, kNotNegative));
    if (m_model.temperatureScale == 0) return {};
    const int length =
        row.temperatureLength > 0 ? row.temperatureLength : m_model.rope.originalContextLength;
    TRY_ASSIGN(m_model.temperatureLength,
               m_reader.integerOr("attention.temperature_length", length, kPositions));
    m_model.temperatureOffset = chunked ? 1.0f : 0.0f;
    m_model.temperatureOnlyNoRope = chunked;
    return {};
}

Result<void> HyperparameterReader::readScales()
{
    const Architecture& row = m_architecture;
    const auto width = static_cast<float>(m_model.embeddingLength);
    const auto blocks = static_cast<float>(m_model.blockCount);
    const float embedding = row.embeddingSqrt ? std::sqrt(width) : row.embeddingScale;
    TRY_ASSIGN(m_model.embeddingScale,
               m_reader.numberOr("embedding_scale", embedding, kNotNegative));
    if (m_model.embeddingScale == 0) m_model.embeddingScale = 1;
    const float residual =
        row.residualDepthScale > 0 ? row.residualDepthScale / std::sqrt(blocks) : 1.0f;
    TRY_ASSIGN(m_model.residualScale, m_reader.numberOr("residual_scale", residual, kNotNegative));
    if (m_model.residualScale == 0) m_model.residualScale = 1;
    TRY_ASSIGN(const float value, m_reader.numberOr("attention.value_scale", 1, kNotNegative));
    m_model.mixerScale = m_model.residualScale * (value == 0 ? 1 : value);
    if (row.logitScaling != Scaling::None) {
        const float usual = row.logitBaseWidth > 0 ? width / row.logitBaseWidth : row.logitScale;
        TRY_ASSIGN(float scale, m_reader.numberOr("logit_scale", usual, kNotNegative));
        if (scale == 0) scale = 1;
        m_model.logitScale = row.logitScaling == Scaling::Multiply ? scale : 1 / scale;
    }
    if (row.hasFinalSoftcap) {
        TRY_ASSIGN(m_model.finalLogitSoftcapping,
                   m_reader.numberOr("final_logit_softcapping", row.finalSoftcap, kNotNegative));
    }
    return {};
}

Result<void> HyperparameterReader::readExperts()
{
    ExpertHyperparameters& experts = m_model.experts;
    TRY_ASSIGN(experts.count, m_reader.integerOr("expert_count", 0, kExperts));
    m_model.qkNormUnit = m_architecture.qkNormUnit;
    if (experts.count <= 1) {
        experts.count = 0;
        return {};
    }
    TRY_ASSIGN(experts.usedCount, m_reader.integer("expert_used_count", {1, experts.count}));
    TRY_ASSIGN(experts.feedForwardLength,
               m_reader.integerOr("expert_feed_forward_length", 0, kFeedForward));
    if (experts.feedForwardLength == 0) experts.feedForwardLength = expertLengthOfTensors();
    TRY_ASSIGN(experts.latentLength, m_reader.integerOr("moe_latent_size", 0, {0, kWidth.most}));
    if (experts.feedForwardLength == 0)
        return bad("expert_feed_forward_length", "is missing or 0 in a model with experts");
    m_model.qkNormUnit =
        m_architecture.qkNormUnit && experts.count != m_architecture.noQkNormUnitExpertCount;
    TRY_ASSIGN(experts.groupCount, m_reader.integerOr("expert_group_count", 0, kExperts));
    if (experts.groupCount > 1) {
        if (experts.count % experts.groupCount != 0)
            return bad("expert_group_count", std::format("is {}, which does not divide {} experts",
                                                         experts.groupCount, experts.count));
        TRY_ASSIGN(experts.groupUsedCount,
                   m_reader.integer("expert_group_used_count", {1, experts.groupCount}));
        if (experts.groupUsedCount * (experts.count / experts.groupCount) < experts.usedCount)
            return bad("expert_group_used_count", "leaves fewer experts than are used");
    }
    return readGating();
}

int HyperparameterReader::expertLengthOfTensors() const
{
    for (int layer = 0; layer < m_model.blockCount; ++layer) {
        const TensorView* down = m_file.find(std::format("blk.{}.ffn_down_exps.weight", layer));
        if (down == nullptr) continue;
        const bool sane = down->columns() > 0 && down->columns() <= kFeedForward.most;
        return sane ? static_cast<int>(down->columns()) : 0;
    }
    return 0;
}

std::int64_t HyperparameterReader::vocabularyOfFile() const
{
    const TensorView* embedding = m_file.find("token_embd.weight");
    return embedding == nullptr ? 0 : embedding->rows();
}

Result<void> HyperparameterReader::readGating()
{
    ExpertHyperparameters& experts = m_model.experts;
    const ExpertRule& rule = m_architecture.experts;
    TRY_ASSIGN(const int gating, m_reader.integerOr("expert_gating_func", 0, {0, 3}));
    experts.gating = gating == 0 ? rule.gating : static_cast<ExpertGating>(gating);
    if (gating == 0 && rule.sigmoidVocabularySize > 0 &&
        vocabularyOfFile() == rule.sigmoidVocabularySize)
        experts.gating = ExpertGating::Sigmoid;
    TRY_ASSIGN(experts.weightsNorm, m_reader.booleanOr("expert_weights_norm", rule.weightsNorm));
    TRY_ASSIGN(experts.weightsScale, m_reader.numberOr("expert_weights_scale", 1, kNotNegative));
    if (experts.weightsScale == 0) experts.weightsScale = 1;
    return {};
}

} // namespace engine
