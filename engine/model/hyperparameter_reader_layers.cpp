#include "engine/model/hyperparameter_reader.h"

#include <algorithm>
#include <format>
#include <utility>

namespace engine {

using namespace bounds;

namespace {

/// Where no layer can do with its mixer alone.
bool needsFeedForward(const Architecture& row)
{
    return row.altup || row.experts.besideDense || row.experts.ofLayerInput || row.channelMixing;
}

} // namespace

Result<std::vector<MixerKind>>
HyperparameterReader::readMixerKinds(std::span<const int> headCount,
                                     std::span<const int> headCountKv,
                                     std::span<const int> feedForward)
{
    const int count = m_model.blockCount;
    std::vector<MixerKind> kinds(static_cast<std::size_t>(count), m_architecture.mixer);
    TRY_ASSIGN(const int interval,
               m_reader.integerOr("full_attention_interval", 4, {1, kBlockCount.most}));
    TRY_ASSIGN(std::vector<int> recurrent,
               m_reader.integers("attention.recurrent_layers", count, -1, {0, 1}));
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        bool other = true;
        switch (m_architecture.mixerPattern) {
        case MixerPattern::Every:
            break;
        case MixerPattern::NoneWhereNoHeads:
            if (headCountKv[i] == 0) kinds[i] = MixerKind::Projection;
            if (headCount[i] == 0) kinds[i] = MixerKind::None;
            break;
        case MixerPattern::WhereNoKvHeads:
            other = headCountKv[i] == 0;
            break;
        case MixerPattern::WhereNoKvHeadsNoFfn:
            other = headCountKv[i] == 0;
            if (other && feedForward[i] != 0) kinds[i] = MixerKind::None;
            break;
        case MixerPattern::FullAttentionInterval:
            other =
                recurrent[i] >= 0 ? recurrent[i] != 0 : (static_cast<int>(i) + 1) % interval != 0;
            break;
        }
        if (!other) kinds[i] = m_architecture.otherMixer;
    }
    return kinds;
}

/// An array by layer has one entry for each, those that only predict further tokens included or
/// not.
Result<void> HyperparameterReader::checkEntries(std::string_view name) const
{
    const auto entries = m_file.metadata().integers(m_reader.key(name));
    if (!entries) return {};
    TRY_ASSIGN(const int all, m_reader.integer("block_count", kBlockCount));
    if (std::cmp_equal(entries->size(), all) || std::cmp_equal(entries->size(), m_model.blockCount))
        return {};
    return bad(name, std::format("has {} entries for {} layers", entries->size(), all));
}

Result<void> HyperparameterReader::readLayers()
{
    const int count = m_model.blockCount;
    for (const std::string_view name :
         {"attention.head_count", "attention.head_count_kv", "feed_forward_length"})
        TRY(checkEntries(name));
    TRY_ASSIGN(std::vector<int> heads,
               m_reader.integers("attention.head_count", count, 0, kHeadCount));
    TRY_ASSIGN(std::vector<int> headsKv,
               m_reader.integers("attention.head_count_kv", count, -1, kHeadCount));
    TRY_ASSIGN(std::vector<int> feedForward,
               m_reader.integers("feed_forward_length", count, 0, kFeedForward));
    for (std::size_t i = 0; i < heads.size(); ++i)
        if (headsKv[i] < 0) headsKv[i] = heads[i];
    TRY_ASSIGN(std::vector<MixerKind> kinds, readMixerKinds(heads, headsKv, feedForward));

    m_model.layers.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < heads.size(); ++i) {
        LayerHyperparameters& layer = m_model.layers[i];
        layer.mixer = kinds[i];
        layer.feedForwardLength =
            m_architecture.halfFeedForward ? feedForward[i] / 2 : feedForward[i];
        if (layer.hasAttention()) TRY(readHeads(layer, heads[i], headsKv[i]));
        if (layer.feedForwardLength == 0 && needsFeedForward(m_architecture))
            return bad("feed_forward_length", "is missing or 0");
    }
    return {};
}

Result<void> HyperparameterReader::readHeads(LayerHyperparameters& layer, int heads, int headsKv)
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
    TRY_ASSIGN(layer.valueLength, m_reader.integerOr("attention.value_length", usual, kHeadLength));
    return {};
}

