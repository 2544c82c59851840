// ConversationController: how much of the context a conversation takes, and how it goes on where
// there is no more.

#include "app/conversation/conversation_controller.h"

#include <algorithm>
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

// What was left out, and its summary, is of use where the messages before are the same: in every
// branch that has the first message after them.
void ConversationController::takeContextOfBranch()
{
    ContextChoice context{.policy = m_contexts.value(currentConversation()).policy, .start = {}};
    for (const Message& message : messages())
        if (m_starts.contains(message.id)) context.start = m_starts.value(message.id);
    setContext(currentConversation(), context);
}

void ConversationController::showOtherBranch()
{
    takeContextOfBranch();
    Q_EMIT messagesReset();
    countContext();
}

void ConversationController::setContext(qint64 conversationId, const ContextChoice& context)
{
    if (m_contexts.value(conversationId) == context) return;
    m_contexts[conversationId] = context;
    const Chat* chat = chatOf(conversationId);
    if (chat != nullptr && context.start.omittedTurns > 0)
        m_starts[messageOfTurn(chat->tree.activeBranch(), context.start.omittedTurns)] =
            context.start;
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
    if (!m_chat.tree.contains(messageId)) return;
    const ContextStart start = m_contexts.value(currentConversation()).start;
    setContext(currentConversation(),
               {.policy = policy, .start = policy == ContextPolicy::Ask ? ContextStart() : start});
    dropWaiting(currentConversation());
    wait({.conversationId = currentConversation(), .messageId = messageId});
}

void ConversationController::continueReply(qint64 messageId)
{
    if (!m_chat.tree.contains(messageId) || !canBeContinued(m_chat.tree.message(messageId))) return;
    wait({.conversationId = currentConversation(), .messageId = messageId});
}

// Begins at once where nothing stands in the way.
void ConversationController::wait(const WaitingReply& reply)
{
    if (!m_waiting.contains(reply)) m_waiting += reply;
    if (m_writing == 0 && isModelReady()) return beginWaiting();
    Q_EMIT queueChanged(m_queue);
}

bool ConversationController::dropWaiting(qint64 conversationId)
{
    const bool dropped = m_waiting.removeIf([conversationId](const WaitingReply& waiting) {
        return waiting.conversationId == conversationId;
    }) > 0;
    if (dropped) Q_EMIT queueChanged(m_queue);
    return dropped;
}

WaitingReply ConversationController::waitingReply() const
{
    for (const WaitingReply& waiting : m_waiting)
        if (waiting.conversationId == currentConversation()) return waiting;
    return {};
}

bool ConversationController::isWaiting(qint64 conversationId) const
{
    return std::ranges::contains(m_waiting, conversationId, &WaitingReply::conversationId);
}

// The first that can be: its message may be gone by now.
void ConversationController::beginWaiting()
{
    while (m_writing == 0 && !m_waiting.isEmpty()) {
        const WaitingReply wanted = m_waiting.takeFirst();
        Q_EMIT queueChanged(m_queue);
        const Chat* chat = chatOf(wanted.conversationId);
        if (chat == nullptr || !chat->tree.contains(wanted.messageId)) continue;
        if (wanted.anew)
            writeAnew(wanted);
        else
            goOnNow(wanted);
    }
}

void ConversationController::goOnNow(const WaitingReply& wanted)
{
    Chat* chat = chatOf(wanted.conversationId);
    const ConversationSummary* conversation = m_list.find(wanted.conversationId);
    if (chat == nullptr || conversation == nullptr) return;
    Message reply = chat->tree.message(wanted.messageId);
    if (reply.role != Role::Assistant) return;
    const Message before = reply;
    reply.state = MessageState::Writing;
    reply.error.clear();
    if (reply.text.isEmpty()) reply.reasoning.clear();
    chat->tree.update(reply);
    setWriting(wanted.conversationId);
    if (wanted.conversationId == currentConversation()) Q_EMIT messageResumed(reply);
    m_writer.begin(*conversation, before, requestOf(chat->tree.branchTo(reply.id)));
}

// What waits in a chat is part of its draft again. False: nothing does.
bool ConversationController::returnQueued(qint64 conversationId)
{
    QStringList texts;
    m_queue.removeIf([&](const QueuedMessage& message) {
        if (message.conversationId != conversationId) return false;
        texts += message.text;
        return true;
    });
    Chat* chat = chatOf(conversationId);
    if (texts.isEmpty() || chat == nullptr) return false;
    if (!chat->draft.isEmpty()) texts += chat->draft;
    chat->draft = texts.join(QStringLiteral("\n\n"));
    saveDraft(conversationId);
    Q_EMIT queueChanged(m_queue);
    if (conversationId == currentConversation()) Q_EMIT draftReturned(chat->draft);
    return true;
}

// One that is not shown is asked about when it is opened.
void ConversationController::tellFull(const Message& reply)
{
    const ConversationSummary* conversation = m_list.find(reply.conversationId);
    if (conversation == nullptr) return;
    const QString sentence =
        isContextFull(reply)
            ? tr("The context of “%1” is full. Open it to choose how it goes on.")
            : tr("The answer in “%1” cannot be continued: the chat does not fit the context.");
    Q_EMIT chatNoticeRaised(sentence.arg(conversation->title));
}

// A chat that ends where its context was full is asked about once its length is known.
void ConversationController::takeCount(int tokens)
{
    m_counting = 0;
    const QList<Message> branch = messages();
    // The texts of a reply that filled the context may come to a few tokens more or less than those
    // it was written in: it is full as long as it leaves no room for an answer.
    const int total = m_inference.model().contextLength;
    const bool filled = !branch.isEmpty() && isContextFull(branch.constLast()) &&
                        branch.constLast().state == MessageState::Complete;
    if (filled && tokens + total / 8 >= total) tokens = total;
    setContextUsed(tokens);
    const bool goesOn = currentConversation() == m_writing || isWaiting(currentConversation());
    if (!goesOn && !branch.isEmpty() && isContextFull(branch.constLast()))
        Q_EMIT contextFilled(branch.constLast(), tokens, 0);
}

} // namespace app
