#pragma once

#include "app/inference/generation_types.h"

#include <QDateTime>
#include <QList>
#include <QMetaType>
#include <QString>

namespace app {

enum class Role : quint8 { System, User, Assistant };

enum class MessageState : quint8 {
    Complete,
    Writing,     ///< the model is at it
    Stopped,     ///< by the user
    Interrupted, ///< the program ended while it was being written; the text is what was saved
    Failed,      ///< see `error`; the text is what was written before
};

/// How a reply was written; zeros where not known.
struct MessageStats {
    int tokens = 0;
    double tokensPerSecond = 0;
    double secondsToFirstToken = 0;
    double seconds = 0;
    quint64 seed = 0;
    QString stopReason; ///< "eog", "stop-string", "max-tokens", "context", "cancelled"

    bool operator==(const MessageStats&) const = default;
};

/// One turn of a conversation, a plain value. Messages form a tree: several replies to the same
/// parent are branches. Ids grow in the order of writing.
struct Message {
    qint64 id = 0;
    qint64 conversationId = 0;
    qint64 parentId = 0; ///< 0: the first
    Role role = Role::User;
    QString text;
    QString reasoning; ///< of a reply: what the model thought before it
    QString modelName; ///< of a reply
    QDateTime createdAt;
    MessageState state = MessageState::Complete;
    QString error; ///< a sentence for the user
    MessageStats stats;

    bool operator==(const Message&) const = default;
};

/// Whether a reply ended, or could not begin, because the context was full.
inline bool isContextFull(const Message& reply)
{
    return reply.stats.stopReason == QLatin1StringView("context");
}

/// Whether a reply ended before the model had said all, though there was room for more.
inline bool canBeContinued(const Message& reply)
{
    const bool cutOff = reply.state == MessageState::Stopped ||
                        reply.state == MessageState::Interrupted ||
                        reply.stats.stopReason == QLatin1StringView("max-tokens");
    return reply.role == Role::Assistant && cutOff && !isContextFull(reply);
}

/// What a reply has grown by.
struct ReplyGrowth {
    QString text;
    QString reasoning;

    bool isEmpty() const { return text.isEmpty() && reasoning.isEmpty(); }
    void clear() { *this = {}; }
};

inline ReplyGrowth& operator+=(ReplyGrowth& all, const ReplyGrowth& more)
{
    all.text += more.text;
    all.reasoning += more.reasoning;
    return all;
}

inline Message& operator+=(Message& reply, const ReplyGrowth& more)
{
    reply.text += more.text;
    reply.reasoning += more.reasoning;
    return reply;
}

struct ConversationSummary {
    qint64 id = 0;
    QString title;
    QDateTime updatedAt; ///< of the last turn
    bool pinned = false;
    QDateTime createdAt;
    bool renamed = false; ///< the title is the user's own

    bool operator==(const ConversationSummary&) const = default;
};

/// All of one conversation: every branch, in the order of ids, and which one is shown.
struct ConversationContents {
    qint64 id = 0;
    QList<Message> messages;
    qint64 activeMessageId = 0; ///< the last message of the branch shown; 0: no messages
    QString draft;              ///< what was typed and not sent
    ContextChoice context;
};

struct SearchHit {
    qint64 conversationId = 0;
    qint64 messageId = 0; ///< 0: found in the title
    QString excerpt;      ///< the words around the place, one line
};

} // namespace app

Q_DECLARE_METATYPE(app::Message)
Q_DECLARE_METATYPE(app::ReplyGrowth)
Q_DECLARE_METATYPE(app::ConversationSummary)
Q_DECLARE_METATYPE(app::ConversationContents)
Q_DECLARE_METATYPE(app::SearchHit)
