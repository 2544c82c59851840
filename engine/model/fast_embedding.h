#pragma once

#include "engine/model/embedding.h"

namespace engine {

/// The embedding model on packed weights and all threads. Errors: OutOfMemory, Cancelled.
/// REQUIRES: runsFast(model).
Result<std::unique_ptr<EmbeddingModel>>
createFastEmbeddingModel(std::shared_ptr<const ModelFile> file, Hyperparameters model,
                         Weights weights, const ForwardPassOptions& options);

} // namespace engine
