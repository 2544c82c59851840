#include "app/settings/instance_lock.h"

#include <QCoreApplication>
#include <QDir>

namespace app {

InstanceLock::InstanceLock(const QString& folder)
    : m_folder(folder)
    , m_file(QDir(folder).filePath(QStringLiteral("inglenook.lock")))
{
    // Not by age: a chat may be open for days. A lock whose process is gone is stale whatever the
    // time.
    m_file.setStaleLockTime(0);
}

InstanceLock::Outcome InstanceLock::take()
{
    if (!QDir().mkpath(m_folder)) return Outcome::NoFolder;
    if (m_file.tryLock(0)) return Outcome::Taken;
    return m_file.error() == QLockFile::LockFailedError ? Outcome::HeldByAnother
                                                        : Outcome::NoFolder;
}

UserError InstanceLock::error(Outcome outcome) const
{
    UserError error;
    const QString folder = QDir::toNativeSeparators(m_folder);
    if (outcome == Outcome::NoFolder) {
        error.code = engine::ErrorCode::IoError;
        error.sentence = QCoreApplication::translate(
                             "InstanceLock", "The folder %1 cannot be written. Allow writing to "
                                             "it, then start Inglenook again.")
                             .arg(folder);
        return error;
    }
    qint64 process = 0;
    QString host;
    QString program;
    m_file.getLockInfo(&process, &host, &program);
    const bool elsewhere = !host.isEmpty() && host != QSysInfo::machineHostName();
    error.code = engine::ErrorCode::IoError;
    error.sentence =
        elsewhere
            ? QCoreApplication::translate(
                  "InstanceLock", "Inglenook is open with these chats on another computer (%1). "
                                  "Close it there, then start it here.")
                  .arg(host)
            : QCoreApplication::translate(
                  "InstanceLock",
                  "Inglenook is already running. Use its open window, or close it first.");
    error.details = QStringLiteral("%1 is held by process %2 (%3)")
                        .arg(QDir(m_folder).filePath(QStringLiteral("inglenook.lock")))
                        .arg(process)
                        .arg(program);
    return error;
}

} // namespace app
