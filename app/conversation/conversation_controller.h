#pragma once

#include "app/conversation/conversation_store.h"
#include "app/conversation/message.h"
#include "app/inference/inference_service.h"
#include "app/inference/token_history.h"

#include <QList>
#include <QObject>
#include <QString>

#include <memory>

namespace app {

/// A message typed while it could not be sent yet.
struct QueuedMessage {
    qint64 conversationId = 0; ///< 0: the chat that has not begun
    QString text;
};

/// Where a message stands among the branches beside it.
struct BranchPosition {
    int index = 0; ///< from 0
    int count = 1;
};

/// What the window talks to for a turn: holds the conversation shown, carries a message from the
/// composer to the disk, to the model and back, and keeps the list of conversations. Lives in the
/// GUI thread; a reply goes on when another conversation is opened.
class ConversationController : public QObject {
    Q_OBJECT
public:
    ConversationController(InferenceService& inference, ConversationStore& store,
                           QObject* parent = nullptr);
    ~ConversationController() override;

    /// Pinned first, then the newest.
    const QList<ConversationSummary>& conversations() const;
    /// 0: a chat that has not begun.
    qint64 currentConversation() const;
    /// The branch shown, from the first message on.
    QList<Message> messages() const;
    /// Of a message of the branch shown.
    BranchPosition branchPosition(qint64 messageId) const;
    /// The conversation a reply is being written in; 0: none.
    qint64 writingConversation() const;
    const QList<QueuedMessage>& queue() const;
    /// The last tokens with their candidates.
    const TokenHistory& tokens() const;

    void newConversation();
    /// Answered by `currentConversationChanged` (or `errorOccurred`).
    void openConversation(qint64 conversationId);
    void renameConversation(qint64 conversationId, const QString& title);
    void setPinned(qint64 conversationId, bool pinned);
    void deleteConversation(qint64 conversationId);
    void restoreConversation(qint64 conversationId);
    /// Titles are searched in memory, messages on disk. Answered by `searchFinished`.
    void search(const QString& text);

    /// Appends the user's message, has it saved, then has it answered. Queued while a reply is
    /// being written or no model is ready.
    void send(const QString& text);
    /// Ends the reply being written; its text stays.
    void stop();
    /// Writes another reply beside this one (or, for a user's message, a reply to it).
    void regenerate(qint64 messageId);
    /// Sends other words beside the user's message `messageId`: a new branch.
    void sendEdited(qint64 messageId, const QString& text);
    /// Shows the branch `offset` places beside the one of `messageId`.
    void stepBranch(qint64 messageId, int offset);
    /// Takes the queued messages of the current conversation back; returns their text.
    QString takeQueued();

    /// What stands in the composer of the current conversation; saved after a short pause.
    void setDraft(const QString& text);
    QString draft() const;

Q_SIGNALS:
    /// The store is open: the list is there.
    void ready();
    void conversationsChanged(const QList<app::ConversationSummary>& conversations);
    void currentConversationChanged(qint64 conversationId);
    /// The branch shown is another; read `messages()`.
    void messagesReset();
    void messageAdded(const app::Message& message);
    /// Text the reply grew by, at most thirty times a second.
    void messageAppended(qint64 messageId, const QString& piece);
    void messageFinished(const app::Message& message);
    void writingConversationChanged(qint64 conversationId);
    void queueChanged(const QList<app::QueuedMessage>& queue);

    void prefillProgressed(qint64 messageId, int done, int total);
    /// One for every decoded token, uncoalesced.
    void tokenDecoded(qint64 messageId, const engine::TokenEvent& event);
    void contextUsageChanged(int used, int total);

    void searchFinished(const QString& text, const QList<app::SearchHit>& hits);
    /// A sentence to show once.
    void errorOccurred(const app::UserError& error);
    /// Chats cannot be saved at present; stands until `storageRecovered`.
    void storageTroubled(const app::UserError& error);
    void storageRecovered();
    void noticeRaised(const QString& sentence);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace app
