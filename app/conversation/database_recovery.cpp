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
#include <QSet>

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

/// A table with columns that a file of an earlier version may lack.
struct SalvagedTable {
    QString name;
    QString columns;
    QString deletedAt; ///< an expression; the row is in the trash where it is not NULL
};

template <typename Row>
struct Salvaged {
    QMap<qint64, Row> rows;
    QSet<qint64> deleted; ///< of them
};

/// Rows up to the first that cannot be read, from both ends of the table.
template <typename Row>
Salvaged<Row> readableRows(SqliteConnection& damaged, const SalvagedTable& table,
                           Row (*fromRow)(const QSqlQuery&))
{
    Salvaged<Row> salvaged;
    const auto columnCount = static_cast<int>(table.columns.count(u',')) + 1;
    for (const char* order : {"ASC", "DESC"}) {
        auto query = damaged.run(
            QStringLiteral("SELECT %1, %2 FROM %3 ORDER BY id %4")
                .arg(table.columns, table.deletedAt, table.name, QLatin1StringView(order)));
        if (!query) continue;
        while (query->next()) {
            const Row row = fromRow(*query);
            if (salvaged.rows.contains(row.id)) break; // met the rows of the other end
            salvaged.rows.insert(row.id, row);
            if (!query->isNull(columnCount)) salvaged.deleted += row.id;
        }
        if (SqliteConnection::endOf(*query)) break; // all were read
    }
    return salvaged;
}

ConversationSummary placeholderFor(const Message& message)
{
    return {.id = message.conversationId,
            .title = QCoreApplication::translate("ConversationStore", "Recovered chat"),
            .updatedAt = message.createdAt,
            .createdAt = message.createdAt};
}

/// Messages as far as the file has their columns.
SalvagedTable messageTable(SqliteConnection& damaged)
{
    const auto lacks = [&damaged](QLatin1StringView column) {
        const auto known = damaged.value(
            QStringLiteral("SELECT count(*) FROM pragma_table_info('message') WHERE name = '%1'")
                .arg(column));
        return known && known->toInt() == 0;
    };
    SalvagedTable table{.name = QStringLiteral("message"),
                        .columns = messageColumns(),
                        .deletedAt = QStringLiteral("deleted_at")};
    const QLatin1StringView reasoning("reasoning");
    if (lacks(reasoning)) table.columns.replace(reasoning, QLatin1StringView("''"));
    if (lacks(QLatin1StringView("deleted_at"))) table.deletedAt = QStringLiteral("NULL");
    return table;
}

/// Returns how many messages came over.
SqliteResult<int> salvage(const QString& aside, ConversationDatabase& database)
{
    TRY_ASSIGN(const std::unique_ptr<SqliteConnection> damaged,
               SqliteConnection::openReadOnly(aside));
    auto [conversations, deletedConversations] =
        readableRows(*damaged,
                     {.name = QStringLiteral("conversation"),
                      .columns = conversationColumns(),
                      .deletedAt = QStringLiteral("deleted_at")},
                     &conversationFromRow);
    auto [messages, deletedMessages] =
        readableRows(*damaged, messageTable(*damaged), &messageFromRow);
    QList<Message> whole;
    for (Message message : std::as_const(messages)) {
        // What was in the trash stays in the file kept aside. What follows a message comes after
        // it.
        if (deletedMessages.contains(message.parentId)) deletedMessages += message.id;
        if (deletedMessages.contains(message.id) ||
            deletedConversations.contains(message.conversationId))
            continue;
        if (!messages.contains(message.parentId)) message.parentId = 0;
        if (message.state == MessageState::Writing) message.state = MessageState::Interrupted;
        if (!conversations.contains(message.conversationId))
            conversations.insert(message.conversationId, placeholderFor(message));
        whole += message;
    }
    for (const qint64 id : std::as_const(deletedConversations))
        conversations.remove(id);
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
    const QString sentence =
        saved == 1
            ? QCoreApplication::translate("ConversationStore",
                                          "The file with your chats was damaged. It is kept as %1; "
                                          "one message could be read from it and is here.")
            : QCoreApplication::translate("ConversationStore",
                                          "The file with your chats was damaged. It is kept as %1; "
                                          "%Ln messages could be read from it and are here.",
                                          nullptr, saved);
    return sentence.arg(name);
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
