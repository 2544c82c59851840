#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// Finds the first of several stop strings in a stream of text, and holds back what may be the
/// beginning of one. Each byte costs amortized O(stop strings) (Knuth, Morris and Pratt 1977). One
/// sequence owns it.
class StopStringMatcher {
public:
    /// Empty strings are ignored.
    explicit StopStringMatcher(std::span<const std::string> stopStrings);

    /// Appends to `released` the text that can no longer be part of a stop string. True once one is
    /// complete: what stood before it is released, it and everything after it are swallowed.
    bool feed(std::string_view text, std::string& released);
    /// What was held back when the stream ended.
    std::string finish();

private:
    struct Pattern {
        std::string text;
        std::vector<std::size_t> fallback; // longest proper border of each prefix
        std::size_t matched = 0;
    };
    bool step(char byte);
    void release(std::size_t keep, std::string& released);

    std::vector<Pattern> m_patterns;
    std::string m_held;
    bool m_stopped = false;
};

} // namespace engine
