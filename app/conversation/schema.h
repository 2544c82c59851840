#pragma once

#include "app/conversation/sqlite_connection.h"

#include <QStringList>

namespace app {

/// The numbered SQL files of resources/schema, in order: the n-th leads from schema version n-1 to
/// n.
QStringList schemaScripts();

/// The statements of a script. A statement ends with a semicolon at the end of a line; `--` begins
/// a comment.
QStringList splitStatements(const QString& script);

/// Brings the database to version scripts.size(), each script in one transaction, and returns the
/// version it had before. Before an existing database is changed, a copy of it is written beside
/// it, PATH.before-vN. Errors: sqlite::kNewerSchema where the database is of a later version;
/// nothing is changed then.
SqliteResult<int> migrate(SqliteConnection& connection, const QString& path,
                          const QStringList& scripts);

} // namespace app
