#define PCRE2_CODE_UNIT_WIDTH 8

#include "engine/tokenizer/regex.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <format>
#include <limits>
#include <pcre2.h>

namespace engine {

namespace {

constexpr std::size_t kJitStackStart = 64U << 10U;
constexpr std::size_t kJitStackMost = 8U << 20U;
constexpr std::uint32_t kInterpreterHeapKib = 64U << 10U;

// Of a Scanner. Words are short: nearly all matches end inside the shortest window.
constexpr std::size_t kMaxPatternBytes = 64U << 10U;
constexpr std::size_t kShortestWindow = 128;
constexpr std::size_t kWindowGrowth = 4;
constexpr std::size_t kFreeReach = 64U << 10U;
constexpr std::size_t kReachPerByte = 32;
constexpr std::uint32_t kFreeSteps = 2000;
constexpr std::uint32_t kStepsPerByte = 16;

struct FreeMatchData {
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
struct FreeMatchContext {
    void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};
struct FreeJitStack {
    void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};

/// Steps a search may take: patterns here need a few a character, so many more mean a pattern gone
/// astray.
std::uint32_t matchLimit(std::size_t length)
{
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(kMost, 1'000'000 + std::min(length, kMost) * 16));
}

} // namespace

namespace {

/// What a match with a pattern needs beside its subject.
struct Matching {
    explicit Matching(const void* pattern)
        : code(static_cast<const pcre2_code*>(pattern))
        , data(pcre2_match_data_create(1, nullptr))
        , context(pcre2_match_context_create(nullptr))
    {
        if (context) pcre2_set_heap_limit(context.get(), kInterpreterHeapKib);
    }

    bool isReady() const { return data && context; }

    /// A text may be cut into many short ones, each searched anew, and few matches need more than
    /// the 32 KiB that compiled patterns find on the thread's own stack: another is made for those.
    int match(std::string_view subject, std::size_t offset, std::uint32_t options)
    {
        const auto* const bytes = reinterpret_cast<PCRE2_SPTR>(subject.data());
        const auto search = [&](std::uint32_t more) {
            return pcre2_match(code, bytes, subject.size(), offset,
                               PCRE2_NO_UTF_CHECK | options | more, data.get(), context.get());
        };
        int result = search(0);
        if (result == PCRE2_ERROR_JIT_STACKLIMIT && makeStack()) result = search(0);
        return result == PCRE2_ERROR_JIT_STACKLIMIT ? search(PCRE2_NO_JIT) : result;
    }

    /// False where it was there already, or cannot be made.
    bool makeStack()
    {
        if (stack) return false;
        stack.reset(pcre2_jit_stack_create(kJitStackStart, kJitStackMost, nullptr));
        if (stack) pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
        return stack != nullptr;
    }

    Regex::Match found() const
    {
        const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(data.get());
        return {ends[0], ends[1]};
    }

    const pcre2_code* code = nullptr;
    std::unique_ptr<pcre2_match_data, FreeMatchData> data;
    std::unique_ptr<pcre2_match_context, FreeMatchContext> context;
    std::unique_ptr<pcre2_jit_stack, FreeJitStack> stack;
};

} // namespace

struct Regex::Searcher::State : Matching {
    using Matching::Matching;
    std::size_t limitFor = 0; // subject length the match limit is set for
};

Regex::Searcher::Searcher(const Regex& regex)
    : m_state(std::make_unique<State>(regex.m_code.get()))
{
}

Regex::Searcher::~Searcher() = default;

std::optional<Regex::Match> Regex::Searcher::find(std::string_view subject, std::size_t offset)
{
    State& state = *m_state;
    if (!state.isReady()) return std::nullopt;
    if (state.limitFor != subject.size()) {
        pcre2_set_match_limit(state.context.get(), matchLimit(subject.size()));
        state.limitFor = subject.size();
    }
    if (state.match(subject, offset, PCRE2_NOTEMPTY) < 0) return std::nullopt;
    return state.found();
}

struct Regex::Scanner::State : Matching {
    using Matching::Matching;

