#include "engine/model/embedding.h"

#include "engine/model/fast_embedding.h"
#include "engine/model/fast_forward_pass.h"
#include "engine/model/model_kind.h"
#include "engine/model/reference_layers.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <utility>

namespace engine {

namespace {

using namespace reference;

class ReferenceEmbeddingModel final : public EmbeddingModel {
public:
    ReferenceEmbeddingModel(std::shared_ptr<const ModelFile> file, Hyperparameters model,
                            Weights weights)
        : EmbeddingModel(std::move(file), std::move(model), std::move(weights))
    {
    }

private:
    Result<std::vector<float>> computeStates(std::span<const TokenId> tokens) override
    {
        const int count = static_cast<int>(tokens.size());
        State state(model(), weights(), count, KvType::F32);
        std::vector<Row> rows;
        rows.reserve(tokens.size());
        for (int i = 0; i < count; ++i)
            rows.push_back({&state, i});
        const Call call{model(), weights(), rows, nullptr};
        Matrix x = reference::embed(call, tokens);
        runLayers(call, tokens, x);
        normOutput(call, x);
        return std::move(x.values);
    }
};

struct HeadActivation {
    std::string_view name;
    float (*function)(float);
};

constexpr HeadActivation kHeadActivations[] = {
    {"tanh", [](float x) { return std::tanh(x); }},
    {"gelu", [](float x) { return activate(ActivationKind::GeluErf, x); }},
    {"silu", [](float x) { return activate(ActivationKind::Silu, x); }},
    {"relu", [](float x) { return activate(ActivationKind::Relu, x); }},
};

/// Where files say nothing of the head.
struct HeadDefaults {
    std::string_view architecture;
    PoolingType pooling;
    std::string_view activation;
};

constexpr HeadDefaults kHeadDefaults[] = {
    {"modern-bert", PoolingType::Mean, "gelu"}, {"", PoolingType::None, "tanh"}, // all others
};

} // namespace

Result<RankHead> RankHead::read(const ModelFile& file)
{
    const Metadata& metadata = file.metadata();
    const std::string architecture = metadata.stringOr("general.architecture", "");
    const HeadDefaults& usual =
        *std::ranges::find_if(kHeadDefaults, [&](const HeadDefaults& defaults) {
            return defaults.architecture == architecture || defaults.architecture.empty();
        });
    const auto key = [&](std::string_view name) {
        return std::format("{}.classifier.{}", architecture, name);
    };
    const std::string poolingKey = key("pooling_type");
    const std::int64_t pooling =
        metadata.integerOr(poolingKey, static_cast<std::int64_t>(usual.pooling));
    if (pooling < 0 || pooling > 3)
        return fail(ErrorCode::BadMetadata,
                    std::format("`{}` is {}; expected 0 to 3", poolingKey, pooling), poolingKey);
    const std::string activationKey = key("activation");
    const std::string name = metadata.stringOr(activationKey, usual.activation);
    const auto* const found = std::ranges::find(kHeadActivations, name, &HeadActivation::name);
    if (found == std::end(kHeadActivations))
        return fail(ErrorCode::BadMetadata,
                    std::format("`{}` is \"{}\"; expected tanh, gelu, silu or relu", activationKey,
                                name.substr(0, 80)),
                    activationKey);
    return RankHead{static_cast<PoolingType>(pooling), found->function};
}

EmbeddingModel::EmbeddingModel(std::shared_ptr<const ModelFile> file, Hyperparameters model,
                               Weights weights)
    : m_file(std::move(file))
    , m_model(std::move(model))
    , m_weights(std::move(weights))
{
}

Result<std::unique_ptr<EmbeddingModel>>
EmbeddingModel::create(std::shared_ptr<const ModelFile> file, const ForwardPassOptions& options)
{
    TRY(checkIsModel(*file));
    TRY_ASSIGN(Hyperparameters model, Hyperparameters::read(*file));
    TRY_ASSIGN(Weights weights, Weights::resolve(*file, model, options.adapters));
    TRY_ASSIGN(const RankHead head, RankHead::read(*file));
    std::unique_ptr<EmbeddingModel> made;
    if (!options.reference && runsFast(model)) {
        TRY_ASSIGN(made, createFastEmbeddingModel(std::move(file), std::move(model),
                                                  std::move(weights), options));
    } else {
        made = std::make_unique<ReferenceEmbeddingModel>(std::move(file), std::move(model),
                                                         std::move(weights));
    }
    made->m_rankHead = head;
    return made;
}

Result<void> EmbeddingModel::check(std::span<const TokenId> tokens) const
{
    if (tokens.empty()) return fail(ErrorCode::InvalidArgument, "a text without tokens");
    const auto most = static_cast<std::size_t>(
        m_weights.positionEmbd.data != nullptr ? m_weights.positionEmbd.rows()
                                               : static_cast<std::int64_t>(m_model.contextLength));
    if (tokens.size() > most)
        return fail(
            ErrorCode::ContextFull,
            std::format("the text has {} tokens; the model reads {} at most", tokens.size(), most),
            {}, tokens.size(), most);
    for (const TokenId token : tokens)
        if (token < 0 || token >= m_model.vocabularySize)
            return fail(ErrorCode::InvalidArgument,
                        std::format("token {} is not in the vocabulary of {}", token,
                                    m_model.vocabularySize));
    return {};
}

Result<std::vector<float>> EmbeddingModel::hiddenStates(std::span<const TokenId> tokens)
{
    TRY(check(tokens));
    TRY_ASSIGN(std::vector<float> states, computeStates(tokens));
    if (std::ranges::all_of(states, [](float value) { return std::isfinite(value); }))
        return states;
    return fail(ErrorCode::FileCorrupt,
                "the model's numbers are not finite. Its file is probably damaged: get it again, "
                "or use another model");
}

Result<std::vector<float>> EmbeddingModel::embed(std::span<const TokenId> tokens,
                                                 const EmbeddingOptions& options)
{
    PoolingType type = options.pooling == PoolingType::None ? m_model.poolingType : options.pooling;
    if (type == PoolingType::None) type = PoolingType::Mean;
    const bool ranks = type == PoolingType::Rank;
    if (ranks && !m_weights.classifier && !m_weights.classifierOutput)
        return fail(ErrorCode::InvalidArgument,
                    "this model has no head that ranks texts; choose another pooling");
    // An encoder says all in its first token; where none looks ahead, the last has read it all.
    if (ranks) type = m_model.causal ? PoolingType::Last : PoolingType::Cls;
    if (ranks && m_rankHead.pooling != PoolingType::None) type = m_rankHead.pooling;
    TRY_ASSIGN(std::vector<float> states, hiddenStates(tokens));
    std::vector<float> pooled = pool(states, m_model.embeddingLength, type);
    if (ranks) return rank(std::move(pooled));
    for (const Linear& dense : m_weights.dense)
        if (dense) pooled = reference::multiply(dense, pooled);
    if (options.normalize) normalizeEmbedding(pooled);
    return pooled;
}

std::vector<float> EmbeddingModel::rank(std::vector<float> state) const
{
    if (m_weights.classifier) {
        state = reference::multiply(m_weights.classifier, state);
        for (float& value : state)
            value = m_rankHead.activation(value);
    }
    if (m_weights.classifierNorm) {
        Matrix row(1, static_cast<int>(state.size()));
        row.values = std::move(state);
        normalize(row, m_weights.classifierNorm, NormKind::Layer, m_model.layerNormEpsilon);
        state = std::move(row.values);
    }
    if (m_weights.classifierOutput) state = reference::multiply(m_weights.classifierOutput, state);
    // A language model answers yes or no: how sure it is, not how strongly it says so.
    if (m_model.causal) softmax(state);
    return state;
}

std::vector<float> pool(std::span<const float> states, int columns, PoolingType type)
{
    const auto width = static_cast<std::size_t>(columns);
    const std::size_t rows = states.size() / width;
    if (type != PoolingType::Mean) {
        const std::size_t row = type == PoolingType::Last ? rows - 1 : 0;
        const auto chosen = states.subspan(row * width, width);
        return {chosen.begin(), chosen.end()};
    }
    std::vector<double> sums(width);
    for (std::size_t i = 0; i < states.size(); ++i)
        sums[i % width] += states[i];
    std::vector<float> mean(width);
    std::ranges::transform(sums, mean.begin(), [rows](double sum) {
        return static_cast<float>(sum / static_cast<double>(rows));
    });
    return mean;
}

void normalizeEmbedding(std::span<float> embedding)
{
    const double length = std::sqrt(dot(embedding, embedding));
    if (length > 0) scale(embedding, static_cast<float>(1 / length));
}

} // namespace engine
