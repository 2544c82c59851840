#pragma once

#include <QList>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QString>
#include <QVariant>

#include <expected>
#include <memory>

namespace app {

/// What SQLite said: its primary result code (SQLITE_FULL is 13, ...) and its words.
struct SqliteError {
    int code = 0;
    QString message;
};

/// SQLite's primary result codes that are acted on.
namespace sqlite {
inline constexpr int kPermission = 3;
inline constexpr int kBusy = 5;
inline constexpr int kLocked = 6;
inline constexpr int kNoMemory = 7;
inline constexpr int kReadOnly = 8;
inline constexpr int kIoError = 10;
inline constexpr int kCorrupt = 11;
inline constexpr int kFull = 13;
inline constexpr int kCannotOpen = 14;
inline constexpr int kConstraint = 19;
inline constexpr int kNotADatabase = 26;
// Ours, beyond SQLite's.
inline constexpr int kNoDriver = 1000;
inline constexpr int kNewerSchema = 1001;
inline constexpr int kIsFolder = 1002;
} // namespace sqlite

template <typename T>
using SqliteResult = std::expected<T, SqliteError>;

/// How surely a commit is on the disk when it returns.
enum class Durability : quint8 {
    Synced,  ///< survives a power cut
    Ordered, ///< survives the end of the program; a power cut may take the last ones
};

/// `values` are bound to the question marks in order.
struct SqliteStatement {
    QString text;
    QVariantList values = {};
};

/// One connection to a SQLite file in WAL mode, foreign keys on. Used and destroyed in the thread
/// that opened it.
class SqliteConnection {
public:
    static SqliteResult<std::unique_ptr<SqliteConnection>> open(const QString& path);
    /// Changes nothing in the file, whatever is asked.
    static SqliteResult<std::unique_ptr<SqliteConnection>> openReadOnly(const QString& path);
    ~SqliteConnection();
    SqliteConnection(const SqliteConnection&) = delete;
    SqliteConnection& operator=(const SqliteConnection&) = delete;

    SqliteResult<QSqlQuery> run(const QString& statement, const QVariantList& values = {});
    /// The error that ended a loop over the rows of `query`, where one did.
    static SqliteResult<void> endOf(const QSqlQuery& query);
    /// The first column of the first row; an invalid variant where there is no row.
    SqliteResult<QVariant> value(const QString& statement, const QVariantList& values = {});

    /// Runs the statements in one transaction: all of them or, on failure, none.
    SqliteResult<void> transact(Durability durability, const QList<SqliteStatement>& statements);

private:
    explicit SqliteConnection(QString name);
    SqliteResult<void> openFile(const QString& path, const QString& options);
    SqliteResult<void> setDurability(Durability durability);

    QString m_name;
    QSqlDatabase m_database;
    Durability m_durability = Durability::Synced;
};

} // namespace app
