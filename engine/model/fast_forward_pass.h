#pragma once

#include "engine/model/forward_pass_factory.h"
#include "engine/model/hyperparameters.h"

#include <memory>

namespace engine {

/// The forward pass on packed weights: 8-bit products for quantized types, f32 for the others, on
/// all threads. Checked against the reference. Errors: those of Hyperparameters::read and
/// Weights::resolve; OutOfMemory; Cancelled; NotAModelFile where it has
/// no next token.
Result<std::unique_ptr<ForwardPass>> createFastForwardPass(std::shared_ptr<const ModelFile> file,
                                                           const ForwardPassOptions& options);

/// False where only the reference runs: windows to one side in a model that looks both ways.
bool runsFast(const Hyperparameters& model);

} // namespace engine
