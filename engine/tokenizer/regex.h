#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
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

    /// Searches with a pattern nobody has looked at. A search sees a short window of the subject
    /// and more of it only as far as a match may reach and a budget lasts, which grows with the
    /// subject: whatever the pattern, the time is linear. One thread owns it.
    class Scanner {
    public:
        /// `regex` must outlive it.
        explicit Scanner(const Regex& regex);
        ~Scanner();
        Scanner(const Scanner&) = delete;
        Scanner& operator=(const Scanner&) = delete;

        /// Of what is searched from now on; it must outlive the searches.
        void start(std::string_view subject);
        /// The first match at or after `offset`, which may be empty. Beyond the budget what is
        /// outside the window does not exist; a search of too many steps ends the scan: nothing is
        /// found from then on.
        std::optional<Match> find(std::size_t offset);

    private:
        struct State;
        std::unique_ptr<State> m_state;
    };

    /// Errors: InvalidArgument with the place in the pattern.
    static Result<Regex> compile(const std::string& pattern, RegexMode mode);
    /// For a Scanner, over well-formed UTF-8; classes are Unicode's, ^ and $ match at every line.
    static Result<Regex> compileForScanner(const std::string& pattern);

private:
    static Result<Regex> compile(const std::string& pattern, std::uint32_t options,
                                 std::uint32_t jitOptions);

    struct FreeCode {
        void operator()(void* code) const;
    };
    std::unique_ptr<void, FreeCode> m_code; // pcre2_code
};

} // namespace engine
