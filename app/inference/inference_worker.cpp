#include "app/inference/inference_worker.h"

#include "app/inference/context_fitter.h"
#include "app/inference/error_text.h"
#include "app/inference/guarded.h"
#include "app/inference/memory_estimate.h"
#include "app/inference/model_path.h"

#include <QFileInfo>

#include <algorithm>
#include <optional>
#include <utility>

namespace app {

namespace {

constexpr double kProgressStep = 0.005;  // 200 reports a load are enough for any bar
constexpr int kMostSummaryTokens = 1000; // 200 words, and thoughts before them
constexpr int kKeptShare = 4;            // of the memory that is free, for chats that were left
constexpr const char* kAskForSummary = "Summarize our conversation so far in at most 200 words, in "
                                       "its own language. Keep names, numbers, "
                                       "decisions and open questions. Write only the summary.";

std::filesystem::path filePath(const QString& path)
{
    return QFileInfo(path).filesystemFilePath();
}

QString nameOf(const engine::ModelInfo& info, const QString& path)
{
    const QString name = QString::fromStdString(info.name).simplified();
    return name.isEmpty() ? modelNameOf(path) : name;
}

std::vector<engine::ChatMessage> chatOf(const QList<ChatTurn>& turns)
{
    std::vector<engine::ChatMessage> messages;
    messages.reserve(static_cast<std::size_t>(turns.size()));
    for (const ChatTurn& turn : turns)
        messages.push_back({.role = turn.role.toStdString(),
                            .content = turn.text.toStdString(),
                            .reasoning = turn.reasoning.toStdString()});
    return messages;
}

GenerationSummary cancelledSummary()
{
    GenerationSummary summary;
    summary.stopReason = engine::StopReason::Cancelled;
    return summary;
}

/// The decode loop allocates nothing, so the candidates get their texts here.
engine::TokenEvent withTexts(engine::TokenEvent event, const engine::Tokenizer& tokenizer)
{
    event.candidateTexts.clear();
    event.candidateTexts.reserve(event.sample.candidates.size());
    for (const engine::TokenCandidate& candidate : event.sample.candidates)
        event.candidateTexts.push_back(tokenizer.piece(candidate.id, true));
    return event;
}

} // namespace

InferenceWorker::InferenceWorker(EngineFactory engine, std::shared_ptr<const LiveSettings> settings)
    : m_engine(std::move(engine))
    , m_settings(std::move(settings))
{
}

InferenceWorker::~InferenceWorker() = default;

void InferenceWorker::load(const LoadRequest& request)
{
    // A model whose load was given up after it had ended was never announced.
    if (m_model && m_loadStop.stop_requested()) dropModel();
    if (!hasRoomBeside(request.info)) dropModel();
    const engine::Result<LoadedModel> loaded = guarded([&] { return open(request); });
    noteHeldBytes();
    if (loaded) {
        Q_EMIT modelLoaded(request.id, *loaded);
    } else {
        Q_EMIT loadFailed(request.id, loadError(loaded.error(), request.path,
                                                nameOf(request.info, request.path)));
    }
}

// The present model stays until the new one is there, so that one that cannot be loaded takes
// nothing away.
bool InferenceWorker::hasRoomBeside(const engine::ModelInfo& info) const
{
    const std::optional<SystemMemory> memory = systemMemory();
    return memory && estimateMemory(info, m_contextLength).total() <= memory->available;
}

engine::Result<LoadedModel> InferenceWorker::open(const LoadRequest& request)
{
    engine::LoadOptions options;
    options.threads = request.threads;
    options.stop = request.stop;
    options.progress = [this, id = request.id, last = -1.0](double share) mutable {
        if (share - last < kProgressStep && share < 1) return;
        last = share;
        Q_EMIT loadProgressed(id, share);
    };
    TRY_ASSIGN(std::shared_ptr<engine::Model> model,
               m_engine.open(filePath(request.path), options));
    if (request.stop.stop_requested())
        return engine::fail(engine::ErrorCode::Cancelled, "the load was cancelled");

    const engine::ModelInfo& info = model->info();
    LoadedModel loaded{.path = request.path,
                       .name = nameOf(info, request.path),
                       .quantization = QString::fromStdString(info.quantization),
                       .fileBytes = info.fileBytes,
                       .contextLength = effectiveContextLength(m_contextLength, info.contextLength),
                       .trainedContextLength = info.contextLength,
                       .kvBytesPerToken = info.kvBytesPerToken,
                       .vocabularySize = info.vocabularySize,
                       .notice = QString::fromStdString(model->notice())};
    dropModel();
    m_model = std::move(model);
    m_loadStop = request.stop;
    return loaded;
}

void InferenceWorker::unload()
{
    dropModel();
}

void InferenceWorker::setContextLength(int contextLength)
{
    if (m_contextLength == contextLength) return;
    m_contextLength = contextLength;
    m_session.reset();
    noteHeldBytes();
}

void InferenceWorker::noteHeldBytes()
{
    m_heldBytes =
        (m_model ? m_model->residentBytes() : 0) + (m_session ? m_session->sizeBytes() : 0);
}

void InferenceWorker::dropModel()
{
    m_session.reset();
    if (!m_model) return;
    m_model.reset();
    noteHeldBytes();
    Q_EMIT modelDropped();
}

void InferenceWorker::generate(quint64 requestId, const GenerationRequest& request,
                               const std::stop_token& stop)
{
    if (stop.stop_requested()) {
        Q_EMIT finished(requestId, cancelledSummary());
        return;
    }
    if (!m_model) {
        Q_EMIT failed(requestId, noModelError());
        return;
    }
    const engine::Result<GenerationSummary> summary =
        guarded([&] { return run(requestId, request, stop); });
    noteHeldBytes();
    if (summary) {
        Q_EMIT finished(requestId, *summary);
        return;
    }
    if (summary.error().code == engine::ErrorCode::Cancelled) {
        Q_EMIT finished(requestId, cancelledSummary());
        return;
    }
    // What a failed call left in the session is not to be built on.
    if (summary.error().code != engine::ErrorCode::ContextFull) m_session.reset();
    Q_EMIT failed(requestId, generationError(summary.error()));
}

engine::Result<void> InferenceWorker::ensureSession()
{
    if (m_session) return {};
    engine::SessionOptions options;
    options.contextLength = effectiveContextLength(m_contextLength, m_model->info().contextLength);
    if (const std::optional<SystemMemory> memory = systemMemory())
        options.keptBytes = memory->available / kKeptShare;
    TRY_ASSIGN(m_session, m_engine.createSession(m_model, options));
    return {};
}

engine::Result<GenerationSummary> InferenceWorker::run(quint64 requestId,
                                                       const GenerationRequest& request,
                                                       const std::stop_token& stop)
{
    TRY(ensureSession());
    const ContextFitter fitter(
        m_session->contextLength(),
        [this](const QList<ChatTurn>& turns) { return m_model->encodeChat(chatOf(turns)); },
        [&](const QList<ChatTurn>& turns) { return summarize(requestId, turns, stop); });
    TRY_ASSIGN(FittedPrompt fitted, fitter.fit(request));
    engine::ReplyOptions options;
    options.format = std::move(fitted.prompt.reply);
    for (const QString& text : request.stopStrings)
        options.stopStrings.push_back(text.toStdString());

    engine::GenerationCallbacks callbacks;
    callbacks.settings = [settings = m_settings.get()] { return settings->get(); };
    callbacks.token = [this, requestId](const engine::TokenEvent& event) {
        Q_EMIT tokenDecoded(requestId, withTexts(event, m_model->tokenizer()));
    };
    callbacks.prefill = [this, requestId](int done, int total) {
        Q_EMIT prefillProgressed(requestId, done, total);
    };
    TRY_ASSIGN(const engine::GenerationResult result,
               m_session->generate(fitted.prompt.tokens, options, callbacks, stop));
    return GenerationSummary{.trailingText = QString::fromStdString(result.trailing.text),
                             .trailingReasoning = QString::fromStdString(result.trailing.reasoning),
                             .stopReason = result.stopReason,
                             .seed = result.seed,
                             .timings = result.timings,
                             .contextUsed = m_session->contextUsed(),
                             .contextLength = m_session->contextLength(),
                             .contextStart = fitted.start};
}

engine::Result<QString> InferenceWorker::summarize(quint64 requestId, QList<ChatTurn> turns,
                                                   const std::stop_token& stop)
{
    const int contextLength = m_session->contextLength();
    turns += ChatTurn{.role = QStringLiteral("user"), .text = QString::fromUtf8(kAskForSummary)};
    const ContextFitter fitter(
        contextLength,
        [this](const QList<ChatTurn>& some) { return m_model->encodeChat(chatOf(some)); }, {});
    TRY_ASSIGN(const FittedPrompt fitted, fitter.fit({.turns = std::move(turns),
                                                      .stopStrings = {},
                                                      .contextPolicy = ContextPolicy::DropOldest}));
    engine::SamplingSettings settings;
    settings.temperature = 0;
    settings.maxTokens = std::min(kMostSummaryTokens, contextLength / 4);
    engine::GenerationCallbacks callbacks;
    callbacks.settings = [settings] { return settings; };
    callbacks.prefill = [this, requestId](int done, int total) {
        Q_EMIT prefillProgressed(requestId, done, total);
    };
    TRY_ASSIGN(const engine::GenerationResult result,
               m_session->generate(fitted.prompt.tokens,
                                   {.stopStrings = {}, .format = fitted.prompt.reply}, callbacks,
                                   stop));
    if (stop.stop_requested())
        return engine::fail(engine::ErrorCode::Cancelled, "the summary was cancelled");
    return QString::fromStdString(result.text).trimmed();
}

void InferenceWorker::count(quint64 requestId, const GenerationRequest& request)
{
    if (!m_model) return;
    const auto prompt = guarded([&] {
        const ContextStart start = validStart(request.turns, request.contextStart);
        return m_model->encodeChat(chatOf(turnsFrom(request.turns, start)));
    });
    if (prompt) Q_EMIT counted(requestId, static_cast<int>(prompt->tokens.size()));
}

} // namespace app
