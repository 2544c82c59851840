// ConversationController: from the composer to the end of the reply.

#include "app/conversation/conversation_controller.h"
#include "app/inference/error_text.h"

#include <QDateTime>

#include <algorithm>
#include <utility>

namespace app {

bool ConversationController::isModelReady() const
{
    const InferenceService::ModelState state = m_inference.modelState();
    return state == InferenceService::ModelState::Ready ||
           state == InferenceService::ModelState::Writing;
}

void ConversationController::send(const QString& text)
{
    enqueue({.conversationId = currentConversation(), .text = text.trimmed()});
}

void ConversationController::sendEdited(qint64 messageId, const QString& text)
{
    if (!m_chat.tree.contains(messageId)) return;
    enqueue({.conversationId = currentConversation(),
             .text = text.trimmed(),
             .besideMessageId = messageId});
}

void ConversationController::enqueue(const QueuedMessage& message)
{
    if (message.text.isEmpty()) return;
    QueuedMessage queued = message;
    const bool begins = queued.conversationId == 0;
    if (begins) {
        // The chat has its row from now on, so that what waits is found again.
        const QDateTime now = QDateTime::currentDateTimeUtc();
        const ConversationSummary conversation{.id = m_store.newId(),
                                               .title = automaticTitle(queued.text),
                                               .updatedAt = now,
                                               .createdAt = now};
        queued.conversationId = conversation.id;
        ConversationContents contents;
        contents.id = conversation.id;
        m_chat.tree = ConversationTree(contents);
        put(conversation);
        m_store.updateConversation(conversation);
        m_newChatDraft.clear();
        m_store.saveDraft(0, {});
        Q_EMIT conversationBegan(conversation.id);
        Q_EMIT currentConversationChanged(conversation.id);
    }
    m_chat.draft.clear();
    m_queue += queued;
    saveDraft(queued.conversationId);
    Q_EMIT queueChanged(m_queue);
    sendNext();
}

void ConversationController::sendNext()
{
    if (m_writing != 0 || !isModelReady()) return;
    beginWaiting();
    if (m_writing != 0 || m_queue.isEmpty()) return;
    const QueuedMessage next = m_queue.takeFirst();
    Q_EMIT queueChanged(m_queue);
    sendNow(next);
}

QString ConversationController::takeQueued()
{
    QStringList texts;
    m_queue.removeIf([&](const QueuedMessage& message) {
        if (message.conversationId != currentConversation()) return false;
        texts += message.text;
        return true;
    });
    // One that was to go on is asked about again.
    if (dropWaiting(currentConversation())) countContext();
    if (texts.isEmpty()) return m_chat.draft;
    if (!m_chat.draft.isEmpty()) texts += m_chat.draft;
    m_chat.draft = texts.join(QStringLiteral("\n\n"));
    saveDraft(currentConversation());
    Q_EMIT queueChanged(m_queue);
    return m_chat.draft;
}

void ConversationController::sendNow(const QueuedMessage& queued)
{
    Chat* chat = chatOf(queued.conversationId);
    const ConversationSummary* found = m_list.find(queued.conversationId);
    if (chat == nullptr || found == nullptr) return;
    const bool edited = chat->tree.contains(queued.besideMessageId);
    Message message;
    message.id = m_store.newId();
    message.conversationId = queued.conversationId;
    message.parentId =
        edited ? chat->tree.message(queued.besideMessageId).parentId : chat->tree.activeMessage();
    message.role = Role::User;
    message.text = queued.text;
    message.createdAt = QDateTime::currentDateTimeUtc();
    const bool first = chat->tree.isEmpty();
    chat->tree.add(message);

    ConversationSummary conversation = *found;
    conversation.updatedAt = message.createdAt;
    if (first && !conversation.renamed) conversation.title = automaticTitle(message.text);
    put(conversation);
    m_store.addMessage(conversation, message);
    saveDraft(queued.conversationId);
    if (queued.conversationId == currentConversation()) {
        if (edited) {
            showOtherBranch();
        } else {
            Q_EMIT messageAdded(message);
        }
    }
    setWriting(queued.conversationId);
    // Until the prompt is read nobody knows what it takes.
    if (first && queued.conversationId == currentConversation()) setContextUsed(kUnknownContext);
    m_awaited = message.id;
    // Nothing can be saved at present, and the user was told.
    if (m_store.isTroubled()) beginReply();
}

void ConversationController::regenerate(qint64 messageId)
{
    if (!m_chat.tree.contains(messageId)) return;
    if (!isModelReady()) {
        Q_EMIT errorOccurred(noModelError());
        return;
    }
    wait({.conversationId = currentConversation(), .messageId = messageId, .anew = true});
    if (m_writer.isActive() && m_writer.reply().id == messageId) m_writer.stop();
}

void ConversationController::writeAnew(const WaitingReply& wanted)
{
    const Chat* chat = chatOf(wanted.conversationId);
    if (chat == nullptr) return;
    const Message message = chat->tree.message(wanted.messageId);
    const qint64 question = message.role == Role::User ? message.id : message.parentId;
    if (!chat->tree.contains(question)) return;
    m_awaited = question;
    setWriting(wanted.conversationId);
    beginReply();
}

// Begins the reply to the awaited message, which is saved by now.
void ConversationController::beginReply()
{
    const qint64 parentId = std::exchange(m_awaited, 0);
    Chat* chat = chatOf(m_writing);
    const ConversationSummary* conversation = m_list.find(m_writing);
    if (chat == nullptr || conversation == nullptr || !isModelReady()) return endTurn();
    Message reply;
    reply.id = m_store.newId();
    reply.conversationId = m_writing;
    reply.parentId = parentId;
    reply.role = Role::Assistant;
    reply.modelName = m_inference.model().name;
    reply.createdAt = QDateTime::currentDateTimeUtc();
    reply.state = MessageState::Writing;
    const bool branches = chat->tree.activeMessage() != parentId;
    chat->tree.add(reply);
    m_writer.begin(*conversation, reply, requestOf(chat->tree.branchTo(parentId)));
    if (m_writing != currentConversation()) return;
    if (branches) {
        showOtherBranch();
    } else {
        Q_EMIT messageAdded(reply);
    }
}

// Stopped is stopped: what waits behind the reply in its chat is not begun, but given back.
void ConversationController::stop()
{
    if (m_writing != 0) {
        const bool given = returnQueued(m_writing);
        if (given && m_writing == currentConversation())
            Q_EMIT chatNoticeRaised(tr("Stopped. What waited to be sent is in the message again."));
        dropWaiting(m_writing);
    }
    stopWriting();
}

void ConversationController::stopWriting()
{
    if (m_awaited == 0) return m_writer.stop();
    endTurn();
    sendNext();
}

void ConversationController::endTurn()
{
    m_awaited = 0;
    setWriting(0);
    forgetIdleChats();
}

void ConversationController::setWriting(qint64 conversationId)
{
    if (m_writing == conversationId) return;
    m_writing = conversationId;
    Q_EMIT writingConversationChanged(conversationId);
}

int ConversationController::deleteMessage(qint64 messageId)
{
    if (!m_chat.tree.contains(messageId)) return 0;
    const qint64 active = m_chat.tree.activeMessage();
    m_deleted = {.messages = m_chat.tree.take(messageId), .activeMessageId = active};
    // On the disk at once: what a reply still brings is under the deleted message, and goes along.
    m_store.deleteMessage(m_deleted.messages.constFirst(), m_chat.tree.activeMessage());
    const auto taken = [this](qint64 id) {
        return std::ranges::contains(m_deleted.messages, id, &Message::id);
    };
    if (m_writing == currentConversation() &&
        (taken(m_awaited) || (m_writer.isActive() && taken(m_writer.reply().id))))
        stopWriting();
    showOtherBranch();
    return static_cast<int>(m_deleted.messages.size());
}

void ConversationController::restoreMessages()
{
    if (m_deleted.messages.isEmpty()) return;
    const DeletedBranch branch = std::exchange(m_deleted, {});
    const Message& first = branch.messages.constFirst();
    m_store.restoreMessage(first, branch.activeMessageId);
    Chat* chat = chatOf(first.conversationId);
    if (chat != nullptr) {
        chat->tree.putBack(branch.messages, branch.activeMessageId);
        if (m_writer.isActive()) chat->tree.update(m_writer.reply());
    }
    if (first.conversationId == currentConversation()) {
        showOtherBranch();
    } else if (m_list.find(first.conversationId) != nullptr) {
        openConversation(first.conversationId);
    }
}

void ConversationController::stepBranch(qint64 messageId, int offset)
{
    if (currentConversation() == m_writing || !m_chat.tree.stepBranch(messageId, offset)) return;
    m_store.setActiveMessage(currentConversation(), m_chat.tree.activeMessage());
    showOtherBranch();
}

void ConversationController::stepThroughBranches(int offset)
{
    if (currentConversation() == m_writing || !m_chat.tree.stepEnd(offset)) return;
    m_store.setActiveMessage(currentConversation(), m_chat.tree.activeMessage());
    showOtherBranch();
}

} // namespace app
