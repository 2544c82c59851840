#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"
#include "engine/tokenizer/token_trie.h"
#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

inline constexpr TokenId kNoToken = TokenTrie::kNoToken;

/// What a token is; a token may be several of these.
enum class TokenAttribute : std::uint8_t {
    Normal = 1,
    Unknown = 2,
    Control = 4,
    UserDefined = 8,
    Unused = 16,
    Byte = 32,
    StripLeft = 64,   ///< swallows the white space before it
    StripRight = 128, ///< swallows the white space behind it
};

/// The tokens of a model: texts, scores and kinds, as tokenizer.ggml.tokens, .scores and
/// .token_type give them, every length checked. Texts are as stored: with U+2581 for a space, or
/// byte-level encoded.
class Vocabulary {
public:
    static constexpr std::size_t kMaxTokens = 2'097'152;
    static constexpr std::size_t kMaxTokenBytes = 65'535;
    static constexpr std::size_t kMaxTextBytes = 64U << 20U;

    /// Errors: MissingMetadata, BadMetadata.
    static Result<Vocabulary> read(const Metadata& metadata);

    int size() const { return static_cast<int>(m_attributes.size()); }
    std::string_view text(TokenId id) const
    {
        const auto i = static_cast<std::size_t>(id);
        return std::string_view(m_texts).substr(m_ends[i], m_ends[i + 1] - m_ends[i]);
    }
    float score(TokenId id) const { return m_scores[static_cast<std::size_t>(id)]; }
    bool is(TokenId id, TokenAttribute attribute) const
    {
        return (m_attributes[static_cast<std::size_t>(id)] & bit(attribute)) != 0;
    }
    /// Control or unknown: not text of its own, written only where it is asked for.
    bool isSpecial(TokenId id) const
    {
        return is(id, TokenAttribute::Control) || is(id, TokenAttribute::Unknown);
    }
    bool contains(std::int64_t id) const { return id >= 0 && id < size(); }

    void add(TokenId id, TokenAttribute attribute)
    {
        m_attributes[static_cast<std::size_t>(id)] |= bit(attribute);
    }
    void remove(TokenId id, TokenAttribute attribute)
    {
        m_attributes[static_cast<std::size_t>(id)] &= static_cast<std::uint8_t>(~bit(attribute));
    }
    void setOnly(TokenId id, TokenAttribute attribute)
    {
        m_attributes[static_cast<std::size_t>(id)] = bit(attribute);
    }

    /// Every text; of equal ones the smallest id. Made anew by each call.
    TokenTrie makeTrie() const;
    /// Any of the ids that has one of the attributes in the mask, ascending.
    std::vector<TokenId> withAny(std::initializer_list<TokenAttribute> attributes) const;
    /// The byte a token of kind Byte stands for; -1 for other tokens.
    int byteOf(TokenId id) const;

private:
    static constexpr std::uint8_t bit(TokenAttribute attribute)
    {
        return static_cast<std::uint8_t>(attribute);
    }
    Result<void> readTexts(const Metadata& metadata);
    Result<void> readScores(const Metadata& metadata);
    Result<void> readTypes(const Metadata& metadata);

    std::string m_texts; // one after the other
    std::vector<std::uint32_t> m_ends{0};
    std::vector<float> m_scores;
    std::vector<std::uint8_t> m_attributes;
};

} // namespace engine
