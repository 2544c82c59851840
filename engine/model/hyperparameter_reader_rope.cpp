#include "engine/model/hyperparameter_reader.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace engine {

using namespace bounds;

Result<RopeScaling> HyperparameterReader::readScalingType()
{
    TRY_ASSIGN(std::string type, m_reader.stringOr("rope.scaling.type", "linear"));
    if (type == "none") return RopeScaling::None;
    if (type == "linear") return RopeScaling::Linear;
    if (type == "yarn") return RopeScaling::Yarn;
    if (type == "longrope") return RopeScaling::LongRope;
    return bad("rope.scaling.type",
               std::format("is \"{}\"; expected none, linear, yarn or longrope", type));
}

Result<void> HyperparameterReader::readRope()
{
    RopeHyperparameters& rope = m_model.rope;
    if (m_architecture.position != PositionKind::Rope) {
        // Compressed attention keeps a part of the key apart, turned or not.
        if (m_architecture.otherMixer == MixerKind::LatentAttention) {
            TRY_ASSIGN(rope.dimensionCount,
                       m_reader.integer("rope.dimension_count", {2, m_model.latent.keyLength}));
        }
        return {};
    }
    TRY_ASSIGN(rope.freqBase, m_reader.numberOr("rope.freq_base", 10000, {1e-3, 1e15}));
    // A position of several dimensions (time, height, width) is one number in a text; such
    // models turn halves whatever their relatives do.
    if (m_architecture.ropeSections) TRY(readSections(rope));
    m_model.ropeLayout = std::ranges::any_of(rope.sections, [](int length) { return length > 0; })
                             ? RopeLayout::Halves
                             : m_architecture.ropeLayout;
    TRY_ASSIGN(rope.scaling, readScalingType());
    TRY_ASSIGN(rope.factor, m_reader.numberOr("rope.scale_linear", 0, kNotNegative));
    TRY_ASSIGN(rope.factor, m_reader.numberOr("rope.scaling.factor", rope.factor, kNotNegative));
    if (rope.factor == 0) rope.factor = 1;
    TRY_ASSIGN(rope.originalContextLength,
               m_reader.integerOr("rope.scaling.original_context_length", m_model.contextLength,
                                  kPositions));
    TRY_ASSIGN(rope.magnitude, m_reader.numberOr("rope.scaling.attn_factor", 1, kFactor));
    if (rope.scaling == RopeScaling::Yarn) TRY(readYarn(rope));
    TRY(readRopeLengths());
    return {};
}

Result<void> HyperparameterReader::readSections(RopeHyperparameters& rope)
{
    constexpr std::string_view kKey = "rope.dimension_sections";
    // Some files leave the fourth out.
    const int count = std::clamp(m_reader.arrayLength(kKey), 3, 4);
    TRY_ASSIGN(const std::vector<int> sections,
               m_reader.integers(kKey, count, 0, kHeadLengthOrNone));
    std::ranges::copy(sections, rope.sections.begin());
    rope.sectionsInterleaved = m_architecture.ropeSectionsInterleaved;
    return {};
}

Result<void> HyperparameterReader::readYarn(RopeHyperparameters& rope)
{
    TRY_ASSIGN(rope.yarnExtFactor, m_reader.numberOr("rope.scaling.yarn_ext_factor", 1, {0, 1}));
    TRY_ASSIGN(rope.yarnBetaFast, m_reader.numberOr("rope.scaling.yarn_beta_fast",
                                                    m_architecture.yarnBetaFast, {1e-3, 1e9}));
    TRY_ASSIGN(rope.yarnBetaSlow, m_reader.numberOr("rope.scaling.yarn_beta_slow", 1, {1e-3, 1e9}));
    TRY_ASSIGN(rope.yarnTruncate, m_reader.booleanOr("rope.scaling.yarn_truncate", true));
    TRY_ASSIGN(const float own, m_reader.numberOr("rope.scaling.yarn_attn_factor", 1, kFactor));
    TRY_ASSIGN(float multiplier,
               m_reader.numberOr("rope.scaling.yarn_log_multiplier", 0, kNotNegative));
    multiplier /= m_architecture.yarnLogMultiplierUnit;

    // The paper's attention factor; with a multiplier (`mscale_all_dim`) it is divided by the
    // part of it that goes into the attention scale instead.
    const auto logarithm = [&](float m) {
        return rope.factor <= 1 ? 1.0f : 1 + 0.1f * m * std::log(rope.factor);
    };
    float usual = logarithm(1);
    if (multiplier != 0)
        usual = m_architecture.yarnMagnitudesCancel ? 1 : usual / logarithm(multiplier);
    const bool given = m_reader.contains("rope.scaling.yarn_attn_factor");
    const bool relative = !given || m_architecture.yarnFactorRelative;
    // What stands in place of the paper's is of what is rotated alone.
    const float ofQuery = relative ? rope.magnitude * own * usual : rope.magnitude;
    rope.magnitude *= relative ? own * usual : own;
    if (m_architecture.yarnScalesQuery) m_yarnQueryMagnitude = ofQuery * logarithm(multiplier);
    return {};
}

Result<void> HyperparameterReader::readRopeLengths()
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
    TRY_ASSIGN(sliding.dimensionCount, m_reader.integerOr("rope.dimension_count_swa",
                                                          std::min(rope.dimensionCount, keySliding),
                                                          {0, kHeadLength.most}));
    if (m_architecture.halfRope) rope.dimensionCount /= 2;
    const float base = m_architecture.window.ropeFreqBase;
    TRY_ASSIGN(sliding.freqBase, m_reader.numberOr("rope.freq_base_swa",
                                                   base > 0 ? base : rope.freqBase, {1e-3, 1e15}));
    if (!m_architecture.window.ropeScaled) {
        sliding.scaling = RopeScaling::None;
        sliding.magnitude = 1;
    }
    TRY(stretchBase());
    for (const LayerHyperparameters& layer : m_model.layers) {
        if (!layer.hasAttention() || !layer.usesRope) continue;
        const int turned = (layer.windowed ? sliding : rope).dimensionCount;
        if (turned > layer.keyLength || turned % 2 != 0)
            return bad("rope.dimension_count",
                       std::format("is {}; expected an even number up to the key length {}", turned,
                                   layer.keyLength));
    }
    return {};
}

Result<void> HyperparameterReader::stretchBase()
{
    TRY_ASSIGN(const float alpha, m_reader.numberOr("rope.scaling.alpha", 0, {0, 1e6}));
    RopeHyperparameters& rope = m_model.rope;
    if (alpha == 0 || rope.dimensionCount <= 2) return {};
    const auto dimensions = static_cast<float>(rope.dimensionCount);
    rope.freqBase *= std::pow(alpha, dimensions / (dimensions - 2));
    return {};
}

} // namespace engine
