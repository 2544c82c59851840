#pragma once

#include "app/conversation/conversation_database.h"
#include "app/conversation/conversation_store.h"

#include <QObject>
#include <QTimer>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

namespace app {

/// A write on its way to the disk.
struct StoreWrite {
    std::function<SqliteResult<void>(ConversationDatabase&)> apply;
    qint64 messageId = 0; ///< whose `messageSaved` is awaited; 0: nobody's
};

/// The store's side of the disk: lives in its thread, carries writes out in order and keeps those
/// that fail for a reason that may pass.
class StoreWorker : public QObject {
    Q_OBJECT
public:
    StoreWorker(QString folder, std::chrono::milliseconds retryPause);

    void open();
    /// Tries to write what is pending now; nothing: all is on the disk.
    std::optional<UserError> settle();
    /// The last try to write what is pending.
    void close();
    void write(StoreWrite write);
    void load(qint64 conversationId);
    void restore(qint64 conversationId);
    void search(const QString& text);

Q_SIGNALS:
    void opened(const app::StoreContents& contents, qint64 greatestId);
    void troubled(const app::UserError& error);
    void recovered();
    void messageSaved(qint64 messageId);
    void saveFailed(qint64 messageId, const app::UserError& error);
    void conversationLoaded(const app::ConversationContents& contents);
    void loadFailed(qint64 conversationId, const app::UserError& error);
    void conversationRestored(const app::ConversationSummary& conversation);
    void searchFinished(const QString& text, const QList<app::SearchHit>& hits);

private:
    SqliteResult<void> tryOpen();
    void tryAgain();
    void drain();
    void report(const SqliteError& error);

    QString m_folder;
    std::unique_ptr<ConversationDatabase> m_database;
    std::deque<StoreWrite> m_pending;
    std::optional<SqliteError> m_trouble; // as reported
    QTimer m_retry;
};

} // namespace app
