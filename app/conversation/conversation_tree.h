#pragma once

#include "app/conversation/message.h"

#include <QHash>
#include <QList>

namespace app {

/// Where a message stands among the branches beside it.
struct BranchPosition {
    int index = 0; ///< from 0
    int count = 1;
};

/// The messages of one conversation with all their branches, and the branch shown. A message whose
/// parent is not there, or does not come before it, counts as a first one.
class ConversationTree {
public:
    ConversationTree() = default;
    explicit ConversationTree(const ConversationContents& contents);

    qint64 conversationId() const { return m_conversationId; }
    bool isEmpty() const { return m_messages.isEmpty(); }
    bool contains(qint64 messageId) const { return m_messages.contains(messageId); }
    /// REQUIRES: contains(messageId).
    const Message& message(qint64 messageId) const { return *m_messages.constFind(messageId); }

    /// Adds a message and shows its branch.
    void add(const Message& message);
    /// Replaces one by its id.
    void update(const Message& message);

    /// Takes a message and all that follows it out, and shows the branch beside it or, where there
    /// is none, ends with the message before it. Returns what was taken, ids growing.
    QList<Message> take(qint64 messageId);
    /// Puts back what take() returned, and shows the branch to `activeMessage` again.
    void putBack(const QList<Message>& messages, qint64 activeMessage);

    /// The end of the branch shown; 0: no messages.
    qint64 activeMessage() const { return m_active; }
    /// From the first message to the active one.
    QList<Message> activeBranch() const { return branchTo(m_active); }
    /// From the first message to `messageId`.
    QList<Message> branchTo(qint64 messageId) const;
    BranchPosition position(qint64 messageId) const;
    /// Shows the branch `offset` places beside that of `messageId`, to its newest end. False where
    /// there is none.
    bool stepBranch(qint64 messageId, int offset);
    /// Shows the branch `offset` places before or after the one shown, of all there are: in the
    /// order of reading, those of an earlier message around those of a later one. False where there
    /// is none. A step back undoes one forth.
    bool stepEnd(int offset);
    /// Shows the branch that `messageId` is in, to its newest end. False where it is shown already,
    /// or is not there.
    bool showMessage(qint64 messageId);

    /// To be kept and shown again.
    ConversationContents contents() const;

private:
    qint64 parentOf(const Message& message) const;
    qint64 newestEnd(qint64 messageId) const;
    /// The last message of every branch, in that order.
    QList<qint64> ends() const;

    qint64 m_conversationId = 0;
    qint64 m_active = 0;
    QHash<qint64, Message> m_messages;
    QHash<qint64, QList<qint64>> m_children; // by parent (0: the first ones), ids growing
};

} // namespace app
