#pragma once

#include "engine/engine.h"

#include <memory>
#include <span>
#include <vector>

namespace engine {

/// A smaller model of the same vocabulary that says what a larger one will probably write
/// (speculative decoding: Leviathan et al. 2023; Chen et al. 2023). It keeps a sequence of its own.
/// One thread at a time.
class DraftModel {
public:
    /// Errors: InvalidArgument (another vocabulary, or a model that cannot take tokens back),
    /// OutOfMemory.
    static Result<std::unique_ptr<DraftModel>>
    create(std::shared_ptr<Model> draft, const Tokenizer& vocabulary, int contextLength);

    /// The `most` tokens it finds likeliest after `context`, fewer where its context is full. What
    /// it computed for the last call is kept as far as the contexts agree. Valid until the next
    /// call.
    std::span<const TokenId> guess(std::span<const TokenId> context, std::size_t most);

    std::uint64_t sizeBytes() const { return m_state->sizeBytes(); }

private:
    DraftModel(std::shared_ptr<Model> draft, std::unique_ptr<SequenceState> state);
    bool compute(std::span<const TokenId> tokens);
    TokenId likeliest() const;

    std::shared_ptr<Model> m_model;
    std::unique_ptr<SequenceState> m_state;
    std::vector<TokenId> m_tokens; // whose keys and values are in m_state
    std::vector<TokenId> m_guesses;
    std::vector<float> m_logits; // (vocabulary), after the last of m_tokens
};

} // namespace engine
