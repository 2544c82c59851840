#pragma once

#include "engine/model/forward_pass.h"
#include "engine/model/model_file.h"
#include "engine/model/weights.h"

#include <memory>
#include <span>

namespace engine {

/// The forward pass in plain f32, written to be read against the equations and not to be fast: the
/// fast one is held against it. Weights are dequantized row by row as they are used. Errors: those
/// of Hyperparameters::read and Weights::resolve; NotAModelFile where it has
/// no next token.
Result<std::unique_ptr<ForwardPass>>
createReferenceForwardPass(std::shared_ptr<const ModelFile> file,
                           std::span<const AdapterFile> adapters = {});

} // namespace engine
