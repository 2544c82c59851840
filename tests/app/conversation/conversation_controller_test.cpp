#include "tests/support/app/conversation_program.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace {

using app::ConversationController;
using app::InferenceService;
using app::Message;
using app::MessageState;
using app::Role;
using test::Program;

QString text(const char* latin1)
{
    return QString::fromLatin1(latin1);
}

/// An answered chat that is shown while another's answer is being written.
void answerBesideAnotherChat(Program& program, Message& first)
{
    QVERIFY(program.load());
    program.controller.send(text("Hello"));
    QVERIFY(program.waitIdle());
    first = program.controller.messages().constLast();
    program.controls->tokenMilliseconds = 20;
    program.controller.newConversation();
    program.controller.send(text("Another chat"));
    program.controller.openConversation(first.conversationId);
    QTRY_COMPARE(program.controller.currentConversation(), first.conversationId);
}

} // namespace

class ConversationControllerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void writesATurn();
    void keepsThoughtsApart();
    void sendsTheStopStringsWithTheNextReply();
    void savesBeforeTheFirstToken();
    void keepsTextWithoutAModel();
    void queuesWhileWriting();
    void countsNoContextBeforeThePromptIsRead();
    void givesTheQueueBackWhenStopped();
    void keepsQueuedTextOverARestart();
    void stops();
    void regeneratesAsABranch();
    void regeneratesWhenNothingElseIsWritten();
    void takesBackWhatWaits();
    void tellsTheLengthOfTheNextReply();
    void regeneratesAllThatWait();
    void regeneratesWhatIsBeingWritten();
    void bringsTheDraftOfANewChatBack();
    void sendsOtherWordsAsABranch();
    void goesOnInAnotherConversation();
    void opensTheBranchOfAMessage();
    void namesChats();
    void findsTitlesAndMessages();
    void keepsDrafts();
    void showsAFailure();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

void ConversationControllerTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void ConversationControllerTest::writesATurn()
{
    qint64 id = 0;
    QList<Message> written;
    {
        Program program(m_folder->path());
        QVERIFY(program.started);
        QVERIFY(program.load());
        program.controls->trailingText = " The end";
        QSignalSpy added(&program.controller, &ConversationController::messageAdded);
        QSignalSpy appended(&program.controller, &ConversationController::messageAppended);
        QSignalSpy tokens(&program.controller, &ConversationController::tokenDecoded);
        QSignalSpy finished(&program.controller, &ConversationController::messageFinished);
        QSignalSpy context(&program.controller, &ConversationController::contextUsageChanged);

        program.controller.send(text("Tell me a story"));
        QVERIFY(program.waitIdle());

        QCOMPARE(added.size(), 2);
        QCOMPARE(tokens.size(), 5);
        QCOMPARE(finished.size(), 1);
        QString shown;
        for (const QVariantList& piece : appended)
            shown += piece.at(1).value<app::ReplyGrowth>().text;
        QCOMPARE(shown, text("Once upon a time. The end"));
        written = program.controller.messages();
        QCOMPARE(written.size(), 2);
        QCOMPARE(written[0].role, Role::User);
        QCOMPARE(written[1].role, Role::Assistant);
        QCOMPARE(written[1].parentId, written[0].id);
        QCOMPARE(written[1].text, shown);
        QCOMPARE(written[1].state, MessageState::Complete);
        QCOMPARE(written[1].modelName, text("fake"));
        QCOMPARE(written[1].stats.tokens, 5);
        QCOMPARE(written[1].stats.stopReason, text("eog"));
        QVERIFY(written[1].stats.tokensPerSecond > 0);
        QCOMPARE(context.constLast().at(1).toInt(), 4096);
        QCOMPARE(context.constLast().at(0).toInt(), program.controls->promptCharacters + 5);
        // The Sampling panel finds the token under a character.
        const app::TokenRecord* token = program.controller.tokens().find(written[1].id, 5);
        QVERIFY(token != nullptr);
        QCOMPARE(token->event.text, " upon");
        id = program.controller.currentConversation();
    }
    // The next day.
    Program program(m_folder->path());
    QVERIFY(program.started);
    QCOMPARE(program.controller.conversations().size(), 1);
    QCOMPARE(program.controller.conversations().constFirst().title, text("Tell me a story"));
    QSignalSpy reset(&program.controller, &ConversationController::messagesReset);
    program.controller.openConversation(id);
    QTRY_COMPARE(reset.size(), 1);
    QList<Message> read = program.controller.messages();
    QCOMPARE(read.size(), written.size());
    for (qsizetype i = 0; i < read.size(); ++i) {
        // Saved to the millisecond.
        QCOMPARE(read[i].createdAt.toMSecsSinceEpoch(), written[i].createdAt.toMSecsSinceEpoch());
        read[i].createdAt = written[i].createdAt;
        QCOMPARE(read[i], written[i]);
    }
}

