#include "app/conversation/store_worker.h"

#include "app/conversation/database_recovery.h"
#include "app/conversation/store_error.h"
#include "engine/base/result.h"

#include <QDateTime>
#include <QDir>

#include <utility>

namespace app {

namespace {

constexpr int kTrashDays = 30;
constexpr int kMostHits = 200;

} // namespace

StoreWorker::StoreWorker(QString folder, std::chrono::milliseconds retryPause)
    : m_folder(std::move(folder))
    , m_retry(this)
{
    m_retry.setSingleShot(true);
    m_retry.setInterval(retryPause);
    connect(&m_retry, &QTimer::timeout, this, &StoreWorker::tryAgain);
}

void StoreWorker::open()
{
    if (m_database) return;
    if (auto done = tryOpen(); !done) return report(done.error());
    drain();
}

SqliteResult<void> StoreWorker::tryOpen()
{
    if (!QDir().mkpath(m_folder))
        return std::unexpected(
            SqliteError{sqlite::kCannotOpen, QStringLiteral("the folder cannot be made")});
    TRY_ASSIGN(OpenedDatabase opening,
               openOrRecover(QDir(m_folder).filePath(QStringLiteral("conversations.db"))));
    ConversationDatabase& database = *opening.database;
    TRY(database.purgeDeleted(QDateTime::currentDateTimeUtc().addDays(-kTrashDays)));
    StoreContents contents;
    contents.notice = opening.notice;
    TRY_ASSIGN(contents.conversations, database.conversations());
    TRY_ASSIGN(contents.newChatDraft, database.draft(0));
    TRY_ASSIGN(const qint64 greatestId, database.greatestId());
    m_database = std::move(opening.database);
    Q_EMIT opened(contents, greatestId);
    return {};
}

std::optional<UserError> StoreWorker::settle()
{
    if (m_pending.empty()) return {};
    tryAgain();
    if (m_pending.empty()) return {};
    return storeError(m_trouble.value_or(SqliteError{}), m_folder);
}

void StoreWorker::close()
{
    settle();
    m_retry.stop();
    m_database.reset();
}

void StoreWorker::write(StoreWrite write)
{
    m_pending.push_back(std::move(write));
    // While something stands in the way the timer tries, not every write.
    if (!m_retry.isActive()) drain();
}

void StoreWorker::drain()
{
    while (m_database && !m_pending.empty()) {
        const StoreWrite& next = m_pending.front();
        if (const SqliteResult<void> done = next.apply(*m_database); done) {
            if (next.messageId != 0) Q_EMIT messageSaved(next.messageId);
        } else if (isDamage(done.error()) || mayPass(done.error())) {
            // A damaged file is set aside when it is opened again.
            if (isDamage(done.error())) m_database.reset();
            return report(done.error());
        } else {
            Q_EMIT saveFailed(next.messageId, storeError(done.error(), m_folder));
        }
        m_pending.pop_front();
    }
    if (m_database && m_trouble) {
        m_trouble.reset();
        Q_EMIT recovered();
    }
}

void StoreWorker::tryAgain()
{
    if (m_database) return drain();
    open();
}

void StoreWorker::report(const SqliteError& error)
{
    if (mayPass(error) || isDamage(error)) m_retry.start();
    // The same trouble is told once.
    if (m_trouble && m_trouble->code == error.code) return;
    m_trouble = error;
    Q_EMIT troubled(storeError(error, m_folder));
}

void StoreWorker::load(qint64 conversationId)
{
    const SqliteResult<ConversationContents> contents =
        m_database ? m_database->contents(conversationId)
                   : std::unexpected(m_trouble.value_or(SqliteError{}));
    if (contents) {
        Q_EMIT conversationLoaded(*contents);
    } else {
        Q_EMIT loadFailed(conversationId, storeError(contents.error(), m_folder));
    }
}

void StoreWorker::restore(qint64 conversationId)
{
    write({.apply = [this, conversationId](ConversationDatabase& database) -> SqliteResult<void> {
        TRY(database.setDeleted(conversationId, {}));
        TRY_ASSIGN(const ConversationSummary conversation, database.conversation(conversationId));
        Q_EMIT conversationRestored(conversation);
        return {};
    }});
}

void StoreWorker::search(const QString& text)
{
    // Where the messages cannot be read, none is found; the next write tells the trouble.
    const SqliteResult<QList<SearchHit>> hits =
        m_database ? m_database->search(text, kMostHits) : QList<SearchHit>();
    Q_EMIT searchFinished(text, hits.value_or(QList<SearchHit>()));
}

} // namespace app
