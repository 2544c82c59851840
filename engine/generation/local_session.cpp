#include "engine/generation/local_session.h"

#include "engine/chat/reply_markers.h"
#include "engine/generation/prompt_lookup.h"
#include "engine/generation/stop_string_matcher.h"
#include "engine/tokenizer/stream_decoder.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <random>
#include <utility>

namespace engine {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::uint64_t freshSeed()
{
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

constexpr int kDefaultContextLength = 4096;

/// What a processor core keeps near it, near enough: a KV cache below this size is not read from
/// memory at every token, so that exact values cost no time.
constexpr std::uint64_t kNearBytes = 4U << 20U;

KvType chosenKvType(const ModelInfo& info, const SessionOptions& options)
{
    if (options.kv) return *options.kv;
    const auto positions = static_cast<std::uint64_t>(options.contextLength);
    const std::uint64_t fits = kNearBytes / positions;
    return info.kvBytesPerToken <= fits / 2 ? KvType::F32 : KvType::F16;
}

/// What damaged weights come to: a number that is none spreads to every logit.
std::unexpected<Error> notFinite(int position)
{
    return fail(ErrorCode::FileCorrupt,
                std::format("the model's numbers are not finite after {} tokens, so that it has no "
                            "next one. Its file is probably damaged: get it again, or use another "
                            "model",
                            position));
}

/// By token; as many as the forward pass may choose from.
std::vector<bool> replyMarkers(const Tokenizer& tokenizer, int vocabularySize)
{
    std::vector<bool> markers(static_cast<std::size_t>(std::max(vocabularySize, tokenizer.size())));
    for (TokenId id = 0; id < tokenizer.size(); ++id)
        if (tokenizer.isControl(id) && isReplyMarker(tokenizer.piece(id, true)))
            markers[static_cast<std::size_t>(id)] = true;
    return markers;
}

} // namespace

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<Model> model,
                                                 SessionOptions options)
{
    return LocalSession::create(std::move(model), std::move(options));
}

Result<std::unique_ptr<LocalSession>> LocalSession::create(std::shared_ptr<Model> model,
                                                           SessionOptions options)
{
    const int trained = model->info().contextLength;
    if (options.contextLength < 0 || options.prefillChunk < 1)
        return fail(ErrorCode::InvalidArgument,
                    std::format("expected a context length of at least 1 and a prefill chunk of at "
                                "least 1, found {} and {}",
                                options.contextLength, options.prefillChunk));
    if (options.contextLength == 0)
        options.contextLength =
            trained > 0 ? std::min(trained, kDefaultContextLength) : kDefaultContextLength;
    TRY_ASSIGN(std::unique_ptr<SequenceState> state,
               model->forwardPass().createState(options.contextLength,
                                                chosenKvType(model->info(), options)));
    std::unique_ptr<DraftModel> draft;
    if (options.draft) {
        TRY_ASSIGN(draft,
                   DraftModel::create(options.draft, model->tokenizer(), options.contextLength));
    }
    return std::unique_ptr<LocalSession>(
        new LocalSession(std::move(model), std::move(options), std::move(state), std::move(draft)));
}

LocalSession::LocalSession(std::shared_ptr<Model> model, SessionOptions options,
                           std::unique_ptr<SequenceState> state, std::unique_ptr<DraftModel> draft)
    : m_model(std::move(model))
    , m_options(std::move(options))
    , m_state(std::move(state))
    , m_sampler(m_model->forwardPass().vocabularySize(), m_options.observe)
    , m_logits(m_model->forwardPass().vocabularySize())
    , m_draft(std::move(draft))
    , m_isMarker(replyMarkers(m_model->tokenizer(), m_model->forwardPass().vocabularySize()))
{
    m_tokens.reserve(static_cast<std::size_t>(m_state->capacity()));
}

/// The reply being written: turns tokens into text that can be shown, and gathers the result.
class LocalSession::Reply {
public:
    Reply(const LocalSession& session, const ReplyOptions& options, int capacity)
        : m_tokenizer(session.m_model->tokenizer())
        , m_isMarker(options.format ? &session.m_isMarker : nullptr)
        , m_matcher(options.stopStrings)
        , m_splitter(options.format)
    {
        m_result.ids.reserve(static_cast<std::size_t>(capacity));
        m_result.text.reserve(static_cast<std::size_t>(capacity) * 8);
        m_delta.text.reserve(256);
        m_event.text.reserve(256);
        m_released.reserve(256);
    }

    /// The event of one token; true in the second part where a stop string is complete.
    std::pair<const TokenEvent*, bool> add(const SampledToken& sample, int position,
                                           std::uint64_t settingsVersion)
    {
        m_result.ids.push_back(sample.id);
        ++m_result.timings.generatedTokens;
        m_released.clear();
        const bool stopped = m_matcher.feed(m_decoder.push(pieceOf(sample.id)), m_released);
        m_delta.clear();
        m_splitter.push(m_released, m_delta);
        keep();
        // Swapped, so that both keep their memory.
        std::swap(m_event.text, m_delta.text);
        std::swap(m_event.reasoning, m_delta.reasoning);
        std::swap(m_event.toolCalls, m_delta.toolCalls);
        return {&describe(sample, position, settingsVersion), stopped};
    }

