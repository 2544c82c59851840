#include "app/settings/paths.h"

#include <QDir>
#include <QStandardPaths>

namespace app {

Paths Paths::standard()
{
    const QString home = qEnvironmentVariable("INGLENOOK_HOME");
    if (!home.isEmpty()) {
        const QDir folder(home);
        return {folder.filePath(QStringLiteral("data")), folder.filePath(QStringLiteral("config")),
                folder.filePath(QStringLiteral("cache"))};
    }
    return {QStandardPaths::writableLocation(QStandardPaths::AppDataLocation),
            QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation),
            QStandardPaths::writableLocation(QStandardPaths::CacheLocation)};
}

} // namespace app
