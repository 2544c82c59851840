#pragma once

#include "engine/model/hyperparameters.h"
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

/// Embeddings of whole texts, by models made for it and by any other. One thread at a time.
class EmbeddingModel {
public:
    /// Errors: those of Hyperparameters::read and Weights::resolve.
    static Result<std::unique_ptr<EmbeddingModel>> create(std::shared_ptr<const ModelFile> file);
    virtual ~EmbeddingModel() = default;

    virtual int embeddingLength() const = 0;
    virtual PoolingType pooling() const = 0; ///< the model's own
    /// (tokens, embeddingLength): the hidden state of every token after the last norm. Errors:
    /// InvalidArgument (no tokens, a token outside the vocabulary), ContextFull.
    virtual Result<std::vector<float>> hiddenStates(std::span<const TokenId> tokens) = 0;
    /// (embeddingLength). Errors: as above; InvalidArgument where the model ranks texts instead.
    virtual Result<std::vector<float>> embed(std::span<const TokenId> tokens,
                                             EmbeddingOptions options) = 0;
};

/// Pools (rows, columns) hidden states. REQUIRES: rows > 0; `type` is Mean, Cls or Last.
std::vector<float> pool(std::span<const float> states, int columns, PoolingType type);

/// Scales to length 1; a vector of zeros stays.
void normalizeEmbedding(std::span<float> embedding);

} // namespace engine
