#pragma once

#include "engine/model/forward_pass_factory.h"
#include "engine/model/hyperparameters.h"
#include "engine/model/weights.h"
#include "engine/tokenizer/tokenizer.h"

#include <memory>
#include <span>
#include <vector>

namespace engine {

/// How the hidden states of a text become its embedding.
struct EmbeddingOptions {
    PoolingType pooling = PoolingType::None; ///< None: as the model says, the mean if it does not
    bool normalize = false;                  ///< to length 1
};

/// What a head that ranks texts does beside its matrices.
struct RankHead {
    /// None: of the first token, or of the last where none looks ahead.
    PoolingType pooling = PoolingType::None;
    float (*activation)(float) = nullptr; ///< of what its first matrix gives

    /// Errors: BadMetadata.
    static Result<RankHead> read(const ModelFile& file);
};

/// Embeddings of whole texts, by models made for it and by any other. One thread at a time.
class EmbeddingModel {
public:
    /// Errors: those of Hyperparameters::read and Weights::resolve; OutOfMemory; Cancelled.
    static Result<std::unique_ptr<EmbeddingModel>> create(std::shared_ptr<const ModelFile> file,
                                                          const ForwardPassOptions& options);
    virtual ~EmbeddingModel() = default;
    EmbeddingModel(const EmbeddingModel&) = delete;
    EmbeddingModel& operator=(const EmbeddingModel&) = delete;

    int embeddingLength() const { return m_model.embeddingLength; }
    PoolingType pooling() const { return m_model.poolingType; } ///< the model's own
    /// (tokens, embeddingLength): the hidden state of every token after the last norm. Errors:
    /// InvalidArgument (no tokens, a token outside the vocabulary), ContextFull, OutOfMemory.
    Result<std::vector<float>> hiddenStates(std::span<const TokenId> tokens);
    /// (embeddingLength), or as long as the file's last matrix after pooling makes it; with
    /// PoolingType::Rank the score of each label. Errors: as above; InvalidArgument where the model
    /// has no head to rank with.
    Result<std::vector<float>> embed(std::span<const TokenId> tokens,
                                     const EmbeddingOptions& options);

protected:
    EmbeddingModel(std::shared_ptr<const ModelFile> file, Hyperparameters model, Weights weights);

    /// What hiddenStates() gives. REQUIRES: tokens the model can read.
    virtual Result<std::vector<float>> computeStates(std::span<const TokenId> tokens) = 0;

    const ModelFile& file() const { return *m_file; }
    const Hyperparameters& model() const { return m_model; }
    const Weights& weights() const { return m_weights; }

private:
    Result<void> check(std::span<const TokenId> tokens) const;
    std::vector<float> rank(std::vector<float> state) const;

    std::shared_ptr<const ModelFile> m_file;
    Hyperparameters m_model;
    Weights m_weights;
    RankHead m_rankHead;
};

/// Pools (rows, columns) hidden states. REQUIRES: rows > 0; `type` is Mean, Cls or Last.
std::vector<float> pool(std::span<const float> states, int columns, PoolingType type);

/// Scales to length 1; a vector of zeros stays.
void normalizeEmbedding(std::span<float> embedding);

} // namespace engine
