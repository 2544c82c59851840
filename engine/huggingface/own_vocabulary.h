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

struct OwnToken {
    std::int64_t id = 0;
    std::string text; ///< as GGUF writes it
    TokenType type = TokenType::Normal;
    double score = 0;
};

/// A vocabulary in a form that came with a family's code.
struct OwnVocabulary {
    std::vector<OwnToken> tokens;
    std::vector<std::string> merges; ///< "left right", the first merge first
};

/// A file with such a vocabulary, told by its name.
struct OwnVocabularyForm {
    std::string_view file;
    std::string_view model; ///< tokenizer.ggml.model
    std::string_view pre;   ///< tokenizer.ggml.pre
    /// Errors: FileCorrupt.
    Result<OwnVocabulary> (*read)(std::span<const std::byte> file);
    std::int64_t endOfTurn = -1; ///< a token that ends a turn although no file says so
    bool hasScores = false;
};

std::span<const OwnVocabularyForm> ownVocabularyForms();

} // namespace engine
