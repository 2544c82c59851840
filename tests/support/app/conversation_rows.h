#pragma once

#include "app/conversation/conversation_database.h"

#include <QTemporaryDir>

#include <memory>

namespace test {

QString text(const char* utf8);
QDateTime timeAt(qint64 second);

app::ConversationSummary conversation(qint64 id, const QString& title = QStringLiteral("A chat"));
/// A user's where it has no parent, otherwise an assistant's.
app::Message message(qint64 id, qint64 conversationId, qint64 parentId, const QString& words);
/// One that is being written.
app::Message reply(qint64 id, qint64 conversationId, qint64 parentId);

/// A folder of its own with a database in it.
class DatabaseFolder : public QTemporaryDir {
public:
    QString databasePath() const { return filePath(QStringLiteral("conversations.db")); }
    /// Null where it cannot be opened.
    std::unique_ptr<app::ConversationDatabase> open() const;
};

} // namespace test
