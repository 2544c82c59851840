#include "app/conversation/database_recovery.h"

#include "app/conversation/message_row.h"
#include "app/conversation/store_error.h"
#include "engine/base/result.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMap>

#include <array>
#include <utility>

namespace app {

namespace {

constexpr std::array kSuffixes{"", "-wal", "-shm"};

/// "conversations.db" becomes "conversations.damaged-20260102-030405.db", its log and index
/// likewise. Empty where the file cannot be renamed.
QString setAside(const QString& path)
{
    const QFileInfo file(path);
    const QString time = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    QString aside;
    for (int number = 1; aside.isEmpty() || QFileInfo::exists(aside); ++number) {
        const QString more = number == 1 ? QString() : QStringLiteral("-%1").arg(number);
        aside = file.dir().filePath(
            QStringLiteral("%1.damaged-%2%3.db").arg(file.completeBaseName(), time, more));
    }
    for (const char* suffix : kSuffixes) {
        const QString from = path + QLatin1StringView(suffix);
        if (QFileInfo::exists(from) && !QFile::rename(from, aside + QLatin1StringView(suffix)))
            return {};
    }
    return aside;
}

/// Rows up to the first that cannot be read, from both ends of the table.
template <typename Row>
QMap<qint64, Row> readableRows(SqliteConnection& damaged, const QString& table,
                               const QString& columns, Row (*fromRow)(const QSqlQuery&))
{
    QMap<qint64, Row> rows;
    for (const char* order : {"ASC", "DESC"}) {
        auto query = damaged.run(QStringLiteral("SELECT %1 FROM %2 ORDER BY id %3")
                                     .arg(columns, table, QLatin1StringView(order)));
        if (!query) continue;
        while (query->next()) {
            const Row row = fromRow(*query);
            if (rows.contains(row.id)) break; // met the rows of the other end
            rows.insert(row.id, row);
        }
        if (SqliteConnection::endOf(*query)) break; // all were read
    }
    return rows;
}

ConversationSummary placeholderFor(const Message& message)
{
    return {.id = message.conversationId,
            .title = QCoreApplication::translate("ConversationStore", "Recovered chat"),
            .updatedAt = message.createdAt,
            .createdAt = message.createdAt};
}

/// The columns of messages as far as the file has them: it may be of an earlier version.
QString columnsThere(SqliteConnection& damaged)
{
    const auto known = damaged.value(QStringLiteral(
        "SELECT count(*) FROM pragma_table_info('message') WHERE name = 'reasoning'"));
    QString columns = messageColumns();
    if (known && known->toInt() == 0)
        columns.replace(QStringLiteral("reasoning"), QStringLiteral("''"));
    return columns;
}

/// Returns how many messages came over.
SqliteResult<int> salvage(const QString& aside, ConversationDatabase& database)
{
    TRY_ASSIGN(const std::unique_ptr<SqliteConnection> damaged,
               SqliteConnection::openReadOnly(aside));
    QMap<qint64, ConversationSummary> conversations = readableRows(
        *damaged, QStringLiteral("conversation"), conversationColumns(), &conversationFromRow);
    const QMap<qint64, Message> messages =
        readableRows(*damaged, QStringLiteral("message"), columnsThere(*damaged), &messageFromRow);
    QList<Message> whole;
    for (Message message : messages) {
        if (!messages.contains(message.parentId)) message.parentId = 0;
        if (message.state == MessageState::Writing) message.state = MessageState::Interrupted;
        if (!conversations.contains(message.conversationId))
            conversations.insert(message.conversationId, placeholderFor(message));
        whole += message;
    }
    TRY(database.insertAll(conversations.values(), whole));
    return static_cast<int>(whole.size());
}

QString noticeOf(const QString& aside, int saved)
{
    const QString name = QFileInfo(aside).fileName();
    if (saved == 0)
        return QCoreApplication::translate("ConversationStore",
                                           "The file with your chats was damaged. It is kept as "
                                           "%1, and a new one was begun.")
            .arg(name);
    return QCoreApplication::translate("ConversationStore",
                                       "The file with your chats was damaged. It is kept as %1; %n "
                                       "message(s) could be read from it and are here.",
                                       nullptr, saved)
        .arg(name);
}

} // namespace

SqliteResult<OpenedDatabase> openOrRecover(const QString& path)
{
    auto opened = ConversationDatabase::open(path);
    if (opened) return OpenedDatabase{.database = std::move(*opened), .notice = {}};
    if (!isDamage(opened.error())) return std::unexpected(std::move(opened).error());

    const QString aside = setAside(path);
    if (aside.isEmpty()) return std::unexpected(std::move(opened).error());
    TRY_ASSIGN(std::unique_ptr<ConversationDatabase> database, ConversationDatabase::open(path));
    // What cannot be copied is still in the file kept aside.
    const int saved = salvage(aside, *database).value_or(0);
    return OpenedDatabase{.database = std::move(database), .notice = noticeOf(aside, saved)};
}

} // namespace app
