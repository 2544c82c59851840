#pragma once

#include "engine/tokenizer/pair_merger.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace engine {

/// What was found for the last pairs of states, so that a text asks a vocabulary once for what it
/// has a thousand times. One place for a pair, so nothing is searched. For one text; one thread.
class PairCache {
public:
    /// `textBytes`: of the text; a short one is not worth the memory.
    explicit PairCache(std::size_t textBytes)
        : m_entries(textBytes < kWorthIt ? 0 : kEntries)
    {
    }

    /// What `find(left, right)` gives. REQUIRES: it depends on the states alone where both are
    /// known (not UINT32_MAX).
    template <typename Find>
    std::optional<MergeRule> find(const MergeSymbol& left, const MergeSymbol& right,
                                  const Find& find)
    {
        const bool known = left.state != kUnknown && right.state != kUnknown;
        if (m_entries.empty() || !known) return find(left, right);
        const std::uint64_t pair = std::uint64_t{left.state} << 32U | right.state;
        Entry& entry = m_entries[pair * 0x9E3779B97F4A7C15U >> (64U - kBits)];
        if (entry.pair != pair) {
            const std::optional<MergeRule> rule = find(left, right);
            entry = {pair, rule.value_or(MergeRule{kUnknown, 0})};
        }
        if (entry.rule.rank == kUnknown) return std::nullopt;
        return entry.rule;
    }

private:
    static constexpr unsigned kBits = 13;
    static constexpr std::size_t kEntries = std::size_t{1} << kBits;
    static constexpr std::size_t kWorthIt = 4096;
    static constexpr std::uint32_t kUnknown = UINT32_MAX;

    struct Entry {
        std::uint64_t pair = UINT64_MAX;
        MergeRule rule;
    };
    std::vector<Entry> m_entries;
};

} // namespace engine
