#include "engine/model/fast_weights.h"

#include "engine/model/rope.h"

#include <algorithm>
#include <iterator>

namespace engine::fast {

namespace {

/// Packs one part after the other, keeps count and lets the file's pages go.
class Packer {
public:
    Packer(const ModelFile& file, const Hyperparameters& model, ThreadPool& pool,
           const std::function<void(double)>& progress, const std::stop_token& stop)
        : m_file(file)
        , m_model(model)
        , m_pool(pool)
        , m_progress(progress)
        , m_stop(stop)
        , m_hasQuantized(std::ranges::any_of(
              file.tensors(),
              [](const TensorView& t) { return dtypeInfo(t.dtype).blockElements > 1; }))
        , m_total(static_cast<double>(file.tensorBytes()))
    {
    }

    std::uint64_t bytes() const { return m_bytes; }
    int roundedInputs() const { return m_roundedInputs; }
    int changeRank() const { return m_changeRank; }
    int changeOutputs() const { return m_changeOutputs; }

    Result<void> matrix(PackedMatrix& to, const TensorView& from)
    {
        if (from.data == nullptr) return {};
        return slice(to, from, 0, from.rows());
    }

    Result<void> plain(PackedLinear& to, const TensorView& from)
    {
        TRY(matrix(to.matrix, from));
        to.roundsInputs = m_hasQuantized && from.data != nullptr && from.dtype == DType::F16;
        if (to.roundsInputs) m_roundedInputs = std::max(m_roundedInputs, to.inputs());
        return {};
    }

    Result<void> linear(PackedLinear& to, const Linear& from)
    {
        TRY(plain(to, from.weight));
        finish(to, from);
        for (const LowRank& change : from.changes) {
            PackedLowRank& packed = to.changes.emplace_back();
            TRY(matrix(packed.a, change.a));
            TRY(matrix(packed.b, change.b));
            packed.scale = change.scale;
            m_changeRank = std::max(m_changeRank, packed.a.rows());
            m_changeOutputs = std::max(m_changeOutputs, packed.b.rows());
        }
        return {};
    }

    /// What comes after the product.
    void finish(PackedLinear& to, const Linear& from)
    {
        to.bias = vector(from.bias);
        if (const std::vector<float> scale = vector(from.scale); !scale.empty())
            to.scale = scale.front();
    }

    Result<void> set(std::vector<PackedLinear>& to, const LinearSet& from)
    {
        if (!from) return {};
        for (int i = 0; i < from.count(); ++i)
            TRY(linear(to.emplace_back(), from.at(i)));
        return {};
    }

    void norm(PackedNorm& to, const NormWeights& from)
    {
        to = {from.present, vector(from.weight), vector(from.bias), from.group, from.epsilon};
    }

    std::vector<float> vector(const TensorView& from)
    {
        std::vector<float> values = readVector(from);
        m_bytes += values.size() * sizeof(float);
        return values;
    }

    /// Compressed attention whose halves are not apart: keys are needed the other way round, so
    /// they are transposed (as f32).
    Result<void> splitKvB(PackedLayer& to, const LayerWeights& from, int heads)
    {
        const TensorView& both = from.attnKvB.weight;
        if (both.data == nullptr) return {};
        const int plain = m_model.latent.keyLength - m_model.rope.dimensionCount;
        const int valueLength = m_model.latent.valueLength;
        for (int head = 0; head < heads; ++head) {
            const std::int64_t first = static_cast<std::int64_t>(head) * (plain + valueLength);
            TRY(transposed(to.attnKB.emplace_back().matrix, rowRange(both, first, plain)));
            TRY(slice(to.attnVB.emplace_back().matrix, both, first + plain, valueLength));
        }
        return {};
    }

private:
    Result<void> slice(PackedMatrix& to, const TensorView& from, std::int64_t first,
                       std::int64_t count)
    {
        if (m_stop.stop_requested()) return fail(ErrorCode::Cancelled, "loading was cancelled");
        TRY_ASSIGN(to, PackedMatrix::packRows(from, first, count, m_pool));
        m_bytes += to.bytes();
        const TensorView part = rowRange(from, first, count);
        m_file.drop(part);
        m_done += static_cast<double>(part.sizeBytes);
        if (m_progress && m_total > 0) m_progress(std::min(1.0, m_done / m_total));
        return {};
    }

