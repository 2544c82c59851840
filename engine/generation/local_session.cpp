#include "engine/generation/local_session.h"

#include "engine/chat/reply_markers.h"
#include "engine/generation/prompt_lookup.h"
#include "engine/generation/reply_builder.h"

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

/// Prompt tokens of a step; fewer would read the weights too often.
constexpr std::size_t kLeastStep = 32;

/// What a template puts before a reply may be another once the reply is a turn of the chat (a
/// thought is left out). A context that cannot be rewound is remembered so many tokens before the
/// prompt's end.
constexpr std::size_t kReplyOpening = 16;

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

// What is known of a reply between its tokens.
struct LocalSession::Generation {
    Generation(const LocalSession& session, std::span<const TokenId> ids, ReplyRequest request)
        : prompt(ids.begin(), ids.end())
        , reply(session.m_model->tokenizer(), session.m_isMarker, request.options,
                session.contextLength() - static_cast<int>(ids.size()) + 1)
        , callbacks(std::move(request.callbacks))
        , stop(std::move(request.stop))
    {
    }

    void tell(const TokenEvent& event)
    {
        GenerationTimings& timings = reply.timings();
        if (timings.secondsToFirstToken == 0) timings.secondsToFirstToken = secondsSince(start);
        if (callbacks.token) callbacks.token(event);
    }

    std::vector<TokenId> prompt;
    ReplyBuilder reply;
    GenerationCallbacks callbacks;
    std::stop_token stop;
    Clock::time_point start = Clock::now();
    Clock::time_point decodeStart;
    std::optional<StopReason> over;
    // The step whose logits are awaited.
    Clock::time_point stepStart;
    std::array<TokenId, DraftLength::kMostRows> rows{}; // a token, and the guesses after it
    std::size_t guesses = 0;
    std::size_t promptTokens = 0; // read in it; 0: it is the reply's
    bool alone = true;
};

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
    , m_context{{}, std::move(state)}
    , m_kept(m_options.keptBytes,
             [this] {
                 return m_model->forwardPass().createState(
                     contextLength(), chosenKvType(m_model->info(), m_options));
             })
    , m_sampler(m_model->forwardPass().vocabularySize(), m_options.observe)
    , m_logits(m_model->forwardPass().vocabularySize())
    , m_draft(std::move(draft))
    , m_isMarker(replyMarkers(m_model->tokenizer(), m_model->forwardPass().vocabularySize()))
{
    m_context.tokens.reserve(static_cast<std::size_t>(m_context.state->capacity()));
}

LocalSession::~LocalSession() = default;

Result<void> LocalSession::checkPrompt(std::span<const TokenId> prompt) const
{
    if (prompt.empty())
        return fail(ErrorCode::InvalidArgument, "expected a prompt, found no tokens");
    if (prompt.size() >= static_cast<std::size_t>(m_context.state->capacity()))
        return fail(
            ErrorCode::ContextFull,
            std::format("the prompt has {} tokens, the context holds {} and one must be left "
                        "for the reply",
                        prompt.size(), m_context.state->capacity()),
            {}, prompt.size() + 1, static_cast<std::uint64_t>(m_context.state->capacity()));
    return {};
}

int LocalSession::reusePrefix(std::span<const TokenId> prompt)
{
    m_guessCount = 0;
    m_kept.switchTo(prompt, m_context);
    m_context.tokens.reserve(static_cast<std::size_t>(contextLength()));
    const std::size_t shared = reusableTokens(m_context, prompt);
    const int left = m_context.state->truncate(static_cast<int>(shared));
    m_context.tokens.resize(static_cast<std::size_t>(left));
    return left;
}

void LocalSession::dropGuesses()
{
    if (m_guessCount == 0) return;
    m_guessCount = 0;
    m_context.state->truncate(contextUsed());
}

