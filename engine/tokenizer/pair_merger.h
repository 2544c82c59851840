#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace engine {

/// A run of a word's bytes on its way to becoming a token.
struct MergeSymbol {
    std::uint32_t begin = 0;
    std::uint32_t bytes = 0;   ///< 0: merged into the symbol before
    std::uint32_t state = 0;   ///< what the vocabulary knows this text by
    std::int32_t previous = 0; ///< -1 at the start
    std::int32_t next = 0;     ///< -1 at the end
};

/// The two symbols may become one of this state; the smallest cost goes first.
struct MergeRule {
    float cost = 0;
    std::uint32_t state = 0;
};

/// Byte-pair merging: as long as any two neighbours may be merged, the cheapest pair is, the
/// leftmost of equals first. A heap over a linked list: n log n. Keeps its buffers from word to
/// word.
class PairMerger {
public:
    /// The symbols of the word at hand; fill it by `append` after `clear`.
    const std::vector<MergeSymbol>& symbols() const { return m_symbols; }
    void clear() { m_symbols.clear(); }
    void append(std::size_t begin, std::size_t bytes, std::uint32_t state)
    {
        const auto index = static_cast<std::int32_t>(m_symbols.size());
        m_symbols.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(bytes),
                             state, index - 1, index + 1});
    }

    /// `find(left, right)`: std::optional<MergeRule> of two neighbours. Afterwards the symbols with
    /// bytes are the word's parts, in order.
    template <typename Find>
    void merge(const Find& find)
    {
        if (m_symbols.empty()) return;
        m_symbols.back().next = -1;
        m_heap.clear();
        for (std::int32_t right = 1; right < static_cast<std::int32_t>(m_symbols.size()); ++right)
            consider(right - 1, right, find);
        while (!m_heap.empty()) {
            std::ranges::pop_heap(m_heap, later);
            const Candidate best = m_heap.back();
            m_heap.pop_back();
            apply(best, find);
        }
    }

private:
    struct Candidate {
        float cost;
        std::uint32_t bytes; // of both; tells whether either has changed since
        std::uint32_t state;
        std::int32_t left;
        std::int32_t right;
    };

    static bool later(const Candidate& a, const Candidate& b)
    {
        return a.cost != b.cost ? a.cost > b.cost : a.left > b.left;
    }

    template <typename Find>
    void consider(std::int32_t left, std::int32_t right, const Find& find)
    {
        if (left < 0 || right < 0) return;
        const MergeSymbol& l = m_symbols[static_cast<std::size_t>(left)];
        const MergeSymbol& r = m_symbols[static_cast<std::size_t>(right)];
        const std::optional<MergeRule> rule = find(l, r);
        if (!rule) return;
        m_heap.push_back({rule->cost, l.bytes + r.bytes, rule->state, left, right});
        std::ranges::push_heap(m_heap, later);
    }

    template <typename Find>
    void apply(const Candidate& candidate, const Find& find)
    {
        MergeSymbol& left = m_symbols[static_cast<std::size_t>(candidate.left)];
        MergeSymbol& right = m_symbols[static_cast<std::size_t>(candidate.right)];
        if (left.bytes == 0 || right.bytes == 0 || left.bytes + right.bytes != candidate.bytes)
            return;
        left.bytes = candidate.bytes;
        left.state = candidate.state;
        left.next = right.next;
        right.bytes = 0;
        if (right.next >= 0)
            m_symbols[static_cast<std::size_t>(right.next)].previous = candidate.left;
        consider(left.previous, candidate.left, find);
        consider(candidate.left, left.next, find);
    }

    std::vector<MergeSymbol> m_symbols;
    std::vector<Candidate> m_heap;
};

} // namespace engine
