#include "app/conversation/sqlite_connection.h"

#include "engine/base/result.h"

#include <QFileInfo>
#include <QSqlError>
#include <QUuid>

#include <tuple>
#include <utility>

namespace app {

namespace {

SqliteError errorOf(const QSqlError& error)
{
    // The low byte of an extended code is the primary one.
    return {error.nativeErrorCode().toInt() & 0xff, error.text()};
}

} // namespace

SqliteConnection::SqliteConnection(QString name)
    : m_name(std::move(name))
    , m_database(QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_name))
{
}

SqliteConnection::~SqliteConnection()
{
    m_database.close();
    m_database = {};
    QSqlDatabase::removeDatabase(m_name);
}

SqliteResult<std::unique_ptr<SqliteConnection>> SqliteConnection::open(const QString& path)
{
    std::unique_ptr<SqliteConnection> connection(
        new SqliteConnection(QUuid::createUuid().toString(QUuid::WithoutBraces)));
    TRY(connection->openFile(path, QStringLiteral("QSQLITE_BUSY_TIMEOUT=1000")));
    for (const QString& pragma : {
             QStringLiteral("PRAGMA journal_mode = WAL"),
             QStringLiteral("PRAGMA synchronous = FULL"),
             QStringLiteral("PRAGMA foreign_keys = ON"),
             QStringLiteral("PRAGMA trusted_schema = OFF"),
             QStringLiteral("PRAGMA cell_size_check = ON"),
             QStringLiteral("PRAGMA mmap_size = 0"),
         })
        TRY(connection->run(pragma));
    return connection;
}

SqliteResult<std::unique_ptr<SqliteConnection>> SqliteConnection::openReadOnly(const QString& path)
{
    std::unique_ptr<SqliteConnection> connection(
        new SqliteConnection(QUuid::createUuid().toString(QUuid::WithoutBraces)));
    TRY(connection->openFile(path, QStringLiteral("QSQLITE_OPEN_READONLY")));
    TRY(connection->run(QStringLiteral("PRAGMA trusted_schema = OFF")));
    return connection;
}

SqliteResult<void> SqliteConnection::openFile(const QString& path, const QString& options)
{
    if (!m_database.isValid())
        return std::unexpected(
            SqliteError{sqlite::kNoDriver, QStringLiteral("Qt has no QSQLITE driver")});
    // SQLite says of a folder what it says of a file it may not open.
    if (QFileInfo(path).isDir())
        return std::unexpected(
            SqliteError{sqlite::kIsFolder, path % QStringLiteral(" is a folder")});
    m_database.setDatabaseName(path);
    m_database.setConnectOptions(options);
    if (!m_database.open()) return std::unexpected(errorOf(m_database.lastError()));
    return {};
}

SqliteResult<QSqlQuery> SqliteConnection::run(const QString& statement, const QVariantList& values)
{
    QSqlQuery query(m_database);
    query.setForwardOnly(true);
    if (!query.prepare(statement)) return std::unexpected(errorOf(query.lastError()));
    for (const QVariant& value : values)
        query.addBindValue(value);
    if (!query.exec()) return std::unexpected(errorOf(query.lastError()));
    return query;
}

SqliteResult<QVariant> SqliteConnection::value(const QString& statement, const QVariantList& values)
{
    TRY_ASSIGN(QSqlQuery query, run(statement, values));
    if (query.next()) return query.value(0);
    TRY(endOf(query));
    return QVariant();
}

SqliteResult<void> SqliteConnection::endOf(const QSqlQuery& query)
{
    if (!query.lastError().isValid()) return {};
    return std::unexpected(errorOf(query.lastError()));
}

SqliteResult<void> SqliteConnection::setDurability(Durability durability)
{
    if (durability == m_durability) return {};
    TRY(run(durability == Durability::Synced ? QStringLiteral("PRAGMA synchronous = FULL")
                                             : QStringLiteral("PRAGMA synchronous = NORMAL")));
    m_durability = durability;
    return {};
}

SqliteResult<void> SqliteConnection::transact(Durability durability,
                                              const QList<SqliteStatement>& statements)
{
    TRY(setDurability(durability));
    TRY(run(QStringLiteral("BEGIN IMMEDIATE")));
    SqliteResult<void> done;
    for (const SqliteStatement& statement : statements) {
        if (auto ran = run(statement.text, statement.values); !ran) {
            done = std::unexpected(std::move(ran).error());
            break;
        }
    }
    if (done) {
        if (auto committed = run(QStringLiteral("COMMIT")); !committed)
            done = std::unexpected(std::move(committed).error());
    }
    // Fails only where SQLite has rolled back by itself.
    if (!done) std::ignore = run(QStringLiteral("ROLLBACK"));
    return done;
}

} // namespace app