    Result<void> transposed(PackedMatrix& to, const TensorView& from)
    {
        const std::vector<float> values = readVector(from);
        const auto rows = static_cast<std::size_t>(from.rows());
        const auto columns = static_cast<std::size_t>(from.columns());
        std::vector<float> turned(values.size());
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c)
                turned[c * rows + r] = values[r * columns + c];
        TensorView view;
        view.name = from.name;
        view.rank = 2;
        view.shape = {from.rows(), from.columns(), 1, 1};
        view.data = reinterpret_cast<const std::byte*>(turned.data());
        view.sizeBytes = turned.size() * sizeof(float);
        TRY_ASSIGN(to, PackedMatrix::packRows(view, 0, from.columns(), m_pool));
        m_bytes += to.bytes();
        return {};
    }

    const ModelFile& m_file;
    const Hyperparameters& m_model;
    ThreadPool& m_pool;
    const std::function<void(double)>& m_progress;
    const std::stop_token& m_stop;
    bool m_hasQuantized;
    double m_total;
    double m_done = 0;
    std::uint64_t m_bytes = 0;
    int m_roundedInputs = 0;
    int m_changeRank = 0;
    int m_changeOutputs = 0;
};

struct LinearField {
    PackedLinear PackedLayer::* to;
    Linear LayerWeights::* from;
};
constexpr LinearField kLinears[] = {
    {&PackedLayer::attnQ, &LayerWeights::attnQ},
    {&PackedLayer::attnK, &LayerWeights::attnK},
    {&PackedLayer::attnV, &LayerWeights::attnV},
    {&PackedLayer::attnQkv, &LayerWeights::attnQkv},
    {&PackedLayer::attnGate, &LayerWeights::attnGate},
    {&PackedLayer::attnOutput, &LayerWeights::attnOutput},
    {&PackedLayer::attnQA, &LayerWeights::attnQA},
    {&PackedLayer::attnQB, &LayerWeights::attnQB},
    {&PackedLayer::attnKvA, &LayerWeights::attnKvA},
    {&PackedLayer::ffnGate, &LayerWeights::ffnGate},
    {&PackedLayer::ffnUp, &LayerWeights::ffnUp},
    {&PackedLayer::ffnDown, &LayerWeights::ffnDown},
    {&PackedLayer::ffnGateInp, &LayerWeights::ffnGateInp},
    {&PackedLayer::ffnLatentDown, &LayerWeights::ffnLatentDown},
    {&PackedLayer::ffnLatentUp, &LayerWeights::ffnLatentUp},
    {&PackedLayer::ffnGateInpShexp, &LayerWeights::ffnGateInpShexp},
    {&PackedLayer::ffnGateShexp, &LayerWeights::ffnGateShexp},
    {&PackedLayer::ffnUpShexp, &LayerWeights::ffnUpShexp},
    {&PackedLayer::ffnDownShexp, &LayerWeights::ffnDownShexp},
    {&PackedLayer::perLayerGate, &LayerWeights::perLayerGate},
    {&PackedLayer::perLayerProj, &LayerWeights::perLayerProj},
    {&PackedLayer::altupCorrectCoef, &LayerWeights::altupCorrectCoef},
    {&PackedLayer::altupPredictCoef, &LayerWeights::altupPredictCoef},
    {&PackedLayer::altupRouter, &LayerWeights::altupRouter},
    {&PackedLayer::laurelL, &LayerWeights::laurelL},
    {&PackedLayer::laurelR, &LayerWeights::laurelR},
    {&PackedLayer::timeMixW1, &LayerWeights::timeMixW1},
    {&PackedLayer::timeMixDecayW1, &LayerWeights::timeMixDecayW1},
    {&PackedLayer::timeMixDecayW2, &LayerWeights::timeMixDecayW2},
    {&PackedLayer::timeMixA1, &LayerWeights::timeMixA1},
    {&PackedLayer::timeMixA2, &LayerWeights::timeMixA2},
    {&PackedLayer::timeMixV1, &LayerWeights::timeMixV1},
    {&PackedLayer::timeMixV2, &LayerWeights::timeMixV2},
    {&PackedLayer::timeMixG1, &LayerWeights::timeMixG1},
    {&PackedLayer::timeMixG2, &LayerWeights::timeMixG2},
    {&PackedLayer::ssmFA, &LayerWeights::ssmFA},
    {&PackedLayer::ssmFB, &LayerWeights::ssmFB},
    {&PackedLayer::ssmGA, &LayerWeights::ssmGA},
    {&PackedLayer::ssmGB, &LayerWeights::ssmGB},
    {&PackedLayer::timeMixKey, &LayerWeights::timeMixKey},
    {&PackedLayer::timeMixValue, &LayerWeights::timeMixValue},
    {&PackedLayer::timeMixReceptance, &LayerWeights::timeMixReceptance},
    {&PackedLayer::timeMixGate, &LayerWeights::timeMixGate},
    {&PackedLayer::timeMixOutput, &LayerWeights::timeMixOutput},
    {&PackedLayer::channelMixKey, &LayerWeights::channelMixKey},
    {&PackedLayer::channelMixValue, &LayerWeights::channelMixValue},
    {&PackedLayer::channelMixReceptance, &LayerWeights::channelMixReceptance},
    {&PackedLayer::ssmIn, &LayerWeights::ssmIn},
    {&PackedLayer::ssmX, &LayerWeights::ssmX},
    {&PackedLayer::ssmDt, &LayerWeights::ssmDt},
    {&PackedLayer::ssmOut, &LayerWeights::ssmOut},
    {&PackedLayer::ssmAlpha, &LayerWeights::ssmAlpha},
    {&PackedLayer::ssmBeta, &LayerWeights::ssmBeta},
    {&PackedLayer::shortconvIn, &LayerWeights::shortconvIn},
    {&PackedLayer::shortconvOut, &LayerWeights::shortconvOut},
};

struct SetField {
    std::vector<PackedLinear> PackedLayer::* to;
    LinearSet LayerWeights::* from;
};
constexpr SetField kSets[] = {
    {&PackedLayer::ffnGateExps, &LayerWeights::ffnGateExps},
    {&PackedLayer::ffnUpExps, &LayerWeights::ffnUpExps},
    {&PackedLayer::ffnDownExps, &LayerWeights::ffnDownExps},
    {&PackedLayer::attnKB, &LayerWeights::attnKB},
    {&PackedLayer::attnVB, &LayerWeights::attnVB},
    {&PackedLayer::timeMixW2, &LayerWeights::timeMixW2},
};

struct NormField {
    PackedNorm PackedLayer::* to;
    NormWeights LayerWeights::* from;
};
constexpr NormField kNorms[] = {
    {&PackedLayer::attentionNorm, &LayerWeights::attentionNorm},
    {&PackedLayer::attentionPostNorm, &LayerWeights::attentionPostNorm},
    {&PackedLayer::attentionResidualNorm, &LayerWeights::attentionResidualNorm},
    {&PackedLayer::attentionResidualNorm2, &LayerWeights::attentionResidualNorm2},
    {&PackedLayer::feedForwardNorm, &LayerWeights::feedForwardNorm},
    {&PackedLayer::feedForwardPostNorm, &LayerWeights::feedForwardPostNorm},
    {&PackedLayer::feedForwardResidualNorm, &LayerWeights::feedForwardResidualNorm},
    {&PackedLayer::attnQNorm, &LayerWeights::attnQNorm},
    {&PackedLayer::attnKNorm, &LayerWeights::attnKNorm},
    {&PackedLayer::attnSubNorm, &LayerWeights::attnSubNorm},
    {&PackedLayer::attnQANorm, &LayerWeights::attnQANorm},
    {&PackedLayer::attnKvANorm, &LayerWeights::attnKvANorm},
    {&PackedLayer::ffnSubNorm, &LayerWeights::ffnSubNorm},
    {&PackedLayer::denseNormPost, &LayerWeights::denseNormPost},
    {&PackedLayer::expertNorm, &LayerWeights::expertNorm},
    {&PackedLayer::expertNormPost, &LayerWeights::expertNormPost},
    {&PackedLayer::perLayerPostNorm, &LayerWeights::perLayerPostNorm},
    {&PackedLayer::altupRouterNorm, &LayerWeights::altupRouterNorm},
    {&PackedLayer::laurelPostNorm, &LayerWeights::laurelPostNorm},
    {&PackedLayer::ssmDtNorm, &LayerWeights::ssmDtNorm},
    {&PackedLayer::ssmBNorm, &LayerWeights::ssmBNorm},
    {&PackedLayer::ssmCNorm, &LayerWeights::ssmCNorm},
};

struct VectorField {
    std::vector<float> PackedLayer::* to;
    TensorView LayerWeights::* from;
};
constexpr VectorField kVectors[] = {
    {&PackedLayer::attnSinks, &LayerWeights::attnSinks},
    {&PackedLayer::attnRelB, &LayerWeights::attnRelB},
    {&PackedLayer::ffnActScales, &LayerWeights::ffnActScales},
    {&PackedLayer::ffnExpsBias, &LayerWeights::ffnExpsBias},
    {&PackedLayer::expProbsB, &LayerWeights::expProbsB},
    {&PackedLayer::routerScale, &LayerWeights::routerScale},
    {&PackedLayer::layerOutputScale, &LayerWeights::layerOutputScale},
    {&PackedLayer::altupCorrectScale, &LayerWeights::altupCorrectScale},
    {&PackedLayer::timeMixLerpX, &LayerWeights::timeMixLerpX},
    {&PackedLayer::timeMixFirst, &LayerWeights::timeMixFirst},
    {&PackedLayer::timeMixDecay, &LayerWeights::timeMixDecay},
    {&PackedLayer::timeMixA0, &LayerWeights::timeMixA0},
    {&PackedLayer::timeMixV0, &LayerWeights::timeMixV0},
    {&PackedLayer::timeMixKK, &LayerWeights::timeMixKK},
    {&PackedLayer::timeMixKA, &LayerWeights::timeMixKA},
    {&PackedLayer::timeMixRK, &LayerWeights::timeMixRK},
    {&PackedLayer::channelMixLerpK, &LayerWeights::channelMixLerpK},
    {&PackedLayer::channelMixLerpR, &LayerWeights::channelMixLerpR},
    {&PackedLayer::ssmDtBias, &LayerWeights::ssmDtBias},
    {&PackedLayer::ssmA, &LayerWeights::ssmA},
    {&PackedLayer::ssmD, &LayerWeights::ssmD},
};

/// One after the other, in one tensor or each in its own.
std::vector<float> fusedLerps(Packer& packer, const LayerWeights& from)
{
    std::vector<float> fused = packer.vector(from.timeMixLerpFused);
    if (!fused.empty()) return fused;
    for (const TensorView* each : {&from.timeMixLerpW, &from.timeMixLerpK, &from.timeMixLerpV,
                                   &from.timeMixLerpR, &from.timeMixLerpG}) {
        const std::vector<float> values = packer.vector(*each);
        fused.insert(fused.end(), values.begin(), values.end());
    }
    return fused;
}

/// The norm of a mixer's output, by groups of its inner channels.
int mixerNormGroup(const Hyperparameters& model, MixerKind mixer)
{
    if (mixer == MixerKind::KimiDelta) return model.ssm.stateSize;
    if (mixer == MixerKind::GatedDeltaNet && model.ssm.timeStepRank > 0)
        return model.ssm.innerSize / model.ssm.timeStepRank;
    return model.ssm.groupCount > 0 ? model.ssm.innerSize / model.ssm.groupCount : 0;
}

Result<void> packLayer(Packer& packer, const Hyperparameters& model, std::size_t index,
                       const LayerWeights& from, PackedLayer& to)
{
    for (const LinearField& field : kLinears)
        TRY(packer.linear(to.*field.to, from.*field.from));
    for (const SetField& field : kSets)
        TRY(packer.set(to.*field.to, from.*field.from));
    for (const NormField& field : kNorms)
        packer.norm(to.*field.to, from.*field.from);
    for (const VectorField& field : kVectors)
        to.*field.to = packer.vector(from.*field.from);
    to.ssmConv1d = packer.vector(from.ssmConv1d.weight);
    for (const TensorView* part : {&from.ssmConv1dQ, &from.ssmConv1dK, &from.ssmConv1dV})
        std::ranges::copy(packer.vector(*part), std::back_inserter(to.ssmConv1d));
    to.ssmConv1dBias = packer.vector(from.ssmConv1d.bias);
    to.timeMixLerpFused = fusedLerps(packer, from);
    packer.norm(to.timeMixLn, from.timeMixLn);
    to.timeMixLn.group = model.rwkv.headSize;
    to.shortconvConv = packer.vector(from.shortconvConv.weight);
    to.shortconvConvBias = packer.vector(from.shortconvConv.bias);
    const LayerHyperparameters& numbers = model.layers[index];
    to.ssmNorm = {from.ssmNormWeight.data != nullptr,
                  packer.vector(from.ssmNormWeight),
                  {},
                  mixerNormGroup(model, numbers.mixer)};
    if (model.alibi)
        for (int head = 0; head < numbers.headCount; ++head)
            to.alibiSlopes.push_back(alibiSlope(head, numbers.headCount, model.maxAlibiBias));
    return packer.splitKvB(to, from, numbers.headCount);
}

} // namespace