    /// Where a window of about `bytes` from `begin` ends: with a character.
    std::size_t windowEnd(std::size_t begin, std::size_t bytes) const
    {
        if (subject.size() - begin <= bytes) return subject.size();
        std::size_t end = begin + bytes;
        while (end > begin && (static_cast<unsigned char>(subject[end]) & 0xC0U) == 0x80U)
            --end;
        return end;
    }

    std::string_view subject;
    std::size_t budget = 0; // bytes that windows may yet be longer than the shortest, all together
    bool ended = false;
};

Regex::Scanner::Scanner(const Regex& regex)
    : m_state(std::make_unique<State>(regex.m_code.get()))
{
}

void Regex::Scanner::start(std::string_view subject)
{
    m_state->subject = subject;
    m_state->budget = kFreeReach + subject.size() * kReachPerByte;
    m_state->ended = !m_state->isReady();
}

Regex::Scanner::~Scanner() = default;

std::optional<Regex::Match> Regex::Scanner::find(std::size_t offset)
{
    State& state = *m_state;
    std::size_t begin = offset;
    std::size_t window = kShortestWindow;
    while (!state.ended) {
        const std::size_t end = state.windowEnd(begin, window);
        const bool whole = end == state.subject.size();
        const bool longer = !whole && state.budget >= window * kWindowGrowth;
        pcre2_set_match_limit(state.context.get(),
                              kFreeSteps + static_cast<std::uint32_t>(window) * kStepsPerByte);
        const int result =
            state.match(state.subject.substr(0, end), begin, longer ? PCRE2_PARTIAL_HARD : 0U);
        if (result >= 0) return state.found();
        if (result == PCRE2_ERROR_PARTIAL) {
            begin = state.found().begin;
            window *= kWindowGrowth;
            state.budget -= window;
        } else if (result == PCRE2_ERROR_NOMATCH && !whole) {
            begin = end;
            window = kShortestWindow;
        } else {
            state.ended = result != PCRE2_ERROR_NOMATCH;
            break;
        }
    }
    return std::nullopt;
}

void Regex::FreeCode::operator()(void* code) const
{
    pcre2_code_free(static_cast<pcre2_code*>(code));
}

Result<Regex> Regex::compile(const std::string& pattern, RegexMode mode)
{
    const std::uint32_t options = mode == RegexMode::Utf8 ? PCRE2_UTF : 0U;
    return compile(pattern, options | PCRE2_NO_AUTO_CAPTURE, PCRE2_JIT_COMPLETE);
}

Result<Regex> Regex::compileForScanner(const std::string& pattern)
{
    if (pattern.size() > kMaxPatternBytes)
        return fail(ErrorCode::InvalidArgument,
                    std::format("pattern: expected at most {} bytes, found {}", kMaxPatternBytes,
                                pattern.size()),
                    {}, kMaxPatternBytes, pattern.size());
    return compile(pattern, PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C,
                   PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD);
}

Result<Regex> Regex::compile(const std::string& pattern, std::uint32_t options,
                             std::uint32_t jitOptions)
{
    int error = 0;
    PCRE2_SIZE place = 0;
    pcre2_code* const code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()),
                                           pattern.size(), options, &error, &place, nullptr);
    if (!code) {
        std::array<PCRE2_UCHAR, 128> text{};
        pcre2_get_error_message(error, text.data(), text.size());
        return fail(ErrorCode::InvalidArgument,
                    std::format("pattern, column {}: {}", place + 1,
                                reinterpret_cast<const char*>(text.data())));
    }
    // Without it the interpreter does the same, more slowly.
    pcre2_jit_compile(code, jitOptions);
    Regex regex;
    regex.m_code.reset(code);
    return regex;
}

} // namespace engine
