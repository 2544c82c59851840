#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine {

/// GGUF's kinds of tokens.
enum class TokenType : std::uint8_t {
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6,
};

/// The tokens of a Hugging Face tokenizer on their way into "tokenizer.ggml.*". Ids that nothing
/// sets become unused tokens "[PAD7]".
class VocabularyBuilder {
public:
    /// `size`: as many tokens as the embedding has rows.
    explicit VocabularyBuilder(std::int64_t size);

    /// Errors: BadMetadata for an id outside the vocabulary.
    Result<void> set(std::int64_t id, std::string text, TokenType type, double score = 0);
    void setType(std::int64_t id, TokenType type);
    void setScore(std::int64_t id, double score);

    std::int64_t size() const { return static_cast<std::int64_t>(m_texts.size()); }
    const std::string& text(std::int64_t id) const { return m_texts[static_cast<std::size_t>(id)]; }
    TokenType type(std::int64_t id) const;
    /// Nothing where no token is spelt so.
    std::optional<std::int64_t> find(std::string_view text) const;

    /// Writes tokens and types, and scores where the tokenizer has them.
    void write(Metadata& metadata, bool withScores);

private:
    std::vector<std::string> m_texts;
    std::vector<std::int64_t> m_types;
    std::vector<double> m_scores;
    std::unordered_map<std::string, std::int64_t> m_ids;
};

} // namespace engine
