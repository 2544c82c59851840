#pragma once

#include "app/conversation/conversation_list.h"
#include "app/conversation/conversation_store.h"
#include "app/conversation/conversation_tree.h"
#include "app/conversation/message.h"
#include "app/conversation/reply_writer.h"
#include "app/inference/inference_service.h"
#include "app/inference/token_history.h"

#include <QHash>
#include <QList>
#include <QObject>
#include <QString>
#include <QTimer>

#include <optional>

namespace app {

/// A message that could not be sent yet.
struct QueuedMessage {
    qint64 conversationId = 0;
    QString text;
    qint64 besideMessageId = 0; ///< other words for this one; 0: the next turn
};

/// A reply to be written on, or once more, as soon as nothing else is being written.
struct WaitingReply {
    qint64 conversationId = 0;
    qint64 messageId = 0;
    bool anew = false; ///< another beside it

    bool operator==(const WaitingReply&) const = default;
};

/// A chat that is not counted yet: that waits for a reply in another one.
inline constexpr int kUnknownContext = -1;

/// What was taken out of a conversation and can be put back.
struct DeletedBranch {
    QList<Message> messages; ///< the first is what was deleted, the others followed it; empty: none
    qint64 activeMessageId = 0; ///< the end of the branch that was shown
};

/// What the window talks to for a turn: holds the conversation shown, carries a message from the
/// composer to the disk, to the model and back, and keeps the list of conversations. Lives in the
/// GUI thread; a reply goes on when another conversation is opened.
class ConversationController : public QObject {
    Q_OBJECT
public:
    ConversationController(InferenceService& inference, ConversationStore& store,
                           QObject* parent = nullptr);
    ~ConversationController() override;

    /// Pinned first, then the newest.
    const QList<ConversationSummary>& conversations() const { return m_list.all(); }
    /// 0: a chat that has not begun.
    qint64 currentConversation() const { return m_chat.tree.conversationId(); }
    /// The branch shown, from the first message on.
    QList<Message> messages() const { return m_chat.tree.activeBranch(); }
    /// Of a message of the branch shown.
    BranchPosition branchPosition(qint64 messageId) const
    {
        return m_chat.tree.position(messageId);
    }
    /// The conversation a reply is being written in; 0: none.
    qint64 writingConversation() const { return m_writing; }
    const QList<QueuedMessage>& queue() const { return m_queue; }
    /// Of the conversation shown, the one whose turn comes first; messageId 0: none waits.
    WaitingReply waitingReply() const;
    /// The last tokens with their candidates.
    const TokenHistory& tokens() const { return m_writer.tokens(); }

    void newConversation();
    /// Answered by `currentConversationChanged` (or `errorOccurred`). With a message of it, the
    /// branch that message is in is shown and `messageFound` follows, with the words it was found
    /// by; while a reply is being written there, its branch stays.
    void openConversation(qint64 conversationId, qint64 messageId = 0, const QString& words = {});
    void renameConversation(qint64 conversationId, const QString& title);
    void setPinned(qint64 conversationId, bool pinned);
    /// Into the trash; `restoreConversation` takes it back, and shows it where it was shown and no
    /// other was opened since.
    void deleteConversation(qint64 conversationId);
    void restoreConversation(qint64 conversationId);
    /// Answered by `searchFinished` twice: with the titles at once, then with the messages too.
    void search(const QString& text);

    /// Appends the user's message, has it saved, then has it answered. Queued while a reply is
    /// being written or no model is ready.
    void send(const QString& text);
    /// Ends the reply being written; its text stays. What waits behind it in its chat is not begun:
    /// messages are part of the draft again.
    void stop();
    /// Writes another reply beside this one (or, for a user's message, a reply to it), when no
    /// other is being written; one that is being written itself is stopped for it.
    void regenerate(qint64 messageId);
    /// Sends other words beside the user's message `messageId`: a new branch.
    void sendEdited(qint64 messageId, const QString& text);
    /// Shows the branch `offset` places beside the one of `messageId`.
    void stepBranch(qint64 messageId, int offset);
    /// Shows the branch `offset` places before or after the one shown, of all of the conversation.
    void stepThroughBranches(int offset);
    /// Into the trash, with all that follows it; a reply being written there is stopped, and what
    /// is there of it goes along. Returns how many went.
    int deleteMessage(qint64 messageId);
    /// Takes the last deleteMessage() back and shows its conversation.
    void restoreMessages();
    /// Takes back what waits in the current conversation: replies are not written, messages are
    /// part of the draft again, which it returns.
    QString takeQueued();

    /// The texts that end a reply; for those that begin from now on.
    void setStopStrings(const QStringList& texts) { m_writer.setStopStrings(texts); }

    /// What replies do where the context is full, in chats nothing else was chosen for.
    void setContextPolicy(ContextPolicy policy) { m_contextPolicy = policy; }
    /// In one conversation: what was chosen for it, else for all.
    ContextPolicy contextPolicy(qint64 conversationId) const;
    /// See contextStartChanged().
    qint64 contextStart() const;
    /// What stands for the messages before it; empty: nothing does.
    QString contextSummary() const { return contextChoice().start.summary; }
    /// As the last reply of the conversation shown began.
    ContextChoice contextChoice() const { return m_contexts.value(currentConversation()); }
    /// Writes on a reply for which the context had no room, by `policy` from now on in this chat;
    /// as soon as a model is there and no other chat is being answered.
    void goOn(qint64 messageId, ContextPolicy policy);
    /// Writes on a reply that was cut off; as soon as a model is there and no other chat is being
    /// answered.
    void continueReply(qint64 messageId);

