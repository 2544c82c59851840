#pragma once

#include "engine/engine.h"
#include "engine/model/model_file.h"

#include <filesystem>

namespace engine {

/// What inspectModel() gives, of a file that is open already. `path` names it where it has no name
/// of its own. Errors: MissingMetadata (no general.architecture).
Result<ModelInfo> describeModel(const ModelFile& file, const std::filesystem::path& path);

} // namespace engine
