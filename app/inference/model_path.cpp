#include "app/inference/model_path.h"

#include <QDir>
#include <QFileInfo>

namespace app {

QString modelPathOf(const QString& picked)
{
    const QFileInfo file(picked);
    if (file.isDir()) {
        const bool isModel = QFileInfo::exists(picked + QStringLiteral("/config.json"));
        return isModel ? QDir(picked).absolutePath() : QString();
    }
    const QString name = file.fileName();
    if (name.endsWith(QLatin1StringView(".gguf"), Qt::CaseInsensitive)) return picked;
    const bool isPart = name == QLatin1StringView("config.json") ||
                        name.endsWith(QLatin1StringView(".safetensors")) ||
                        name.endsWith(QLatin1StringView(".safetensors.index.json"));
    return isPart ? file.absolutePath() : QString();
}

QString modelNameOf(const QString& path)
{
    const QFileInfo file(path);
    if (file.isDir()) return QDir(path).dirName();
    const bool isGguf = file.suffix().compare(QLatin1StringView("gguf"), Qt::CaseInsensitive) == 0;
    return isGguf ? file.completeBaseName() : file.fileName();
}

} // namespace app
