#include "engine/generation/stop_string_matcher.h"

#include <algorithm>
#include <utility>

namespace engine {

namespace {

std::vector<std::size_t> borders(std::string_view text)
{
    std::vector<std::size_t> fallback(text.size() + 1, 0);
    std::size_t border = 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
        while (border > 0 && text[i] != text[border])
            border = fallback[border];
        if (text[i] == text[border]) ++border;
        fallback[i + 1] = border;
    }
    return fallback;
}

} // namespace

StopStringMatcher::StopStringMatcher(std::span<const std::string> stopStrings)
{
    for (const std::string& text : stopStrings)
        if (!text.empty()) m_patterns.push_back({text, borders(text), 0});
}

bool StopStringMatcher::feed(std::string_view text, std::string& released)
{
    if (m_stopped) return true;
    for (const char byte : text) {
        m_held += byte;
        if (step(byte)) break;
    }
    std::size_t complete = 0;
    std::size_t begun = 0;
    for (const Pattern& pattern : m_patterns) {
        std::size_t& longest = pattern.matched == pattern.text.size() ? complete : begun;
        longest = std::max(longest, pattern.matched);
    }
    m_stopped = complete > 0;
    release(m_stopped ? complete : begun, released);
    if (m_stopped) m_held.clear();
    return m_stopped;
}

// Advances every pattern by one byte; true if one is complete.
bool StopStringMatcher::step(char byte)
{
    bool complete = false;
    for (Pattern& pattern : m_patterns) {
        while (pattern.matched > 0 && pattern.text[pattern.matched] != byte)
            pattern.matched = pattern.fallback[pattern.matched];
        if (pattern.text[pattern.matched] == byte) ++pattern.matched;
        complete = complete || pattern.matched == pattern.text.size();
    }
    return complete;
}

void StopStringMatcher::release(std::size_t keep, std::string& released)
{
    const std::size_t size = m_held.size() - keep;
    released.append(m_held, 0, size);
    m_held.erase(0, size);
}

std::string StopStringMatcher::finish()
{
    return std::exchange(m_held, {});
}

} // namespace engine
