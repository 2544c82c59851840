#pragma once

#include "app/conversation/conversation_store.h"
#include "app/conversation/message.h"
#include "app/inference/inference_service.h"
#include "app/inference/token_history.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

namespace app {

/// How the writing of a reply ended, whatever the reply is by now.
enum class ReplyEnd : quint8 {
    Usual,       ///< all was said, or the user stopped it
    ContextFull, ///< there was no room for the prompt, or for the rest of it
    Failed,
};

/// Writes one reply at a time: asks inference, gathers the tokens into the message, shows its
/// growth at most thirty times a second, journals it twice a second and saves its end.
class ReplyWriter : public QObject {
    Q_OBJECT
public:
    ReplyWriter(InferenceService& inference, ConversationStore& store, QObject* parent = nullptr);

    bool isActive() const { return m_requestId != 0; }
    /// The reply being written, as far as it is. REQUIRES: isActive().
    const Message& reply() const { return m_reply; }
    const TokenHistory& tokens() const { return m_tokens; }

    /// REQUIRES: !isActive(). `reply` is saved as a message of `conversation` and written to its
    /// end; then `finished`. One that has text already is written on: then the turns of `request`
    /// end with it; thoughts that led to no answer are thought anew. One that had ended and gets no
    /// token more, whatever the reason, is as it was. The stop strings are set here.
    void begin(const ConversationSummary& conversation, const Message& reply,
               GenerationRequest request);
    void stop();
    /// For the replies that begin from now on.
    void setStopStrings(const QStringList& texts) { m_stopStrings = texts; }
    /// Saves what is there so far; so it does twice a second while it writes.
    void journal();
    /// Saves what is there; nothing more comes.
    void abandon();
    /// The conversation's row, to be saved with the reply.
    void setConversation(const ConversationSummary& conversation);

Q_SIGNALS:
    void appended(qint64 messageId, const app::ReplyGrowth& growth);
    void tokenDecoded(qint64 messageId, const engine::TokenEvent& event);
    void prefillProgressed(qint64 messageId, int done, int total);
    void contextUsed(qint64 conversationId, int used, int total);
    /// What of the conversation the reply was not given.
    void contextStarted(qint64 conversationId, const app::ContextStart& start);
    /// After `finished`: the context had no room for the prompt, or for the rest of the reply.
    /// Zeros: it was stopped before it was written on, and is as it was.
    void contextFilled(const app::Message& reply, int used, int total);
    void finished(const app::Message& reply, app::ReplyEnd end);
    /// Before `finished` where the reply failed: the error with its details.
    void failed(qint64 messageId, const app::UserError& error);

private:
    void addToken(const engine::TokenEvent& event);
    void grow(const ReplyGrowth& growth);
    void show();
    int tokensSoFar() const { return m_begunWith.stats.tokens + m_written; }
    void finish(const GenerationSummary& summary);
    void fail(const UserError& error);
    bool isUntouched() const
    {
        return m_begunWith.state != MessageState::Writing && m_written == 0;
    }
    void end(MessageState state, ReplyEnd how = ReplyEnd::Usual);
    void endFull(int used, int total);

    InferenceService& m_inference;
    ConversationStore& m_store;
    ConversationSummary m_conversation;
    Message m_reply;
    Message m_begunWith; // the reply as it was before it was written on
    int m_written = 0;   // tokens since then
    QStringList m_stopStrings;
    quint64 m_requestId = 0; // 0: none
    ReplyGrowth m_unshown;
    ReplyGrowth m_unsaved;
    TokenHistory m_tokens;
    QTimer m_showTimer;
    QTimer m_journalTimer;
};

/// The turns of a branch as a model wants them: users and assistants by turns, replies without text
/// left out.
QList<ChatTurn> chatTurns(const QList<Message>& branch);
/// The message that turn `turn` of those begins with, system turns not counted; 0: there is none.
qint64 messageOfTurn(const QList<Message>& branch, int turn);

} // namespace app
