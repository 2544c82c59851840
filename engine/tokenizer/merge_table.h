#pragma once

#include "engine/tokenizer/pair_merger.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace engine {

/// The merges of byte-pair encoding: which two symbols become which, and how early. Sorted rows,
/// so that no file makes look-ups slow. Immutable.
class MergeTable {
public:
    struct Merge {
        std::uint32_t left = 0;
        std::uint32_t right = 0;
        std::uint32_t rank = 0;
        std::uint32_t result = 0;
    };

    MergeTable() = default;
    /// Of equal pairs the lowest rank is kept. Symbols are 0 to `symbolCount` - 1.
    MergeTable(std::vector<Merge> merges, std::size_t symbolCount);

    std::optional<MergeRule> find(std::uint32_t left, std::uint32_t right) const;

private:
    std::vector<std::uint32_t> m_firstRow; // by left symbol, one more at the end
    std::vector<std::uint32_t> m_rights;   // by row, ascending for one left symbol
    std::vector<MergeRule> m_rules;        // by row
};

} // namespace engine
