#pragma once

#include "app/conversation/sqlite_connection.h"
#include "app/inference/generation_types.h"

#include <QString>

namespace app {

/// Whether the reason may pass while the program runs (no space, no permission, a lock): then the
/// work is kept and tried again.
bool mayPass(const SqliteError& error);

/// Whether the file is damaged or is no database at all.
bool isDamage(const SqliteError& error);

/// Why chats in `folder` cannot be read or saved, as a sentence with a next step.
UserError storeError(const SqliteError& error, const QString& folder);

} // namespace app
