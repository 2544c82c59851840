#pragma once

#include "engine/engine.h"
#include "engine/generation/draft_length.h"
#include "engine/generation/draft_model.h"
#include "engine/generation/kept_contexts.h"
#include "engine/sampling/sampler_chain.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace engine {

/// Logits after a token and after each of those guessed to follow it. Rows nobody used take no
/// memory.
class LogitRows {
public:
    explicit LogitRows(int vocabularySize)
        : m_vocabulary(static_cast<std::size_t>(vocabularySize))
        , m_values(std::make_unique_for_overwrite<float[]>(m_vocabulary * DraftLength::kMostRows))
    {
    }
    std::span<float> row(std::size_t index) const
    {
        return {m_values.get() + index * m_vocabulary, m_vocabulary};
    }
    std::span<float> first(std::size_t rows) const { return {m_values.get(), rows * m_vocabulary}; }

private:
    std::size_t m_vocabulary;
    std::unique_ptr<float[]> m_values;
};

/// A reply to be written, as it is asked for.
struct ReplyRequest {
    ReplyOptions options;
    GenerationCallbacks callbacks;
    std::stop_token stop;
};

/// One sequence over a model: prefill, then one token at a time. All that a decode step needs is
/// allocated before the first.
class LocalSession final : public Session {
public:
    static Result<std::unique_ptr<LocalSession>> create(std::shared_ptr<Model> model,
                                                        SessionOptions options);

    ~LocalSession() override;

    Result<GenerationResult> generate(std::span<const TokenId> prompt, const ReplyOptions& options,
                                      const GenerationCallbacks& callbacks,
                                      std::stop_token stop) override;

    int contextLength() const override { return m_context.state->capacity(); }
    int contextUsed() const override { return static_cast<int>(m_context.tokens.size()); }
    std::uint64_t sizeBytes() const override
    {
        return m_context.state->sizeBytes() + m_kept.sizeBytes() +
               (m_draft ? m_draft->sizeBytes() : 0);
    }

    /// generate() in steps, for several replies in one pass: after begin(), what next() names is
    /// computed into rows() and accept()ed, until there is nothing; finish() then ends the reply,
    /// abandon() one that failed.
    Result<void> begin(std::span<const TokenId> prompt, ReplyRequest request);
    /// Draws tokens until something is to be computed; nothing: the reply is over. `alone`: no
    /// other sequence shares the pass, so that guessing what follows pays.
    Result<std::optional<ForwardInput>> next(int mostPromptTokens, bool alone);
    /// Where the logits of an input belong.
    std::span<float> rows(int count) const
    {
        return m_logits.first(static_cast<std::size_t>(count));
    }
    void accept();
    void abandon();
    GenerationResult finish();
    /// Whether the prompt is not all computed yet.
    bool isReading() const;

private:
    LocalSession(std::shared_ptr<Model> model, SessionOptions options,
                 std::unique_ptr<SequenceState> state, std::unique_ptr<DraftModel> draft);

    struct Generation;
    Result<void> checkPrompt(std::span<const TokenId> prompt) const;
    /// Keeps what the prompt shares with what is computed already, in this context or in one left
    /// before; returns how many tokens that is.
    int reusePrefix(std::span<const TokenId> prompt);
    std::optional<ForwardInput> nextOfPrompt(std::size_t most);
    /// Tokens of the prompt after which the context may be come back to.
    std::size_t rememberedTokens() const;
    /// Prompt tokens of the next step: so many that a stop is seen soon.
    std::size_t promptStep() const;
    ForwardInput nextOfReply(TokenId token);
    Result<std::optional<TokenId>> sample();
    bool isComputed(TokenId token);
    void timeStep(double seconds);
    /// Into m_guesses what may follow the context; returns how many there are.
    std::size_t guess();
    /// Forgets what was computed ahead.
    void dropGuesses();
    std::span<const float> logits() const { return m_logits.row(m_row); }

    std::shared_ptr<Model> m_model;
    SessionOptions m_options;
    Context m_context;
    KeptContexts m_kept;
    SamplerChain m_sampler;
    LogitRows m_logits;
    std::size_t m_row = 0; // of m_logits, after the last of the context
    std::array<TokenId, DraftLength::kMostRows - 1> m_guesses{}; // computed after the context
    std::size_t m_guessCount = 0;
    std::unique_ptr<DraftModel> m_draft; // may be null
    DraftLength m_lookUpLength;
    DraftLength m_draftLength;                // of guesses by m_draft
    DraftLength* m_guesser = &m_lookUpLength; // whose guesses m_guesses are
    std::vector<bool> m_isMarker; // by token: a control token that takes a chat's reply apart
    std::unique_ptr<Generation> m_generation; // of the reply being written
    double m_promptSpeed = 0; // tokens a second of the last step of a prompt; 0: none yet
};

} // namespace engine
