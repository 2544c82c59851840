#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace engine {

/// How a pattern sees its subject.
enum class RegexMode : unsigned char {
    Bytes, ///< every byte is a character
    Utf8,  ///< the subject must be well-formed UTF-8
};

/// A compiled Perl-style pattern (PCRE2, just-in-time compiled where the system allows it).
/// Immutable; any thread may search with it, each through a searcher of its own.
class Regex {
public:
    struct Match {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    /// Where a search keeps its state: allocate once, use for many searches. One thread owns it.
    class Searcher {
    public:
        explicit Searcher(const Regex& regex);
        ~Searcher();
        Searcher(const Searcher&) = delete;
        Searcher& operator=(const Searcher&) = delete;

        /// The first match of at least a byte at or after `offset`; nothing where there is none, or
        /// where finding it would take more than a fixed multiple of the subject's length.
        std::optional<Match> find(std::string_view subject, std::size_t offset);

    private:
        struct State;
        std::unique_ptr<State> m_state;
    };

    /// Errors: InvalidArgument with the place in the pattern.
    static Result<Regex> compile(const std::string& pattern, RegexMode mode);

private:
    struct FreeCode {
        void operator()(void* code) const;
    };
    std::unique_ptr<void, FreeCode> m_code; // pcre2_code
};

} // namespace engine
