#pragma once

#include "app/conversation/message.h"
#include "app/conversation/message_search.h"
#include "app/conversation/sqlite_connection.h"

#include <QList>
#include <QString>

#include <memory>

namespace app {

/// The rows of conversations: reads and writes, each done when it returns. In the thread that
/// opened it.
class ConversationDatabase {
public:
    /// Opens or makes the file, brings it to the present schema and ends replies that were being
    /// written when the program ended: they become Interrupted with what was saved.
    static SqliteResult<std::unique_ptr<ConversationDatabase>> open(const QString& path);

    /// Those not in the trash, pinned first, then the newest.
    SqliteResult<QList<ConversationSummary>> conversations();
    SqliteResult<ConversationSummary> conversation(qint64 id);
    /// Of conversations and messages; 0 where there are none.
    SqliteResult<qint64> greatestId();
    SqliteResult<ConversationContents> contents(qint64 conversationId);
    SqliteResult<QString> draft(qint64 conversationId);
    SqliteResult<ContextChoice> context(qint64 conversationId);
    SqliteResult<QList<SearchHit>> search(const QString& text, int most);

    // A write that failed has changed nothing and may be repeated.
    SqliteResult<void> addMessage(const ConversationSummary& conversation, const Message& message);
    /// `tokens`: of all of the reply, as far as it is.
    SqliteResult<void> growReply(qint64 messageId, const ReplyGrowth& growth, int tokens);
    SqliteResult<void> finishReply(const ConversationSummary& conversation, const Message& message);
    SqliteResult<void> setActiveMessage(qint64 conversationId, qint64 messageId);
    SqliteResult<void> updateConversation(const ConversationSummary& conversation);
    SqliteResult<void> setDeleted(qint64 conversationId, const QDateTime& when); ///< null: restore
    /// A message goes with all that follows it; null: both come back. `activeMessageId` ends the
    /// branch shown then.
    SqliteResult<void> setMessageDeleted(const Message& message, const QDateTime& when,
                                         qint64 activeMessageId);
    SqliteResult<void> saveDraft(qint64 conversationId, const QString& text);
    SqliteResult<void> saveContext(qint64 conversationId, const ContextChoice& context);
    /// Removes for good what has been in the trash since before `time`: chats, and messages with
    /// what follows them.
    SqliteResult<void> purgeDeleted(const QDateTime& time);

    /// For recovery and import: new rows, parents before their children; the newest message of each
    /// conversation ends the branch shown.
    SqliteResult<void> insertAll(const QList<ConversationSummary>& conversations,
                                 const QList<Message>& messages);

private:
    explicit ConversationDatabase(std::unique_ptr<SqliteConnection> connection);

    SqliteResult<void> endInterruptedReplies();
    SqliteResult<QList<qint64>> ids(const QString& sql, const QVariantList& values);

    std::unique_ptr<SqliteConnection> m_connection;
    MessageSearch m_search;
};

} // namespace app
