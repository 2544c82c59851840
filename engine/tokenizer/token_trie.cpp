#include "engine/tokenizer/token_trie.h"

#include <algorithm>
#include <cstring>

namespace engine {

namespace {

/// The first eight bytes as a number that orders like them.
std::uint64_t sortKey(std::string_view text)
{
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < sizeof key; ++i)
        key = key << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
    return key;
}

std::vector<TokenTrie::Entry> sortedByText(std::vector<TokenTrie::Entry> entries)
{
    struct Keyed {
        std::uint64_t key;
        TokenTrie::Entry entry;
    };
    std::vector<Keyed> keyed;
    keyed.reserve(entries.size());
    for (const TokenTrie::Entry& entry : entries)
        if (entry.text.size() <= TokenTrie::kMaxBytes)
            keyed.push_back({sortKey(entry.text), entry});
    std::ranges::sort(keyed, [](const Keyed& a, const Keyed& b) {
        if (a.key != b.key) return a.key < b.key;
        const int order = a.entry.text.compare(b.entry.text);
        return order != 0 ? order < 0 : a.entry.id < b.entry.id;
    });
    entries.clear();
    for (const Keyed& item : keyed)
        if (entries.empty() || entries.back().text != item.entry.text)
            entries.push_back(item.entry);
    return entries;
}

} // namespace

TokenTrie::TokenTrie()
    : TokenTrie(std::vector<Entry>{})
{
}

TokenTrie::TokenTrie(std::vector<Entry> entries)
{
    const std::vector<Entry> sorted = sortedByText(std::move(entries));
    // Breadth first, so that the children of a node come to lie beside each other.
    std::vector<Range> level{{0, static_cast<std::uint32_t>(sorted.size())}};
    std::vector<Range> next;
    addNode(0);
    for (std::size_t depth = 0; !level.empty(); ++depth) {
        next.clear();
        for (const Range& range : level)
            addChildren(sorted, range, depth, next);
        level.swap(next);
    }
    m_firstChild.push_back(static_cast<Node>(m_labels.size()));
    m_labels.shrink_to_fit();
    m_firstChild.shrink_to_fit();
    m_tokens.shrink_to_fit();
    m_rootChildren.fill(kNoNode);
    for (Node n = m_firstChild[kRoot]; n < m_firstChild[kRoot + 1]; ++n)
        m_rootChildren[m_labels[n]] = n;
}

void TokenTrie::addNode(unsigned char label)
{
    m_labels.push_back(label);
    m_tokens.push_back(kNoToken);
}

/// Completes the next node in breadth-first order: `range` of `sorted` are the strings that go
/// through it, all with the same first `depth` bytes.
void TokenTrie::addChildren(const std::vector<Entry>& sorted, Range range, std::size_t depth,
                            std::vector<Range>& next)
{
    const std::size_t node = m_firstChild.size();
    m_firstChild.push_back(static_cast<Node>(m_labels.size()));
    std::uint32_t i = range.begin;
    if (i < range.end && sorted[i].text.size() == depth) m_tokens[node] = sorted[i++].id;
    while (i < range.end) {
        const char label = sorted[i].text[depth];
        const std::uint32_t begin = i;
        while (i < range.end && sorted[i].text[depth] == label)
            ++i;
        addNode(static_cast<unsigned char>(label));
        next.push_back({begin, i});
    }
}

TokenTrie::Node TokenTrie::child(Node node, char byte) const
{
    const auto label = static_cast<unsigned char>(byte);
    if (node == kRoot) return m_rootChildren[label];
    const Node first = m_firstChild[node];
    const std::size_t count = m_firstChild[node + 1] - first;
    if (count == 0) return kNoNode;
    const unsigned char* const labels = m_labels.data() + first;
    if (*labels == label) return first;
    const void* const found = std::memchr(labels, label, count);
    if (!found) return kNoNode;
    return first + static_cast<Node>(static_cast<const unsigned char*>(found) - labels);
}

TokenTrie::Node TokenTrie::walk(Node node, std::string_view text) const
{
    for (const char byte : text) {
        node = child(node, byte);
        if (node == kNoNode) break;
    }
    return node;
}

TokenId TokenTrie::find(std::string_view text) const
{
    const Node node = walk(kRoot, text);
    return node == kNoNode ? kNoToken : m_tokens[node];
}

TokenTrie::Match TokenTrie::longestPrefix(Node node, std::string_view text) const
{
    Match best;
    if (node == kNoNode) return best;
    for (std::size_t i = 0; i < text.size(); ++i) {
        node = child(node, text[i]);
        if (node == kNoNode) break;
        if (m_tokens[node] != kNoToken) best = {m_tokens[node], i + 1};
    }
    return best;
}

} // namespace engine
