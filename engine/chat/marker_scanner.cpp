#include "engine/chat/marker_scanner.h"

#include <algorithm>

namespace engine {

std::optional<MarkerScanner::Found> MarkerScanner::find(std::string_view text) const
{
    std::optional<Found> first;
    for (std::size_t i = 0; i < m_markers.size(); ++i) {
        const std::size_t begin = text.find(m_markers[i]);
        if (begin == std::string_view::npos) continue;
        const bool nearer = !first || begin < first->begin;
        const bool longer =
            first && begin == first->begin && m_markers[i].size() > m_markers[first->marker].size();
        if (nearer || longer) first = Found{begin, i};
    }
    return first;
}

std::size_t MarkerScanner::undecided(std::string_view text) const
{
    std::size_t longest = 0;
    for (const std::string_view marker : m_markers) {
        const std::size_t most = std::min(marker.size() - 1, text.size());
        for (std::size_t length = most; length > longest; --length) {
            if (!text.ends_with(marker.substr(0, length))) continue;
            longest = length;
            break;
        }
    }
    return longest;
}

} // namespace engine
