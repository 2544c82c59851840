#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace engine::jinja {

/// Finds a text in others in linear time, whatever both hold (Knuth, Morris and Pratt).
class TextFinder {
public:
    /// REQUIRES: needle outlives the finder and is not empty.
    explicit TextFinder(std::string_view needle);

    /// npos where there is none from `from` on.
    std::size_t find(std::string_view haystack, std::size_t from = 0) const;

private:
    std::string_view m_needle;
    std::vector<std::size_t> m_border; // of each prefix: its longest proper prefix that ends it
};

/// As std::string_view's members, but in linear time; an empty needle is found at once.
std::size_t find(std::string_view haystack, std::string_view needle);
std::size_t findLast(std::string_view haystack, std::string_view needle);

/// Where non-overlapping occurrences begin, at most `most` of them. REQUIRES: needle is not empty.
std::vector<std::size_t> findAll(std::string_view haystack, std::string_view needle,
                                 std::size_t most);

} // namespace engine::jinja
