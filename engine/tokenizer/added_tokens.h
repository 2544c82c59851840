#pragma once

#include "engine/gguf/metadata.h"
#include "engine/tokenizer/special_token_splitter.h"
#include "engine/tokenizer/steps/normalizer.h"
#include "engine/tokenizer/vocabulary.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// The `added_tokens` of a tokenizer.json, found in a text by its rules: from left to right, of
/// those that begin at one place the longest; some as the text stands, others after it is
/// normalized. Immutable; any thread may call.
class AddedTokens {
public:
    static constexpr std::string_view kIdsKey = "inglenook.added_tokens";
    static constexpr std::string_view kSingleWordKey = "inglenook.tokens_single_word";
    static constexpr std::string_view kNormalizedKey = "inglenook.tokens_normalized";

    /// Nothing where the metadata is of no such file. `vocabulary` need not outlive this.
    static std::optional<AddedTokens> read(const Metadata& metadata, const Vocabulary& vocabulary,
                                           const Normalizer& normalizer);

    /// The tokens found as the text stands. See SpecialTokenSplitter::split().
    std::vector<TextFragment> split(std::string_view text, bool parseSpecial,
                                    std::span<const std::size_t> literals) const
    {
        const Set& set = literals.empty() ? m_plain : m_plainOrControl;
        return set.split(text, parseSpecial, literals);
    }
    /// The same for a text that has been normalized. Once it is another, nobody knows any more
    /// which of it was written by whom: where that matters, control tokens are found before.
    std::vector<TextFragment> splitNormalized(std::string_view text, bool parseSpecial,
                                              std::span<const std::size_t> literals) const
    {
        return m_normalized.split(text, parseSpecial && literals.empty(), {});
    }

    /// What decoding writes for a token of that text: of those found in normalized texts, what
    /// normalizing makes of it, so that a text comes back as it was read.
    std::string decoded(TokenId id, std::string_view text) const
    {
        const auto found = m_normalizedTexts.find(id);
        return found != m_normalizedTexts.end() ? found->second : std::string(text);
    }

private:
    struct Rule {
        TokenId id = kNoToken;
        bool singleWord = false;
        bool stripLeft = false;
        bool stripRight = false;
    };
    /// Those that are looked for in one state of a text.
    class Set {
    public:
        void add(std::string text, bool special, Rule rule);
        void build();
        std::vector<TextFragment> split(std::string_view text, bool parseSpecial,
                                        std::span<const std::size_t> literals) const;

    private:
        std::vector<std::string> m_texts; // of m_rules
        std::vector<bool> m_special;      // of m_rules
        std::vector<Rule> m_rules;
        TokenTrie m_all; // places in m_rules
        TokenTrie m_ordinary;
    };

    Set m_plain;
    Set m_plainOrControl;
    Set m_normalized;
    std::map<TokenId, std::string> m_normalizedTexts; // of tokens that are no control tokens
};

} // namespace engine
