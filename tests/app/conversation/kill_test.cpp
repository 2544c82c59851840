// The program is killed at random moments (the test starts itself as the victim) and what it had
// acknowledged is looked for on the disk. INGLENOOK_KILLS sets the number of rounds.

#include "tests/support/app/fake_engine.h"

#include "app/conversation/conversation_controller.h"
#include "app/conversation/conversation_database.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>
#include <QTextStream>

#include <memory>
#include <vector>

namespace {

using app::ConversationDatabase;
using app::Message;
using app::MessageState;

constexpr int kTokenMilliseconds = 10;
constexpr int kChain = 20; ///< messages of the third test
/// A second of text, and what a loaded machine may add to the timer and the pipe.
constexpr int kMostTokensBehind = 1000 / kTokenMilliseconds + 100;

int rounds(int standard)
{
    bool set = false;
    const int asked = qEnvironmentVariableIntValue("INGLENOOK_KILLS", &set);
    return set ? asked : standard;
}

/// The victim of the first test: messages as fast as they can be saved, each acknowledged on
/// stdout.
int writeMessages(const QString& path)
{
    auto database = ConversationDatabase::open(path);
    if (!database) return 1;
    QTextStream out(stdout);
    out << "ready" << Qt::endl;
    const app::ConversationSummary chat{.id = 1,
                                        .title = QStringLiteral("A chat"),
                                        .updatedAt = QDateTime::currentDateTimeUtc(),
                                        .createdAt = QDateTime::currentDateTimeUtc()};
    qint64 id = std::max<qint64>(1, (*database)->greatestId().value_or(0));
    for (;;) {
        Message message;
        message.id = ++id;
        message.conversationId = 1;
        message.text = QString::number(message.id).repeated(50);
        message.createdAt = QDateTime::currentDateTimeUtc();
        if (!(*database)->addMessage(chat, message)) return 1;
        out << message.id << Qt::endl;
    }
}

/// The victim of the third: a chain of messages, the middle of which is deleted and taken back.
int deleteAndRestore(const QString& path)
{
    auto database = ConversationDatabase::open(path);
    if (!database) return 1;
    const app::ConversationSummary chat{.id = 1,
                                        .title = QStringLiteral("A chat"),
                                        .updatedAt = QDateTime::currentDateTimeUtc(),
                                        .createdAt = QDateTime::currentDateTimeUtc()};
    Message message;
    message.conversationId = 1;
    message.createdAt = QDateTime::currentDateTimeUtc();
    for (message.id = 2; message.id < 2 + kChain; ++message.id) {
        message.parentId = message.id == 2 ? 0 : message.id - 1;
        message.text = QString::number(message.id);
        if (!(*database)->addMessage(chat, message)) return 1;
    }
    QTextStream out(stdout);
    message.id = 2 + kChain / 2;
    for (;;) {
        const QDateTime now = QDateTime::currentDateTimeUtc();
        if (!(*database)->setMessageDeleted(message, now, message.id - 1)) return 1;
        out << "deleted" << Qt::endl;
        if (!(*database)->setMessageDeleted(message, {}, 1 + kChain)) return 1;
        out << "restored" << Qt::endl;
    }
}

/// The victim of the second: the whole of the program but its window, writing an endless reply.
int writeReply(const QString& folder)
{
    auto controls = std::make_shared<test::FakeEngineControls>();
    controls->endless = true;
    controls->tokenMilliseconds = kTokenMilliseconds;
    controls->reply = {"word "};
    app::InferenceService inference(test::fakeEngine(controls));
    app::ConversationStore store(folder);
    app::ConversationController controller(inference, store);
    QTextStream out(stdout);
    QObject::connect(&store, &app::ConversationStore::messageSaved, &controller,
                     [&out](qint64 id) { out << "saved " << id << Qt::endl; });
    QObject::connect(&controller, &app::ConversationController::tokenDecoded, &controller,
                     [&out](qint64 id) { out << "token " << id << Qt::endl; });
    store.open();
    inference.loadModel(QStringLiteral("/models/fake.gguf"));
    controller.send(QStringLiteral("Write on"));
    return QCoreApplication::exec();
}

void startVictim(QProcess& process, const QString& what, const QString& path)
{
    process.setProgram(QCoreApplication::applicationFilePath());
    process.setArguments({what, path});
    process.start();
}

} // namespace

class KillTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsAcknowledgedMessages();
    void losesAtMostASecondOfAReply();
    void deletesAllOfABranchOrNothing();
};

