#include "engine/generation/prompt_lookup.h"

#include <algorithm>

namespace engine {

namespace {

constexpr std::size_t kLongest = 4;
constexpr std::size_t kShortest = 2;

/// How many tokens before `a` and before `b` are the same, at most kLongest. REQUIRES: a < b.
std::size_t sharedBefore(std::span<const TokenId> context, std::size_t a, std::size_t b)
{
    std::size_t shared = 0;
    while (shared < std::min(kLongest, a) && context[a - 1 - shared] == context[b - 1 - shared])
        ++shared;
    return shared;
}

} // namespace

std::span<const TokenId> lookUpContinuation(std::span<const TokenId> context, std::size_t most)
{
    if (context.size() < kShortest + 1 || most == 0) return {};
    const TokenId last = context.back();
    std::size_t best = 0, shared = kShortest - 1;
    for (std::size_t end = context.size() - 1; end >= kShortest && shared < kLongest; --end) {
        if (context[end - 1] != last) continue;
        const std::size_t here = sharedBefore(context, end, context.size());
        if (here > shared) {
            shared = here;
            best = end;
        }
    }
    if (best == 0) return {};
    return context.subspan(best, std::min(most, context.size() - best));
}

} // namespace engine
