#include "engine/model/hyperparameters.h"

#include "engine/model/metadata_reader.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <limits>

namespace engine {

namespace {

using IntegerRange = MetadataReader::IntegerRange;
using NumberRange = MetadataReader::NumberRange;

// Far above every model there is, and small enough that any product of two fits 64 bits with room
// and any width fits an int.
constexpr IntegerRange kBlockCount{1, 1024};
constexpr IntegerRange kWidth{1, 1 << 20};
constexpr IntegerRange kHeadCount{0, 1 << 14};
constexpr IntegerRange kHeadLength{1, 1 << 14};
constexpr IntegerRange kFeedForward{0, 1 << 22};
constexpr IntegerRange kExperts{0, 4096};
constexpr IntegerRange kPositions{1, std::numeric_limits<int>::max()};
constexpr IntegerRange kPositionsOrNone{0, std::numeric_limits<int>::max()};
constexpr std::int64_t kMostState = 1 << 26; // numbers of one layer's recurrent state
constexpr NumberRange kEpsilon{0, 1};
constexpr NumberRange kFactor{-1e9, 1e9};
constexpr NumberRange kNotNegative{0, 1e9};

class HyperparameterReader {
public:
    HyperparameterReader(const Metadata& metadata, const Architecture& architecture)
        : m_reader(metadata, architecture.name)
        , m_plain(metadata, {})
        , m_architecture(architecture)
    {
        m_model.architecture = &architecture;
    }

    Result<Hyperparameters> read()
    {
        TRY(readSizes());
        TRY(readNorms());
        TRY(readLayers());
        TRY(readWindows());
        TRY(readLatent());
        TRY(readRope());
        TRY(readAttention());
        TRY(readTemperature());
        TRY(readScales());
        TRY(readExperts());
        TRY(readMixers());
        TRY(readXielu());
        return std::move(m_model);
    }

private:
    std::unexpected<Error> bad(std::string_view name, std::string_view what) const
    {
        std::string key = m_reader.key(name);
        std::string message = std::format("`{}` {}", key, what);
        return fail(ErrorCode::BadMetadata, std::move(message), std::move(key));
    }

    Result<void> readSizes()
    {
        TRY_ASSIGN(m_model.contextLength, m_reader.integer("context_length", kPositions));
        TRY_ASSIGN(m_model.embeddingLength, m_reader.integer("embedding_length", kWidth));
        TRY_ASSIGN(m_model.blockCount, m_reader.integer("block_count", kBlockCount));
        // Layers that only predict further tokens are no part of the forward pass.
        TRY_ASSIGN(int next,
                   m_reader.integerOr("nextn_predict_layers", 0, {0, m_model.blockCount - 1}));
        m_model.blockCount -= next;
        TRY_ASSIGN(m_model.causal, m_reader.booleanOr("attention.causal", m_architecture.causal));
        TRY_ASSIGN(int pooling, m_reader.integerOr("pooling_type", 0, {0, 4}));
        m_model.poolingType = static_cast<PoolingType>(pooling);
        m_model.parallelResidual = m_architecture.residual == ResidualKind::Parallel;
        if (m_architecture.residual == ResidualKind::ByMetadata) {
            TRY_ASSIGN(m_model.parallelResidual, m_reader.booleanOr("use_parallel_residual", true));
        }
        return {};
    }

    Result<void> readNorms()
    {
        const bool rms = m_architecture.norm == NormKind::Rms;
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

    /// Which layers are attention and which the family's other mixer.
    Result<std::vector<MixerKind>> readMixerKinds(std::span<const int> headCountKv,
                                                  std::span<const int> feedForward)
    {
        const int count = m_model.blockCount;
        std::vector<MixerKind> kinds(static_cast<std::size_t>(count), m_architecture.mixer);
        TRY_ASSIGN(int interval,
                   m_reader.integerOr("full_attention_interval", 4, {1, kBlockCount.most}));
        TRY_ASSIGN(std::vector<int> recurrent,
                   m_reader.integers("attention.recurrent_layers", count, -1, {0, 1}));
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            bool other = true;
            switch (m_architecture.mixerPattern) {
            case MixerPattern::Every:
                break;
            case MixerPattern::WhereNoKvHeads:
                other = headCountKv[i] == 0;
                break;
            case MixerPattern::WhereNoKvHeadsNoFfn:
                other = headCountKv[i] == 0;
                if (other && feedForward[i] != 0) kinds[i] = MixerKind::None;
                break;
            case MixerPattern::FullAttentionInterval:
                other = recurrent[i] >= 0 ? recurrent[i] != 0
                                          : (static_cast<int>(i) + 1) % interval != 0;
                break;
            }
            if (!other) kinds[i] = MixerKind::Attention;
        }
        return kinds;
    }

