#pragma once

#include "engine/engine.h"
#include "engine/sampling/sampler_chain.h"

#include <memory>
#include <vector>

namespace engine {

/// One sequence over a model: prefill, then one token at a time. All that a decode step needs is
/// allocated before the first.
class LocalSession final : public Session {
public:
    static Result<std::unique_ptr<LocalSession>> create(std::shared_ptr<Model> model,
                                                        SessionOptions options);

    Result<GenerationResult> generate(std::span<const TokenId> prompt, const ReplyOptions& options,
                                      const GenerationCallbacks& callbacks,
                                      std::stop_token stop) override;

    int contextLength() const override { return m_state->capacity(); }
    int contextUsed() const override { return static_cast<int>(m_tokens.size()); }
    std::uint64_t sizeBytes() const override { return m_state->sizeBytes(); }

private:
    LocalSession(std::shared_ptr<Model> model, SessionOptions options,
                 std::unique_ptr<SequenceState> state);

    class Reply;
    Result<void> checkPrompt(std::span<const TokenId> prompt) const;
    /// Keeps what the prompt shares with what is computed already; returns how many tokens that is.
    int reusePrefix(std::span<const TokenId> prompt);
    /// False where `stop` ended it.
    Result<bool> prefill(std::span<const TokenId> prompt, const GenerationCallbacks& callbacks,
                         const std::stop_token& stop);
    Result<void> compute(std::span<const TokenId> tokens, int logitRows);
    Result<StopReason> decode(Reply& reply, const GenerationCallbacks& callbacks,
                              const std::stop_token& stop);

    std::shared_ptr<Model> m_model;
    SessionOptions m_options;
    std::unique_ptr<SequenceState> m_state;
    SamplerChain m_sampler;
    std::vector<TokenId> m_tokens; // whose keys and values are in m_state
    std::vector<float> m_logits;   // (vocabulary), after the last of m_tokens
    std::vector<bool> m_isMarker;  // by token: a control token that takes a chat's reply apart
};

} // namespace engine
