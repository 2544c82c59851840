#include "engine/tokenizer/merge_table.h"

#include <algorithm>
#include <tuple>

namespace engine {

MergeTable::MergeTable(std::vector<Merge> merges, std::size_t symbolCount)
{
    std::ranges::sort(merges, {},
                      [](const Merge& m) { return std::tuple(m.left, m.right, m.rank); });
    const auto repeated =
        std::ranges::unique(merges, {}, [](const Merge& m) { return std::pair(m.left, m.right); });
    merges.erase(repeated.begin(), repeated.end());

    m_firstRow.reserve(symbolCount + 1);
    m_rights.reserve(merges.size());
    m_rules.reserve(merges.size());
    for (const Merge& merge : merges) {
        while (m_firstRow.size() <= merge.left)
            m_firstRow.push_back(static_cast<std::uint32_t>(m_rights.size()));
        m_rights.push_back(merge.right);
        m_rules.push_back({merge.rank, merge.result});
    }
    m_firstRow.resize(symbolCount + 1, static_cast<std::uint32_t>(m_rights.size()));
}

std::optional<MergeRule> MergeTable::find(std::uint32_t left, std::uint32_t right) const
{
    if (left + std::size_t{1} >= m_firstRow.size()) return std::nullopt;
    const auto begin = m_rights.begin() + m_firstRow[left];
    const auto end = m_rights.begin() + m_firstRow[left + 1];
    const auto found = std::lower_bound(begin, end, right);
    if (found == end || *found != right) return std::nullopt;
    return m_rules[static_cast<std::size_t>(found - m_rights.begin())];
}

} // namespace engine
