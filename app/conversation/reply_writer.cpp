#include "app/conversation/reply_writer.h"

#include "app/inference/error_text.h"

#include <array>
#include <chrono>
#include <optional>

namespace app {

namespace {

constexpr std::chrono::milliseconds kShowPause{33};
constexpr std::chrono::milliseconds kJournalPause{500};

struct StopWord {
    engine::StopReason reason;
    const char* word;
};

constexpr std::array kStopWords{
    StopWord{engine::StopReason::EndOfGeneration, "eog"},
    StopWord{engine::StopReason::StopString, "stop-string"},
    StopWord{engine::StopReason::MaxTokens, "max-tokens"},
    StopWord{engine::StopReason::ContextFull, "context"},
    StopWord{engine::StopReason::Cancelled, "cancelled"},
};

QString stopWord(engine::StopReason reason)
{
    for (const StopWord& row : kStopWords)
        if (row.reason == reason) return QString::fromLatin1(row.word);
    return {};
}

MessageStats statsOf(const GenerationSummary& summary)
{
    const engine::GenerationTimings& timings = summary.timings;
    MessageStats stats;
    stats.tokens = timings.generatedTokens;
    if (timings.decodeSeconds > 0)
        stats.tokensPerSecond = timings.generatedTokens / timings.decodeSeconds;
    stats.secondsToFirstToken = timings.secondsToFirstToken;
    stats.seconds = timings.prefillSeconds + timings.decodeSeconds;
    stats.seed = summary.seed;
    stats.stopReason = stopWord(summary.stopReason);
    return stats;
}

/// Of a reply that was written on.
MessageStats withMore(const MessageStats& before, MessageStats stats)
{
    stats.tokens += before.tokens;
    stats.seconds += before.seconds;
    if (before.tokens > 0) stats.secondsToFirstToken = before.secondsToFirstToken;
    return stats;
}

QString roleWord(Role role)
{
    if (role == Role::System) return QStringLiteral("system");
    return role == Role::User ? QStringLiteral("user") : QStringLiteral("assistant");
}

} // namespace

ReplyWriter::ReplyWriter(InferenceService& inference, ConversationStore& store, QObject* parent)
    : QObject(parent)
    , m_inference(inference)
    , m_store(store)
{
    m_showTimer.setSingleShot(true);
    m_showTimer.setInterval(kShowPause);
    connect(&m_showTimer, &QTimer::timeout, this, &ReplyWriter::show);
    m_journalTimer.setInterval(kJournalPause);
    connect(&m_journalTimer, &QTimer::timeout, this, &ReplyWriter::journal);

    connect(&m_inference, &InferenceService::tokenDecoded, this,
            [this](quint64 id, const engine::TokenEvent& event) {
                if (id == m_requestId) addToken(event);
            });
    connect(&m_inference, &InferenceService::prefillProgressed, this,
            [this](quint64 id, int done, int total) {
                if (id == m_requestId) Q_EMIT prefillProgressed(m_reply.id, done, total);
            });
    connect(&m_inference, &InferenceService::finished, this,
            [this](quint64 id, const GenerationSummary& summary) {
                if (id == m_requestId) finish(summary);
            });
    connect(&m_inference, &InferenceService::failed, this,
            [this](quint64 id, const UserError& error) {
                if (id == m_requestId) fail(error);
            });
}

void ReplyWriter::begin(const ConversationSummary& conversation, const Message& reply,
                        GenerationRequest request)
{
    Q_ASSERT(!isActive());
    m_conversation = conversation;
    m_reply = reply;
    m_reply.state = MessageState::Writing;
    m_reply.error.clear();
    m_reply.stats.stopReason.clear();
    if (m_reply.text.isEmpty()) m_reply.reasoning.clear();
    m_begunWith = reply;
    m_written = 0;
    m_unshown.clear();
    m_unsaved.clear();
    m_store.addMessage(conversation, m_reply);
    m_journalTimer.start();
    request.stopStrings = m_stopStrings;
    m_requestId = m_inference.generate(std::move(request));
}

void ReplyWriter::stop()
{
    if (isActive()) m_inference.cancel();
}

void ReplyWriter::setConversation(const ConversationSummary& conversation)
{
    if (conversation.id == m_conversation.id) m_conversation = conversation;
}

void ReplyWriter::addToken(const engine::TokenEvent& event)
{
    const qsizetype begin = m_reply.text.size();
    ++m_written;
    grow({.text = QString::fromStdString(event.text),
          .reasoning = QString::fromStdString(event.reasoning)});
    m_tokens.append({m_reply.id, begin, m_reply.text.size(), event});
    Q_EMIT tokenDecoded(m_reply.id, event);
    Q_EMIT contextUsed(m_reply.conversationId, event.position + 1,
                       m_inference.model().contextLength);
}

void ReplyWriter::grow(const ReplyGrowth& growth)
{
    if (growth.isEmpty()) return;
    m_reply += growth;
    m_unshown += growth;
    m_unsaved += growth;
    if (!m_showTimer.isActive()) m_showTimer.start();
}

void ReplyWriter::show()
{
    if (m_unshown.isEmpty()) return;
    const ReplyGrowth growth = std::exchange(m_unshown, {});
    Q_EMIT appended(m_reply.id, growth);
}

void ReplyWriter::journal()
{
    if (m_unsaved.isEmpty()) return;
    m_store.growReply(m_reply.id, std::exchange(m_unsaved, {}), tokensSoFar());
}

void ReplyWriter::finish(const GenerationSummary& summary)
{
    grow({.text = summary.trailingText, .reasoning = summary.trailingReasoning});
    // Stopped before it was written on: it is as it was, and so are the ways on.
    if (summary.stopReason == engine::StopReason::Cancelled && isUntouched()) {
        m_reply = m_begunWith;
        return isContextFull(m_reply) ? endFull(0, 0) : end(m_reply.state);
    }
    m_reply.stats = withMore(m_reply.stats, statsOf(summary));
    // What was read before it was stopped is not what the chat takes.
    const bool begun =
        summary.timings.generatedTokens > 0 || summary.stopReason != engine::StopReason::Cancelled;
    if (summary.contextLength > 0 && begun) {
        Q_EMIT contextUsed(m_reply.conversationId, summary.contextUsed, summary.contextLength);
        Q_EMIT contextStarted(m_reply.conversationId, summary.contextStart);
    }
    if (summary.stopReason == engine::StopReason::ContextFull) {
        m_reply.state = MessageState::Complete;
        m_reply.stats.stopReason = stopWord(summary.stopReason);
        return endFull(summary.contextUsed, summary.contextLength);
    }
    end(summary.stopReason == engine::StopReason::Cancelled ? MessageState::Stopped
                                                            : MessageState::Complete);
}

void ReplyWriter::fail(const UserError& error)
{
    const bool full = error.code == engine::ErrorCode::ContextFull;
    if (isUntouched() && m_begunWith.state != MessageState::Failed) {
        m_reply = m_begunWith;
    } else {
        m_reply.state = MessageState::Failed;
        m_reply.error = error.sentence;
        m_reply.stats.tokens = tokensSoFar();
        if (full) m_reply.stats.stopReason = stopWord(engine::StopReason::ContextFull);
    }
    Q_EMIT failed(m_reply.id, error);
    if (!full) return end(m_reply.state, ReplyEnd::Failed);
    const auto used = static_cast<int>(error.expected) - 1; // one is left for the reply
    const auto total = static_cast<int>(error.found);
    Q_EMIT contextUsed(m_reply.conversationId, used, total);
    endFull(used, total);
}

void ReplyWriter::endFull(int used, int total)
{
    end(m_reply.state, ReplyEnd::ContextFull);
    Q_EMIT contextFilled(Message(m_reply), used, total);
}

void ReplyWriter::abandon()
{
    if (!isActive()) return;
    m_reply.stats.tokens = tokensSoFar();
    end(MessageState::Interrupted);
}

void ReplyWriter::end(MessageState state, ReplyEnd how)
{
    m_requestId = 0;
    m_showTimer.stop();
    m_journalTimer.stop();
    show();
    m_unsaved.clear();
    m_reply.state = state;
    m_store.finishReply(m_conversation, m_reply);
    Q_EMIT finished(m_reply, how);
}

QList<ChatTurn> chatTurns(const QList<Message>& branch)
{
    QList<ChatTurn> turns;
    for (const Message& message : branch) {
        if (message.text.isEmpty()) continue;
        const QString role = roleWord(message.role);
        // Where a reply never came, the user's words before and after are one turn.
        if (!turns.isEmpty() && turns.constLast().role == role) {
            turns.last().text += QStringLiteral("\n\n") % message.text;
        } else {
            turns += ChatTurn{.role = role, .text = message.text, .reasoning = message.reasoning};
        }
    }
    return turns;
}

qint64 messageOfTurn(const QList<Message>& branch, int turn)
{
    int turns = 0;
    std::optional<Role> before;
    for (const Message& message : branch) {
        if (message.text.isEmpty() || message.role == Role::System) continue;
        if (before != message.role && turns++ == turn) return message.id;
        before = message.role;
    }
    return 0;
}

} // namespace app