void ConversationControllerTest::sendsTheStopStringsWithTheNextReply()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controller.setStopStrings({text("\n\nUser:"), text("###")});
    program.controller.send(text("Tell me a story"));
    QVERIFY(program.waitIdle());
    QCOMPARE(program.controls->stopStrings, (std::vector<std::string>{"\n\nUser:", "###"}));
    program.controller.setStopStrings({});
    program.controller.send(text("And another"));
    QVERIFY(program.waitIdle());
    QVERIFY(program.controls->stopStrings.empty());
}

void ConversationControllerTest::keepsThoughtsApart()
{
    {
        Program program(m_folder->path());
        QVERIFY(program.load());
        program.controls->reply = {"<think>", "\nA", " story", "\n</", "think>", "\n\nOnce"};
        QSignalSpy appended(&program.controller, &ConversationController::messageAppended);
        program.controller.send(text("Tell me a story"));
        QVERIFY(program.waitIdle());
        app::ReplyGrowth shown;
        for (const QVariantList& growth : appended)
            shown += growth.at(1).value<app::ReplyGrowth>();
        QCOMPARE(shown.text, text("Once"));
        QCOMPARE(shown.reasoning, text("A story"));
        // The model gets both back.
        const QList<app::ChatTurn> turns = app::chatTurns(program.controller.messages());
        QCOMPARE(turns.constLast().text, text("Once"));
        QCOMPARE(turns.constLast().reasoning, text("A story"));
    }
    Program program(m_folder->path());
    program.controller.openConversation(program.controller.conversations().constFirst().id);
    QTRY_COMPARE(program.controller.messages().size(), 2);
    QCOMPARE(program.controller.messages().constLast().text, text("Once"));
    QCOMPARE(program.controller.messages().constLast().reasoning, text("A story"));
}

void ConversationControllerTest::savesBeforeTheFirstToken()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    QStringList order;
    connect(&program.store, &app::ConversationStore::messageSaved, this,
            [&order] { order += QStringLiteral("saved"); });
    connect(&program.controller, &ConversationController::tokenDecoded, this,
            [&order] { order += QStringLiteral("token"); });
    program.controller.send(text("Hello"));
    QCOMPARE(program.controls->tokensDecoded, 0);
    QVERIFY(program.waitIdle());
    QCOMPARE(order.constFirst(), text("saved"));
    QVERIFY(order.contains(text("token")));
}

void ConversationControllerTest::keepsTextWithoutAModel()
{
    Program program(m_folder->path());
    program.controller.setDraft(text("Hel"));
    program.controller.send(text("Hello"));
    QCOMPARE(program.controller.queue().size(), 1);
    QVERIFY(program.controller.messages().isEmpty());
    QVERIFY(program.controller.draft().isEmpty());
    QVERIFY(program.load());
    QVERIFY(program.waitIdle());
    QCOMPARE(program.texts(), QStringList({text("Hello"), text("Once upon a time.")}));
}

void ConversationControllerTest::queuesWhileWriting()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controls->tokenMilliseconds = 5;
    program.controller.send(text("One"));
    program.controller.send(text("Two"));
    program.controller.send(text("Three"));
    QCOMPARE(program.controller.queue().size(), 2);
    QVERIFY(program.waitIdle());
    const QString reply = text("Once upon a time.");
    QCOMPARE(program.texts(),
             QStringList({text("One"), reply, text("Two"), reply, text("Three"), reply}));
}

void ConversationControllerTest::countsNoContextBeforeThePromptIsRead()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controls->prefillChunks = 50;
    QSignalSpy used(&program.controller, &ConversationController::contextUsageChanged);
    program.controller.send(text("Hello"));
    QTRY_VERIFY(!used.isEmpty());
    QCOMPARE(used.constFirst().constFirst().toInt(), app::kUnknownContext);
    QVERIFY(program.waitIdle());
    QTRY_VERIFY(used.constLast().constFirst().toInt() > 0);
    for (const QList<QVariant>& told : std::as_const(used))
        QVERIFY(told.constFirst().toInt() != 0);
}

