#include "app/conversation/message_search.h"

#include "app/conversation/folded_text.h"
#include "engine/base/result.h"

#include <QChar>

#include <algorithm>
#include <ranges>
#include <tuple>

namespace app {

namespace {

constexpr qsizetype kExcerptBefore = 32;
constexpr qsizetype kExcerptLength = 120;
constexpr qsizetype kMostWords = 16; // of a query

bool partsNoWords(QChar::Script script)
{
    switch (script) {
    case QChar::Script_Han:
    case QChar::Script_Hiragana:
    case QChar::Script_Katakana:
    case QChar::Script_Thai:
    case QChar::Script_Lao:
    case QChar::Script_Khmer:
    case QChar::Script_Myanmar:
        return true;
    default:
        return false;
    }
}

bool needsReading(const QString& text)
{
    return std::ranges::any_of(text, [](QChar c) { return partsNoWords(c.script()); });
}

QStringList wordsOf(const QString& text)
{
    return text.simplified().split(u' ', Qt::SkipEmptyParts).mid(0, kMostWords);
}

// Each word in quotes, so that nothing typed is FTS5's query language.
QString matchExpression(const QStringList& words)
{
    QStringList quoted;
    for (QString word : words)
        quoted += u'"' % word.replace(u'"', QStringLiteral("\"\"")) % u'"';
    return quoted.join(u' ') % u'*';
}

QString likePattern(QString word)
{
    word.replace(u'\\', QStringLiteral("\\\\"))
        .replace(u'%', QStringLiteral("\\%"))
        .replace(u'_', QStringLiteral("\\_"));
    return u'%' % word % u'%';
}

SqliteResult<QList<SearchHit>> hitsOf(QSqlQuery& query, const QString& text)
{
    QList<SearchHit> hits;
    while (query.next())
        hits += SearchHit{query.value(0).toLongLong(), query.value(1).toLongLong(),
                          searchExcerpt(query.value(2).toString(), text)};
    TRY(SqliteConnection::endOf(query));
    return hits;
}

} // namespace

void MessageSearch::open(SqliteConnection& connection)
{
    m_hasIndex = prepare(connection).has_value() && m_hasIndex;
}

SqliteResult<void> MessageSearch::prepare(SqliteConnection& connection)
{
    TRY_ASSIGN(const QVariant module,
               connection.value(
                   QStringLiteral("SELECT name FROM pragma_module_list WHERE name = 'fts5'")));
    m_hasIndex = module.isValid();
    if (!m_hasIndex) return {};
    TRY_ASSIGN(const QVariant table,
               connection.value(
                   QStringLiteral("SELECT name FROM sqlite_schema WHERE name = 'message_search'")));
    TRY_ASSIGN(const QVariant stale,
               connection.value(QStringLiteral("SELECT stale FROM search_state")));
    if (table.isValid() && !stale.toBool()) return {};
    return rebuild(connection);
}

SqliteResult<void> MessageSearch::rebuild(SqliteConnection& connection)
{
    return connection.transact(
        Durability::Ordered,
        {{QStringLiteral("DROP TABLE IF EXISTS message_search")},
         {QStringLiteral("CREATE VIRTUAL TABLE message_search USING fts5(text, content='', "
                         "contentless_delete=1, tokenize='unicode61 remove_diacritics 2')")},
         {QStringLiteral("INSERT INTO message_search (rowid, text) SELECT id, text FROM message "
                         "WHERE state <> 'writing'")},
         {QStringLiteral("UPDATE search_state SET stale = 0")}});
}

void MessageSearch::add(SqliteConnection& connection, qint64 messageId, const QString& text)
{
    const SqliteStatement insert{
        QStringLiteral("INSERT OR REPLACE INTO message_search (rowid, text) VALUES (?, ?)"),
        {messageId, text}};
    if (!m_hasIndex || !connection.transact(Durability::Ordered, {insert})) markStale(connection);
}

void MessageSearch::markStale(SqliteConnection& connection)
{
    // Where this fails too, the database itself is in trouble and the next write of a message says
    // so.
    std::ignore = connection.transact(Durability::Ordered,
                                      {{QStringLiteral("UPDATE search_state SET stale = 1")}});
}

QList<SqliteStatement> MessageSearch::removeConversation(qint64 conversationId) const
{
    if (!m_hasIndex) return {};
    return {{QStringLiteral("DELETE FROM message_search WHERE rowid IN (SELECT id FROM message "
                            "WHERE conversation_id = ?)"),
             {conversationId}}};
}

QList<SqliteStatement> MessageSearch::removeBranch(qint64 messageId) const
{
    if (!m_hasIndex) return {};
    return {{QStringLiteral("DELETE FROM message_search WHERE rowid IN (WITH RECURSIVE branch(id) "
                            "AS (SELECT ? UNION SELECT message.id FROM message JOIN branch ON "
                            "message.parent_id = branch.id) SELECT id FROM branch)"),
             {messageId}}};
}

SqliteResult<QList<SearchHit>> MessageSearch::find(SqliteConnection& connection,
                                                   const QString& text, int most)
{
    const bool indexed = m_hasIndex && !needsReading(text);
    SqliteResult<QList<SearchHit>> hits = select(connection, text, most, indexed);
    if (hits || !indexed) return hits;
    // A damaged index is left alone until it is made anew.
    m_hasIndex = false;
    markStale(connection);
    return select(connection, text, most, false);
}

SqliteResult<QList<SearchHit>> MessageSearch::select(SqliteConnection& connection,
                                                     const QString& text, int most, bool indexed)
{
    const QStringList words = wordsOf(text);
    if (words.isEmpty()) return QList<SearchHit>();
    QString condition;
    QVariantList values;
    if (indexed) {
        condition = QStringLiteral(
            "message.id IN (SELECT rowid FROM message_search WHERE message_search MATCH ?)");
        values = {matchExpression(words)};
    } else {
        QStringList conditions;
        for (const QString& word : words) {
            conditions += QStringLiteral("message.text LIKE ? ESCAPE '\\'");
            values += likePattern(word);
        }
        condition = conditions.join(QStringLiteral(" AND "));
    }
    TRY_ASSIGN(QSqlQuery query,
               connection.run(
                   QStringLiteral(
                       "WITH RECURSIVE deleted(id) AS (SELECT id FROM message WHERE "
                       "deleted_at IS NOT NULL UNION SELECT message.id FROM message "
                       "JOIN deleted ON message.parent_id = deleted.id), shown(id) AS "
                       "(SELECT active_message_id FROM conversation UNION SELECT "
                       "message.parent_id FROM message JOIN shown ON message.id = "
                       "shown.id) SELECT message.conversation_id, message.id, message.text FROM "
                       "message JOIN conversation ON conversation.id = "
                       "message.conversation_id WHERE conversation.deleted_at IS NULL "
                       "AND message.id NOT IN (SELECT id FROM deleted) AND %1 ORDER BY "
                       "message.id IN (SELECT id FROM shown) DESC, message.id DESC "
                       "LIMIT %2")
                       .arg(condition)
                       .arg(most),
                   values));
    return hitsOf(query, text);
}

QString searchExcerpt(const QString& text, const QString& query)
{
    qsizetype at = -1;
    const FoldedText folded(text);
    for (const QString& word : wordsOf(query)) {
        const qsizetype found = folded.indexOf(FoldedText(word));
        if (found >= 0 && (at < 0 || found < at)) at = found;
    }
    qsizetype begin = std::max<qsizetype>(0, at - kExcerptBefore);
    // Begin with a whole word.
    if (begin > 0) {
        const qsizetype space = text.indexOf(u' ', begin);
        if (space >= 0 && space < at) begin = space + 1;
    }
    const QString line = text.sliced(begin, std::min(kExcerptLength, text.size() - begin));
    const bool cut = begin + line.size() < text.size();
    return (begin > 0 ? QStringLiteral("…") : QString()) % line.simplified() %
           (cut ? QStringLiteral("…") : QString());
}

} // namespace app
