#pragma once

#include "engine/base/result.h"
#include "engine/huggingface/safetensors.h"
#include "engine/model/model_file.h"

#include <filesystem>
#include <vector>

namespace engine {

/// All tensors of a folder's model.safetensors, or of the shards its index lists; `model` gets the
/// mappings they lie in. Errors: those of readSafetensors(); NotAModelFile where there are no
/// safetensors, MissingTensor for one that only the index has, FileNotFound for a shard.
Result<std::vector<SafetensorsEntry>> openCheckpoint(const std::filesystem::path& folder,
                                                     ModelFile& model);

} // namespace engine