void ConversationControllerTest::givesTheQueueBackWhenStopped()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controls->endless = true;
    program.controls->tokenMilliseconds = 2;
    QSignalSpy returned(&program.controller, &ConversationController::draftReturned);
    QSignalSpy notices(&program.controller, &ConversationController::chatNoticeRaised);
    program.controller.send(text("One"));
    QTRY_VERIFY(program.controls->tokensDecoded > 3);
    program.controller.send(text("Two"));
    program.controller.send(text("Three"));
    program.controller.setDraft(text("Fo"));
    program.controller.stop();
    QVERIFY(program.waitIdle());
    QTest::qWait(20);
    QCOMPARE(program.controller.messages().size(), 2);
    QCOMPARE(program.controller.messages().constLast().state, MessageState::Stopped);
    QCOMPARE(returned.size(), 1);
    QCOMPARE(program.controller.draft(), text("Two\n\nThree\n\nFo"));
    QCOMPARE(notices.size(), 1);
    // Without anything that waits there is nothing to say.
    program.controller.setDraft({});
    program.controller.send(text("Five"));
    QTRY_COMPARE(program.controller.messages().size(), 4);
    program.controller.stop();
    QVERIFY(program.waitIdle());
    QCOMPARE(returned.size(), 1);
    QCOMPARE(notices.size(), 1);
}

void ConversationControllerTest::keepsQueuedTextOverARestart()
{
    {
        Program program(m_folder->path());
        program.controller.send(text("One"));
        program.controller.send(text("Two"));
        program.controller.setDraft(text("Thr"));
    }
    Program program(m_folder->path());
    QCOMPARE(program.controller.conversations().size(), 1);
    program.controller.openConversation(program.controller.conversations().constFirst().id);
    QTRY_VERIFY(program.controller.currentConversation() != 0);
    QCOMPARE(program.controller.draft(), text("One\n\nTwo\n\nThr"));

    program.controller.setDraft(text("Three"));
    program.controller.send(text("Four"));
    program.controller.setDraft(text("Five"));
    QCOMPARE(program.controller.takeQueued(), text("Four\n\nFive"));
    QVERIFY(program.controller.queue().isEmpty());
}

void ConversationControllerTest::stops()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controls->endless = true;
    program.controls->tokenMilliseconds = 2;
    QSignalSpy tokens(&program.controller, &ConversationController::tokenDecoded);
    program.controller.send(text("Write on"));
    QTRY_VERIFY(tokens.size() >= 5);
    program.controller.stop();
    QVERIFY(program.waitIdle());
    const Message reply = program.controller.messages().constLast();
    QCOMPARE(reply.state, MessageState::Stopped);
    QCOMPARE(reply.stats.stopReason, text("cancelled"));
    QVERIFY(reply.text.startsWith(text("Once upon a time.Once")) || reply.text.size() > 10);
}

void ConversationControllerTest::regeneratesAsABranch()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controller.send(text("Hello"));
    QVERIFY(program.waitIdle());
    const Message first = program.controller.messages().constLast();
    QSignalSpy reset(&program.controller, &ConversationController::messagesReset);
    program.controller.regenerate(first.id);
    QVERIFY(program.waitIdle());
    QVERIFY(!reset.isEmpty());
    const Message second = program.controller.messages().constLast();
    QVERIFY(second.id != first.id);
    QCOMPARE(second.parentId, first.parentId);
    QCOMPARE(program.controller.branchPosition(second.id).index, 1);
    QCOMPARE(program.controller.branchPosition(second.id).count, 2);

    program.controller.stepBranch(second.id, -1);
    QCOMPARE(program.controller.messages().constLast().id, first.id);
    program.controller.stepBranch(first.id, -1);
    QCOMPARE(program.controller.messages().constLast().id, first.id);
}

