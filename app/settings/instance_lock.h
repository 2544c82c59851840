#pragma once

#include "app/inference/generation_types.h"

#include <QLockFile>
#include <QString>

#include <memory>
#include <optional>

namespace app {

/// Holds a data folder for one running program. The lock of a program that crashed or was killed
/// does not block: its process is gone.
class InstanceLock {
public:
    /// FOLDER is made where it is missing.
    explicit InstanceLock(const QString& folder);

    enum class Outcome : quint8 {
        Taken,
        HeldByAnother, ///< another running program has the folder
        NoFolder,      ///< the folder cannot be made or written; nothing is locked
    };
    Outcome take();
    /// The sentence for an outcome other than Taken.
    UserError error(Outcome outcome) const;

private:
    QString m_folder;
    QLockFile m_file;
};

} // namespace app
