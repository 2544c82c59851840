#include "engine/chat/jinja/text_search.h"

#include <algorithm>
#include <string>

namespace engine::jinja {

namespace {

constexpr std::size_t kShort = 64; // where the plain search cannot be slow

} // namespace

TextFinder::TextFinder(std::string_view needle)
    : m_needle(needle)
{
    if (needle.size() == 1) return;
    m_border.assign(needle.size(), 0);
    std::size_t border = 0;
    for (std::size_t i = 1; i < needle.size(); ++i) {
        while (border > 0 && needle[i] != needle[border])
            border = m_border[border - 1];
        if (needle[i] == needle[border]) ++border;
        m_border[i] = border;
    }
}

std::size_t TextFinder::find(std::string_view haystack, std::size_t from) const
{
    if (from > haystack.size()) return std::string_view::npos;
    if (m_needle.size() == 1 || haystack.size() - from <= kShort)
        return haystack.find(m_needle, from);
    std::size_t matched = 0;
    for (std::size_t i = from; i < haystack.size(); ++i) {
        if (matched == 0) {
            i = haystack.find(m_needle.front(), i);
            if (i == std::string_view::npos) return i;
        }
        while (matched > 0 && haystack[i] != m_needle[matched])
            matched = m_border[matched - 1];
        if (haystack[i] == m_needle[matched]) ++matched;
        if (matched == m_needle.size()) return i + 1 - matched;
    }
    return std::string_view::npos;
}

std::size_t find(std::string_view haystack, std::string_view needle)
{
    if (needle.empty()) return 0;
    if (needle.size() == 1 || haystack.size() <= kShort) return haystack.find(needle);
    return TextFinder(needle).find(haystack);
}

std::size_t findLast(std::string_view haystack, std::string_view needle)
{
    if (needle.size() <= 1 || haystack.size() <= kShort) return haystack.rfind(needle);
    const std::string backwards(haystack.rbegin(), haystack.rend());
    const std::string reversed(needle.rbegin(), needle.rend());
    const std::size_t found = TextFinder(reversed).find(backwards);
    return found == std::string::npos ? found : haystack.size() - found - needle.size();
}

std::vector<std::size_t> findAll(std::string_view haystack, std::string_view needle,
                                 std::size_t most)
{
    std::vector<std::size_t> places;
    const TextFinder finder(needle);
    for (std::size_t at = 0; places.size() < most;) {
        at = finder.find(haystack, at);
        if (at == std::string_view::npos) break;
        places.push_back(at);
        at += needle.size();
    }
    return places;
}

} // namespace engine::jinja