void ConversationControllerTest::regeneratesWhenNothingElseIsWritten()
{
    Program program(m_folder->path());
    Message first;
    answerBesideAnotherChat(program, first);
    if (QTest::currentTestFailed()) return;
    program.controller.regenerate(first.id);
    QCOMPARE(program.controller.waitingReply().messageId, first.id);
    QVERIFY(program.controller.waitingReply().anew);
    QTRY_VERIFY(program.controller.messages().constLast().id != first.id);
    // Left meanwhile, it is written all the same.
    program.controller.newConversation();
    QVERIFY(program.waitIdle());
    program.controller.openConversation(first.conversationId);
    QTRY_COMPARE(program.controller.currentConversation(), first.conversationId);
    const Message second = program.controller.messages().constLast();
    QVERIFY(second.id != first.id);
    QCOMPARE(second.parentId, first.parentId);
    QCOMPARE(second.text, text("Once upon a time."));
}

void ConversationControllerTest::takesBackWhatWaits()
{
    Program program(m_folder->path());
    Message first;
    answerBesideAnotherChat(program, first);
    if (QTest::currentTestFailed()) return;
    QSignalSpy changed(&program.controller, &ConversationController::queueChanged);
    program.controller.regenerate(first.id);
    QCOMPARE(changed.size(), 1);
    program.controller.setDraft(text("a draft"));
    QCOMPARE(program.controller.takeQueued(), text("a draft"));
    QCOMPARE(changed.size(), 2);
    QCOMPARE(program.controller.waitingReply().messageId, 0);
    QVERIFY(program.waitIdle());
    QCOMPARE(program.controller.messages().constLast().id, first.id);
}

// Also when the one that ends had another.
void ConversationControllerTest::tellsTheLengthOfTheNextReply()
{
    Program program(m_folder->path());
    program.inference.setModelOptions({.contextLength = 1024, .threads = 0});
    QVERIFY(program.load());
    program.controls->tokenMilliseconds = 20;
    QSignalSpy used(&program.controller, &ConversationController::contextUsageChanged);
    program.controller.send(text("Hello"));
    QTRY_VERIFY(program.controls->tokensDecoded > 1);
    QCOMPARE(used.constLast().at(1).toInt(), 1024);
    program.inference.setModelOptions({.contextLength = 2048, .threads = 0});
    QVERIFY(program.waitIdle());
    QCOMPARE(program.controls->lastContextLength, 1024);
    QCOMPARE(used.constLast().at(1).toInt(), 2048);
    QVERIFY(used.constLast().at(0).toInt() > 5);
}

void ConversationControllerTest::regeneratesAllThatWait()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    QList<qint64> chats;
    for (const char* word : {"one", "two"}) {
        program.controller.newConversation();
        program.controller.send(text(word));
        QVERIFY(program.waitIdle());
        chats += program.controller.currentConversation();
    }
    program.controls->tokenMilliseconds = 20;
    program.controller.newConversation();
    program.controller.send(text("three"));
    for (const qint64 id : chats) {
        program.controller.openConversation(id);
        QTRY_COMPARE(program.controller.currentConversation(), id);
        program.controller.regenerate(program.controller.messages().constLast().id);
    }
    program.controls->tokenMilliseconds = 0;
    const auto isIdle = [&] { return program.controller.writingConversation() == 0; };
    QTRY_VERIFY(isIdle());
    for (const qint64 id : chats) {
        program.controller.openConversation(id);
        QTRY_COMPARE(program.controller.currentConversation(), id);
        QCOMPARE(
            program.controller.branchPosition(program.controller.messages().constLast().id).count,
            2);
    }
}

// It is stopped for it.
void ConversationControllerTest::regeneratesWhatIsBeingWritten()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controls->endless = true;
    program.controls->tokenMilliseconds = 2;
    program.controller.send(text("Hello"));
    QTRY_VERIFY(program.controls->tokensDecoded > 3);
    const Message first = program.controller.messages().constLast();
    program.controller.regenerate(first.id);
    QTRY_VERIFY(program.controller.messages().constLast().id != first.id);
    QTRY_VERIFY(!program.controller.messages().constLast().text.isEmpty());
    program.controller.stop();
    QVERIFY(program.waitIdle());
    program.controller.stepBranch(program.controller.messages().constLast().id, -1);
    QCOMPARE(program.controller.messages().constLast().id, first.id);
    QCOMPARE(program.controller.messages().constLast().state, MessageState::Stopped);
}

