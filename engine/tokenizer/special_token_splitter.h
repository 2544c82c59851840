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

    /// Time n log n in the text for a given vocabulary. The views are into `text`. No token begins
    /// at the `literals`, which grow.
    std::vector<TextFragment> split(std::string_view text, bool parseSpecial,
                                    std::span<const std::size_t> literals = {}) const;

private:
    struct Candidate {
        std::size_t bytes;
        TokenId id;
        std::size_t begin;
    };
    class Cover;

    /// The longest token of at most `limit` bytes at `begin`; id kNoToken where there is none.
    Candidate longestAt(std::string_view text, std::size_t begin, std::size_t limit,
                        bool parseSpecial) const;

    const Vocabulary& m_vocabulary;
    TokenTrie m_all;
    TokenTrie m_plain; ///< without those that are only read where asked for
    std::array<bool, 256> m_startsToken{};
};

} // namespace engine
