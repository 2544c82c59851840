#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace engine {

/// Looks for any of several markers in a text that arrives in pieces.
class MarkerScanner {
public:
    struct Found {
        std::size_t begin;
        std::size_t marker; ///< its index
    };

    /// The markers must outlive the scanner; none is empty.
    explicit MarkerScanner(std::span<const std::string_view> markers)
        : m_markers(markers)
    {
    }

    /// The marker that begins first; of those that begin together the longest.
    std::optional<Found> find(std::string_view text) const;
    /// How much of the end may be the beginning of a marker.
    std::size_t undecided(std::string_view text) const;

private:
    std::span<const std::string_view> m_markers;
};

} // namespace engine