    /// The end-of-generation token is shown but is not part of the reply.
    const TokenEvent* end(const SampledToken& sample, int position, std::uint64_t settingsVersion)
    {
        m_event.text.clear();
        m_event.reasoning.clear();
        m_event.toolCalls.clear();
        return &describe(sample, position, settingsVersion);
    }

    GenerationResult finish(StopReason reason)
    {
        m_result.stopReason = reason;
        m_delta.clear();
        if (reason != StopReason::StopString) {
            m_released.clear();
            if (m_matcher.feed(m_decoder.finish(), m_released))
                m_result.stopReason = StopReason::StopString;
            else
                m_released += m_matcher.finish();
            m_splitter.push(m_released, m_delta);
        }
        m_splitter.finish(m_delta);
        keep();
        m_result.trailing = std::move(m_delta);
        return std::move(m_result);
    }

    GenerationTimings& timings() { return m_result.timings; }
    void setSeed(std::uint64_t seed) { m_result.seed = seed; }
    int size() const { return m_result.timings.generatedTokens; }

private:
    std::string pieceOf(TokenId id) const
    {
        const bool isMarker = m_isMarker && (*m_isMarker)[static_cast<std::size_t>(id)];
        return m_tokenizer.piece(id, isMarker);
    }

    void keep()
    {
        m_result.text += m_delta.text;
        m_result.reasoning += m_delta.reasoning;
        m_result.toolCalls.insert(m_result.toolCalls.end(), m_delta.toolCalls.begin(),
                                  m_delta.toolCalls.end());
    }

    const TokenEvent& describe(const SampledToken& sample, int position,
                               std::uint64_t settingsVersion)
    {
        m_event.id = sample.id;
        m_event.position = position;
        m_event.settingsVersion = settingsVersion;
        m_event.sample = sample;
        return m_event;
    }

    const Tokenizer& m_tokenizer;
    const std::vector<bool>* m_isMarker; // null: a reply that is all text
    StreamDecoder m_decoder;
    StopStringMatcher m_matcher;
    ReplySplitter m_splitter;
    std::string m_released;
    ReplyDelta m_delta;
    TokenEvent m_event;
    GenerationResult m_result;
};

Result<void> LocalSession::checkPrompt(std::span<const TokenId> prompt) const
{
    if (prompt.empty())
        return fail(ErrorCode::InvalidArgument, "expected a prompt, found no tokens");
    if (prompt.size() >= static_cast<std::size_t>(m_state->capacity()))
        return fail(
            ErrorCode::ContextFull,
            std::format("the prompt has {} tokens, the context holds {} and one must be left "
                        "for the reply",
                        prompt.size(), m_state->capacity()),
            {}, prompt.size() + 1, static_cast<std::uint64_t>(m_state->capacity()));
    return {};
}

int LocalSession::reusePrefix(std::span<const TokenId> prompt)
{
    const auto [mine, theirs] = std::ranges::mismatch(m_tokens, prompt);
    // The last prompt token is computed anew: its logits are wanted.
    auto shared = static_cast<std::size_t>(theirs - prompt.begin());
    shared = std::min(shared, prompt.size() - 1);
    if (!m_state->truncate(static_cast<int>(shared))) shared = 0;
    m_tokens.resize(shared);
    m_guessCount = 0;
    return static_cast<int>(shared);
}

Result<void> LocalSession::compute(std::span<const TokenId> tokens, int logitRows)
{
    const ForwardInput input{m_state.get(), tokens, logitRows};
    TRY(m_model->forwardPass().compute({&input, 1},
                                       m_logits.first(static_cast<std::size_t>(logitRows))));
    m_row = 0;
    return {};
}

void LocalSession::dropGuesses()
{
    if (m_guessCount == 0) return;
    m_guessCount = 0;
    m_state->truncate(contextUsed());
}

Result<void> LocalSession::advance(TokenId next, GenerationTimings& timings)
{
    if (m_guessCount == 0) return computeAhead(next, timings);
    const bool right = m_guesses[m_row] == next;
    m_guesser->addGuess(right);
    if (!right) {
        dropGuesses();
        return computeAhead(next, timings);
    }
    ++timings.usedGuesses;
    m_tokens.push_back(next);
    if (++m_row == m_guessCount) m_guessCount = 0; // the logits after the last guess are at hand
    return {};
}