Result<void> HyperparameterReader::readWindows()
{
    const WindowRule& rule = m_architecture.window;
    const bool otherDepth = rule.onlyBlockCount > 0 && rule.onlyBlockCount != m_model.blockCount;
    // A folder lists the layers, where a file of that architecture leaves it to its reader.
    const bool listed = m_reader.contains("attention.sliding_window_pattern");
    if ((rule.kind == WindowKind::Ignored || otherDepth) && !listed) return readNoRope(false);
    m_model.windowKind = rule.kind == WindowKind::Ignored ? WindowKind::Causal : rule.kind;
    TRY_ASSIGN(int size,
               m_reader.integerOr("attention.sliding_window", rule.size, kPositionsOrNone));
    if (rule.onlyWithKey && !m_reader.contains("attention.sliding_window")) size = 0;
    if (size == 0) return readNoRope(false);
    if (rule.fixedSize) size = rule.size;
    TRY_ASSIGN(std::vector<bool> windowed, readWindowPattern(rule));
    for (std::size_t i = 0; i < windowed.size(); ++i) {
        LayerHyperparameters& layer = m_model.layers[i];
        if (!windowed[i] || !layer.hasAttention()) continue;
        layer.windowed = true;
        layer.slidingWindow = size;
        TRY_ASSIGN(layer.keyLength,
                   m_reader.integerOr("attention.key_length_swa", layer.keyLength, kHeadLength));
        TRY_ASSIGN(layer.valueLength, m_reader.integerOr("attention.value_length_swa",
                                                         layer.valueLength, kHeadLength));
    }
    return readNoRope(true);
}

Result<std::vector<bool>> HyperparameterReader::readWindowPattern(const WindowRule& rule)
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

Result<void> HyperparameterReader::readNoRope(bool hasWindows)
{
    TRY_ASSIGN(const bool finetuned, m_reader.booleanOr("rope.scaling.finetuned", true));
    TRY_ASSIGN(std::vector<int> pattern,
               m_reader.integers("attention.rope_pattern", m_model.blockCount, 1, {0, 1}));
    // A folder lists the layers, where a file leaves it to its reader.
    const bool listed = m_reader.contains("attention.rope_pattern");
    const Architecture& row = m_architecture;
    int leading = 0;
    if (row.ropeInLeadingDense) {
        TRY_ASSIGN(leading,
                   m_reader.integerOr("leading_dense_block_count", 0, {0, kBlockCount.most}));
    }
    const bool rotary = row.position == PositionKind::Rope &&
                        (row.ropeBlockCount == 0 || row.ropeBlockCount == m_model.blockCount);
    for (std::size_t i = 0; i < m_model.layers.size(); ++i) {
        LayerHyperparameters& layer = m_model.layers[i];
        layer.usesRope = rotary && pattern[i] != 0;
        if (listed) continue;
        switch (m_architecture.noRope) {
        case NoRope::Never:
            break;
        case NoRope::EveryFourth:
            if (i % 4 == 3) layer.usesRope = false;
            break;
        case NoRope::GlobalLayers:
            if (hasWindows && !layer.windowed && std::cmp_greater_equal(i, leading))
                layer.usesRope = false;
            break;
        case NoRope::UnlessFinetuned:
            if (!finetuned) layer.usesRope = false;
            break;
        }
    }
    return {};
}

Result<void> HyperparameterReader::readSharing()
{
    const int count = m_model.blockCount;
    TRY_ASSIGN(int shared, m_reader.integerOr("attention.shared_kv_layers", 0, {0, count - 1}));
    int own = count - shared;
    if (m_architecture.kvLayersFromStart > 0)
        own = std::min(count, m_architecture.kvLayersFromStart);
    for (int i = 0; i < count; ++i) {
        LayerHyperparameters& layer = m_model.layers[static_cast<std::size_t>(i)];
        layer.kvLayer = i;
        if (i < own) continue;
        int from = own - 1;
        while (from >= 0 && !sameCache(layer, m_model.layers[static_cast<std::size_t>(from)]))
            --from;
        if (from < 0)
            return bad("attention.shared_kv_layers",
                       std::format("is {}; layer {} finds no layer of its kind", shared, i));
        layer.kvLayer = from;
    }
    return {};
}

bool HyperparameterReader::sameCache(const LayerHyperparameters& a, const LayerHyperparameters& b)
{
    return a.windowed == b.windowed && a.hasAttention() && b.hasAttention() &&
           a.keyWidth() == b.keyWidth() && a.valueWidth() == b.valueWidth() &&
           a.headCount % b.headCountKv == 0 && a.headCountKv == b.headCountKv;
}

