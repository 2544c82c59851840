#include "engine/model/embedding.h"

#include "engine/model/reference_layers.h"

#include <cmath>
#include <format>

namespace engine {

namespace {

using namespace reference;

class ReferenceEmbeddingModel final : public EmbeddingModel {
public:
    ReferenceEmbeddingModel(std::shared_ptr<const ModelFile> file, Hyperparameters model,
                            Weights weights)
        : m_file(std::move(file))
        , m_model(std::move(model))
        , m_weights(std::move(weights))
    {
    }

    int embeddingLength() const override { return m_model.embeddingLength; }
    PoolingType pooling() const override { return m_model.poolingType; }

    Result<std::vector<float>> hiddenStates(std::span<const TokenId> tokens) override
    {
        TRY(check(tokens));
        const int count = static_cast<int>(tokens.size());
        State state(m_model, m_weights, count, KvType::F32);
        std::vector<Row> rows;
        for (int i = 0; i < count; ++i)
            rows.push_back({&state, i});
        const Call call{m_model, m_weights, rows, nullptr};
        Matrix x = reference::embed(call, tokens);
        runLayers(call, x);
        normOutput(call, x);
        return std::move(x.values);
    }

    Result<std::vector<float>> embed(std::span<const TokenId> tokens,
                                     EmbeddingOptions options) override
    {
        PoolingType type =
            options.pooling == PoolingType::None ? m_model.poolingType : options.pooling;
        if (type == PoolingType::None) type = PoolingType::Mean;
        if (type == PoolingType::Rank)
            return fail(ErrorCode::InvalidArgument,
                        "this model ranks pairs of texts; it makes no embeddings");
        TRY_ASSIGN(std::vector<float> states, hiddenStates(tokens));
        std::vector<float> pooled = pool(states, m_model.embeddingLength, type);
        if (options.normalize) normalizeEmbedding(pooled);
        return pooled;
    }

private:
    Result<void> check(std::span<const TokenId> tokens) const
    {
        if (tokens.empty()) return fail(ErrorCode::InvalidArgument, "a text without tokens");
        const auto most = static_cast<std::size_t>(m_weights.positionEmbd.data != nullptr
                                                       ? m_weights.positionEmbd.rows()
                                                       : m_model.contextLength);
        if (tokens.size() > most)
            return fail(ErrorCode::ContextFull,
                        std::format("the text has {} tokens; the model reads {} at most",
                                    tokens.size(), most),
                        {}, tokens.size(), most);
        for (const TokenId token : tokens)
            if (token < 0 || token >= m_model.vocabularySize)
                return fail(ErrorCode::InvalidArgument,
                            std::format("token {} is not in the vocabulary of {}", token,
                                        m_model.vocabularySize));
        return {};
    }

    std::shared_ptr<const ModelFile> m_file;
    Hyperparameters m_model;
    Weights m_weights;
};

} // namespace

Result<std::unique_ptr<EmbeddingModel>>
EmbeddingModel::create(std::shared_ptr<const ModelFile> file)
{
    TRY_ASSIGN(Hyperparameters model, Hyperparameters::read(*file));
    TRY_ASSIGN(Weights weights, Weights::resolve(*file, model));
    return std::make_unique<ReferenceEmbeddingModel>(std::move(file), std::move(model),
                                                     std::move(weights));
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
    std::vector<float> mean;
    for (const double sum : sums)
        mean.push_back(static_cast<float>(sum / static_cast<double>(rows)));
    return mean;
}

void normalizeEmbedding(std::span<float> embedding)
{
    const double length = std::sqrt(dot(embedding, embedding));
    if (length > 0) scale(embedding, static_cast<float>(1 / length));
}

} // namespace engine
