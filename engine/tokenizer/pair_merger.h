#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace engine {

/// The two symbols may become one of this state; the smallest cost goes first.
struct MergeRule {
    float cost = 0; ///< no NaN
    std::uint32_t state = 0;
};

/// A run of a word's bytes on its way to becoming a token.
struct MergeSymbol {
    std::uint32_t begin = 0;
    std::uint32_t bytes = 0;     ///< 0: merged into the symbol before
    std::uint32_t state = 0;     ///< what the vocabulary knows this text by
    std::int32_t previous = 0;   ///< -1 at the start
    std::int32_t next = 0;       ///< -1 at the end
    std::uint32_t pairCost = 0;  // of merging with the next symbol, as an ordered number
    std::uint32_t pairState = 0; // what that would give
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
                             state, index - 1, index + 1, kNoPair, 0});
    }

    /// `find(left, right)`: std::optional<MergeRule> of two neighbours. Afterwards the symbols with
    /// bytes are the word's parts, in order.
    template <typename Find>
    void merge(const Find& find)
    {
        if (m_symbols.empty()) return;
        m_symbols.back().next = -1;
        m_heap.clear();
        for (std::size_t left = 0; left + 1 < m_symbols.size(); ++left)
            if (lookUpPair(left, find)) m_heap.push_back(heapKey(left));
        std::ranges::make_heap(m_heap, std::greater());
        while (!m_heap.empty()) {
            std::ranges::pop_heap(m_heap, std::greater());
            const std::uint64_t key = m_heap.back();
            m_heap.pop_back();
            apply(static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key), find);
        }
    }

private:
    static constexpr std::uint32_t kNoPair = UINT32_MAX;

    /// A number that orders like the cost; never kNoPair.
    static std::uint32_t ordered(float cost)
    {
        const auto bits = std::bit_cast<std::uint32_t>(cost + 0.0f); // no negative zero
        return (bits & 1U << 31U) != 0 ? ~bits : bits | 1U << 31U;
    }

    std::uint64_t heapKey(std::size_t left) const
    {
        return std::uint64_t{m_symbols[left].pairCost} << 32U | left;
    }

    template <typename Find>
    bool lookUpPair(std::size_t left, const Find& find)
    {
        MergeSymbol& symbol = m_symbols[left];
        symbol.pairCost = kNoPair;
        if (symbol.next < 0) return false;
        const std::optional<MergeRule> rule =
            find(symbol, m_symbols[static_cast<std::size_t>(symbol.next)]);
        if (!rule) return false;
        symbol.pairCost = ordered(rule->cost);
        symbol.pairState = rule->state;
        return true;
    }

    template <typename Find>
    void update(std::size_t left, const Find& find)
    {
        if (!lookUpPair(left, find)) return;
        m_heap.push_back(heapKey(left));
        std::ranges::push_heap(m_heap, std::greater());
    }

    // An entry of the heap counts if the symbol has a pair of that cost now: if it is not the pair
    // the entry was made for, it is one that has the same place in the order.
    template <typename Find>
    void apply(std::uint32_t cost, std::size_t index, const Find& find)
    {
        MergeSymbol& left = m_symbols[index];
        if (left.bytes == 0 || left.pairCost != cost) return;
        MergeSymbol& right = m_symbols[static_cast<std::size_t>(left.next)];
        left.bytes += right.bytes;
        left.state = left.pairState;
        left.next = right.next;
        right.bytes = 0;
        if (left.next >= 0)
            m_symbols[static_cast<std::size_t>(left.next)].previous =
                static_cast<std::int32_t>(index);
        if (left.previous >= 0) update(static_cast<std::size_t>(left.previous), find);
        update(index, find);
    }

    std::vector<MergeSymbol> m_symbols;
    std::vector<std::uint64_t> m_heap; // cost, then place
};

} // namespace engine
