#include "tests/support/app/conversation_rows.h"

#include <QTimeZone>

namespace test {

using app::ConversationSummary;
using app::Message;
using app::MessageState;
using app::Role;

QString text(const char* utf8)
{
    return QString::fromUtf8(utf8);
}

QDateTime timeAt(qint64 second)
{
    return QDateTime::fromSecsSinceEpoch(second, QTimeZone::UTC);
}

ConversationSummary conversation(qint64 id, const QString& title)
{
    return {.id = id,
            .title = title,
            .updatedAt = timeAt(1'800'000'000 + id),
            .createdAt = timeAt(1'800'000'000)};
}

Message message(qint64 id, qint64 conversationId, qint64 parentId, const QString& words)
{
    Message result;
    result.id = id;
    result.conversationId = conversationId;
    result.parentId = parentId;
    result.role = parentId == 0 ? Role::User : Role::Assistant;
    result.text = words;
    result.createdAt = timeAt(1'800'000'000 + id);
    return result;
}

Message reply(qint64 id, qint64 conversationId, qint64 parentId)
{
    Message result = message(id, conversationId, parentId, {});
    result.state = MessageState::Writing;
    return result;
}

std::unique_ptr<app::ConversationDatabase> DatabaseFolder::open() const
{
    auto database = app::ConversationDatabase::open(databasePath());
    return database ? std::move(*database) : nullptr;
}

} // namespace test
