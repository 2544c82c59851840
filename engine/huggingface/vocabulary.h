#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"
#include "engine/huggingface/model_config.h"
#include "engine/huggingface/tokenizer_files.h"

#include <cstdint>
#include <filesystem>

namespace engine {

/// Turns a folder's tokenizer.json (or tokenizer.model), tokenizer_config.json, generation_config
/// .json and chat template into GGUF's keys. `tokens`: the rows of the embedding.
///
/// Errors: UnsupportedTokenizer for a kind or a pre-tokenizer we do not know, FileCorrupt,
/// BadMetadata, FileNotFound where the folder has no tokenizer.
Result<void> writeVocabulary(const std::filesystem::path& folder, const ModelConfig& config,
                             std::int64_t tokens, Metadata& metadata);
/// Of files that are read already.
Result<void> writeVocabulary(const TokenizerFiles& files, const ModelConfig& config,
                             std::int64_t tokens, Metadata& metadata);

/// One more than the highest id a tokenizer has; 0 where there is none.
std::int64_t tokenCount(const TokenizerFiles& files);

} // namespace engine
