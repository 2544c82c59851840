#pragma once

#include "engine/tokenizer/tokenizer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace engine {

/// Byte strings with ids: exact look-up, and every string that begins a text. Nine bytes a node,
/// the children of a node beside each other; no hashing, so no input makes it slow. Immutable.
class TokenTrie {
public:
    /// Longer strings are left out: no vocabulary needs them, and they bound every walk.
    static constexpr std::size_t kMaxBytes = 1024;
    static constexpr TokenId kNoToken = -1;

    struct Entry {
        std::string_view text; ///< only read while building
        TokenId id = kNoToken;
    };
    struct Match {
        TokenId id = kNoToken;
        std::size_t bytes = 0;
    };

    using Node = std::uint32_t;
    static constexpr Node kRoot = 0;
    static constexpr Node kNoNode = UINT32_MAX;

    TokenTrie();
    /// Of equal texts the smallest id is kept.
    explicit TokenTrie(std::vector<Entry> entries);

    /// kNoNode where no string goes on with that byte.
    Node child(Node node, char byte) const;
    /// The node after every byte of `text`; kNoNode where no string goes on so.
    Node walk(Node node, std::string_view text) const;
    /// The string that ends at this node; kNoToken where none does.
    TokenId token(Node node) const { return m_tokens[node]; }
    TokenId find(std::string_view text) const;
    /// The longest string that `text` begins with; id kNoToken where there is none.
    Match longestPrefix(std::string_view text) const { return longestPrefix(kRoot, text); }
    /// Of the strings that go on from `node`, the longest that `text` begins with: at least a byte.
    Match longestPrefix(Node node, std::string_view text) const;

private:
    struct Range {
        std::uint32_t begin;
        std::uint32_t end;
    };
    void addNode(unsigned char label);
    void addChildren(const std::vector<Entry>& sorted, Range range, std::size_t depth,
                     std::vector<Range>& next);

    std::vector<unsigned char> m_labels; // by node: the byte that leads to it
    std::vector<Node> m_firstChild;      // by node, one more at the end
    std::vector<TokenId> m_tokens;       // by node
    std::array<Node, 256> m_rootChildren{};
};

} // namespace engine
