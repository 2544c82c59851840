// ConversationController: how much of the context a conversation takes, and how it goes on where
// there is no more.

#include "app/conversation/conversation_controller.h"

#include <utility>

namespace app {

void ConversationController::setContextUsed(int used)
{
    m_chat.contextUsed = used;
    Q_EMIT contextUsageChanged(used, m_inference.model().contextLength);
}

// Tokens tell while a reply is being written; else the model is asked.
void ConversationController::countContext()
{
    m_counting = 0;
    if (m_chat.tree.isEmpty()) return setContextUsed(0);
    if (currentConversation() != m_writing)
        m_counting = m_inference.countContext(requestOf(messages()));
}

// The turns are others: what was left out of them, and its summary, is of no use.
void ConversationController::showOtherBranch()
{
    setContext(currentConversation(),
               {.policy = m_contexts.value(currentConversation()).policy, .start = {}});
    Q_EMIT messagesReset();
    countContext();
}

void ConversationController::setContext(qint64 conversationId, const ContextChoice& context)
{
    if (m_contexts.value(conversationId) == context) return;
    m_contexts[conversationId] = context;
    m_store.saveContext(conversationId, context);
    if (conversationId == currentConversation()) Q_EMIT contextStartChanged(contextStart());
}

qint64 ConversationController::contextStart() const
{
    const int omitted = m_contexts.value(currentConversation()).start.omittedTurns;
    return omitted > 0 ? messageOfTurn(messages(), omitted) : 0;
}

GenerationRequest ConversationController::requestOf(const QList<Message>& branch) const
{
    if (branch.isEmpty()) return {};
    const qint64 conversationId = branch.constFirst().conversationId;
    return {.turns = chatTurns(branch),
            .stopStrings = {},
            .contextPolicy = contextPolicy(conversationId),
            .contextStart = m_contexts.value(conversationId).start};
}

ContextPolicy ConversationController::contextPolicy(qint64 conversationId) const
{
    const ContextPolicy chosen = m_contexts.value(conversationId).policy;
    return chosen == ContextPolicy::Ask ? m_contextPolicy : chosen;
}

void ConversationController::goOn(qint64 messageId, ContextPolicy policy)
{
    if (m_writing != 0 || !m_chat.tree.contains(messageId)) return;
    Message reply = m_chat.tree.message(messageId);
    const ConversationSummary* conversation = m_list.find(currentConversation());
    if (conversation == nullptr || reply.role != Role::Assistant || !isModelReady()) return;
    setContext(currentConversation(),
               {.policy = policy, .start = m_contexts.value(currentConversation()).start});
    // Thoughts that led to no answer are thought anew.
    if (reply.text.isEmpty()) reply.reasoning.clear();
    reply.state = MessageState::Writing;
    reply.error.clear();
    m_chat.tree.update(reply);
    setWriting(currentConversation());
    Q_EMIT messageResumed(reply);
    m_writer.begin(*conversation, reply, requestOf(m_chat.tree.branchTo(messageId)));
}

} // namespace app
