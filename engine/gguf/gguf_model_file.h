#pragma once

#include "engine/base/result.h"
#include "engine/model/model_file.h"

#include <filesystem>

namespace engine {

/// Opens a GGUF file, or with any part of a split set (NAME-00001-of-00003.gguf) all of its parts.
/// The metadata are the first part's. Tensors of a big-endian file are copied into this machine's
/// order. Errors: those of MappedFile::open() and readGgufHeader(); FileNotFound (the
/// parts there should be) for a missing one; FileCorrupt where the parts do not belong together.
Result<ModelFile> openGgufModel(const std::filesystem::path& path);

} // namespace engine
