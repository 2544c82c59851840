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

struct Regex::Searcher::State {
    const pcre2_code* code = nullptr;
    std::unique_ptr<pcre2_match_data, FreeMatchData> data;
    std::unique_ptr<pcre2_match_context, FreeMatchContext> context;
    std::unique_ptr<pcre2_jit_stack, FreeJitStack> stack;
    std::size_t limitFor = 0; // subject length the match limit is set for
};

Regex::Searcher::Searcher(const Regex& regex)
    : m_state(std::make_unique<State>())
{
    m_state->code = static_cast<const pcre2_code*>(regex.m_code.get());
    m_state->data.reset(pcre2_match_data_create(1, nullptr));
    m_state->context.reset(pcre2_match_context_create(nullptr));
    m_state->stack.reset(pcre2_jit_stack_create(kJitStackStart, kJitStackMost, nullptr));
    if (!m_state->context) return;
    pcre2_set_heap_limit(m_state->context.get(), kInterpreterHeapKib);
    if (m_state->stack)
        pcre2_jit_stack_assign(m_state->context.get(), nullptr, m_state->stack.get());
}

Regex::Searcher::~Searcher() = default;

std::optional<Regex::Match> Regex::Searcher::find(std::string_view subject, std::size_t offset)
{
    State& state = *m_state;
    if (!state.data || !state.context) return std::nullopt;
    if (state.limitFor != subject.size()) {
        pcre2_set_match_limit(state.context.get(), matchLimit(subject.size()));
        state.limitFor = subject.size();
    }
    const auto* const bytes = reinterpret_cast<PCRE2_SPTR>(subject.data());
    const auto search = [&](std::uint32_t options) {
        return pcre2_match(state.code, bytes, subject.size(), offset,
                           PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY | options, state.data.get(),
                           state.context.get());
    };
    int result = search(0);
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) result = search(PCRE2_NO_JIT);
    if (result < 0) return std::nullopt;
    const PCRE2_SIZE* const found = pcre2_get_ovector_pointer(state.data.get());
    return Match{found[0], found[1]};
}

void Regex::FreeCode::operator()(void* code) const
{
    pcre2_code_free(static_cast<pcre2_code*>(code));
}

Result<Regex> Regex::compile(const std::string& pattern, RegexMode mode)
{
    int error = 0;
    PCRE2_SIZE place = 0;
    const std::uint32_t options = mode == RegexMode::Utf8 ? PCRE2_UTF : 0U;
    pcre2_code* const code =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                      options | PCRE2_NO_AUTO_CAPTURE, &error, &place, nullptr);
    if (!code) {
        std::array<PCRE2_UCHAR, 128> text{};
        pcre2_get_error_message(error, text.data(), text.size());
        return fail(ErrorCode::InvalidArgument,
                    std::format("pattern, column {}: {}", place + 1,
                                reinterpret_cast<const char*>(text.data())));
    }
    // Without it the interpreter does the same, more slowly.
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    Regex regex;
    regex.m_code.reset(code);
    return regex;
}

} // namespace engine