    Result<void> readLayers()
    {
        const int count = m_model.blockCount;
        TRY_ASSIGN(std::vector<int> heads,
                   m_reader.integers("attention.head_count", count, 0, kHeadCount));
        TRY_ASSIGN(std::vector<int> headsKv,
                   m_reader.integers("attention.head_count_kv", count, -1, kHeadCount));
        TRY_ASSIGN(std::vector<int> feedForward,
                   m_reader.integers("feed_forward_length", count, 0, kFeedForward));
        for (std::size_t i = 0; i < heads.size(); ++i)
            if (headsKv[i] < 0) headsKv[i] = heads[i];
        TRY_ASSIGN(std::vector<MixerKind> kinds, readMixerKinds(headsKv, feedForward));

        m_model.layers.resize(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < heads.size(); ++i) {
            LayerHyperparameters& layer = m_model.layers[i];
            layer.mixer = kinds[i];
            layer.feedForwardLength = feedForward[i];
            if (layer.hasAttention()) TRY(readHeads(layer, heads[i], headsKv[i]));
        }
        return {};
    }

    Result<void> readHeads(LayerHyperparameters& layer, int heads, int headsKv)
    {
        if (heads == 0) {
            if (!m_reader.contains("attention.head_count"))
                return fail(ErrorCode::MissingMetadata,
                            std::format("`{}` is missing", m_reader.key("attention.head_count")),
                            m_reader.key("attention.head_count"));
            return bad("attention.head_count", "is 0 in a layer with attention");
        }
        if (headsKv == 0 || heads % headsKv != 0)
            return bad("attention.head_count_kv",
                       std::format("is {}, which does not divide {} heads", headsKv, heads));
        layer.headCount = heads;
        layer.headCountKv = headsKv;
        const int usual = std::max(1, m_model.embeddingLength / heads);
        TRY_ASSIGN(layer.keyLength, m_reader.integerOr("attention.key_length", usual, kHeadLength));
        TRY_ASSIGN(layer.valueLength,
                   m_reader.integerOr("attention.value_length", usual, kHeadLength));
        return {};
    }

    Result<void> readWindows()
    {
        const WindowRule& rule = m_architecture.window;
        if (rule.kind == WindowKind::Ignored) return readNoRope(false);
        TRY_ASSIGN(int size,
                   m_reader.integerOr("attention.sliding_window", rule.size, kPositionsOrNone));
        if (size == 0) return readNoRope(false);
        if (rule.fixedSize) size = rule.size;
        TRY_ASSIGN(std::vector<bool> windowed, readWindowPattern(rule));
        for (std::size_t i = 0; i < windowed.size(); ++i) {
            LayerHyperparameters& layer = m_model.layers[i];
            if (!windowed[i] || !layer.hasAttention()) continue;
            layer.windowed = true;
            layer.slidingWindow = size;
            TRY_ASSIGN(layer.keyLength, m_reader.integerOr("attention.key_length_swa",
                                                           layer.keyLength, kHeadLength));
            TRY_ASSIGN(layer.valueLength, m_reader.integerOr("attention.value_length_swa",
                                                             layer.valueLength, kHeadLength));
        }
        return readNoRope(true);
    }

    /// `attention.sliding_window_pattern` is a period, or says for each layer whether it has a
    /// window.
    Result<std::vector<bool>> readWindowPattern(const WindowRule& rule)
    {
        constexpr std::string_view kPattern = "attention.sliding_window_pattern";
        const int count = m_model.blockCount;
        std::vector<bool> windowed(static_cast<std::size_t>(count));
        Result<int> period = m_reader.integerOr(kPattern, rule.period, {0, kBlockCount.most});
        if (!period) { // an array, or nothing that can be right
            TRY_ASSIGN(std::vector<int> flags, m_reader.integers(kPattern, count, 0, {0, 1}));
            std::ranges::transform(flags, windowed.begin(), [](int flag) { return flag != 0; });
            return windowed;
        }
        for (int i = 0; i < count; ++i) {
            const int place = *period == 0 ? 0 : i % *period;
            const int global = rule.globalFirst ? 0 : *period - 1;
            windowed[static_cast<std::size_t>(i)] = *period == 0 || place != global;
        }
        return windowed;
    }

