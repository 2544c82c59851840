#pragma once

#include "app/conversation/message.h"
#include "app/conversation/sqlite_connection.h"

#include <QList>
#include <QString>

namespace app {

/// Finds messages by their words: through an FTS5 index where SQLite has that, otherwise (and for
/// scripts that do not part words) by reading the messages. The index is kept apart from the
/// messages: a failure there never costs a message, it is made anew at the next opening.
class MessageSearch {
public:
    /// Makes the index, or makes it anew where it lacks messages. Where that fails, messages are
    /// read instead.
    void open(SqliteConnection& connection);
    bool hasIndex() const { return m_hasIndex; }

    /// Puts a message's final text into the index, in a transaction of its own.
    void add(SqliteConnection& connection, qint64 messageId, const QString& text);
    /// To be run in the transaction that removes the conversation, before its messages go.
    QList<SqliteStatement> removeConversation(qint64 conversationId) const;
    /// Of a message and all that follows it.
    QList<SqliteStatement> removeBranch(qint64 messageId) const;

    /// All words of `text`, the last as a beginning; at most `most` hits, of shown branches first,
    /// newest first.
    SqliteResult<QList<SearchHit>> find(SqliteConnection& connection, const QString& text,
                                        int most);

private:
    SqliteResult<void> prepare(SqliteConnection& connection);
    static SqliteResult<QList<SearchHit>> select(SqliteConnection& connection, const QString& text,
                                                 int most, bool indexed);
    SqliteResult<void> rebuild(SqliteConnection& connection);
    void markStale(SqliteConnection& connection);

    bool m_hasIndex = false;
};

/// The words around the first place where one of the words of `query` is found, on one line.
QString searchExcerpt(const QString& text, const QString& query);

} // namespace app