std::size_t LocalSession::guess()
{
    m_guesser = &m_lookUpLength;
    if (!m_state->isRewindable()) return 0;
    const std::size_t most =
        std::min(static_cast<std::size_t>(contextLength() - contextUsed()), m_guesses.size());
    std::span<const TokenId> found;
    if (m_options.lookUp) found = lookUpContinuation(m_tokens, most);
    std::size_t count = m_lookUpLength.choose(found.size());
    if (found.empty() && m_draft) {
        m_guesser = &m_draftLength;
        found = m_draft->guess(m_tokens, m_draftLength.choose(most));
        count = found.size();
    }
    std::copy_n(found.begin(), count, m_guesses.begin());
    return count;
}

Result<void> LocalSession::computeAhead(TokenId next, GenerationTimings& timings)
{
    const Clock::time_point start = Clock::now();
    m_tokens.push_back(next);
    const std::size_t count = guess();
    std::array<TokenId, DraftLength::kMostRows> rows{next};
    std::copy_n(m_guesses.begin(), count, rows.begin() + 1);
    const auto computed = compute(std::span(rows).first(count + 1), static_cast<int>(count) + 1);
    if (!computed) {
        m_tokens.pop_back();
        return computed;
    }
    const double seconds = secondsSince(start);
    m_guesser->addStep(count + 1, seconds);
    if (count == 0)
        (m_guesser == &m_lookUpLength ? m_draftLength : m_lookUpLength).addStep(1, seconds);
    m_guessCount = count;
    timings.guessedTokens += static_cast<int>(count);
    return {};
}

Result<bool> LocalSession::prefill(std::span<const TokenId> prompt,
                                   const GenerationCallbacks& callbacks,
                                   const std::stop_token& stop)
{
    const auto total = static_cast<int>(prompt.size());
    while (m_tokens.size() < prompt.size()) {
        if (stop.stop_requested()) return false;
        if (callbacks.prefill) callbacks.prefill(contextUsed(), total);
        const std::size_t left = prompt.size() - m_tokens.size();
        const std::size_t size = std::min(left, static_cast<std::size_t>(m_options.prefillChunk));
        const std::span<const TokenId> chunk = prompt.subspan(m_tokens.size(), size);
        TRY(compute(chunk, size == left ? 1 : 0));
        m_tokens.insert(m_tokens.end(), chunk.begin(), chunk.end());
    }
    if (callbacks.prefill) callbacks.prefill(total, total);
    return true;
}

Result<StopReason> LocalSession::decode(Reply& reply, const GenerationCallbacks& callbacks,
                                        const std::stop_token& stop)
{
    while (!stop.stop_requested()) {
        const SamplingSettings settings = callbacks.settings();
        if (settings.maxTokens >= 0 && reply.size() >= settings.maxTokens)
            return StopReason::MaxTokens;
        const SampledToken& sample = m_sampler.sample(logits(), m_tokens, settings);
        if (sample.keptCount == 0) return notFinite(contextUsed());
        const bool ended = m_model->tokenizer().isEndOfGeneration(sample.id);
        const auto [event, stopped] =
            ended ? std::pair(reply.end(sample, contextUsed(), settings.version), false)
                  : reply.add(sample, contextUsed(), settings.version);
        if (callbacks.token) callbacks.token(*event);
        if (ended) return StopReason::EndOfGeneration;
        if (stopped) return StopReason::StopString;
        if (contextUsed() == contextLength()) return StopReason::ContextFull;
        TRY(advance(sample.id, reply.timings()));
    }
    return StopReason::Cancelled;
}

Result<GenerationResult> LocalSession::generate(std::span<const TokenId> prompt,
                                                const ReplyOptions& options,
                                                const GenerationCallbacks& callbacks,
                                                std::stop_token stop)
{
    TRY(checkPrompt(prompt));
    const Clock::time_point start = Clock::now();
    Reply reply(*this, options, contextLength() - static_cast<int>(prompt.size()) + 1);
    const std::uint64_t seed = callbacks.settings().seed.value_or(freshSeed());
    m_sampler.reset(seed);
    reply.setSeed(seed);
    GenerationTimings& timings = reply.timings();
    timings.promptTokens = static_cast<int>(prompt.size());
    timings.reusedTokens = reusePrefix(prompt);
    TRY_ASSIGN(const bool ready, prefill(prompt, callbacks, stop));
    timings.prefillSeconds = secondsSince(start);
    if (!ready) return reply.finish(StopReason::Cancelled);

    GenerationCallbacks timed = callbacks;
    timed.token = [&](const TokenEvent& event) {
        if (timings.secondsToFirstToken == 0) timings.secondsToFirstToken = secondsSince(start);
        if (callbacks.token) callbacks.token(event);
    };
    const Clock::time_point decodeStart = Clock::now();
    const auto reason = decode(reply, timed, stop);
    dropGuesses();
    if (!reason) return std::unexpected(reason.error());
    timings.decodeSeconds = secondsSince(decodeStart);
    return reply.finish(*reason);
}

} // namespace engine
