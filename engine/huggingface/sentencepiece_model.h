#pragma once

#include "engine/base/result.h"
#include "engine/huggingface/vocabulary_builder.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct SentencePieceToken {
    std::string_view text; ///< in the file
    float score = 0;
    TokenType type = TokenType::Normal;
};

/// What we need of a SentencePiece "tokenizer.model", a protocol buffer.
struct SentencePieceModel {
    std::vector<SentencePieceToken> tokens;
    bool unigram = true; ///< else byte pairs
    // Ids as the format's own defaults have them; -1: none.
    std::int64_t unknown = 0;
    std::int64_t bos = 1;
    std::int64_t eos = 2;
    std::int64_t padding = -1;
    bool addDummyPrefix = true;
    bool removeExtraWhitespaces = true;
    std::span<const std::byte> precompiledCharsmap;
};

/// Errors: FileCorrupt. The views lie in `file`.
Result<SentencePieceModel> readSentencePieceModel(std::span<const std::byte> file);

} // namespace engine
