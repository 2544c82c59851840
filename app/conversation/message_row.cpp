#include "app/conversation/message_row.h"

#include <QCoreApplication>
#include <QTimeZone>

#include <algorithm>
#include <array>
#include <bit>

namespace app {

namespace {

template <typename Value>
struct Word {
    Value value;
    QLatin1StringView word;
};

constexpr std::array kRoles{
    Word<Role>{Role::System, QLatin1StringView("system")},
    Word<Role>{Role::User, QLatin1StringView("user")},
    Word<Role>{Role::Assistant, QLatin1StringView("assistant")},
};

constexpr std::array kStates{
    Word<MessageState>{MessageState::Complete, QLatin1StringView("complete")},
    Word<MessageState>{MessageState::Writing, QLatin1StringView("writing")},
    Word<MessageState>{MessageState::Stopped, QLatin1StringView("stopped")},
    Word<MessageState>{MessageState::Interrupted, QLatin1StringView("interrupted")},
    Word<MessageState>{MessageState::Failed, QLatin1StringView("failed")},
};

constexpr std::array kPolicies{
    Word<ContextPolicy>{ContextPolicy::Ask, QLatin1StringView("ask")},
    Word<ContextPolicy>{ContextPolicy::DropOldest, QLatin1StringView("drop-oldest")},
    Word<ContextPolicy>{ContextPolicy::ShortenOldest, QLatin1StringView("shorten-oldest")},
};

template <typename Words, typename Value>
QString wordOf(const Words& words, Value value)
{
    return std::ranges::find(words, value, &Word<Value>::value)->word;
}

template <typename Words, typename Value>
bool readWord(const Words& words, const QString& text, Value& value)
{
    const auto* found = std::ranges::find(words, text, &Word<Value>::word);
    if (found == words.end()) return false;
    value = found->value;
    return true;
}

QDateTime timeOf(const QVariant& value)
{
    return QDateTime::fromMSecsSinceEpoch(value.toLongLong(), QTimeZone::UTC);
}

// A null text would be bound as NULL.
QString notNull(const QString& text)
{
    return text.isNull() ? QStringLiteral("") : text;
}

} // namespace

QString messageColumns()
{
    return QStringLiteral(
        "id, conversation_id, parent_id, role, text, model_name, created_at, state, error, tokens, "
        "tokens_per_second, seconds_to_first_token, seconds, seed, stop_reason, reasoning");
}

QVariantList messageValues(const Message& message)
{
    const MessageStats& stats = message.stats;
    return {message.id,
            message.conversationId,
            message.parentId == 0 ? QVariant() : QVariant(message.parentId),
            wordOf(kRoles, message.role),
            notNull(message.text),
            notNull(message.modelName),
            message.createdAt.toMSecsSinceEpoch(),
            wordOf(kStates, message.state),
            notNull(message.error),
            stats.tokens,
            stats.tokensPerSecond,
            stats.secondsToFirstToken,
            stats.seconds,
            std::bit_cast<qint64>(stats.seed),
            notNull(stats.stopReason),
            notNull(message.reasoning)};
}

Message messageFromRow(const QSqlQuery& query)
{
    Message message;
    message.id = query.value(0).toLongLong();
    message.conversationId = query.value(1).toLongLong();
    message.parentId = query.value(2).toLongLong();
    message.text = query.value(4).toString();
    message.modelName = query.value(5).toString();
    message.createdAt = timeOf(query.value(6));
    message.error = query.value(8).toString();
    MessageStats& stats = message.stats;
    stats.tokens = query.value(9).toInt();
    stats.tokensPerSecond = query.value(10).toDouble();
    stats.secondsToFirstToken = query.value(11).toDouble();
    stats.seconds = query.value(12).toDouble();
    stats.seed = std::bit_cast<quint64>(query.value(13).toLongLong());
    stats.stopReason = query.value(14).toString();
    message.reasoning = query.value(15).toString();
    const bool known = readWord(kRoles, query.value(3).toString(), message.role) &&
                       readWord(kStates, query.value(7).toString(), message.state);
    if (!known) {
        message.state = MessageState::Failed;
        message.error = QCoreApplication::translate(
            "ConversationStore", "This message is damaged. What could be read of it is shown.");
    }
    return message;
}

QString contextColumns()
{
    return QStringLiteral("conversation_id, policy, omitted_turns, summary");
}

QVariantList contextValues(qint64 conversationId, const ContextChoice& context)
{
    return {conversationId, wordOf(kPolicies, context.policy), context.start.omittedTurns,
            notNull(context.start.summary)};
}

ContextChoice contextFromRow(const QSqlQuery& query)
{
    ContextChoice context;
    readWord(kPolicies, query.value(1).toString(), context.policy);
    context.start = {.omittedTurns = query.value(2).toInt(), .summary = query.value(3).toString()};
    return context;
}

QString conversationColumns()
{
    return QStringLiteral("id, title, renamed, pinned, created_at, updated_at");
}

QVariantList conversationValues(const ConversationSummary& conversation)
{
    return {conversation.id,
            notNull(conversation.title),
            conversation.renamed,
            conversation.pinned,
            conversation.createdAt.toMSecsSinceEpoch(),
            conversation.updatedAt.toMSecsSinceEpoch()};
}

ConversationSummary conversationFromRow(const QSqlQuery& query)
{
    ConversationSummary conversation;
    conversation.id = query.value(0).toLongLong();
    conversation.title = query.value(1).toString();
    conversation.renamed = query.value(2).toBool();
    conversation.pinned = query.value(3).toBool();
    conversation.createdAt = timeOf(query.value(4));
    conversation.updatedAt = timeOf(query.value(5));
    return conversation;
}

} // namespace app