    /// Before the program ends: what is not on the disk is written, as far as a reply has come. See
    /// ConversationStore::settle().
    std::optional<UserError> settle();
    /// What settle() could not write, as text to be kept elsewhere: messages with who wrote them,
    /// then what waits and what stands in the composer.
    QString unsavedText() const;

    /// What stands in the composer of the current conversation; saved after a short pause.
    void setDraft(const QString& text);
    const QString& draft() const { return m_chat.draft; }

Q_SIGNALS:
    /// The store is open: the list is there.
    void ready();
    void conversationsChanged(const QList<app::ConversationSummary>& conversations);
    /// The chat that had not begun has its id from now on; before `currentConversationChanged`.
    void conversationBegan(qint64 conversationId);
    /// Also when the chat that had not begun gets its id; then the messages stay.
    void currentConversationChanged(qint64 conversationId);
    /// The branch shown is another; read `messages()` and `draft()`.
    void messagesReset();
    /// The message `openConversation` was asked for is in the branch shown.
    void messageFound(qint64 messageId, const QString& words);
    void messageAdded(const app::Message& message);
    /// Text the reply grew by, at most thirty times a second.
    void messageAppended(qint64 messageId, const app::ReplyGrowth& growth);
    void messageFinished(const app::Message& message);
    /// Before `messageFinished` where the reply failed: its error with the details.
    void messageFailed(qint64 messageId, const app::UserError& error);
    void writingConversationChanged(qint64 conversationId);
    /// Messages or replies wait, or no longer do.
    void queueChanged(const QList<app::QueuedMessage>& queue);

    void prefillProgressed(qint64 messageId, int done, int total);
    /// One for every decoded token, uncoalesced.
    void tokenDecoded(qint64 messageId, const engine::TokenEvent& event);
    /// `used` may be kUnknownContext.
    void contextUsageChanged(int used, int total);
    /// The reply at the end of the conversation shown does not fit the context; see goOn(). Also
    /// when such a conversation is opened, or the model or its context are others by now; then
    /// `total` is 0.
    void contextFilled(const app::Message& reply, int used, int total);
    /// The first message of the branch shown that replies are given; 0: all are.
    void contextStartChanged(qint64 messageId);
    /// The draft is another: that of a new chat is there with the store, and messages that waited
    /// behind a reply that was stopped, or that the context had no room for, are one again.
    void draftReturned(const QString& draft);
    /// The message shown is being written on.
    void messageResumed(const app::Message& message);

    void searchFinished(const QString& text, const QList<app::SearchHit>& hits);
    /// A sentence to show once.
    void errorOccurred(const app::UserError& error);
    /// Chats cannot be saved at present; stands until `storageRecovered`.
    void storageTroubled(const app::UserError& error);
    void storageRecovered();
    void noticeRaised(const QString& sentence);
    /// A sentence that holds until another chat is shown, or a reply begins in this one.
    void chatNoticeRaised(const QString& sentence);

private:
    /// What is kept of a conversation that is shown, or that something still happens to.
    struct Chat {
        ConversationTree tree;
        QString draft;
        int contextUsed = 0;
    };

    void connectStore();
    void connectWriter();
    void takeStore(const StoreContents& contents);

    void show(Chat chat);
    bool turnToSought();
    void tellSought();
    void leave();
    Chat* chatOf(qint64 conversationId);
    bool isBusy(qint64 conversationId) const;
    void forgetIdleChats();
    void put(const ConversationSummary& conversation);

    void enqueue(const QueuedMessage& message);
    void sendNext();
    void sendNow(const QueuedMessage& queued);
    bool isModelReady() const;
    void finishReply(const Message& reply, ReplyEnd end);
    void beginReply();
    void stopWriting();
    void endTurn();
    void setWriting(qint64 conversationId);
    void saveDraft(qint64 conversationId);
    void setContextUsed(int used);
    void countContext();
    void takeCount(int tokens);
    void takeContextOfBranch();
    void tellFull(const Message& reply);
    bool isWaiting(qint64 conversationId) const;
    void wait(const WaitingReply& reply);
    bool dropWaiting(qint64 conversationId);
    void beginWaiting();
    void goOnNow(const WaitingReply& wanted);
    void writeAnew(const WaitingReply& wanted);
    bool returnQueued(qint64 conversationId);
    void setContext(qint64 conversationId, const ContextChoice& context);
    void showOtherBranch();
    GenerationRequest requestOf(const QList<Message>& branch) const;

    InferenceService& m_inference;
    ConversationStore& m_store;
    ConversationList m_list;
    Chat m_chat;                             // shown
    QHash<qint64, Chat> m_kept;              // others, by conversation
    qint64 m_opening = 0;                    // asked for and not there yet
    qint64 m_sought = 0;                     // the message it is opened at
    QString m_soughtWords;                   // and what it was found by
    qint64 m_deletedOpen = 0;                // the chat that was shown when it was deleted
    QString m_newChatDraft;                  // while another chat is shown
    QHash<qint64, ContextChoice> m_contexts; // of those that were open, by conversation
    ContextPolicy m_contextPolicy = ContextPolicy::Ask;
    QHash<qint64, ContextStart> m_starts; // every one there was, by the message it begins with
    QList<WaitingReply> m_waiting;
    quint64 m_counting = 0; // the count asked for last; 0: none is awaited
    QList<QueuedMessage> m_queue;
    DeletedBranch m_deleted; // the last
    qint64 m_writing = 0;
    qint64 m_awaited = 0; // the user's message that must be saved before its reply begins
    QTimer m_draftTimer;
    ReplyWriter m_writer;
};

} // namespace app