    Result<void> readNoRope(bool hasWindows)
    {
        // Three of the families that leave out rotations by layer do so only beside windows.
        TRY_ASSIGN(bool finetuned, m_reader.booleanOr("rope.scaling.finetuned", true));
        const bool rotary = m_architecture.position == PositionKind::Rope;
        for (std::size_t i = 0; i < m_model.layers.size(); ++i) {
            LayerHyperparameters& layer = m_model.layers[i];
            layer.usesRope = rotary;
            switch (m_architecture.noRope) {
            case NoRope::Never:
                break;
            case NoRope::EveryFourth:
                if (i % 4 == 3) layer.usesRope = false;
                break;
            case NoRope::GlobalLayers:
                if (hasWindows && !layer.windowed) layer.usesRope = false;
                break;
            case NoRope::UnlessFinetuned:
                layer.usesRope = rotary && finetuned;
                break;
            }
        }
        return {};
    }

    Result<void> readLatent()
    {
        if (m_architecture.mixer != MixerKind::LatentAttention) return {};
        LatentHyperparameters& latent = m_model.latent;
        TRY_ASSIGN(latent.qLoraRank,
                   m_reader.integerOr("attention.q_lora_rank", 0, {0, kWidth.most}));
        TRY_ASSIGN(latent.kvLoraRank, m_reader.integer("attention.kv_lora_rank", kWidth));
        // Files that keep the two halves of the decompression apart say the lengths of the
        // compressed cache as key_length and value_length, and those of a head as *_mla.
        for (LayerHyperparameters& layer : m_model.layers) {
            TRY_ASSIGN(layer.keyLength, m_reader.integerOr("attention.key_length_mla",
                                                           layer.keyLength, kHeadLength));
            TRY_ASSIGN(layer.valueLength, m_reader.integerOr("attention.value_length_mla",
                                                             layer.valueLength, kHeadLength));
        }
        latent.keyLength = m_model.layers.front().keyLength;
        latent.valueLength = m_model.layers.front().valueLength;
        return {};
    }

    Result<RopeScaling> readScalingType()
    {
        TRY_ASSIGN(std::string type, m_reader.stringOr("rope.scaling.type", "linear"));
        if (type == "none") return RopeScaling::None;
        if (type == "linear") return RopeScaling::Linear;
        if (type == "yarn") return RopeScaling::Yarn;
        if (type == "longrope") return RopeScaling::LongRope;
        return bad("rope.scaling.type",
                   std::format("is \"{}\"; expected none, linear, yarn or longrope", type));
    }

    Result<void> readRope()
    {
        if (m_architecture.position != PositionKind::Rope) return {};
        RopeHyperparameters& rope = m_model.rope;
        TRY_ASSIGN(rope.freqBase, m_reader.numberOr("rope.freq_base", 10000, {1e-3, 1e15}));
        TRY_ASSIGN(rope.scaling, readScalingType());
        TRY_ASSIGN(rope.factor, m_reader.numberOr("rope.scale_linear", 0, kNotNegative));
        TRY_ASSIGN(rope.factor,
                   m_reader.numberOr("rope.scaling.factor", rope.factor, kNotNegative));
        if (rope.factor == 0) rope.factor = 1;
        TRY_ASSIGN(rope.originalContextLength,
                   m_reader.integerOr("rope.scaling.original_context_length", m_model.contextLength,
                                      kPositions));
        TRY_ASSIGN(rope.magnitude, m_reader.numberOr("rope.scaling.attn_factor", 1, kFactor));
        if (rope.scaling == RopeScaling::Yarn) TRY(readYarn(rope));
        TRY(readRopeLengths());
        return {};
    }

