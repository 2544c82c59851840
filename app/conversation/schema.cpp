#include "app/conversation/schema.h"

#include "engine/base/result.h"

#include <QFile>

// In a static library resources register themselves only when asked to; the macro wants the global
// namespace.
static void registerSchemaResources() // NOLINT(misc-use-anonymous-namespace): the macro
{
    Q_INIT_RESOURCE(schema);
}

namespace app {

namespace {

SqliteResult<void> backUp(SqliteConnection& connection, const QString& path, qsizetype version)
{
    const QString copy = QStringLiteral("%1.before-v%2").arg(path).arg(version);
    // One of an attempt that failed is of the same version; it is made anew, whole.
    QFile::remove(copy);
    TRY(connection.run(QStringLiteral("VACUUM INTO ?"), {copy}));
    return {};
}

SqliteResult<void> apply(SqliteConnection& connection, const QString& script, qsizetype version)
{
    QList<SqliteStatement> statements;
    for (const QString& statement : splitStatements(script))
        statements += {statement};
    statements += {QStringLiteral("PRAGMA user_version = %1").arg(version)};
    return connection.transact(Durability::Synced, statements);
}

} // namespace

QStringList schemaScripts()
{
    registerSchemaResources();
    QStringList scripts;
    for (int number = 1;; ++number) {
        QFile file(QStringLiteral(":/schema/%1.sql").arg(number, 3, 10, QLatin1Char('0')));
        if (!file.open(QIODevice::ReadOnly)) return scripts;
        scripts += QString::fromUtf8(file.readAll());
    }
}

QStringList splitStatements(const QString& script)
{
    QStringList statements;
    QString statement;
    for (const QStringView line : QStringView(script).split(u'\n')) {
        const qsizetype comment = line.indexOf(u"--");
        const QStringView code = (comment < 0 ? line : line.first(comment)).trimmed();
        if (code.isEmpty()) continue;
        if (!statement.isEmpty()) statement += u'\n';
        statement += code;
        if (!code.endsWith(u';')) continue;
        statements += statement.chopped(1);
        statement.clear();
    }
    if (!statement.isEmpty()) statements += statement;
    return statements;
}

SqliteResult<int> migrate(SqliteConnection& connection, const QString& path,
                          const QStringList& scripts)
{
    TRY_ASSIGN(const QVariant found, connection.value(QStringLiteral("PRAGMA user_version")));
    const int version = found.toInt();
    if (version < 0 || version > scripts.size())
        return std::unexpected(SqliteError{
            sqlite::kNewerSchema,
            QStringLiteral("schema version %1, known up to %2").arg(version).arg(scripts.size())});
    if (version > 0 && version < scripts.size()) TRY(backUp(connection, path, scripts.size()));
    for (qsizetype next = version + 1; next <= scripts.size(); ++next)
        TRY(apply(connection, scripts.at(next - 1), next));
    return version;
}

} // namespace app
