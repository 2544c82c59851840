#pragma once

#include "app/conversation/message.h"
#include "app/inference/generation_types.h"

#include <QObject>
#include <QString>

#include <chrono>
#include <memory>
#include <optional>

namespace app {

/// What opening the store found.
struct StoreContents {
    QList<ConversationSummary> conversations; ///< pinned first, then the newest
    QString newChatDraft;
    QString notice; ///< empty, or a sentence: what was damaged and where it is kept
};

/// Conversations on disk: the GUI thread's face of a SQLite database that lives on a thread of its
/// own. Calls return at once and are carried out in order; answers come as signals. A write that
/// fails for a reason that may pass (disk full, folder not writable, file locked) is kept and tried
/// again after a pause, so that nothing is lost while the program runs: `troubled` says why,
/// `recovered` that all is written.
class ConversationStore : public QObject {
    Q_OBJECT
public:
    static constexpr std::chrono::milliseconds kRetryPause{2000};

    /// The database is FOLDER/conversations.db.
    explicit ConversationStore(const QString& folder,
                               std::chrono::milliseconds retryPause = kRetryPause,
                               QObject* parent = nullptr);
    ~ConversationStore() override; ///< carries out what was asked, then joins the thread

    /// Opens or makes the database; `opened` when that has worked, `troubled` until then.
    void open();
    bool isOpen() const;
    /// Something is not on the disk that should be.
    bool isTroubled() const;
    /// Tries once more to write what is not on the disk, and waits for it: for a program that is
    /// about to end. Nothing: all was written; else why it is not.
    std::optional<UserError> settle();
    /// The messages that are not on the disk as they were last given.
    QList<qint64> unsavedMessages() const;

    /// A new id, for a conversation or a message; greater than all before.
    qint64 newId();

    /// Writes a new message, makes it the end of the branch shown, and creates or updates its
    /// conversation's row, all in one transaction. Answered by `messageSaved` once committed (and,
    /// for the user's words, synced to the disk) or `saveFailed`.
    void addMessage(const ConversationSummary& conversation, const Message& message);
    /// Journals what a reply being written has grown by, and how many tokens it has by now.
    void growReply(qint64 messageId, const ReplyGrowth& growth, int tokens);
    /// Writes a reply's final text, state and figures. Answered by `messageSaved`.
    void finishReply(const ConversationSummary& conversation, const Message& message);
    void setActiveMessage(qint64 conversationId, qint64 messageId);

    /// Title, pin and times.
    void updateConversation(const ConversationSummary& conversation);
    /// Into the trash, where it stays thirty days.
    void deleteConversation(qint64 conversationId);
    void restoreConversation(qint64 conversationId);
    /// Into the trash with all that follows it, what is written there later included; for thirty
    /// days. `activeMessageId` ends the branch shown then.
    void deleteMessage(const Message& message, qint64 activeMessageId);
    void restoreMessage(const Message& message, qint64 activeMessageId);
    /// `conversationId` 0: the chat that has not begun.
    void saveDraft(qint64 conversationId, const QString& text);
    void saveContext(qint64 conversationId, const ContextChoice& context);

    /// Answered by `conversationLoaded` or `loadFailed`.
    void loadConversation(qint64 conversationId);
    /// Looks for all words of `text`, the last as a beginning, in messages. Answered by
    /// `searchFinished`; at most 200 hits, of shown branches first, then the newest.
    void search(const QString& text);

Q_SIGNALS:
    void opened(const app::StoreContents& contents);
    void troubled(const app::UserError& error);
    void recovered();

    void messageSaved(qint64 messageId);
    /// For a reason that does not pass; not tried again. `messageId` 0: it was no message.
    void saveFailed(qint64 messageId, const app::UserError& error);
    void conversationLoaded(const app::ConversationContents& contents);
    void loadFailed(qint64 conversationId, const app::UserError& error);
    void conversationRestored(const app::ConversationSummary& conversation);
    void searchFinished(const QString& text, const QList<app::SearchHit>& hits);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace app

Q_DECLARE_METATYPE(app::StoreContents)
