#pragma once

#include "engine/tokenizer/token_trie.h"

#include <functional>
#include <string_view>
#include <vector>

namespace engine {

/// The segmentation of a text into tokens with the largest sum of scores (Viterbi); a character
/// that is no token is unknown, a run of such is one. Immutable; any thread may call. Linear.
class UnigramSearch {
public:
    UnigramSearch() = default;
    /// `scores`: by id. `unknown` may be kNoToken.
    UnigramSearch(TokenTrie tokens, std::vector<double> scores, TokenId unknown,
                  double unknownScore)
        : m_tokens(std::move(tokens))
        , m_scores(std::move(scores))
        , m_unknown(unknown)
        , m_unknownScore(unknownScore)
    {
    }

    /// `take(text, id)` for every token from left to right.
    void search(std::string_view text,
                const std::function<void(std::string_view text, TokenId id)>& take) const;

    TokenId unknown() const { return m_unknown; }

private:
    struct Best;
    std::vector<Best> bestUpTo(std::string_view text) const;

    TokenTrie m_tokens;
    std::vector<double> m_scores;
    TokenId m_unknown = TokenTrie::kNoToken;
    double m_unknownScore = 0;
};

} // namespace engine
