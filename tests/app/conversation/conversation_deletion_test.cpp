#include "tests/support/app/conversation_program.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace {

using app::ConversationController;
using app::Message;
using app::MessageState;
using test::Program;

QString text(const char* latin1)
{
    return QString::fromLatin1(latin1);
}

} // namespace

class ConversationDeletionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void deletesAndRestores();
    void restoringShowsTheChatThatWasShown();
    void deletesMessagesAndTakesThemBack();
    void deletingStopsTheReplyItTakesAlong();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

void ConversationDeletionTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void ConversationDeletionTest::deletesAndRestores()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controller.send(text("Hello"));
    QVERIFY(program.waitIdle());
    const qint64 id = program.controller.currentConversation();
    program.controller.deleteConversation(id);
    QVERIFY(program.controller.conversations().isEmpty());
    QCOMPARE(program.controller.currentConversation(), 0);
    program.controller.restoreConversation(id);
    QTRY_COMPARE(program.controller.conversations().size(), 1);
    program.controller.openConversation(id);
    QTRY_COMPARE(program.texts(), QStringList({text("Hello"), text("Once upon a time.")}));
}

void ConversationDeletionTest::restoringShowsTheChatThatWasShown()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controller.send(text("Hello"));
    QVERIFY(program.waitIdle());
    const qint64 hello = program.controller.currentConversation();
    program.controller.newConversation();
    program.controller.send(text("Another"));
    QVERIFY(program.waitIdle());
    const qint64 other = program.controller.currentConversation();

    program.controller.deleteConversation(other);
    QCOMPARE(program.controller.currentConversation(), 0);
    program.controller.setDraft(text("half a th"));
    program.controller.restoreConversation(other);
    QTRY_COMPARE(program.controller.currentConversation(), other);
    QCOMPARE(program.texts().value(0), text("Another"));
    program.controller.newConversation();
    QCOMPARE(program.controller.draft(), text("half a th"));

    // It was not shown: what is stays.
    program.controller.openConversation(other);
    QTRY_COMPARE(program.controller.currentConversation(), other);
    program.controller.deleteConversation(hello);
    program.controller.restoreConversation(hello);
    QTRY_COMPARE(program.controller.conversations().size(), 2);
    QCOMPARE(program.controller.currentConversation(), other);

    // Another was opened since, or begun.
    program.controller.deleteConversation(other);
    program.controller.openConversation(hello);
    QTRY_COMPARE(program.controller.currentConversation(), hello);
    program.controller.restoreConversation(other);
    QTRY_COMPARE(program.controller.conversations().size(), 2);
    QTest::qWait(50);
    QCOMPARE(program.controller.currentConversation(), hello);
    program.controller.deleteConversation(hello);
    program.controller.send(text("A third"));
    const qint64 third = program.controller.currentConversation();
    program.controller.restoreConversation(hello);
    QVERIFY(program.waitIdle());
    QTRY_COMPARE(program.controller.conversations().size(), 3);
    QTest::qWait(50);
    QCOMPARE(program.controller.currentConversation(), third);
}

void ConversationDeletionTest::deletesMessagesAndTakesThemBack()
{
    qint64 id = 0;
    const QString reply = text("Once upon a time.");
    {
        Program program(m_folder->path());
        QVERIFY(program.load());
        program.controller.send(text("one"));
        program.controller.send(text("two"));
        QVERIFY(program.waitIdle());
        id = program.controller.currentConversation();
        const QStringList all{text("one"), reply, text("two"), reply};
        QCOMPARE(program.texts(), all);
        QSignalSpy reset(&program.controller, &ConversationController::messagesReset);

        QCOMPARE(program.controller.deleteMessage(program.controller.messages()[1].id), 3);
        QCOMPARE(program.texts(), QStringList{text("one")});
        QCOMPARE(reset.size(), 1);
        QCOMPARE(program.controller.deleteMessage(4711), 0);
        program.controller.restoreMessages();
        QCOMPARE(program.texts(), all);
        program.controller.restoreMessages(); // there is nothing more
        QCOMPARE(program.texts(), all);

        // The model reads the branch without what was deleted.
        program.controller.deleteMessage(program.controller.messages()[2].id);
        program.controller.send(text("three"));
        QVERIFY(program.waitIdle());
        QCOMPARE(program.texts(), (QStringList{text("one"), reply, text("three"), reply}));
        // Taken back from another chat: it is shown again.
        program.controller.newConversation();
        program.controller.restoreMessages();
        QTRY_COMPARE(program.controller.currentConversation(), id);
        QCOMPARE(program.texts(), all);
        QCOMPARE(program.controller.branchPosition(program.controller.messages()[2].id).count, 2);
        program.controller.deleteMessage(program.controller.messages()[2].id);
    }
    Program again(m_folder->path());
    again.controller.openConversation(id);
    QTRY_COMPARE(again.texts(), (QStringList{text("one"), reply, text("three"), reply}));
}

void ConversationDeletionTest::deletingStopsTheReplyItTakesAlong()
{
    qint64 id = 0;
    QString written;
    {
        Program program(m_folder->path());
        QVERIFY(program.load());
        program.controls->endless = true;
        program.controls->tokenMilliseconds = 2;
        program.controller.send(text("one"));
        QTRY_VERIFY(program.controls->tokensDecoded > 5);
        id = program.controller.currentConversation();
        QSignalSpy finished(&program.controller, &ConversationController::messageFinished);
        program.controller.send(text("queued"));
        QCOMPARE(program.controller.deleteMessage(program.controller.messages()[0].id), 2);
        QVERIFY(program.controller.messages().isEmpty());
        // The queued message is for the chat, not for the branch.
        QTRY_COMPARE(finished.size(), 1);
        QTRY_COMPARE(program.texts().value(0), text("queued"));
        QTRY_COMPARE(program.controller.messages().size(), 2);
        program.controller.stop();
        QVERIFY(program.waitIdle());
        program.controller.restoreMessages();
        QCOMPARE(program.texts().value(0), text("one"));
        const Message reply = program.controller.messages().value(1);
        QCOMPARE(reply.state, MessageState::Stopped);
        QVERIFY(!reply.text.isEmpty());
        written = reply.text;

        // Nothing of a stopped reply is lost by taking it back before it has ended.
        program.controller.regenerate(reply.id);
        const int before = program.controls->tokensDecoded;
        QTRY_VERIFY(program.controls->tokensDecoded > before + 5);
        const qint64 second = program.controller.messages().value(1).id;
        QVERIFY(second != reply.id);
        program.controller.deleteMessage(second);
        program.controller.restoreMessages();
        QVERIFY(program.waitIdle());
        QCOMPARE(program.controller.messages().value(1).id, second);
        QCOMPARE(program.controller.messages().value(1).state, MessageState::Stopped);
        program.controller.deleteMessage(second);
    }
    Program again(m_folder->path());
    again.controller.openConversation(id);
    QTRY_COMPARE(again.texts(), (QStringList{text("one"), written}));
}

QTEST_GUILESS_MAIN(ConversationDeletionTest)
#include "conversation_deletion_test.moc"
