#include "app/conversation/conversation_store.h"

#include "app/conversation/store_worker.h"

#include <QDateTime>
#include <QDeadlineTimer>
#include <QHash>
#include <QSemaphore>
#include <QThread>

#include <algorithm>
#include <utility>

namespace app {

namespace {

/// Longer than SQLite waits for another program.
constexpr std::chrono::milliseconds kSettleWait{6000};

} // namespace

struct ConversationStore::Private {
    QThread thread;
    StoreWorker* worker = nullptr; // lives in `thread`, deleted as it ends
    bool open = false;
    bool troubled = false;
    QHash<qint64, int> unsaved; // writes of a message that were not answered yet
    // Until the store is open, ids begin where no saved one can be: at the time.
    qint64 lastId = 0;

    template <typename Call>
    void post(Call call)
    {
        QMetaObject::invokeMethod(
            worker, [worker = worker, call = std::move(call)]() mutable { call(*worker); },
            Qt::QueuedConnection);
    }

    void forget(qint64 messageId)
    {
        const auto found = unsaved.find(messageId);
        if (found != unsaved.end() && --*found == 0) unsaved.erase(found);
    }

    template <typename Apply>
    void write(Apply apply, qint64 messageId = 0)
    {
        if (messageId != 0) ++unsaved[messageId];
        post([apply = std::move(apply), messageId](StoreWorker& to) {
            to.write({.apply = apply, .messageId = messageId});
        });
    }
};

ConversationStore::ConversationStore(const QString& folder, std::chrono::milliseconds retryPause,
                                     QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>())
{
    d->worker = new StoreWorker(folder, retryPause);
    d->worker->moveToThread(&d->thread);
    connect(&d->thread, &QThread::finished, d->worker, &QObject::deleteLater);
    connect(d->worker, &StoreWorker::opened, this,
            [this](const StoreContents& contents, qint64 greatestId) {
                d->open = true;
                d->lastId = std::max(d->lastId, greatestId);
                Q_EMIT opened(contents);
            });
    connect(d->worker, &StoreWorker::troubled, this, [this](const UserError& error) {
        d->troubled = true;
        Q_EMIT troubled(error);
    });
    connect(d->worker, &StoreWorker::recovered, this, [this] {
        d->troubled = false;
        Q_EMIT recovered();
    });
    connect(d->worker, &StoreWorker::messageSaved, this, [this](qint64 messageId) {
        d->forget(messageId);
        Q_EMIT messageSaved(messageId);
    });
    connect(d->worker, &StoreWorker::saveFailed, this,
            [this](qint64 messageId, const UserError& error) {
                d->forget(messageId);
                Q_EMIT saveFailed(messageId, error);
            });
    connect(d->worker, &StoreWorker::conversationLoaded, this,
            &ConversationStore::conversationLoaded);
    connect(d->worker, &StoreWorker::loadFailed, this, &ConversationStore::loadFailed);
    connect(d->worker, &StoreWorker::conversationRestored, this,
            &ConversationStore::conversationRestored);
    connect(d->worker, &StoreWorker::searchFinished, this, &ConversationStore::searchFinished);
    d->thread.setObjectName(QStringLiteral("conversations"));
    d->thread.start();
}

ConversationStore::~ConversationStore()
{
    d->post([](StoreWorker& worker) {
        worker.close();
        worker.thread()->quit();
    });
    d->thread.wait();
}

void ConversationStore::open()
{
    d->post([](StoreWorker& worker) { worker.open(); });
}

bool ConversationStore::isOpen() const
{
    return d->open;
}

bool ConversationStore::isTroubled() const
{
    return d->troubled;
}

std::optional<UserError> ConversationStore::settle()
{
    struct Answer {
        QSemaphore there;
        std::optional<UserError> trouble;
    };
    // Outlives the wait: a disk that hangs answers later, or never.
    const auto answer = std::make_shared<Answer>();
    d->post([answer](StoreWorker& worker) {
        answer->trouble = worker.settle();
        answer->there.release();
    });
    if (answer->there.tryAcquire(1, QDeadlineTimer(kSettleWait))) return answer->trouble;
    UserError late;
    late.code = engine::ErrorCode::IoError;
    late.sentence = tr("Chats are not saved yet: the disk does not answer. Wait a little; until "
                       "then they are kept while Inglenook is open.");
    return late;
}

QList<qint64> ConversationStore::unsavedMessages() const
{
    QList<qint64> ids = d->unsaved.keys();
    std::ranges::sort(ids); // ids grow
    return ids;
}

qint64 ConversationStore::newId()
{
    constexpr int kIdsPerMillisecond = 1024;
    if (!d->open && d->lastId == 0)
        d->lastId = QDateTime::currentMSecsSinceEpoch() * kIdsPerMillisecond;
    return ++d->lastId;
}

void ConversationStore::addMessage(const ConversationSummary& conversation, const Message& message)
{
    d->write(
        [conversation, message](ConversationDatabase& database) {
            return database.addMessage(conversation, message);
        },
        message.id);
}

void ConversationStore::growReply(qint64 messageId, const ReplyGrowth& growth, int tokens)
{
    d->write([messageId, growth, tokens](ConversationDatabase& database) {
        return database.growReply(messageId, growth, tokens);
    });
}

void ConversationStore::finishReply(const ConversationSummary& conversation, const Message& message)
{
    d->write(
        [conversation, message](ConversationDatabase& database) {
            return database.finishReply(conversation, message);
        },
        message.id);
}

void ConversationStore::setActiveMessage(qint64 conversationId, qint64 messageId)
{
    d->write([conversationId, messageId](ConversationDatabase& database) {
        return database.setActiveMessage(conversationId, messageId);
    });
}

void ConversationStore::updateConversation(const ConversationSummary& conversation)
{
    d->write([conversation](ConversationDatabase& database) {
        return database.updateConversation(conversation);
    });
}

void ConversationStore::deleteConversation(qint64 conversationId)
{
    d->write(
        [conversationId, now = QDateTime::currentDateTimeUtc()](ConversationDatabase& database) {
            return database.setDeleted(conversationId, now);
        });
}

void ConversationStore::restoreConversation(qint64 conversationId)
{
    d->post([conversationId](StoreWorker& worker) { worker.restore(conversationId); });
}

void ConversationStore::deleteMessage(const Message& message, qint64 activeMessageId)
{
    d->write([message, activeMessageId,
              now = QDateTime::currentDateTimeUtc()](ConversationDatabase& database) {
        return database.setMessageDeleted(message, now, activeMessageId);
    });
}

void ConversationStore::restoreMessage(const Message& message, qint64 activeMessageId)
{
    d->write([message, activeMessageId](ConversationDatabase& database) {
        return database.setMessageDeleted(message, {}, activeMessageId);
    });
}

void ConversationStore::saveDraft(qint64 conversationId, const QString& text)
{
    d->write([conversationId, text](ConversationDatabase& database) {
        return database.saveDraft(conversationId, text);
    });
}

void ConversationStore::saveContext(qint64 conversationId, const ContextChoice& context)
{
    d->write([conversationId, context](ConversationDatabase& database) {
        return database.saveContext(conversationId, context);
    });
}

void ConversationStore::loadConversation(qint64 conversationId)
{
    d->post([conversationId](StoreWorker& worker) { worker.load(conversationId); });
}

void ConversationStore::search(const QString& text)
{
    d->post([text](StoreWorker& worker) { worker.search(text); });
}

} // namespace app
