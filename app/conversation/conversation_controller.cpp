#include "app/conversation/conversation_controller.h"

#include "app/inference/error_text.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace app {

namespace {

constexpr std::chrono::milliseconds kDraftPause{600};

} // namespace

ConversationController::ConversationController(InferenceService& inference,
                                               ConversationStore& store, QObject* parent)
    : QObject(parent)
    , m_inference(inference)
    , m_store(store)
    , m_writer(inference, store)
{
    m_draftTimer.setSingleShot(true);
    m_draftTimer.setInterval(kDraftPause);
    connect(&m_draftTimer, &QTimer::timeout, this, [this] { saveDraft(currentConversation()); });
    connect(&m_inference, &InferenceService::modelStateChanged, this,
            &ConversationController::sendNext);
    connect(&m_inference, &InferenceService::modelLoaded, this,
            &ConversationController::countContext);
    connect(&m_inference, &InferenceService::contextLengthChanged, this, [this] {
        setContextUsed(m_chat.contextUsed);
        countContext();
    });
    connect(&m_inference, &InferenceService::contextCounted, this, [this](quint64 id, int tokens) {
        if (id != 0 && id == m_counting) takeCount(tokens);
    });
    connectStore();
    connectWriter();
}

ConversationController::~ConversationController()
{
    if (m_draftTimer.isActive()) saveDraft(currentConversation());
    m_writer.disconnect(this);
    m_writer.abandon();
}

void ConversationController::connectStore()
{
    connect(&m_store, &ConversationStore::opened, this, &ConversationController::takeStore);
    connect(&m_store, &ConversationStore::troubled, this, [this](const UserError& error) {
        Q_EMIT storageTroubled(error);
        // The user was told that nothing can be saved at present: the chat goes on in memory.
        if (m_awaited != 0) beginReply();
    });
    connect(&m_store, &ConversationStore::recovered, this, [this] {
        forgetIdleChats();
        Q_EMIT storageRecovered();
    });
    connect(&m_store, &ConversationStore::messageSaved, this, [this](qint64 messageId) {
        if (messageId == m_awaited && m_awaited != 0) beginReply();
    });
    connect(&m_store, &ConversationStore::saveFailed, this,
            [this](qint64 messageId, const UserError& error) {
                Q_EMIT errorOccurred(error);
                if (messageId == m_awaited && m_awaited != 0) endTurn();
            });
    connect(&m_store, &ConversationStore::conversationLoaded, this,
            [this](const ConversationContents& contents) {
                if (contents.id != m_opening) return;
                if (!m_contexts.contains(contents.id))
                    m_contexts.insert(contents.id, contents.context);
                Chat chat{.tree = ConversationTree(contents), .draft = contents.draft};
                if (m_writer.isActive()) chat.tree.update(m_writer.reply());
                show(std::move(chat));
            });
    connect(&m_store, &ConversationStore::loadFailed, this,
            [this](qint64 conversationId, const UserError& error) {
                if (conversationId != m_opening) return;
                m_opening = 0;
                Q_EMIT errorOccurred(error);
            });
    connect(&m_store, &ConversationStore::conversationRestored, this,
            [this](const ConversationSummary& conversation) {
                put(conversation);
                if (conversation.id == m_deletedOpen && currentConversation() == 0)
                    openConversation(conversation.id);
            });
    connect(&m_store, &ConversationStore::searchFinished, this,
            [this](const QString& text, const QList<SearchHit>& hits) {
                Q_EMIT searchFinished(text, m_list.withTitle(text) + hits);
            });
}

void ConversationController::connectWriter()
{
    connect(&m_writer, &ReplyWriter::tokenDecoded, this, &ConversationController::tokenDecoded);
    connect(&m_writer, &ReplyWriter::prefillProgressed, this,
            &ConversationController::prefillProgressed);
    connect(&m_writer, &ReplyWriter::failed, this,
            [this](qint64 messageId, const UserError& error) {
                Q_EMIT messageFailed(messageId, error);
                // One that is as it was does not say it itself.
                const bool told = m_writer.reply().state == MessageState::Failed ||
                                  error.code == engine::ErrorCode::ContextFull;
                if (!told) Q_EMIT errorOccurred(error);
            });
    connect(&m_writer, &ReplyWriter::appended, this,
            [this](qint64 messageId, const ReplyGrowth& growth) {
                if (Chat* chat = chatOf(m_writing)) chat->tree.update(m_writer.reply());
                if (m_writing == currentConversation()) Q_EMIT messageAppended(messageId, growth);
            });
    connect(&m_writer, &ReplyWriter::contextUsed, this,
            [this](qint64 conversationId, int used, int total) {
                if (Chat* chat = chatOf(conversationId)) chat->contextUsed = used;
                // Of a length that was changed since the reply began the next one has the new.
                const int length = m_inference.model().contextLength;
                if (conversationId == currentConversation())
                    Q_EMIT contextUsageChanged(used, length > 0 ? length : total);
            });
    connect(&m_writer, &ReplyWriter::contextStarted, this,
            [this](qint64 conversationId, const ContextStart& start) {
                setContext(conversationId, {m_contexts.value(conversationId).policy, start});
            });
    connect(&m_writer, &ReplyWriter::contextFilled, this,
            [this](const Message& reply, int used, int total) {
                if (reply.conversationId != currentConversation()) return tellFull(reply);
                if (total > 0)
                    Q_EMIT contextFilled(reply, used, total);
                else
                    countContext();
            });
    connect(&m_writer, &ReplyWriter::finished, this, &ConversationController::finishReply);
}