void ConversationControllerTest::bringsTheDraftOfANewChatBack()
{
    {
        Program program(m_folder->path());
        program.controller.setDraft(text("half a draft"));
    }
    app::InferenceService inference(test::fakeEngine(std::make_shared<test::FakeEngineControls>()));
    app::ConversationStore store(m_folder->path());
    ConversationController controller(inference, store);
    QSignalSpy returned(&controller, &ConversationController::draftReturned);
    store.open();
    QTRY_COMPARE(returned.size(), 1);
    QCOMPARE(returned.constFirst().constFirst().toString(), text("half a draft"));
    QCOMPARE(controller.draft(), text("half a draft"));
}

void ConversationControllerTest::sendsOtherWordsAsABranch()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controller.send(text("One"));
    program.controller.send(text("Two"));
    QVERIFY(program.waitIdle());
    const Message two = program.controller.messages().at(2);
    QCOMPARE(two.text, text("Two"));
    program.controller.sendEdited(two.id, text("Zwei"));
    QVERIFY(program.waitIdle());
    const QString reply = text("Once upon a time.");
    QCOMPARE(program.texts(), QStringList({text("One"), reply, text("Zwei"), reply}));
    program.controller.stepBranch(program.controller.messages().at(2).id, -1);
    QCOMPARE(program.texts(), QStringList({text("One"), reply, text("Two"), reply}));
}

void ConversationControllerTest::goesOnInAnotherConversation()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controls->tokenMilliseconds = 20;
    program.controller.send(text("One"));
    const qint64 first = program.controller.currentConversation();
    QTRY_VERIFY(program.controls->tokensDecoded > 1);
    program.controller.newConversation();
    QCOMPARE(program.controller.currentConversation(), 0);
    QCOMPARE(program.controller.writingConversation(), first);
    program.controller.send(text("Two"));
    QCOMPARE(program.controller.queue().size(), 1);
    // Back, while it is being written: the text so far is there.
    program.controller.openConversation(first);
    QTRY_COMPARE(program.controller.currentConversation(), first);
    QTRY_VERIFY(!program.controller.messages().constLast().text.isEmpty()); // shown within 33 ms
    QVERIFY(program.waitIdle());
    QCOMPARE(program.texts(), QStringList({text("One"), text("Once upon a time.")}));
    QCOMPARE(program.controller.conversations().size(), 2);
    program.controller.openConversation(program.controller.conversations().constFirst().id);
    QTRY_COMPARE(program.texts(), QStringList({text("Two"), text("Once upon a time.")}));
}

// A search leads to a message, whatever branch it is in.
void ConversationControllerTest::opensTheBranchOfAMessage()
{
    qint64 id = 0;
    const QString reply = text("Once upon a time.");
    const QStringList hidden{text("One"), reply, text("Two"), reply};
    const QStringList newer{text("One"), reply, text("Zwei"), reply};
    qint64 two = 0;
    {
        Program program(m_folder->path());
        QVERIFY(program.load());
        program.controller.send(text("One"));
        program.controller.send(text("Two"));
        QVERIFY(program.waitIdle());
        id = program.controller.currentConversation();
        two = program.controller.messages().at(2).id;
        program.controller.sendEdited(two, text("Zwei"));
        QVERIFY(program.waitIdle());
        QCOMPARE(program.texts(), newer);
        const qint64 zwei = program.controller.messages().at(2).id;

        QSignalSpy reset(&program.controller, &ConversationController::messagesReset);
        QSignalSpy found(&program.controller, &ConversationController::messageFound);
        // In the chat that is shown.
        program.controller.openConversation(id, two);
        QCOMPARE(program.texts(), hidden);
        QCOMPARE(reset.size(), 1);
        QCOMPARE(found.size(), 1);
        QCOMPARE(found.constLast().constFirst().toLongLong(), two);
        // A message of the branch shown: it stays, and is found.
        program.controller.openConversation(id, program.controller.messages().constFirst().id);
        QCOMPARE(program.texts(), hidden);
        QCOMPARE(reset.size(), 1);
        QCOMPARE(found.size(), 2);
        // From another chat.
        program.controller.newConversation();
        program.controller.openConversation(id, zwei);
        QTRY_COMPARE(program.texts(), newer);
        QCOMPARE(found.size(), 3);
        QCOMPARE(found.constLast().constFirst().toLongLong(), zwei);
        // A message that is not there, or none, opens the chat as it was left.
        program.controller.newConversation();
        program.controller.openConversation(id, 4711);
        QTRY_COMPARE(program.texts(), newer);
        program.controller.newConversation();
        program.controller.openConversation(id);
        QTRY_COMPARE(program.texts(), newer);
        QCOMPARE(found.size(), 3);
    }
    // What is shown is what the next start shows.
    Program program(m_folder->path());
    program.controller.openConversation(id, two);
    QTRY_COMPARE(program.texts(), hidden);
    program.controller.newConversation();
    program.controller.openConversation(id);
    QTRY_COMPARE(program.texts(), hidden);
    // A reply is not taken from under the branch it is written in.
    QVERIFY(program.load());
    program.controls->endless = true;
    program.controls->tokenMilliseconds = 2;
    program.controller.send(text("Three"));
    QTRY_VERIFY(program.controls->tokensDecoded > 2);
    const QList<Message> before = program.controller.messages();
    QVERIFY(program.controller.branchPosition(before.at(2).id).count == 2);
    program.controller.stepBranch(before.at(2).id, 1);
    program.controller.openConversation(id, before.constFirst().id);
    QCOMPARE(program.controller.messages().size(), before.size());
    QCOMPARE(program.controller.messages().constLast().id, before.constLast().id);
    program.controller.stop();
    QVERIFY(program.waitIdle());
}