Result<PackedWeights> PackedWeights::pack(const ModelFile& file, const Hyperparameters& model,
                                          const Weights& weights, ThreadPool& pool,
                                          const std::function<void(double)>& progress,
                                          const std::stop_token& stop)
{
    Packer packer(file, model, pool, progress, stop);
    PackedWeights packed;
    TRY(packer.plain(packed.tokenEmbd, weights.tokenEmbd));
    if (weights.output.weight.data != weights.tokenEmbd.data)
        TRY(packer.linear(packed.untiedOutput, weights.output));
    else
        packer.finish(packed.tokenEmbd, weights.output);
    packed.positionEmbd = packer.vector(weights.positionEmbd);
    packed.tokenType = packer.vector(weights.tokenTypes);
    if (!packed.tokenType.empty())
        packed.tokenType.resize(static_cast<std::size_t>(model.embeddingLength));
    packed.perLayerTokenEmbd = weights.perLayerTokenEmbd;
    TRY(packer.linear(packed.perLayerModelProj, weights.perLayerModelProj));
    packer.norm(packed.perLayerProjNorm, weights.perLayerProjNorm);
    TRY(packer.set(packed.altupProj, weights.altupProj));
    TRY(packer.set(packed.altupUnembdProj, weights.altupUnembdProj));
    packer.norm(packed.embeddingNorm, weights.embeddingNorm);
    packer.norm(packed.outputNorm, weights.outputNorm);
    for (std::size_t i = 0; i < weights.layers.size(); ++i)
        TRY(packLayer(packer, model, i, weights.layers[i], packed.layers.emplace_back()));
    packed.bytes = packer.bytes();
    packed.roundedInputs = packer.roundedInputs();
    packed.changeRank = packer.changeRank();
    packed.changeOutputs = packer.changeOutputs();
    // Reading a tensor brings its neighbours' pages back: a huge page of the file at a time.
    file.dropAll();
    return packed;
}

} // namespace engine::fast