    Result<void> readYarn(RopeHyperparameters& rope)
    {
        TRY_ASSIGN(rope.yarnExtFactor,
                   m_reader.numberOr("rope.scaling.yarn_ext_factor", 1, {0, 1}));
        TRY_ASSIGN(rope.yarnBetaFast,
                   m_reader.numberOr("rope.scaling.yarn_beta_fast", 32, {1e-3, 1e9}));
        TRY_ASSIGN(rope.yarnBetaSlow,
                   m_reader.numberOr("rope.scaling.yarn_beta_slow", 1, {1e-3, 1e9}));
        TRY_ASSIGN(float own, m_reader.numberOr("rope.scaling.yarn_attn_factor", 1, kFactor));
        TRY_ASSIGN(float multiplier,
                   m_reader.numberOr("rope.scaling.yarn_log_multiplier", 0, kNotNegative));
        multiplier /= m_architecture.yarnLogMultiplierUnit;
        rope.magnitude *= own;

        // The paper's attention factor; with a multiplier (`mscale_all_dim`) it is divided by the
        // part of it that goes into the attention scale instead.
        const auto logarithm = [&](float m) {
            return rope.factor <= 1 ? 1.0f : 1 + 0.1f * m * std::log(rope.factor);
        };
        const bool inQuery = m_architecture.yarnScalesQuery;
        if (multiplier == 0)
            rope.magnitude *= logarithm(1);
        else if (!inQuery)
            rope.magnitude *= logarithm(1) / logarithm(multiplier);
        if (inQuery) m_yarnQueryMagnitude = rope.magnitude * logarithm(multiplier);
        return {};
    }

    /// How many elements of a head turn, in layers that see all and in those with a window; must
    /// run after everything that sets key lengths.
    Result<void> readRopeLengths()
    {
        RopeHyperparameters& rope = m_model.rope;
        RopeHyperparameters& sliding = m_model.ropeSliding;
        int key = 0;
        int keySliding = 0;
        for (const LayerHyperparameters& layer : m_model.layers)
            if (layer.hasAttention()) (layer.windowed ? keySliding : key) = layer.keyLength;
        if (key == 0) key = keySliding;
        if (keySliding == 0) keySliding = key;

        sliding = rope;
        TRY_ASSIGN(rope.dimensionCount,
                   m_reader.integerOr("rope.dimension_count", key, {0, kHeadLength.most}));
        TRY_ASSIGN(sliding.dimensionCount,
                   m_reader.integerOr("rope.dimension_count_swa",
                                      std::min(rope.dimensionCount, keySliding),
                                      {0, kHeadLength.most}));
        const float base = m_architecture.window.ropeFreqBase;
        TRY_ASSIGN(
            sliding.freqBase,
            m_reader.numberOr("rope.freq_base_swa", base > 0 ? base : rope.freqBase, {1e-3, 1e15}));
        if (!m_architecture.window.ropeScaled) {
            sliding.scaling = RopeScaling::None;
            sliding.magnitude = 1;
        }
        for (const LayerHyperparameters& layer : m_model.layers) {
            if (!layer.hasAttention() || !layer.usesRope) continue;
            const int turned = (layer.windowed ? sliding : rope).dimensionCount;
            if (turned > layer.keyLength || turned % 2 != 0)
                return bad("rope.dimension_count",
                           std::format("is {}; expected an even number up to the key length {}",
                                       turned, layer.keyLength));
        }
        return {};
    }

    Result<void> readAttention()
    {
        const Architecture& row = m_architecture;
        TRY_ASSIGN(m_model.attentionScale,
                   m_reader.numberOr("attention.scale", row.attentionScale, kNotNegative));
        if (m_model.attentionScale == 0 && row.queryScaleByEmbedding == m_model.blockCount) {
            const int heads = m_model.layers.front().headCount;
            m_model.attentionScale =
                1 / std::sqrt(static_cast<float>(m_model.embeddingLength / std::max(1, heads)));
        }
        // Only a part of a query or key is rotated in compressed attention, so its scale carries
        // YaRN's magnitude, once for the query and once for the key (DeepSeek-V2).
        if (m_yarnQueryMagnitude != 1) {
            const float scale = m_model.attentionScale > 0
                                    ? m_model.attentionScale
                                    : 1 / std::sqrt(static_cast<float>(m_model.latent.keyLength));
            m_model.attentionScale = m_yarnQueryMagnitude * m_yarnQueryMagnitude * scale;
        }
        if (row.hasAttentionSoftcap) {
            TRY_ASSIGN(
                m_model.attnLogitSoftcapping,
                m_reader.numberOr("attn_logit_softcapping", row.attentionSoftcap, kNotNegative));
        }
        TRY_ASSIGN(m_model.clampKqv, m_reader.numberOr("attention.clamp_kqv", 0, kNotNegative));
        if (row.position == PositionKind::Alibi || row.alibiFromBlockCount > 0) {
            TRY_ASSIGN(m_model.maxAlibiBias, m_reader.numberOr("attention.max_alibi_bias",
                                                               row.maxAlibiBias, kNotNegative));
            m_model.alibi =
                m_model.maxAlibiBias > 0 && m_model.blockCount >= row.alibiFromBlockCount;
            if (m_model.alibi)
                for (LayerHyperparameters& layer : m_model.layers)
                    layer.usesRope = false;
        }
        return {};
    }