void ConversationControllerTest::namesChats()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controller.send(text("First line\nsecond line"));
    QVERIFY(program.waitIdle());
    const qint64 id = program.controller.currentConversation();
    QCOMPARE(program.controller.conversations().constFirst().title, text("First line"));
    program.controller.renameConversation(id, text("  My \n chat "));
    program.controller.renameConversation(id, text("   "));
    QCOMPARE(program.controller.conversations().constFirst().title, text("My chat"));
    program.controller.setPinned(id, true);
    program.controller.send(text("More"));
    QVERIFY(program.waitIdle());
    QCOMPARE(program.controller.conversations().constFirst().title, text("My chat"));
    program.controller.newConversation();
    program.controller.send(text("A later one"));
    QVERIFY(program.waitIdle());
    QCOMPARE(program.controller.conversations().constFirst().id, id); // pinned
}

void ConversationControllerTest::findsTitlesAndMessages()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controller.send(text("About kettles"));
    QVERIFY(program.waitIdle());
    QSignalSpy found(&program.controller, &ConversationController::searchFinished);
    program.controller.search(text("KETT"));
    QCOMPARE(found.size(), 1);
    QTRY_COMPARE(found.size(), 2);
    const auto hits = found.at(1).at(1).value<QList<app::SearchHit>>();
    QCOMPARE(hits.size(), 2); // the title and the message
    QCOMPARE(hits.at(0).messageId, 0);
    QCOMPARE(hits.at(1).messageId, program.controller.messages().constFirst().id);
}

void ConversationControllerTest::keepsDrafts()
{
    {
        Program program(m_folder->path());
        QVERIFY(program.load());
        program.controller.send(text("Hello"));
        QVERIFY(program.waitIdle());
        program.controller.setDraft(text("half a th"));
        program.controller.newConversation();
        QVERIFY(program.controller.draft().isEmpty());
        program.controller.setDraft(text("new chat's"));
        program.controller.openConversation(program.controller.conversations().constFirst().id);
        QTRY_COMPARE(program.controller.draft(), text("half a th"));
    }
    Program program(m_folder->path());
    QCOMPARE(program.controller.draft(), text("new chat's"));
}

void ConversationControllerTest::showsAFailure()
{
    Program program(m_folder->path());
    program.controls->generateError =
        engine::fail(engine::ErrorCode::ContextFull, "9000 positions, 4096 fit", {}, 9000, 4096)
            .error();
    QVERIFY(program.load());
    QSignalSpy failed(&program.controller, &ConversationController::messageFailed);
    program.controller.send(text("Hello"));
    QVERIFY(program.waitIdle());
    QCOMPARE(failed.size(), 1);
    const Message reply = program.controller.messages().constLast();
    QCOMPARE(reply.state, MessageState::Failed);
    QVERIFY(reply.error.contains(text("filled its context")));
    QCOMPARE(reply.text, text("Once upon a time.")); // what was written stays
}

QTEST_GUILESS_MAIN(ConversationControllerTest)
#include "conversation_controller_test.moc"
