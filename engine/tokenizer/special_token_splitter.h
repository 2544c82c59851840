#pragma once

#include "engine/tokenizer/token_trie.h"
#include "engine/tokenizer/vocabulary.h"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace engine {

/// A part of a text: a token written in it, or text between such tokens.
struct TextFragment {
    TokenId token = kNoToken; ///< kNoToken: text
    std::string_view text;    ///< of a token too
};

/// Finds the tokens that are matched in a text before anything else: user-defined ones always,
/// control and unknown tokens only where they are asked for. Longer tokens go first wherever they
/// are; of equal lengths the smaller id, then the leftmost. Immutable.
class SpecialTokenSplitter {
public:
    /// Longest text in one fragment; longer ones are cut.
    static constexpr std::size_t kMaxFragmentBytes = 1U << 30U;

    /// `vocabulary` must outlive this.
    explicit SpecialTokenSplitter(const Vocabulary& vocabulary);

    /// Time n log n in the text for a given vocabulary, mostly linear. The views are into `text`.
    /// No token begins at the `literals`, which grow.
    std::vector<TextFragment> split(std::string_view text, bool parseSpecial,
                                    std::span<const std::size_t> literals = {}) const;

private:
    class Cover;

    /// Of at most kMaxFragmentBytes; appends.
    void splitBlock(std::string_view text, bool parseSpecial, std::span<const std::size_t> literals,
                    std::size_t offset, std::vector<TextFragment>& out) const;

    const Vocabulary& m_vocabulary;
    std::vector<TokenId> m_byRank; ///< the tokens that are looked for, those that go first first
    TokenTrie m_all;               ///< with ranks for ids
    TokenTrie m_plain;             ///< without those that are only read where asked for
    std::array<bool, 256> m_startsToken{};
};

} // namespace engine
