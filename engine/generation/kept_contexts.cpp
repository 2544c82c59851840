#include "engine/generation/kept_contexts.h"

#include <algorithm>
#include <utility>

namespace engine {

namespace {

/// Fewer tokens than this are computed faster than they are worth keeping.
constexpr std::size_t kFewTokens = 64;

} // namespace

std::size_t reusableTokens(const Context& context, std::span<const TokenId> prompt)
{
    const auto agreed = static_cast<std::size_t>(std::ranges::mismatch(context.tokens, prompt).in2 -
                                                 prompt.begin());
    return static_cast<std::size_t>(
        context.state->truncatedLength(static_cast<int>(std::min(agreed, prompt.size() - 1))));
}

KeptContexts::KeptContexts(std::uint64_t bytes, NewState newState)
    : m_most(bytes)
    , m_newState(std::move(newState))
{
}

KeptContexts::Match KeptContexts::bestMatch(std::span<const TokenId> prompt,
                                            const Context& current) const
{
    Match best{m_contexts.size(), reusableTokens(current, prompt)};
    for (std::size_t i = 0; i < m_contexts.size(); ++i)
        if (const std::size_t tokens = reusableTokens(m_contexts[i], prompt);
            tokens > best.tokens && tokens >= kFewTokens)
            best = {i, tokens};
    return best;
}

// The first tokens of a context in one of its own.
Result<Context> KeptContexts::beginOf(const Context& context, std::size_t tokens) const
{
    if (tokens < kFewTokens) {
        TRY_ASSIGN(auto state, m_newState());
        return Context{{}, std::move(state)};
    }
    TRY_ASSIGN(auto state, context.state->copy());
    const auto left = state->truncate(static_cast<int>(tokens));
    return Context{{context.tokens.begin(), context.tokens.begin() + left}, std::move(state)};
}

void KeptContexts::switchTo(std::span<const TokenId> prompt, Context& current)
{
    if (m_most == 0) return;
    const Match best = bestMatch(prompt, current);
    const bool isCurrent = best.index == m_contexts.size();
    Context& source = isCurrent ? current : m_contexts[best.index];
    const bool goesOn = 2 * best.tokens >= source.tokens.size();
    if (isCurrent && (goesOn || current.tokens.size() < kFewTokens)) return;
    if (goesOn) {
        std::swap(source, current);
        std::rotate(m_contexts.begin() + static_cast<std::ptrdiff_t>(best.index),
                    m_contexts.begin() + static_cast<std::ptrdiff_t>(best.index) + 1,
                    m_contexts.end());
    } else {
        Result<Context> other = beginOf(source, best.tokens);
        if (!other) return;
        m_contexts.push_back(std::exchange(current, std::move(*other)));
    }
    makeRoom();
}

void KeptContexts::makeRoom()
{
    if (m_contexts.back().tokens.size() < kFewTokens) m_contexts.pop_back();
    while (!m_contexts.empty() && sizeBytes() > m_most)
        m_contexts.erase(m_contexts.begin());
}

std::uint64_t KeptContexts::sizeBytes() const
{
    std::uint64_t bytes = 0;
    for (const Context& context : m_contexts)
        bytes += context.state->usedBytes();
    return bytes;
}

} // namespace engine
