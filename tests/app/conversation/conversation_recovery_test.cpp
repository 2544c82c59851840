#include "tests/support/app/conversation_program.h"

#include "app/conversation/sqlite_connection.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace {

using app::ConversationController;
using app::InferenceService;
using app::Message;
using app::MessageState;
using test::Program;

QString text(const char* latin1)
{
    return QString::fromLatin1(latin1);
}

} // namespace

/// What a crash, a stop and a disk in trouble leave.
class ConversationRecoveryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void endsCleanlyWhileWriting();
    void continuesWhatWasCutOff();
    void continuesAfterADeathWhileContinuing();
    void countsTheSameWhenOpenedAgain();
    void goesOnWithoutADisk();
    void goesOnWhileTheDiskIsInTrouble();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

void ConversationRecoveryTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void ConversationRecoveryTest::endsCleanlyWhileWriting()
{
    qint64 id = 0;
    {
        Program program(m_folder->path());
        QVERIFY(program.load());
        program.controls->endless = true;
        program.controls->tokenMilliseconds = 1;
        program.controller.send(text("Write on"));
        QTRY_VERIFY(program.controls->tokensDecoded > 5);
        QTest::qWait(1);
        id = program.controller.currentConversation();
    }
    Program program(m_folder->path());
    program.controller.openConversation(id);
    QTRY_COMPARE(program.controller.messages().size(), 2);
    const Message reply = program.controller.messages().constLast();
    QCOMPARE(reply.state, MessageState::Interrupted);
    QVERIFY(reply.text.startsWith(text("Once")));
}

void ConversationRecoveryTest::continuesWhatWasCutOff()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    program.controls->endless = true;
    program.controls->tokenMilliseconds = 1;
    program.controller.send(text("Write on"));
    QTRY_VERIFY(program.controls->tokensDecoded > 5);
    program.controller.stop();
    QVERIFY(program.waitIdle());
    const Message cut = program.controller.messages().constLast();
    QCOMPARE(cut.state, MessageState::Stopped);
    // Stopped before it was written on, it is as it was.
    program.controls->prefillChunks = 1000;
    program.controller.continueReply(cut.id);
    QVERIFY(program.controller.writingConversation() != 0);
    program.controller.stop();
    QVERIFY(program.waitIdle());
    QCOMPARE(program.controller.messages().constLast(), cut);

    program.controls->prefillChunks = 0;
    program.controls->endless = false;
    // So it is where it cannot be written on, and that is told.
    QSignalSpy filled(&program.controller, &ConversationController::contextFilled);
    QSignalSpy errors(&program.controller, &ConversationController::errorOccurred);
    const std::vector<std::string> words = std::exchange(program.controls->reply, {});
    program.controls->generateError =
        engine::fail(engine::ErrorCode::ContextFull, "9000 positions, 4096 fit", {}, 9000, 4096)
            .error();
    program.controller.continueReply(cut.id);
    QVERIFY(program.waitIdle());
    QCOMPARE(program.controller.messages().constLast(), cut);
    QCOMPARE(filled.size(), 1);
    QCOMPARE(errors.size(), 0);
    program.controls->generateError =
        engine::fail(engine::ErrorCode::OutOfMemory, "no room").error();
    program.controller.continueReply(cut.id);
    QVERIFY(program.waitIdle());
    QCOMPARE(program.controller.messages().constLast(), cut);
    QCOMPARE(errors.size(), 1);
    QVERIFY(canBeContinued(cut));

    program.controls->generateError.reset();
    program.controls->reply = words;
    program.controller.continueReply(cut.id);
    QVERIFY(program.waitIdle());
    const Message whole = program.controller.messages().constLast();
    QCOMPARE(whole.id, cut.id);
    QCOMPARE(whole.text, QString(cut.text % text("Once upon a time.")));
    QCOMPARE(whole.state, MessageState::Complete);
    QCOMPARE(whole.stats.tokens, cut.stats.tokens + 5);
    // It has been said to its end.
    program.controller.continueReply(cut.id);
    QCOMPARE(program.controller.writingConversation(), 0);
}