    Result<void> readTemperature()
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

    Result<void> readScales()
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
        TRY_ASSIGN(m_model.residualScale,
                   m_reader.numberOr("residual_scale", residual, kNotNegative));
        if (m_model.residualScale == 0) m_model.residualScale = 1;
        if (row.logitScaling != Scaling::None) {
            const float usual = row.logitBaseWidth > 0 ? width / row.logitBaseWidth : 1.0f;
            TRY_ASSIGN(float scale, m_reader.numberOr("logit_scale", usual, kNotNegative));
            if (scale == 0) scale = 1;
            m_model.logitScale = row.logitScaling == Scaling::Multiply ? scale : 1 / scale;
        }
        if (row.hasFinalSoftcap) {
            TRY_ASSIGN(
                m_model.finalLogitSoftcapping,
                m_reader.numberOr("final_logit_softcapping", row.finalSoftcap, kNotNegative));
        }
        return {};
    }

    Result<void> readExperts()
    {
        ExpertHyperparameters& experts = m_model.experts;
        TRY_ASSIGN(experts.count, m_reader.integerOr("expert_count", 0, kExperts));
        if (experts.count <= 1) {
            experts.count = 0;
            return {};
        }
        TRY_ASSIGN(experts.usedCount, m_reader.integer("expert_used_count", {1, experts.count}));
        TRY_ASSIGN(experts.feedForwardLength,
                   m_reader.integerOr("expert_feed_forward_length",
                                      m_model.layers.back().feedForwardLength, kFeedForward));
        if (experts.feedForwardLength == 0)
            return bad("expert_feed_forward_length", "is missing or 0 in a model with experts");
        TRY_ASSIGN(experts.sharedCount, m_reader.integerOr("expert_shared_count", 0, kExperts));
        TRY_ASSIGN(experts.groupCount, m_reader.integerOr("expert_group_count", 0, kExperts));
        if (experts.groupCount > 1) {
            if (experts.count % experts.groupCount != 0)
                return bad("expert_group_count",
                           std::format("is {}, which does not divide {} experts",
                                       experts.groupCount, experts.count));
            TRY_ASSIGN(experts.groupUsedCount,
                       m_reader.integer("expert_group_used_count", {1, experts.groupCount}));
            if (experts.groupUsedCount * (experts.count / experts.groupCount) < experts.usedCount)
                return bad("expert_group_used_count", "leaves fewer experts than are used");
        }
        return readGating();
    }

    Result<void> readGating()
    {
        ExpertHyperparameters& experts = m_model.experts;
        const ExpertRule& rule = m_architecture.experts;
        TRY_ASSIGN(int gating, m_reader.integerOr("expert_gating_func", 0, {0, 3}));
        experts.gating = gating == 0 ? rule.gating : static_cast<ExpertGating>(gating);
        TRY_ASSIGN(experts.weightsNorm,
                   m_reader.booleanOr("expert_weights_norm", rule.weightsNorm));
        TRY_ASSIGN(experts.weightsScale,
                   m_reader.numberOr("expert_weights_scale", 1, kNotNegative));
        if (experts.weightsScale == 0) experts.weightsScale = 1;
        return {};
    }

