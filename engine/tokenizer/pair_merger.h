#pragma once

#include "engine/tokenizer/merge_queue.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace engine {

/// The two symbols may become one of this state; the smallest rank goes first.
struct MergeRule {
    std::uint32_t rank = 0; ///< small: memory is kept for all below
    std::uint32_t state = 0;
};

/// A run of a word's bytes on its way to becoming a token.
struct MergeSymbol {
    std::uint32_t begin = 0;
    std::uint32_t bytes = 0;     ///< 0: merged into the symbol before
    std::uint32_t state = 0;     ///< what the vocabulary knows this text by
    std::int32_t previous = 0;   ///< -1 at the start
    std::int32_t next = 0;       ///< -1 at the end
    std::uint32_t pairRank = 0;  // of merging with the next symbol
    std::uint32_t pairState = 0; // what that would give
};

/// Byte-pair merging: as long as any two neighbours may be merged, the pair of the smallest rank
/// is, the leftmost of equals first. A queue over a linked list: n log n. Keeps its buffers from
/// word to word.
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
        m_queue.start(m_symbols.size());
        for (std::size_t left = 0; left + 1 < m_symbols.size(); ++left)
            update(left, find);
        while (!m_queue.isEmpty()) {
            if (const auto place = m_queue.upcoming()) hwy::Prefetch(&m_symbols[*place]);
            apply(m_queue.pop(), find);
        }
    }

private:
    static constexpr std::uint32_t kNoPair = UINT32_MAX;

    template <typename Find>
    void update(std::size_t left, const Find& find)
    {
        MergeSymbol& symbol = m_symbols[left];
        symbol.pairRank = kNoPair;
        if (symbol.next < 0) return;
        const std::optional<MergeRule> rule =
            find(symbol, m_symbols[static_cast<std::size_t>(symbol.next)]);
        if (!rule) return;
        symbol.pairRank = rule->rank;
        symbol.pairState = rule->state;
        m_queue.push({rule->rank, static_cast<std::uint32_t>(left)});
    }

    // An entry of the queue counts if the symbol has a pair of that rank now: if it is not the pair
    // the entry was made for, it is one that has the same place in the order.
    template <typename Find>
    void apply(MergeQueue::Pair pair, const Find& find)
    {
        MergeSymbol& left = m_symbols[pair.place];
        if (left.bytes == 0 || left.pairRank != pair.rank) return;
        MergeSymbol& right = m_symbols[static_cast<std::size_t>(left.next)];
        left.bytes += right.bytes;
        left.state = left.pairState;
        left.next = right.next;
        right.bytes = 0;
        if (left.next >= 0)
            m_symbols[static_cast<std::size_t>(left.next)].previous =
                static_cast<std::int32_t>(pair.place);
        if (left.previous >= 0) update(static_cast<std::size_t>(left.previous), find);
        update(pair.place, find);
    }

    std::vector<MergeSymbol> m_symbols;
    MergeQueue m_queue;
};

} // namespace engine