void ConversationRecoveryTest::continuesAfterADeathWhileContinuing()
{
    const QTemporaryDir later; // the disk as it is found after the death
    qint64 id = 0;
    qsizetype begun = 0;
    {
        Program program(m_folder->path());
        QVERIFY(program.load());
        program.controls->endless = true;
        program.controls->tokenMilliseconds = 1;
        program.controller.send(text("Write on"));
        QTRY_VERIFY(program.controls->tokensDecoded > 5);
        program.controller.stop();
        QVERIFY(program.waitIdle());
        id = program.controller.currentConversation();
        begun = program.controller.messages().constLast().text.size();
        program.controls->tokenMilliseconds = 10; // far from the end of the context
        program.controller.continueReply(program.controller.messages().constLast().id);
        QTest::qWait(1500); // what it has grown by is journalled every half second
        for (const char* name : {"conversations.db", "conversations.db-wal"})
            QVERIFY(QFile::copy(m_folder->filePath(text(name)), later.filePath(text(name))));
    }
    Program program(later.path());
    QVERIFY(program.load());
    program.controller.openConversation(id);
    QTRY_COMPARE(program.controller.messages().size(), 2);
    const Message cut = program.controller.messages().constLast();
    QCOMPARE(cut.state, MessageState::Interrupted);
    QVERIFY(cut.text.size() > begun);
    QVERIFY(canBeContinued(cut));
    program.controller.continueReply(cut.id);
    QVERIFY(program.waitIdle());
    const Message whole = program.controller.messages().constLast();
    QCOMPARE(whole.text, QString(cut.text % text("Once upon a time.")));
    QCOMPARE(whole.state, MessageState::Complete);
    QCOMPARE(program.controller.messages().size(), 2);
}

void ConversationRecoveryTest::countsTheSameWhenOpenedAgain()
{
    Program program(m_folder->path());
    QVERIFY(program.load());
    QSignalSpy used(&program.controller, &ConversationController::contextUsageChanged);
    program.controller.send(text("Hello"));
    QVERIFY(program.waitIdle());
    QTest::qWait(50);
    const int before = used.constLast().constFirst().toInt();
    const qint64 id = program.controller.currentConversation();
    program.controller.newConversation();
    used.clear();
    program.controller.openConversation(id);
    QTRY_VERIFY(!used.isEmpty() && used.constLast().constFirst().toInt() > 0);
    QTest::qWait(50);
    QCOMPARE(used.constLast().constFirst().toInt(), before);
}

void ConversationRecoveryTest::goesOnWithoutADisk()
{
    // A file stands where the folder should be.
    const QString path = m_folder->filePath(text("not-a-folder"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();

    auto controls = std::make_shared<test::FakeEngineControls>();
    InferenceService inference(test::fakeEngine(controls));
    app::ConversationStore store(path, std::chrono::milliseconds(50));
    ConversationController controller(inference, store);
    QSignalSpy troubled(&controller, &ConversationController::storageTroubled);
    QSignalSpy recovered(&controller, &ConversationController::storageRecovered);
    store.open();
    QTRY_COMPARE(troubled.size(), 1);
    QVERIFY(troubled.constFirst().constFirst().value<app::UserError>().sentence.contains(
        text("cannot be written")));
    inference.loadModel(text("/models/fake.gguf"));
    controller.send(text("Hello"));
    QTRY_VERIFY(!controller.messages().isEmpty());
    QTRY_COMPARE(controller.messages().constLast().text, text("Once upon a time."));
    const qint64 id = controller.currentConversation();
    controller.newConversation();
    controller.openConversation(id);
    QCOMPARE(controller.messages().size(), 2); // nothing lost in memory
    // The reason passes: everything is written without a restart.
    QVERIFY(QFile::remove(path));
    QTRY_COMPARE(recovered.size(), 1);
    controller.newConversation();
    controller.openConversation(id);
    QTRY_COMPARE(controller.messages().size(), 2);
}

// As with a disk that is full: the file is there, and nothing can be written.
void ConversationRecoveryTest::goesOnWhileTheDiskIsInTrouble()
{
    qint64 id = 0;
    {
        Program program(m_folder->path());
        QVERIFY(program.load());
        QSignalSpy troubled(&program.controller, &ConversationController::storageTroubled);
        QSignalSpy recovered(&program.controller, &ConversationController::storageRecovered);
        auto other = app::SqliteConnection::open(m_folder->filePath(text("conversations.db")));
        QVERIFY(other.has_value());
        QVERIFY((*other)->run(text("BEGIN IMMEDIATE")));
        program.controller.send(text("one"));
        QTRY_COMPARE_WITH_TIMEOUT(troubled.size(), 1, 20'000);
        QVERIFY(program.waitIdle());
        program.controller.send(text("two"));
        QVERIFY(program.waitIdle());
        QCOMPARE(program.controller.messages().size(), 4);
        QCOMPARE(program.controller.messages().constLast().state, MessageState::Complete);
        id = program.controller.currentConversation();
        QVERIFY((*other)->run(text("COMMIT")));
        QTRY_COMPARE_WITH_TIMEOUT(recovered.size(), 1, 20'000);
    }
    Program again(m_folder->path());
    again.controller.openConversation(id);
    QTRY_COMPARE(again.controller.messages().size(), 4);
}

QTEST_GUILESS_MAIN(ConversationRecoveryTest)
#include "conversation_recovery_test.moc"