void ConversationController::finishReply(const Message& reply, ReplyEnd end)
{
    if (Chat* chat = chatOf(reply.conversationId)) chat->tree.update(reply);
    for (Message& deleted : m_deleted.messages)
        if (deleted.id == reply.id) deleted = reply;
    if (reply.conversationId == currentConversation()) Q_EMIT messageFinished(reply);
    endTurn();
    // What waits in this chat would not fit either, and other chats need not wait behind it.
    const bool full = end == ReplyEnd::ContextFull;
    if (full) returnQueued(reply.conversationId);
    if (end != ReplyEnd::Failed) sendNext();
    // As when the chat is opened again: its texts, not the tokens they were written in. Of a full
    // one the question has been asked with those.
    if (reply.conversationId == currentConversation() && !full) countContext();
}

void ConversationController::takeStore(const StoreContents& contents)
{
    QList<ConversationSummary> conversations = contents.conversations;
    // What was begun before the store was open is on its way there.
    for (const ConversationSummary& begun : m_list.all()) {
        const bool known = std::ranges::contains(conversations, begun.id, &ConversationSummary::id);
        if (!known && chatOf(begun.id) != nullptr) conversations += begun;
    }
    m_list.reset(conversations);
    if (currentConversation() == 0 && m_chat.draft.isEmpty()) {
        m_chat.draft = contents.newChatDraft;
        if (!m_chat.draft.isEmpty()) Q_EMIT draftReturned(m_chat.draft);
    } else if (m_newChatDraft.isEmpty()) {
        m_newChatDraft = contents.newChatDraft;
    }
    Q_EMIT conversationsChanged(m_list.all());
    if (!contents.notice.isEmpty()) Q_EMIT noticeRaised(contents.notice);
    Q_EMIT ready();
}

// --- the conversation shown ------------------------------------------------------------------

void ConversationController::newConversation()
{
    m_opening = 0;
    m_deletedOpen = 0;
    if (currentConversation() == 0) return;
    show({.tree = {}, .draft = m_newChatDraft});
}

void ConversationController::openConversation(qint64 conversationId, qint64 messageId,
                                              const QString& words)
{
    if (conversationId == 0) return newConversation();
    m_opening = conversationId;
    m_sought = messageId;
    m_soughtWords = words;
    m_deletedOpen = 0;
    if (conversationId == currentConversation()) {
        m_opening = 0;
        if (turnToSought()) showOtherBranch();
        tellSought();
    } else if (m_kept.contains(conversationId)) {
        show(m_kept.value(conversationId));
    } else {
        m_store.loadConversation(conversationId);
    }
}

void ConversationController::show(Chat chat)
{
    m_opening = 0;
    leave();
    m_chat = std::move(chat);
    m_kept.remove(currentConversation());
    if (contextStart() != 0)
        m_starts[contextStart()] = m_contexts.value(currentConversation()).start;
    turnToSought();
    Q_EMIT currentConversationChanged(currentConversation());
    Q_EMIT messagesReset();
    const bool known = m_chat.contextUsed != 0 || m_chat.tree.isEmpty();
    if (known || m_writing != 0) setContextUsed(known ? m_chat.contextUsed : kUnknownContext);
    countContext();
    tellSought();
}

// True where the branch shown is another now.
bool ConversationController::turnToSought()
{
    // A reply, and what waits to be sent after it, belong to the branch they were begun in.
    if (currentConversation() == m_writing || !m_chat.tree.showMessage(m_sought)) return false;
    takeContextOfBranch();
    m_store.setActiveMessage(currentConversation(), m_chat.tree.activeMessage());
    return true;
}

void ConversationController::tellSought()
{
    const qint64 messageId = std::exchange(m_sought, 0);
    if (std::ranges::contains(messages(), messageId, &Message::id))
        Q_EMIT messageFound(messageId, m_soughtWords);
}

void ConversationController::leave()
{
    const qint64 conversationId = currentConversation();
    if (m_draftTimer.isActive()) saveDraft(conversationId);
    if (conversationId == 0) {
        m_newChatDraft = m_chat.draft;
    } else if (isBusy(conversationId)) {
        m_kept.insert(conversationId, m_chat);
    }
}