    Result<void> readMixers()
    {
        const auto has = [&](auto wanted) { return std::ranges::any_of(m_model.layers, wanted); };
        if (has([](const auto& layer) { return layer.mixer == MixerKind::ShortConvolution; })) {
            TRY_ASSIGN(m_model.shortConvLength, m_reader.integer("shortconv.l_cache", {1, 64}));
        }
        const bool delta =
            has([](const auto& layer) { return layer.mixer == MixerKind::GatedDeltaNet; });
        if (!delta && !has([](const auto& layer) { return layer.hasSsm(); })) return {};
        SsmHyperparameters& ssm = m_model.ssm;
        TRY_ASSIGN(ssm.convKernel, m_reader.integer("ssm.conv_kernel", {1, 64}));
        TRY_ASSIGN(ssm.innerSize, m_reader.integer("ssm.inner_size", kWidth));
        TRY_ASSIGN(ssm.stateSize, m_reader.integer("ssm.state_size", {1, 4096}));
        TRY_ASSIGN(ssm.timeStepRank, m_reader.integer("ssm.time_step_rank", {1, 1 << 16}));
        TRY_ASSIGN(ssm.groupCount, m_reader.integerOr("ssm.group_count", 1, {1, 1 << 14}));
        TRY_ASSIGN(ssm.dtBcRms, m_reader.booleanOr("ssm.dt_b_c_rms", false));
        if (static_cast<std::int64_t>(ssm.innerSize) * ssm.stateSize > kMostState)
            return bad("ssm.state_size",
                       std::format("is {} for {} channels; together expected up to {}",
                                   ssm.stateSize, ssm.innerSize, kMostState));
        const bool perHead = delta || has([](const auto& layer) {
                                 return layer.hasSsm() && layer.mixer != MixerKind::Mamba;
                             });
        if (!perHead) return {};
        if (ssm.innerSize % ssm.timeStepRank != 0)
            return bad("ssm.inner_size", std::format("is {}, no multiple of the {} heads",
                                                     ssm.innerSize, ssm.timeStepRank));
        if (ssm.timeStepRank % ssm.groupCount != 0 || ssm.innerSize % ssm.groupCount != 0)
            return bad("ssm.group_count", std::format("is {}, which does not divide the {} heads",
                                                      ssm.groupCount, ssm.timeStepRank));
        return {};
    }

    Result<void> readXielu()
    {
        if (m_architecture.activation != ActivationKind::Xielu) return {};
        const int count = m_model.blockCount;
        TRY_ASSIGN(std::vector<float> alphaN, m_plain.numbers("xielu.alpha_n", count, 0, kFactor));
        TRY_ASSIGN(std::vector<float> alphaP, m_plain.numbers("xielu.alpha_p", count, 0, kFactor));
        TRY_ASSIGN(std::vector<float> beta, m_plain.numbers("xielu.beta", count, 0, kFactor));
        TRY_ASSIGN(std::vector<float> eps, m_plain.numbers("xielu.eps", count, 0, kFactor));
        for (std::size_t i = 0; i < m_model.layers.size(); ++i)
            m_model.layers[i].xielu = {alphaN[i], alphaP[i], beta[i], eps[i]};
        return {};
    }

    MetadataReader m_reader;
    MetadataReader m_plain; ///< of the few keys that have no architecture before them
    const Architecture& m_architecture;
    Hyperparameters m_model;
    float m_yarnQueryMagnitude = 1;
};

} // namespace

bool Hyperparameters::hasRecurrentLayers() const
{
    return std::ranges::any_of(layers, &LayerHyperparameters::isRecurrent);
}

Result<Hyperparameters> Hyperparameters::read(const ModelFile& file)
{
    TRY_ASSIGN(std::string name, file.metadata().string("general.architecture"));
    TRY_ASSIGN(const Architecture* architecture, requireArchitecture(name));
    TRY_ASSIGN(Hyperparameters model, HyperparameterReader(file.metadata(), *architecture).read());
    if (const TensorView* embedding = file.find("token_embd.weight")) {
        constexpr std::int64_t kMost = 1 << 24;
        if (embedding->rows() < 1 || embedding->rows() > kMost)
            return fail(ErrorCode::BadTensor,
                        std::format("`token_embd.weight` has {} rows; expected 1 to {}",
                                    embedding->rows(), kMost),
                        "token_embd.weight", static_cast<std::uint64_t>(kMost),
                        static_cast<std::uint64_t>(embedding->rows()));
        model.vocabularySize = static_cast<int>(embedding->rows());
    }
    return model;
}

float Hyperparameters::attentionScaleOf(const LayerHyperparameters& layer) const
{
    if (attentionScale > 0) return attentionScale;
    return 1 / std::sqrt(static_cast<float>(layer.keyLength));
}

float Hyperparameters::queryTemperature(const LayerHyperparameters& layer, int position) const
{
    if (temperatureScale == 0 || (temperatureOnlyNoRope && layer.usesRope)) return 1;
    const auto far = std::floor((static_cast<float>(position) + temperatureOffset) /
                                static_cast<float>(temperatureLength));
    return std::log(far + 1) * temperatureScale + 1;
}

} // namespace engine
