#pragma once

#include "engine/model/forward_pass_factory.h"

#include <memory>

namespace engine {

/// The forward pass on packed weights: 8-bit products for quantized types, f32 for the others, on
/// all threads. Checked against the reference. Errors: those of Hyperparameters::read and
/// Weights::resolve; OutOfMemory; Cancelled; InvalidArgument for an encoder, which has no next
/// token.
Result<std::unique_ptr<ForwardPass>> createFastForwardPass(std::shared_ptr<const ModelFile> file,
                                                           const ForwardPassOptions& options);

} // namespace engine
