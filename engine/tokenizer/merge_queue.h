#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <hwy/cache_control.h>
#include <optional>
#include <vector>

namespace engine {

/// The pairs that wait to be merged: by rank, then by place. In a long word many pairs have one
/// rank and come from left to right, so each rank has a line of its own; what comes out of turn
/// goes to a heap. n log n at worst, about linear for most texts. Keeps its buffers.
class MergeQueue {
public:
    struct Pair {
        std::uint32_t rank = 0;
        std::uint32_t place = 0;
    };

    /// `places`: how many the word has.
    void start(std::size_t places)
    {
        m_heap.clear();
        m_inLines = places >= kManyPlaces;
    }
    void push(Pair pair)
    {
        if (!m_inLines || !append(pair)) pushKey(m_heap, keyOf(pair));
    }
    bool isEmpty() const { return m_heap.empty() && m_ranks.empty(); }
    /// The place that most likely comes after the next: memory to be read then can be asked for
    /// now. Nothing where none waits behind it.
    std::optional<std::uint32_t> upcoming() const
    {
        if (m_ranks.empty()) return std::nullopt;
        const std::uint32_t second = m_waiting[m_lines[m_ranks.front()].first].next;
        if (second == kNone) return std::nullopt;
        const Waiting& waiting = m_waiting[second];
        if (waiting.next != kNone) hwy::Prefetch(&m_waiting[waiting.next]);
        return waiting.place;
    }
    /// REQUIRES: it is not empty.
    Pair pop()
    {
        if (!m_ranks.empty()) {
            const std::uint32_t rank = m_ranks.front();
            const Pair first{rank, m_waiting[m_lines[rank].first].place};
            if (m_heap.empty() || keyOf(first) <= m_heap.front()) {
                takeFirst(rank);
                return first;
            }
        }
        const std::uint64_t key = m_heap.front();
        popKey(m_heap);
        return {static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key)};
    }

private:
    static constexpr std::size_t kManyPlaces = 512;
    static constexpr std::uint32_t kNone = UINT32_MAX;

    struct Waiting {
        std::uint32_t place;
        std::uint32_t next;
    };
    /// Of one rank: places from left to right, as indices of m_waiting.
    struct Line {
        std::uint32_t first = kNone;
        std::uint32_t last = kNone;
    };

    static std::uint64_t keyOf(Pair pair) { return std::uint64_t{pair.rank} << 32U | pair.place; }
    template <typename Key>
    static void pushKey(std::vector<Key>& heap, Key key)
    {
        heap.push_back(key);
        std::ranges::push_heap(heap, std::greater());
    }
    template <typename Key>
    static void popKey(std::vector<Key>& heap)
    {
        std::ranges::pop_heap(heap, std::greater());
        heap.pop_back();
    }

    /// False where the place belongs before others of its line.
    bool append(Pair pair)
    {
        if (m_lines.size() <= pair.rank) m_lines.resize(std::size_t{pair.rank} + 1);
        Line& line = m_lines[pair.rank];
        const bool begins = line.first == kNone;
        if (!begins && m_waiting[line.last].place > pair.place) return false;
        const auto index = static_cast<std::uint32_t>(m_waiting.size());
        m_waiting.push_back({pair.place, kNone});
        (begins ? line.first : m_waiting[line.last].next) = index;
        line.last = index;
        if (begins) pushKey(m_ranks, pair.rank);
        return true;
    }

    void takeFirst(std::uint32_t rank)
    {
        Line& line = m_lines[rank];
        line.first = m_waiting[line.first].next;
        if (line.first != kNone) return;
        // Only the smallest rank is ever taken from.
        popKey(m_ranks);
        if (m_ranks.empty()) m_waiting.clear();
    }

    bool m_inLines = false;
    std::vector<std::uint64_t> m_heap;  // rank, then place
    std::vector<Line> m_lines;          // by rank
    std::vector<std::uint32_t> m_ranks; // a heap of those whose line is not empty
    std::vector<Waiting> m_waiting;
};

} // namespace engine
