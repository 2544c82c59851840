#include "app/settings/paths.h"

#include <QCoreApplication>
#include <QDir>
#include <QStandardPaths>

namespace app {

Paths Paths::standard()
{
    const QString starter = QDir::cleanPath(QCoreApplication::applicationDirPath() %
                                            QLatin1Char('/') % QStringLiteral(INGLENOOK_STARTER));
    const QString home = qEnvironmentVariable("INGLENOOK_HOME");
    if (!home.isEmpty()) {
        const QDir folder(home);
        return {folder.filePath(QStringLiteral("data")), folder.filePath(QStringLiteral("config")),
                folder.filePath(QStringLiteral("cache")), starter};
    }
    return {QStandardPaths::writableLocation(QStandardPaths::AppDataLocation),
            QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation),
            QStandardPaths::writableLocation(QStandardPaths::CacheLocation), starter};
}

} // namespace app