Result<void> HyperparameterReader::readLatent()
{
    const auto isLatent = [](const LayerHyperparameters& layer) {
        return layer.mixer == MixerKind::LatentAttention;
    };
    const auto first = std::ranges::find_if(m_model.layers, isLatent);
    if (first == m_model.layers.end()) return {};
    LatentHyperparameters& latent = m_model.latent;
    TRY_ASSIGN(latent.qLoraRank, m_reader.integerOr("attention.q_lora_rank", 0, {0, kWidth.most}));
    TRY_ASSIGN(latent.kvLoraRank, m_reader.integer("attention.kv_lora_rank", kWidth));
    // Files that keep the two halves of the decompression apart say the lengths of the
    // compressed cache as key_length and value_length, and those of a head as *_mla.
    for (LayerHyperparameters& layer : m_model.layers) {
        if (!isLatent(layer)) continue;
        TRY_ASSIGN(layer.keyLength,
                   m_reader.integerOr("attention.key_length_mla", layer.keyLength, kHeadLength));
        TRY_ASSIGN(layer.valueLength, m_reader.integerOr("attention.value_length_mla",
                                                         layer.valueLength, kHeadLength));
    }
    latent.keyLength = first->keyLength;
    latent.valueLength = first->valueLength;
    return {};
}

