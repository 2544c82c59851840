#pragma once

#include "engine/gguf/metadata.h"
#include "engine/tokenizer/tokenizer_settings.h"
#include "engine/tokenizer/vocabulary.h"

#include <vector>

namespace engine {

/// Finds the special tokens a file does not name by their texts (end of turn, end of message,
/// fill-in-the-middle), makes those control tokens, and returns every token that ends generation,
/// ascending. Also sets which tokens swallow white space, which only the model's name tells.
std::vector<TokenId> resolveSpecialTokens(const Metadata& metadata, Vocabulary& vocabulary,
                                          TokenizerSettings& settings);

} // namespace engine
