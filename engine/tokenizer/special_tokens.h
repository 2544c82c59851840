#pragma once

#include "engine/gguf/metadata.h"
#include "engine/tokenizer/tokenizer_settings.h"
#include "engine/tokenizer/vocabulary.h"

#include <string_view>
#include <vector>

namespace engine {

/// Ids of tokens that swallow the white space before them or behind them. No keys of GGUF's: a
/// folder's tokenizer.json says so of each token.
inline constexpr std::string_view kStripLeftKey = "inglenook.tokens_strip_left";
inline constexpr std::string_view kStripRightKey = "inglenook.tokens_strip_right";

/// Finds the special tokens a file does not name by their texts (end of turn, end of message,
/// fill-in-the-middle), makes those control tokens, and returns every token that ends generation,
/// ascending. Also sets which tokens swallow white space, which of a GGUF
/// file only the model's name tells.
std::vector<TokenId> resolveSpecialTokens(const Metadata& metadata, Vocabulary& vocabulary,
                                          TokenizerSettings& settings);

} // namespace engine
