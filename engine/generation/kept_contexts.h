#pragma once

#include "engine/model/forward_pass.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace engine {

/// Tokens and what was computed of them.
struct Context {
    std::vector<TokenId> tokens;
    std::unique_ptr<SequenceState> state;
};

/// Contexts that were left for others, so that a chat that is opened again is not read again. One
/// thread at a time.
class KeptContexts {
public:
    using NewState = std::function<Result<std::unique_ptr<SequenceState>>()>;

    /// `bytes`: what all kept contexts may take together; 0: nothing is kept. `newState` makes an
    /// empty one.
    KeptContexts(std::uint64_t bytes, NewState newState);

    /// Puts the context in which most of `prompt` is computed in place of `current`, which is kept
    /// unless the prompt goes on with most of it. Where there is no memory for another one it
    /// stays.
    void switchTo(std::span<const TokenId> prompt, Context& current);

    std::uint64_t sizeBytes() const;

private:
    /// Where a context that agrees with the prompt is found: its place, m_contexts.size() for the
    /// current one, and the tokens that need not be computed again.
    struct Match {
        std::size_t index = 0;
        std::size_t tokens = 0;
    };
    Match bestMatch(std::span<const TokenId> prompt, const Context& current) const;
    Result<Context> beginOf(const Context& context, std::size_t tokens) const;
    void makeRoom();

    std::uint64_t m_most;
    NewState m_newState;
    std::vector<Context> m_contexts; // the one left longest ago first
};

/// Tokens of `context` that need not be computed again where `prompt` follows; its last one always
/// is, for its logits.
std::size_t reusableTokens(const Context& context, std::span<const TokenId> prompt);

} // namespace engine
