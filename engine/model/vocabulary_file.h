#pragma once

#include "engine/model/model_file.h"

#include <filesystem>

namespace engine {

/// What ModelFile::open() opens, for its tokenizer alone: a folder needs no weights, and none are
/// converted.
Result<ModelFile> openVocabularyFile(const std::filesystem::path& path);

} // namespace engine
