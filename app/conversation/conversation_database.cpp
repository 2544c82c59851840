#include "app/conversation/conversation_database.h"

#include "app/conversation/message_row.h"
#include "app/conversation/schema.h"
#include "engine/base/result.h"

#include <QFileInfo>
#include <QSet>

#include <utility>

namespace app {

namespace {

QString placeholders(qsizetype count)
{
    return QStringList(count, QStringLiteral("?")).join(QStringLiteral(", "));
}

/// What a reply being written has grown by in `column`, text or reasoning.
QString piecesOfMessage(QLatin1StringView column)
{
    return QStringLiteral("(SELECT coalesce(group_concat(%1, ''), '') FROM (SELECT %1 FROM "
                          "reply_piece WHERE message_id = message.id ORDER BY id))")
        .arg(column);
}

constexpr QLatin1StringView kText("text");
constexpr QLatin1StringView kReasoning("reasoning");

SqliteStatement putConversation(const ConversationSummary& conversation)
{
    return {QStringLiteral("INSERT INTO conversation (%1) VALUES (%2) ON CONFLICT (id) DO UPDATE "
                           "SET title = excluded.title, renamed = excluded.renamed, pinned = "
                           "excluded.pinned, updated_at = excluded.updated_at")
                .arg(conversationColumns(), placeholders(6)),
            conversationValues(conversation)};
}

SqliteStatement putMessage(const Message& message)
{
    return {QStringLiteral("INSERT INTO message (%1) VALUES (%2) ON CONFLICT (id) DO UPDATE SET "
                           "text = excluded.text, reasoning = excluded.reasoning, model_name = "
                           "excluded.model_name, state = "
                           "excluded.state, error = excluded.error, tokens = excluded.tokens, "
                           "tokens_per_second = excluded.tokens_per_second, seconds_to_first_token "
                           "= excluded.seconds_to_first_token, seconds = excluded.seconds, seed = "
                           "excluded.seed, stop_reason = excluded.stop_reason")
                .arg(messageColumns(), placeholders(16)),
            messageValues(message)};
}

/// SQLite's quick check reads the whole file: always where that is short, in a large one only after
/// an end that was not clean (its log is still there).
SqliteResult<void> check(SqliteConnection& connection, const QString& path, bool unclean)
{
    constexpr qint64 kLargeBytes = 64 << 20;
    if (!unclean && QFileInfo(path).size() > kLargeBytes) return {};
    TRY_ASSIGN(const QVariant found, connection.value(QStringLiteral("PRAGMA quick_check(1)")));
    if (found.toString() == u"ok") return {};
    return std::unexpected(SqliteError{sqlite::kCorrupt, found.toString()});
}

} // namespace

ConversationDatabase::ConversationDatabase(std::unique_ptr<SqliteConnection> connection)
    : m_connection(std::move(connection))
{
}

SqliteResult<std::unique_ptr<ConversationDatabase>> ConversationDatabase::open(const QString& path)
{
    const bool unclean = QFileInfo(path % QLatin1StringView("-wal")).size() > 0;
    TRY_ASSIGN(std::unique_ptr<SqliteConnection> connection, SqliteConnection::open(path));
    TRY(check(*connection, path, unclean));
    TRY(migrate(*connection, path, schemaScripts()));
    std::unique_ptr<ConversationDatabase> database(new ConversationDatabase(std::move(connection)));
    TRY(database->endInterruptedReplies());
    database->m_search.open(*database->m_connection);
    return database;
}

SqliteResult<void> ConversationDatabase::endInterruptedReplies()
{
    // Their texts come into the search index with the others when it is made anew.
    return m_connection->transact(
        Durability::Synced,
        {{QStringLiteral("UPDATE search_state SET stale = 1 WHERE EXISTS (SELECT 1 FROM message "
                         "WHERE state = 'writing')")},
         {QStringLiteral("UPDATE message SET text = text || %1, reasoning = reasoning || %2, state "
                         "= 'interrupted' WHERE state = 'writing'")
              .arg(piecesOfMessage(kText), piecesOfMessage(kReasoning))},
         {QStringLiteral("DELETE FROM reply_piece")}});
}

SqliteResult<QList<ConversationSummary>> ConversationDatabase::conversations()
{
    TRY_ASSIGN(QSqlQuery query,
               m_connection->run(
                   QStringLiteral("SELECT %1 FROM conversation WHERE deleted_at IS NULL ORDER BY "
                                  "pinned DESC, updated_at DESC, id DESC")
                       .arg(conversationColumns())));
    QList<ConversationSummary> list;
    while (query.next())
        list += conversationFromRow(query);
    TRY(SqliteConnection::endOf(query));
    return list;
}

SqliteResult<ConversationSummary> ConversationDatabase::conversation(qint64 id)
{
    TRY_ASSIGN(
        QSqlQuery query,
        m_connection->run(
            QStringLiteral("SELECT %1 FROM conversation WHERE id = ?").arg(conversationColumns()),
            {id}));
    if (query.next()) return conversationFromRow(query);
    TRY(SqliteConnection::endOf(query));
    return std::unexpected(SqliteError{0, QStringLiteral("there is no conversation %1").arg(id)});
}

SqliteResult<qint64> ConversationDatabase::greatestId()
{
    TRY_ASSIGN(const QVariant id,
               m_connection->value(QStringLiteral(
                   "SELECT max(coalesce((SELECT max(id) FROM conversation), 0), coalesce((SELECT "
                   "max(id) FROM message), 0))")));
    return id.toLongLong();
}

SqliteResult<ConversationContents> ConversationDatabase::contents(qint64 conversationId)
{
    ConversationContents contents;
    contents.id = conversationId;
    TRY_ASSIGN(QSqlQuery query,
               m_connection->run(
                   QStringLiteral("SELECT %1, CASE state WHEN 'writing' THEN %2 ELSE '' END, CASE "
                                  "state WHEN 'writing' THEN %3 ELSE '' END, deleted_at IS NOT "
                                  "NULL FROM message WHERE conversation_id = ? ORDER BY id")
                       .arg(messageColumns(), piecesOfMessage(kText), piecesOfMessage(kReasoning)),
                   {conversationId}));
    QSet<qint64> deleted;
    while (query.next()) {
        Message message = messageFromRow(query);
        // What follows a deleted message comes after it.
        if (query.value(18).toBool() || deleted.contains(message.parentId)) {
            deleted += message.id;
            continue;
        }
        message.text += query.value(16).toString();
        message.reasoning += query.value(17).toString();
        contents.messages += std::move(message);
    }
    TRY(SqliteConnection::endOf(query));
    TRY_ASSIGN(const QVariant active,
               m_connection->value(
                   QStringLiteral("SELECT active_message_id FROM conversation WHERE id = ?"),
                   {conversationId}));
    contents.activeMessageId = active.toLongLong();
    TRY_ASSIGN(contents.draft, draft(conversationId));
    TRY_ASSIGN(contents.context, context(conversationId));
    return contents;
}

SqliteResult<QString> ConversationDatabase::draft(qint64 conversationId)
{
    TRY_ASSIGN(
        const QVariant text,
        m_connection->value(QStringLiteral("SELECT text FROM draft WHERE conversation_id = ?"),
                            {conversationId}));
    return text.toString();
}

SqliteResult<QList<SearchHit>> ConversationDatabase::search(const QString& text, int most)
{
    return m_search.find(*m_connection, text, most);
}

SqliteResult<void> ConversationDatabase::addMessage(const ConversationSummary& conversation,
                                                    const Message& message)
{
    const bool writing = message.state == MessageState::Writing;
    // A reply that begins holds nothing to lose; the user's words do.
    TRY(m_connection->transact(
        writing ? Durability::Ordered : Durability::Synced,
        {putConversation(conversation),
         putMessage(message),
         {QStringLiteral("UPDATE conversation SET active_message_id = ? WHERE id = ?"),
          {message.id, message.conversationId}}}));
    if (!writing) m_search.add(*m_connection, message.id, message.text);
    return {};
}

SqliteResult<void> ConversationDatabase::growReply(qint64 messageId, const ReplyGrowth& growth,
                                                   int tokens)
{
    return m_connection->transact(
        Durability::Ordered,
        {{QStringLiteral("INSERT INTO reply_piece (message_id, text, reasoning) SELECT id, "
                         "coalesce(?, ''), coalesce(?, '') FROM message WHERE id = ? AND state = "
                         "'writing'"),
          {growth.text, growth.reasoning, messageId}},
         {QStringLiteral("UPDATE message SET tokens = ? WHERE id = ? AND state = 'writing'"),
          {tokens, messageId}}});
}

SqliteResult<void> ConversationDatabase::finishReply(const ConversationSummary& conversation,
                                                     const Message& message)
{
    TRY(m_connection->transact(
        Durability::Synced,
        {putConversation(conversation),
         putMessage(message),
         {QStringLiteral("DELETE FROM reply_piece WHERE message_id = ?"), {message.id}}}));
    m_search.add(*m_connection, message.id, message.text);
    return {};
}

SqliteResult<void> ConversationDatabase::setActiveMessage(qint64 conversationId, qint64 messageId)
{
    return m_connection->transact(
        Durability::Ordered,
        {{QStringLiteral("UPDATE conversation SET active_message_id = ? WHERE id = ?"),
          {messageId, conversationId}}});
}

SqliteResult<void> ConversationDatabase::updateConversation(const ConversationSummary& conversation)
{
    return m_connection->transact(Durability::Synced, {putConversation(conversation)});
}

SqliteResult<void> ConversationDatabase::setDeleted(qint64 conversationId, const QDateTime& when)
{
    const QVariant time = when.isNull() ? QVariant() : QVariant(when.toMSecsSinceEpoch());
    return m_connection->transact(
        Durability::Synced, {{QStringLiteral("UPDATE conversation SET deleted_at = ? WHERE id = ?"),
                              {time, conversationId}}});
}

SqliteResult<void> ConversationDatabase::setMessageDeleted(const Message& message,
                                                           const QDateTime& when,
                                                           qint64 activeMessageId)
{
    const QVariant time = when.isNull() ? QVariant() : QVariant(when.toMSecsSinceEpoch());
    return m_connection->transact(
        Durability::Synced,
        {{QStringLiteral("UPDATE message SET deleted_at = ? WHERE id = ?"), {time, message.id}},
         {QStringLiteral("UPDATE conversation SET active_message_id = ? WHERE id = ?"),
          {activeMessageId, message.conversationId}}});
}

SqliteResult<void> ConversationDatabase::saveDraft(qint64 conversationId, const QString& text)
{
    const SqliteStatement remove{QStringLiteral("DELETE FROM draft WHERE conversation_id = ?"),
                                 {conversationId}};
    const SqliteStatement put{
        QStringLiteral("INSERT OR REPLACE INTO draft (conversation_id, text) VALUES (?, ?)"),
        {conversationId, text}};
    return m_connection->transact(Durability::Ordered, {text.isEmpty() ? remove : put});
}

SqliteResult<ContextChoice> ConversationDatabase::context(qint64 conversationId)
{
    TRY_ASSIGN(QSqlQuery query,
               m_connection->run(QStringLiteral("SELECT %1 FROM context_choice WHERE "
                                                "conversation_id = ?")
                                     .arg(contextColumns()),
                                 {conversationId}));
    ContextChoice found = query.next() ? contextFromRow(query) : ContextChoice();
    TRY(SqliteConnection::endOf(query));
    return found;
}

SqliteResult<void> ConversationDatabase::saveContext(qint64 conversationId,
                                                     const ContextChoice& context)
{
    return m_connection->transact(
        Durability::Ordered,
        {{QStringLiteral("INSERT OR REPLACE INTO context_choice (%1) VALUES (?, ?, ?, ?)")
              .arg(contextColumns()),
          contextValues(conversationId, context)}});
}

SqliteResult<QList<qint64>> ConversationDatabase::ids(const QString& sql,
                                                      const QVariantList& values)
{
    TRY_ASSIGN(QSqlQuery query, m_connection->run(sql, values));
    QList<qint64> ids;
    while (query.next())
        ids += query.value(0).toLongLong();
    TRY(SqliteConnection::endOf(query));
    return ids;
}

SqliteResult<void> ConversationDatabase::purgeDeleted(const QDateTime& time)
{
    const qint64 before = time.toMSecsSinceEpoch();
    TRY_ASSIGN(const QList<qint64> conversations,
               ids(QStringLiteral("SELECT id FROM conversation WHERE deleted_at < ?"), {before}));
    for (const qint64 id : conversations) {
        QList<SqliteStatement> statements = m_search.removeConversation(id);
        statements += {QStringLiteral("DELETE FROM draft WHERE conversation_id = ?"), {id}};
        statements +=
            {QStringLiteral("DELETE FROM context_choice WHERE conversation_id = ?"), {id}};
        statements += {QStringLiteral("DELETE FROM conversation WHERE id = ?"), {id}};
        TRY(m_connection->transact(Durability::Ordered, statements));
    }
    TRY_ASSIGN(const QList<qint64> messages,
               ids(QStringLiteral("SELECT id FROM message WHERE deleted_at < ?"), {before}));
    for (const qint64 id : messages) {
        QList<SqliteStatement> statements = m_search.removeBranch(id);
        statements += {QStringLiteral("DELETE FROM message WHERE id = ?"), {id}};
        TRY(m_connection->transact(Durability::Ordered, statements));
    }
    return {};
}

SqliteResult<void> ConversationDatabase::insertAll(const QList<ConversationSummary>& conversations,
                                                   const QList<Message>& messages)
{
    QList<SqliteStatement> statements;
    for (const ConversationSummary& conversation : conversations)
        statements += putConversation(conversation);
    for (const Message& message : messages)
        statements += putMessage(message);
    statements += {QStringLiteral("UPDATE conversation SET active_message_id = (SELECT "
                                  "coalesce(max(id), 0) FROM message WHERE conversation_id = "
                                  "conversation.id) WHERE active_message_id = 0")};
    statements += {QStringLiteral("UPDATE search_state SET stale = 1")};
    TRY(m_connection->transact(Durability::Synced, statements));
    m_search.open(*m_connection);
    return {};
}

} // namespace app