Result<void> HyperparameterReader::readMixers()
{
    const auto has = [&](auto wanted) { return std::ranges::any_of(m_model.layers, wanted); };
    if (has([](const auto& layer) { return layer.mixer == MixerKind::ShortConvolution; })) {
        TRY_ASSIGN(m_model.shortConvLength, m_reader.integer("shortconv.l_cache", {1, 64}));
    }
    if (has([](const auto& layer) { return layer.mixer == MixerKind::KimiDelta; }))
        return readKimiDelta();
    const bool delta =
        has([](const auto& layer) { return layer.mixer == MixerKind::GatedDeltaNet; });
    if (!delta && !has([](const auto& layer) { return layer.hasSsm(); })) return {};
    SsmHyperparameters& ssm = m_model.ssm;
    TRY_ASSIGN(ssm.convKernel, m_reader.integer("ssm.conv_kernel", {1, 64}));
    TRY_ASSIGN(ssm.innerSize, m_reader.integer("ssm.inner_size", kWidth));
    TRY_ASSIGN(ssm.stateSize, m_reader.integer("ssm.state_size", {1, 4096}));
    TRY_ASSIGN(ssm.timeStepRank, m_reader.integer("ssm.time_step_rank", {1, 1 << 16}));
    ssm.groupCount = 1;
    if (m_architecture.mixer != MixerKind::PlamoMamba) { // whose files say 0
        TRY_ASSIGN(ssm.groupCount, m_reader.integerOr("ssm.group_count", 1, {1, 1 << 14}));
    }
    TRY_ASSIGN(ssm.dtBcRms, m_reader.booleanOr("ssm.dt_b_c_rms", false));
    if (static_cast<std::int64_t>(ssm.innerSize) * ssm.stateSize > kMostState)
        return bad("ssm.state_size",
                   std::format("is {} for {} channels; together expected up to {}", ssm.stateSize,
                               ssm.innerSize, kMostState));
    ssm.dtLength = std::max(64, m_model.embeddingLength / 16);
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

Result<void> HyperparameterReader::readRwkv()
{
    const MixerKind mixer = m_architecture.mixer;
    if (mixer != MixerKind::Rwkv6 && mixer != MixerKind::Rwkv7) return {};
    RwkvHyperparameters& rwkv = m_model.rwkv;
    TRY_ASSIGN(rwkv.headSize, m_reader.integer("wkv.head_size", {1, 1024}));
    if (mixer == MixerKind::Rwkv7) {
        TRY(readRwkvRanks());
    } else {
        TRY_ASSIGN(rwkv.timeMixExtraDim, m_reader.integer("time_mix_extra_dim", kHeadLength));
        TRY_ASSIGN(rwkv.timeDecayExtraDim, m_reader.integer("time_decay_extra_dim", kHeadLength));
    }
    if (mixer == MixerKind::Rwkv6 && m_architecture.channelMixing) {
        TRY_ASSIGN(rwkv.rescaleEveryNLayers,
                   m_reader.integerOr("rescale_every_n_layers", 0, {0, kBlockCount.most}));
    }
    if (m_model.embeddingLength % rwkv.headSize != 0)
        return bad("wkv.head_size", std::format("is {}, which does not divide the width {}",
                                                rwkv.headSize, m_model.embeddingLength));
    rwkv.keyValueWidth = m_model.embeddingLength;
    if (m_architecture.channelMixing || mixer == MixerKind::Rwkv7) return {};
    const int heads = m_model.embeddingLength / rwkv.headSize;
    TRY_ASSIGN(const std::vector<int> headsKv,
               m_reader.integers("attention.head_count_kv", m_model.blockCount, 0, kHeadCount));
    const int count = headsKv.front() == 0 ? heads : headsKv.front();
    if (count > heads || heads % count != 0)
        return bad("attention.head_count_kv",
                   std::format("is {}, which does not divide {} heads", count, heads));
    rwkv.keyValueWidth = count * rwkv.headSize;
    return {};
}

Result<void> HyperparameterReader::readRwkvRanks()
{
    RwkvHyperparameters& rwkv = m_model.rwkv;
    TRY_ASSIGN(rwkv.decayRank, m_reader.integer("attention.decay_lora_rank", kHeadLength));
    TRY_ASSIGN(rwkv.rateRank, m_reader.integer("attention.iclr_lora_rank", kHeadLength));
    TRY_ASSIGN(rwkv.valueRank,
               m_reader.integer("attention.value_residual_mix_lora_rank", kHeadLength));
    TRY_ASSIGN(rwkv.gateRank, m_reader.integerOr("attention.gate_lora_rank", 0, kHeadLengthOrNone));
    return {};
}

/// Heads of queries, keys and values are of one length, as many as attention has.
Result<void> HyperparameterReader::readKimiDelta()
{
    SsmHyperparameters& ssm = m_model.ssm;
    TRY_ASSIGN(const std::vector<int> heads,
               m_reader.integers("attention.head_count", m_model.blockCount, 0, kHeadCount));
    TRY_ASSIGN(ssm.convKernel, m_reader.integer("ssm.conv_kernel", {1, 64}));
    TRY_ASSIGN(ssm.stateSize, m_reader.integer("kda.head_dim", {1, 4096}));
    ssm.timeStepRank = *std::ranges::max_element(heads);
    ssm.groupCount = ssm.timeStepRank;
    ssm.innerSize = ssm.timeStepRank * ssm.stateSize;
    if (ssm.timeStepRank == 0) return bad("attention.head_count", "is 0");
    if (m_architecture.boundedDecay) {
        TRY_ASSIGN(ssm.decayBound, m_reader.number("kda.gate_lower_bound", {-1e3, 0}));
        TRY_ASSIGN(const bool bounded, m_reader.booleanOr("kda.safe_gate", true));
        if (!bounded) return bad("kda.safe_gate", "is false; expected decays with a bound");
    }
    if (static_cast<std::int64_t>(ssm.innerSize) * ssm.stateSize > kMostState)
        return bad("kda.head_dim", std::format("is {} for {} heads; together expected up to {}",
                                               ssm.stateSize, ssm.timeStepRank, kMostState));
    return {};
}

Result<void> HyperparameterReader::readXielu()
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

Result<void> HyperparameterReader::readClamps()
{
    const int count = m_model.blockCount;
    TRY_ASSIGN(
        std::vector<float> experts,
        m_reader.numbers("swiglu_clamp_exp", count, m_architecture.experts.clamp, kNotNegative));
    TRY_ASSIGN(std::vector<float> shared,
               m_reader.numbers("swiglu_clamp_shexp", count, 0, kNotNegative));
    for (std::size_t i = 0; i < m_model.layers.size(); ++i) {
        m_model.layers[i].expertClamp = experts[i];
        m_model.layers[i].sharedClamp = shared[i];
    }
    return {};
}

Result<void> HyperparameterReader::readLoops()
{
    const int own = m_model.blockCount;
    m_model.ownBlockCount = own;
    TRY_ASSIGN(const int loops, m_reader.integerOr("num_loops", 1, {1, kBlockCount.most / own}));
    if (loops == 1) return {};
    TRY_ASSIGN(const bool skips, m_reader.booleanOr("skip_loop_final_norm", false));
    m_model.normsBetweenLoops = !skips;
    m_model.blockCount = own * loops;
    m_model.layers.reserve(static_cast<std::size_t>(m_model.blockCount));
    for (int i = own; i < m_model.blockCount; ++i) {
        LayerHyperparameters layer = m_model.layers[static_cast<std::size_t>(i % own)];
        layer.kvLayer += i - i % own;
        m_model.layers.push_back(layer);
    }
    return {};
}

} // namespace engine