ConversationController::Chat* ConversationController::chatOf(qint64 conversationId)
{
    if (conversationId != 0 && conversationId == currentConversation()) return &m_chat;
    const auto kept = m_kept.find(conversationId);
    return kept == m_kept.end() ? nullptr : &*kept;
}

// Whether what is in memory is more than what is on the disk, or is about to be.
bool ConversationController::isBusy(qint64 conversationId) const
{
    return conversationId == m_writing || isWaiting(conversationId) || !m_store.isOpen() ||
           m_store.isTroubled() ||
           std::ranges::contains(m_queue, conversationId, &QueuedMessage::conversationId);
}

void ConversationController::forgetIdleChats()
{
    m_kept.removeIf([this](const auto& kept) { return !isBusy(kept.key()); });
}

void ConversationController::setDraft(const QString& text)
{
    if (m_chat.draft == text) return;
    m_chat.draft = text;
    m_draftTimer.start();
}

// What is queued is on the disk as a draft, so that it outlives the program.
void ConversationController::saveDraft(qint64 conversationId)
{
    if (conversationId == currentConversation()) m_draftTimer.stop();
    QStringList texts;
    for (const QueuedMessage& message : std::as_const(m_queue))
        if (message.conversationId == conversationId) texts += message.text;
    const Chat* chat = conversationId == currentConversation() ? &m_chat : chatOf(conversationId);
    if (chat != nullptr && !chat->draft.isEmpty()) texts += chat->draft;
    m_store.saveDraft(conversationId, texts.join(QStringLiteral("\n\n")));
}

std::optional<UserError> ConversationController::settle()
{
    if (m_draftTimer.isActive()) saveDraft(currentConversation());
    if (m_writer.isActive()) m_writer.journal();
    return m_store.settle();
}

QString ConversationController::unsavedText() const
{
    QList<qint64> ids = m_store.unsavedMessages();
    if (m_writer.isActive() && !ids.contains(m_writer.reply().id)) ids += m_writer.reply().id;
    const QList<Chat> chats = m_kept.values() << m_chat;
    QStringList texts;
    for (const qint64 id : std::as_const(ids)) {
        const bool writing = m_writer.isActive() && m_writer.reply().id == id;
        const auto chat = std::ranges::find_if(
            chats, [id](const Chat& candidate) { return candidate.tree.contains(id); });
        if (!writing && chat == chats.end()) continue;
        const Message message = writing ? m_writer.reply() : chat->tree.message(id);
        if (message.text.isEmpty()) continue;
        const QString author = message.role == Role::User ? tr("You") : message.modelName;
        texts += author % QStringLiteral(":\n") % message.text;
    }
    for (const QueuedMessage& message : m_queue)
        texts += message.text;
    for (const Chat& chat : chats)
        if (!chat.draft.isEmpty()) texts += chat.draft;
    return texts.join(QStringLiteral("\n\n"));
}

// --- the list --------------------------------------------------------------------------------

void ConversationController::put(const ConversationSummary& conversation)
{
    m_list.put(conversation);
    m_writer.setConversation(conversation);
    Q_EMIT conversationsChanged(m_list.all());
}

void ConversationController::renameConversation(qint64 conversationId, const QString& title)
{
    const ConversationSummary* found = m_list.find(conversationId);
    const QString tidy = title.simplified();
    if (found == nullptr || tidy.isEmpty() || tidy == found->title) return;
    ConversationSummary conversation = *found;
    conversation.title = tidy;
    conversation.renamed = true;
    put(conversation);
    m_store.updateConversation(conversation);
}

void ConversationController::setPinned(qint64 conversationId, bool pinned)
{
    const ConversationSummary* found = m_list.find(conversationId);
    if (found == nullptr || found->pinned == pinned) return;
    ConversationSummary conversation = *found;
    conversation.pinned = pinned;
    put(conversation);
    m_store.updateConversation(conversation);
}

void ConversationController::deleteConversation(qint64 conversationId)
{
    if (m_list.find(conversationId) == nullptr) return;
    dropWaiting(conversationId);
    if (conversationId == m_writing) stopWriting();
    const bool queued = m_queue.removeIf([conversationId](const QueuedMessage& message) {
        return message.conversationId == conversationId;
    }) > 0;
    m_list.remove(conversationId);
    m_store.deleteConversation(conversationId);
    if (queued) Q_EMIT queueChanged(m_queue);
    Q_EMIT conversationsChanged(m_list.all());
    if (conversationId != currentConversation()) return;
    newConversation();
    m_deletedOpen = conversationId;
}

void ConversationController::restoreConversation(qint64 conversationId)
{
    m_store.restoreConversation(conversationId);
}

void ConversationController::search(const QString& text)
{
    Q_EMIT searchFinished(text, m_list.withTitle(text));
    m_store.search(text);
}

} // namespace app
