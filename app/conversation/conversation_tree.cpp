#include "app/conversation/conversation_tree.h"

#include <algorithm>
#include <utility>

namespace app {

ConversationTree::ConversationTree(const ConversationContents& contents)
    : m_conversationId(contents.id)
{
    for (const Message& message : contents.messages)
        add(message);
    if (m_messages.contains(contents.activeMessageId)) m_active = contents.activeMessageId;
}

qint64 ConversationTree::parentOf(const Message& message) const
{
    const bool known = message.parentId < message.id && m_messages.contains(message.parentId);
    return known ? message.parentId : 0;
}

void ConversationTree::add(const Message& message)
{
    m_conversationId = message.conversationId;
    if (!m_messages.contains(message.id)) {
        QList<qint64>& beside = m_children[parentOf(message)];
        beside.insert(std::ranges::lower_bound(beside, message.id), message.id);
    }
    m_messages.insert(message.id, message);
    m_active = message.id;
}

void ConversationTree::update(const Message& message)
{
    if (m_messages.contains(message.id)) m_messages.insert(message.id, message);
}

QList<Message> ConversationTree::take(qint64 messageId)
{
    if (!m_messages.contains(messageId)) return {};
    const qint64 parent = parentOf(message(messageId));
    const BranchPosition at = position(messageId);
    QList<qint64> branch{messageId};
    for (qsizetype i = 0; i < branch.size(); ++i)
        branch += m_children.take(branch.at(i));
    m_children[parent].removeOne(messageId);
    QList<Message> taken;
    for (const qint64 id : std::as_const(branch))
        taken += m_messages.take(id);
    std::ranges::sort(taken, {}, &Message::id);
    if (m_messages.contains(m_active)) return taken;
    const QList<qint64> beside = m_children.value(parent);
    m_active = beside.isEmpty() ? parent : newestEnd(beside.at(std::max(0, at.index - 1)));
    return taken;
}

void ConversationTree::putBack(const QList<Message>& messages, qint64 activeMessage)
{
    for (const Message& message : messages)
        add(message);
    if (m_messages.contains(activeMessage)) m_active = activeMessage;
}

QList<Message> ConversationTree::branchTo(qint64 messageId) const
{
    QList<Message> branch;
    while (m_messages.contains(messageId)) {
        branch += m_messages.value(messageId);
        messageId = parentOf(branch.constLast());
    }
    std::ranges::reverse(branch);
    return branch;
}

BranchPosition ConversationTree::position(qint64 messageId) const
{
    if (!m_messages.contains(messageId)) return {};
    const QList<qint64> beside = m_children.value(parentOf(message(messageId)));
    return {.index = static_cast<int>(beside.indexOf(messageId)),
            .count = static_cast<int>(beside.size())};
}

bool ConversationTree::stepBranch(qint64 messageId, int offset)
{
    if (!m_messages.contains(messageId)) return false;
    const QList<qint64> beside = m_children.value(parentOf(message(messageId)));
    const qsizetype index = beside.indexOf(messageId) + offset;
    if (offset == 0 || index < 0 || index >= beside.size()) return false;
    m_active = newestEnd(beside.at(index));
    return true;
}

bool ConversationTree::stepEnd(int offset)
{
    const QList<qint64> all = ends();
    const qsizetype at = all.indexOf(newestEnd(m_active));
    const qsizetype index = at + offset;
    if (at < 0 || offset == 0 || index < 0 || index >= all.size()) return false;
    m_active = all.at(index);
    return true;
}

QList<qint64> ConversationTree::ends() const
{
    QList<qint64> all;
    QList<qint64> open{0};
    while (!open.isEmpty()) {
        const qint64 id = open.takeLast();
        const QList<qint64> children = m_children.value(id);
        if (children.isEmpty() && id != 0) all += id;
        for (auto child = children.rbegin(); child != children.rend(); ++child)
            open += *child;
    }
    return all;
}

bool ConversationTree::showMessage(qint64 messageId)
{
    if (!m_messages.contains(messageId)) return false;
    if (std::ranges::contains(activeBranch(), messageId, &Message::id)) return false;
    m_active = newestEnd(messageId);
    return true;
}

qint64 ConversationTree::newestEnd(qint64 messageId) const
{
    for (;;) {
        const auto children = m_children.constFind(messageId);
        if (children == m_children.constEnd() || children->isEmpty()) return messageId;
        messageId = children->constLast();
    }
}

ConversationContents ConversationTree::contents() const
{
    ConversationContents contents;
    contents.id = m_conversationId;
    contents.messages = m_messages.values();
    std::ranges::sort(contents.messages, {}, &Message::id);
    contents.activeMessageId = m_active;
    return contents;
}

} // namespace app
