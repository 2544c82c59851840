#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <optional>
#include <string>

namespace engine {

/// The folder that a path to a Hugging Face model means: itself, or where the file lies that was
/// picked from it (config.json, *.safetensors, an index, tokenizer.json). Nothing for other files.
std::optional<std::filesystem::path> modelFolder(const std::filesystem::path& path);

/// What to call the model in a folder: the folder's name; in a hub's cache, whose folders are
/// called after revisions, the model's.
std::string modelFolderName(const std::filesystem::path& folder);

/// Why a folder without a config.json is no model: NotAModelFile, with what is in it instead.
std::unexpected<Error> noModelIn(const std::filesystem::path& folder);
/// The same of a file that was picked from such a folder.
std::unexpected<Error> noModelAround(const std::filesystem::path& file);

/// The one GGUF model in a folder (the first part of a set); nothing where there is none, or where
/// there are several.
std::optional<std::filesystem::path> onlyGgufIn(const std::filesystem::path& folder);

} // namespace engine
