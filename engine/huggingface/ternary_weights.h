#pragma once

#include "engine/base/result.h"
#include "engine/huggingface/model_config.h"
#include "engine/huggingface/safetensors.h"
#include "engine/model/model_file.h"

#include <vector>

namespace engine {

/// BitNet: matrices whose values are -1, 0 and 1 times one number are written out as such, where
/// the folder has them four to a byte, and are made ternary first where it has what they are made
/// of. `model` gets the memory. Nothing happens in other folders. Errors: MissingTensor for a
/// number that is not there, BadTensor, BadMetadata.
Result<void> readTernaryWeights(std::vector<SafetensorsEntry>& tensors, const ModelConfig& config,
                                ModelFile& model);

} // namespace engine
