#pragma once

#include "app/conversation/conversation_database.h"

#include <QString>

#include <memory>

namespace app {

struct OpenedDatabase {
    std::unique_ptr<ConversationDatabase> database;
    QString notice; ///< empty, or what was damaged, where it is kept and what was saved from it
};

/// Opens the file, and where it is damaged (SQLite says so, or its quick check does) keeps it aside
/// under another name, begins a new one and copies over what can still be read.
SqliteResult<OpenedDatabase> openOrRecover(const QString& path);

} // namespace app
