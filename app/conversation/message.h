#pragma once

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
};

/// One turn of a conversation, a plain value. Messages form a tree: several replies to the same
/// parent are branches.
struct Message {
    qint64 id = 0;
    qint64 conversationId = 0;
    qint64 parentId = 0; ///< 0: the first
    Role role = Role::User;
    QString text;
    QString modelName; ///< of a reply
    QDateTime createdAt;
    MessageState state = MessageState::Complete;
    QString error; ///< a sentence for the user
    MessageStats stats;
};

struct ConversationSummary {
    qint64 id = 0;
    QString title;
    QDateTime updatedAt;
    bool pinned = false;
};

} // namespace app

Q_DECLARE_METATYPE(app::Message)
Q_DECLARE_METATYPE(app::ConversationSummary)
