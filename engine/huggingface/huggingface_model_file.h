#pragma once

#include "engine/base/result.h"
#include "engine/model/model_file.h"

#include <filesystem>

namespace engine {

/// Opens a Hugging Face folder as if it were a GGUF file: the same keys, the same names and shapes
/// of tensors. Weights that lie as GGUF has them stay in the mapped files, the others are copied.
///
/// Errors: NotAModelFile, UnsupportedArchitecture (the class in config.json), UnsupportedType,
/// MissingTensor, BadTensor, BadMetadata, UnsupportedTokenizer, and those of reading files.
Result<ModelFile> openHuggingFaceModel(const std::filesystem::path& folder);

/// Its tokenizer and nothing else; the folder may hold no more than that.
///
/// Errors: UnsupportedTokenizer, FileNotFound without a tokenizer, and those of reading files.
Result<ModelFile> openHuggingFaceVocabulary(const std::filesystem::path& folder);

} // namespace engine