void KillTest::keepsAcknowledgedMessages()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("conversations.db"));
    QRandomGenerator random(11);
    qint64 acknowledged = 0;
    for (int round = 0; round < rounds(40); ++round) {
        QProcess victim;
        startVictim(victim, QStringLiteral("--write-messages"), path);
        QVERIFY(victim.waitForReadyRead());
        // On a busy machine a message takes longer than that to be saved.
        QTest::qSleep(random.bounded(20) + (acknowledged == 0 ? 10 * round : 0));
        victim.kill();
        QVERIFY(victim.waitForFinished());
        const QList<QByteArray> lines = victim.readAllStandardOutput().split('\n');
        // The last line may be cut; the ones before it were promised.
        for (qsizetype i = 0; i + 1 < lines.size(); ++i)
            acknowledged = std::max(acknowledged, lines.at(i).toLongLong());

        auto database = ConversationDatabase::open(path);
        QVERIFY2(database.has_value(), qPrintable(database ? QString() : database.error().message));
        const QList<Message> messages = (*database)->contents(1)->messages;
        QVERIFY(messages.isEmpty() || messages.constLast().id >= acknowledged);
        QCOMPARE(messages.size(), messages.isEmpty() ? 0 : messages.constLast().id - 1);
    }
    QVERIFY(acknowledged > 0);
    const QList<Message> messages = (*ConversationDatabase::open(path))->contents(1)->messages;
    for (const Message& message : messages)
        QCOMPARE(message.text, QString::number(message.id).repeated(50));
    QCOMPARE(QDir(folder.path()).entryList({QStringLiteral("*damaged*")}).size(), 0);
}

void KillTest::losesAtMostASecondOfAReply()
{
    struct Victim {
        QTemporaryDir folder;
        QProcess process;
        int lifetime = 0;
    };
    QRandomGenerator random(13);
    std::vector<std::unique_ptr<Victim>> victims;
    QElapsedTimer clock;
    clock.start();
    for (int i = 0; i < rounds(6); ++i) {
        victims.push_back(std::make_unique<Victim>());
        victims.back()->lifetime = 200 + random.bounded(2300);
        startVictim(victims.back()->process, QStringLiteral("--write-reply"),
                    victims.back()->folder.path());
    }
    std::ranges::sort(victims, {}, [](const auto& victim) { return victim->lifetime; });
    for (const auto& victim : victims) {
        if (const qint64 left = victim->lifetime - clock.elapsed(); left > 0) QTest::qWait(left);
        victim->process.kill();
        QVERIFY(victim->process.waitForFinished());
        const QList<QByteArray> lines = victim->process.readAllStandardOutput().split('\n');
        const auto tokens = std::ranges::count_if(
            lines, [](const QByteArray& line) { return line.startsWith("token "); });
        const bool saved = std::ranges::any_of(
            lines, [](const QByteArray& line) { return line.startsWith("saved "); });
        // No token came before the message was on the disk.
        QVERIFY(saved || tokens == 0);

        auto database =
            ConversationDatabase::open(victim->folder.filePath(QStringLiteral("conversations.db")));
        QVERIFY(database.has_value());
        const auto conversations = (*database)->conversations();
        if (conversations->isEmpty()) {
            QVERIFY(!saved);
            continue;
        }
        const QList<Message> messages =
            (*database)->contents(conversations->constFirst().id)->messages;
        if (saved) QVERIFY(!messages.isEmpty());
        if (!messages.isEmpty()) QCOMPARE(messages.at(0).text, QStringLiteral("Write on"));
        if (tokens == 0) continue;
        const qsizetype kept =
            messages.size() < 2 ? 0 : messages.at(1).text.count(QStringLiteral("word "));
        QVERIFY2(tokens - kept <= kMostTokensBehind,
                 qPrintable(QStringLiteral("%1 of %2 tokens kept").arg(kept).arg(tokens)));
        if (messages.size() < 2) continue;
        QCOMPARE(messages.at(1).state, MessageState::Interrupted);
        QCOMPARE(messages.at(1).stats.tokens, kept);
    }
}

void KillTest::deletesAllOfABranchOrNothing()
{
    QRandomGenerator random(17);
    for (int round = 0; round < rounds(20); ++round) {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("conversations.db"));
        QProcess victim;
        startVictim(victim, QStringLiteral("--delete"), path);
        QVERIFY(victim.waitForReadyRead());
        QTest::qSleep(random.bounded(20));
        victim.kill();
        QVERIFY(victim.waitForFinished());
        const QList<QByteArray> lines = victim.readAllStandardOutput().split('\n');
        auto database = ConversationDatabase::open(path);
        QVERIFY(database.has_value());
        const app::ConversationContents contents = *(*database)->contents(1);
        const qsizetype shown = contents.messages.size();
        QVERIFY(shown == kChain || shown == kChain / 2);
        // The branch shown ends with what is there.
        QCOMPARE(contents.activeMessageId, contents.messages.constLast().id);
        // What was acknowledged last holds, or what was under way after it.
        QVERIFY(lines.size() >= 2);
        Message middle;
        middle.id = 2 + kChain / 2;
        middle.conversationId = 1;
        QVERIFY((*database)->setMessageDeleted(middle, {}, 1 + kChain));
        const QList<Message> all = (*database)->contents(1)->messages;
        QCOMPARE(all.size(), kChain);
        for (const Message& message : all)
            QCOMPARE(message.text, QString::number(message.id));
    }
}

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.value(1) == u"--write-messages") return writeMessages(arguments.value(2));
    if (arguments.value(1) == u"--write-reply") return writeReply(arguments.value(2));
    if (arguments.value(1) == u"--delete") return deleteAndRestore(arguments.value(2));
    KillTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "kill_test.moc"