std::size_t LocalSession::guess()
{
    m_guesser = &m_lookUpLength;
    if (!m_context.state->isRewindable()) return 0;
    const std::size_t most =
        std::min(static_cast<std::size_t>(contextLength() - contextUsed()), m_guesses.size());
    std::span<const TokenId> found;
    if (m_options.lookUp) found = lookUpContinuation(m_context.tokens, most);
    std::size_t count = m_lookUpLength.choose(found.size());
    if (found.empty() && m_draft) {
        m_guesser = &m_draftLength;
        found = m_draft->guess(m_context.tokens, m_draftLength.choose(most));
        count = found.size();
    }
    std::copy_n(found.begin(), count, m_guesses.begin());
    return count;
}

Result<void> LocalSession::begin(std::span<const TokenId> prompt, ReplyRequest request)
{
    TRY(checkPrompt(prompt));
    m_generation = std::make_unique<Generation>(*this, prompt, std::move(request));
    ReplyBuilder& reply = m_generation->reply;
    const std::uint64_t seed = m_generation->callbacks.settings().seed.value_or(freshSeed());
    m_sampler.reset(seed);
    reply.setSeed(seed);
    reply.timings().promptTokens = static_cast<int>(prompt.size());
    reply.timings().reusedTokens = reusePrefix(prompt);
    return {};
}

bool LocalSession::isReading() const
{
    return m_context.tokens.size() < m_generation->prompt.size();
}

Result<std::optional<ForwardInput>> LocalSession::next(int mostPromptTokens, bool alone)
{
    m_generation->alone = alone;
    if (isReading()) return nextOfPrompt(static_cast<std::size_t>(mostPromptTokens));
    while (!m_generation->over) {
        TRY_ASSIGN(const std::optional<TokenId> token, sample());
        if (!token) break;
        if (!isComputed(*token)) return nextOfReply(*token);
    }
    return std::nullopt;
}

std::size_t LocalSession::promptStep() const
{
    constexpr double kSeconds = 0.3;
    const auto most = static_cast<std::size_t>(m_options.prefillChunk);
    const double fits = m_promptSpeed * kSeconds;
    if (fits >= static_cast<double>(most)) return most;
    return std::min(most,
                    std::max(kLeastStep, static_cast<std::size_t>(fits) / kLeastStep * kLeastStep));
}

std::size_t LocalSession::rememberedTokens() const
{
    const std::size_t all = m_generation->prompt.size();
    return m_context.state->isRewindable() || all <= kReplyOpening ? all : all - kReplyOpening;
}

std::optional<ForwardInput> LocalSession::nextOfPrompt(std::size_t most)
{
    Generation& reply = *m_generation;
    if (reply.stop.stop_requested()) {
        reply.over = StopReason::Cancelled;
        return std::nullopt;
    }
    const auto total = static_cast<int>(reply.prompt.size());
    if (reply.callbacks.prefill) reply.callbacks.prefill(contextUsed(), total);
    const std::size_t done = m_context.tokens.size();
    const std::size_t left = reply.prompt.size() - done;
    const std::size_t place = rememberedTokens();
    reply.stepStart = Clock::now();
    reply.promptTokens = std::min({done < place ? place - done : left, promptStep(), most});
    return ForwardInput{m_context.state.get(),
                        std::span<const TokenId>(reply.prompt).subspan(done, reply.promptTokens),
                        reply.promptTokens == left ? 1 : 0};
}

// Nothing: the reply is over.
Result<std::optional<TokenId>> LocalSession::sample()
{
    Generation& reply = *m_generation;
    const auto end = [&](StopReason reason) {
        reply.over = reason;
        return std::nullopt;
    };
    if (reply.stop.stop_requested()) return end(StopReason::Cancelled);
    const SamplingSettings settings = reply.callbacks.settings();
    if (settings.maxTokens >= 0 && reply.reply.size() >= settings.maxTokens)
        return end(StopReason::MaxTokens);
    const SampledToken& sample = m_sampler.sample(logits(), m_context.tokens, settings);
    if (sample.keptCount == 0) return notFinite(contextUsed());
    if (m_model->tokenizer().isEndOfGeneration(sample.id)) {
        reply.tell(*reply.reply.end(sample, contextUsed(), settings.version));
        return end(StopReason::EndOfGeneration);
    }
    const auto [event, stopped] = reply.reply.add(sample, contextUsed(), settings.version);
    reply.tell(*event);
    if (stopped) return end(StopReason::StopString);
    if (contextUsed() == contextLength()) return end(StopReason::ContextFull);
    return sample.id;
}

// Whether `token` was guessed: then the logits after it are the ones at hand.
bool LocalSession::isComputed(TokenId token)
{
    if (m_guessCount == 0) return false;
    const bool right = m_guesses[m_row] == token;
    m_guesser->addGuess(right);
    if (!right) {
        dropGuesses();
        return false;
    }
    ++m_generation->reply.timings().usedGuesses;
    m_context.tokens.push_back(token);
    if (++m_row == m_guessCount) m_guessCount = 0; // the logits after the last guess are at hand
    return true;
}

ForwardInput LocalSession::nextOfReply(TokenId token)
{
    Generation& reply = *m_generation;
    reply.stepStart = Clock::now();
    reply.promptTokens = 0;
    m_context.tokens.push_back(token);
    reply.guesses = reply.alone ? guess() : 0;
    reply.rows[0] = token;
    std::copy_n(m_guesses.begin(), reply.guesses, reply.rows.begin() + 1);
    const auto rows = reply.guesses + 1;
    return {m_context.state.get(), std::span(reply.rows).first(rows), static_cast<int>(rows)};
}

void LocalSession::accept()
{
    Generation& reply = *m_generation;
    GenerationTimings& timings = reply.reply.timings();
    m_row = 0;
    if (reply.promptTokens == 0) {
        m_guessCount = reply.guesses;
        timings.guessedTokens += static_cast<int>(reply.guesses);
        if (reply.alone) timeStep(secondsSince(reply.stepStart));
        return;
    }
    if (reply.promptTokens >= kLeastStep)
        m_promptSpeed =
            static_cast<double>(reply.promptTokens) / std::max(1e-6, secondsSince(reply.stepStart));
    const auto first = reply.prompt.begin() + static_cast<std::ptrdiff_t>(m_context.tokens.size());
    m_context.tokens.insert(m_context.tokens.end(), first,
                            first + static_cast<std::ptrdiff_t>(reply.promptTokens));
    if (m_context.tokens.size() == rememberedTokens() || !isReading()) m_context.state->remember();
    if (isReading()) return;
    const auto total = static_cast<int>(reply.prompt.size());
    if (reply.callbacks.prefill) reply.callbacks.prefill(total, total);
    timings.prefillSeconds = secondsSince(reply.start);
    reply.decodeStart = Clock::now();
}

void LocalSession::timeStep(double seconds)
{
    const std::size_t guesses = m_generation->guesses;
    m_guesser->addStep(guesses + 1, seconds);
    if (guesses == 0)
        (m_guesser == &m_lookUpLength ? m_draftLength : m_lookUpLength).addStep(1, seconds);
}

void LocalSession::abandon()
{
    dropGuesses();
    // What could not be computed is no part of the context.
    m_context.tokens.resize(
        std::min(m_context.tokens.size(), static_cast<std::size_t>(m_context.state->length())));
    m_generation.reset();
}

GenerationResult LocalSession::finish()
{
    const std::unique_ptr<Generation> reply = std::move(m_generation);
    dropGuesses();
    GenerationTimings& timings = reply->reply.timings();
    if (m_context.tokens.size() < reply->prompt.size())
        timings.prefillSeconds = secondsSince(reply->start);
    else
        timings.decodeSeconds = secondsSince(reply->decodeStart);
    return reply->reply.finish(reply->over.value_or(StopReason::Cancelled));
}

Result<GenerationResult> LocalSession::generate(std::span<const TokenId> prompt,
                                                const ReplyOptions& options,
                                                const GenerationCallbacks& callbacks,
                                                std::stop_token stop)
{
    TRY(begin(prompt, {options, callbacks, std::move(stop)}));
    while (true) {
        const auto input = next(m_options.prefillChunk, true);
        if (input && !*input) return finish();
        const Result<void> computed =
            input ? m_model->forwardPass().compute({&**input, 1}, rows((*input)->logitRows))
                  : std::unexpected(input.error());
        if (!computed) {
            abandon();
            return std::unexpected(computed.error());
        }
        accept();
    }
}

} // namespace engine
