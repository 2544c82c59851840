#include "tests/support/app/conversation_rows.h"

#include "app/conversation/conversation_database.h"
#include "app/conversation/conversation_store.h"
#include "app/conversation/database_recovery.h"
#include "app/conversation/schema.h"
#include "app/conversation/store_error.h"

#include <QDir>
#include <QFile>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <memory>

#ifdef Q_OS_UNIX
#include <sys/resource.h>
#endif

namespace {

using namespace test;
using app::ConversationContents;
using app::ConversationDatabase;
using app::ConversationStore;
using app::ConversationSummary;
using app::Message;
using app::MessageState;
using app::SqliteConnection;

constexpr std::chrono::milliseconds kRetryPause{50};

/// Fifty chats of two messages each.
void fill(ConversationDatabase& database)
{
    QList<ConversationSummary> conversations;
    QList<Message> messages;
    for (qint64 i = 0; i < 50; ++i) {
        const qint64 id = 1 + i * 3;
        const QString words = QString(400, QChar(u'a' + static_cast<char16_t>(i % 26)));
        conversations += conversation(id);
        messages += {message(id + 1, id, 0, words), message(id + 2, id, id + 1, words)};
    }
    QVERIFY(database.insertAll(conversations, messages));
}

} // namespace

class ConversationStoreTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void answersInOrder();
    void givesGrowingIds();
    void writesEverythingAtTheEnd();
    void waitsForALockedFile();
    void settles();
    void waitsForADiskWithRoom();
    void setsADamagedFileAside_data();
    void setsADamagedFileAside();
    void leavesTheTrashInADamagedFile();
    void survivesRandomDamage();
    void leavesALaterFileAlone();
    void saysWhyAFolderCannotBeUsed();

private:
    QString path() const { return m_folder->databasePath(); }
    std::unique_ptr<ConversationDatabase> open() const { return m_folder->open(); }

    std::unique_ptr<DatabaseFolder> m_folder;
};

void ConversationStoreTest::init()
{
    m_folder = std::make_unique<DatabaseFolder>();
    QVERIFY(m_folder->isValid());
}

void ConversationStoreTest::answersInOrder()
{
    ConversationStore store(m_folder->path());
    QSignalSpy opened(&store, &ConversationStore::opened);
    QSignalSpy saved(&store, &ConversationStore::messageSaved);
    QSignalSpy loaded(&store, &ConversationStore::conversationLoaded);
    // Asked for before it is open, all the same.
    store.addMessage(conversation(1), message(2, 1, 0, text("question")));
    store.open();
    store.addMessage(conversation(1), reply(3, 1, 2));
    store.growReply(3, {.text = text("ans"), .reasoning = {}}, 1);
    store.growReply(3, {.text = text("wer"), .reasoning = {}}, 2);
    store.loadConversation(1);
    QTRY_COMPARE(loaded.size(), 1);
    QCOMPARE(opened.size(), 1);
    QCOMPARE(saved.size(), 2);
    const auto contents = loaded.constFirst().constFirst().value<ConversationContents>();
    QCOMPARE(contents.messages.size(), 2);
    QCOMPARE(contents.messages.constLast().text, text("answer"));
    QCOMPARE(contents.messages.constLast().stats.tokens, 2);
}

void ConversationStoreTest::givesGrowingIds()
{
    {
        auto database = open();
        QVERIFY(database->addMessage(conversation(1), message(2, 1, 0, text("question"))));
    }
    ConversationStore store(m_folder->path());
    QSignalSpy opened(&store, &ConversationStore::opened);
    store.open();
    QTRY_COMPARE(opened.size(), 1);
    QCOMPARE(store.newId(), 3);
    QCOMPARE(store.newId(), 4);
    ConversationStore early(m_folder->path());
    QVERIFY(early.newId() > 1'000'000'000'000); // not one that may be taken
}

void ConversationStoreTest::writesEverythingAtTheEnd()
{
    {
        ConversationStore store(m_folder->path());
        store.open();
        for (qint64 id = 2; id < 50; ++id)
            store.addMessage(conversation(1), message(id, 1, id == 2 ? 0 : id - 1, text("words")));
    }
    QCOMPARE(open()->contents(1)->messages.size(), 48);
}

void ConversationStoreTest::waitsForALockedFile()
{
    ConversationStore store(m_folder->path(), kRetryPause);
    QSignalSpy opened(&store, &ConversationStore::opened);
    QSignalSpy saved(&store, &ConversationStore::messageSaved);
    QSignalSpy troubled(&store, &ConversationStore::troubled);
    QSignalSpy recovered(&store, &ConversationStore::recovered);
    store.open();
    QTRY_COMPARE(opened.size(), 1);
    auto other = SqliteConnection::open(path());
    QVERIFY((*other)->run(text("BEGIN IMMEDIATE")));
    store.addMessage(conversation(1), message(2, 1, 0, text("question")));
    store.addMessage(conversation(1), message(3, 1, 2, text("answer")));
    QTRY_COMPARE(troubled.size(), 1);
    QVERIFY(store.isTroubled());
    QVERIFY(troubled.constFirst().constFirst().value<app::UserError>().sentence.contains(
        text("another program holds the file")));
    QCOMPARE(saved.size(), 0);
    QVERIFY((*other)->run(text("COMMIT")));
    QTRY_COMPARE(recovered.size(), 1);
    QCOMPARE(saved.size(), 2);
    QCOMPARE(troubled.size(), 1); // told once
    QVERIFY(!store.isTroubled());
}

void ConversationStoreTest::settles()
{
    ConversationStore store(m_folder->path(), std::chrono::hours(1));
    QSignalSpy opened(&store, &ConversationStore::opened);
    QSignalSpy troubled(&store, &ConversationStore::troubled);
    QSignalSpy saved(&store, &ConversationStore::messageSaved);
    store.open();
    QTRY_COMPARE(opened.size(), 1);
    QVERIFY(!store.settle());
    auto other = SqliteConnection::open(path());
    QVERIFY((*other)->run(text("BEGIN IMMEDIATE")));
    store.addMessage(conversation(1), message(2, 1, 0, text("question")));
    QCOMPARE(store.unsavedMessages(), QList<qint64>{2});
    const std::optional<app::UserError> trouble = store.settle();
    QVERIFY(trouble.has_value());
    QVERIFY(trouble->sentence.contains(text("another program holds the file")));
    QTRY_COMPARE(troubled.size(), 1);
    QCOMPARE(store.unsavedMessages(), QList<qint64>{2});
    // It does not wait for its next try.
    QVERIFY((*other)->run(text("COMMIT")));
    QVERIFY(!store.settle());
    QTRY_COMPARE(saved.size(), 1);
    QVERIFY(store.unsavedMessages().isEmpty());
    QCOMPARE(open()->contents(1)->messages.size(), 1);
}

void ConversationStoreTest::waitsForADiskWithRoom()
{
#ifdef Q_OS_UNIX
    ConversationStore store(m_folder->path(), kRetryPause);
    QSignalSpy opened(&store, &ConversationStore::opened);
    QSignalSpy saved(&store, &ConversationStore::messageSaved);
    QSignalSpy troubled(&store, &ConversationStore::troubled);
    QSignalSpy recovered(&store, &ConversationStore::recovered);
    store.open();
    QTRY_COMPARE(opened.size(), 1);
    // No file may grow beyond 200 kB from now on: writes fail as on a full disk.
    (void)std::signal(SIGXFSZ, SIG_IGN);
    rlimit usual{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &usual), 0);
    const rlimit small{.rlim_cur = 200'000, .rlim_max = usual.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    store.addMessage(conversation(1), message(2, 1, 0, QString(1'000'000, u'x')));
    store.addMessage(conversation(1), message(3, 1, 2, text("short")));
    const bool told = QTest::qWaitFor([&] { return !troubled.isEmpty(); });
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &usual), 0);
    QVERIFY(told);
    QCOMPARE(saved.size(), 0);
    QTRY_COMPARE(recovered.size(), 1);
    QCOMPARE(saved.size(), 2);
    QCOMPARE(open()->contents(1)->messages.size(), 2);
#else
    QSKIP("needs resource limits");
#endif
}

void ConversationStoreTest::setsADamagedFileAside_data()
{
    QTest::addColumn<qint64>("at");
    QTest::addColumn<int>("length");
    QTest::addColumn<bool>("someSaved");
    QTest::newRow("the beginning") << qint64{0} << 100 << false;
    QTest::newRow("a text file") << qint64{0} << -1 << false;
    QTest::newRow("the middle") << qint64{40'000} << 12'000 << true;
}

void ConversationStoreTest::setsADamagedFileAside()
{
    QFETCH(const qint64, at);
    QFETCH(const int, length);
    QFETCH(const bool, someSaved);
    {
        auto database = open();
        fill(*database);
    }
    QFile file(path());
    QVERIFY(file.open(QIODevice::ReadWrite));
    if (length < 0) QVERIFY(file.resize(0));
    QVERIFY(file.seek(at));
    file.write(QByteArray(length < 0 ? 5000 : length, 'X'));
    file.close();
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray damaged = file.readAll();
    file.close();

    ConversationStore store(m_folder->path());
    QSignalSpy opened(&store, &ConversationStore::opened);
    store.open();
    QTRY_COMPARE(opened.size(), 1);
    const auto contents = opened.constFirst().constFirst().value<app::StoreContents>();
    QVERIFY(contents.notice.startsWith(text("The file with your chats was damaged.")));
    QCOMPARE(!contents.conversations.isEmpty(), someSaved);
    const QStringList aside =
        QDir(m_folder->path()).entryList({QStringLiteral("conversations.damaged-*.db")});
    QCOMPARE(aside.size(), 1);
    QVERIFY(contents.notice.contains(aside.constFirst()));
    QFile kept(m_folder->filePath(aside.constFirst()));
    QVERIFY(kept.open(QIODevice::ReadOnly));
    QCOMPARE(kept.readAll(), damaged); // as it was
    QSignalSpy saved(&store, &ConversationStore::messageSaved);
    store.addMessage(conversation(9001), message(9002, 9001, 0, text("goes on")));
    QTRY_COMPARE(saved.size(), 1);
}

void ConversationStoreTest::leavesTheTrashInADamagedFile()
{
    qint64 page = 0;
    {
        auto database = open();
        fill(*database);
        const QDateTime now = QDateTime::currentDateTimeUtc();
        QVERIFY(database->setDeleted(1, now));                              // all of a chat
        QVERIFY(database->setMessageDeleted(message(5, 4, 0, {}), now, 0)); // and its answer
        QVERIFY(database->setMessageDeleted(message(9, 7, 8, {}), now, 8)); // an answer alone
    }
    {
        auto connection = SqliteConnection::open(path());
        page = (*connection)
                   ->value(text("SELECT rootpage FROM sqlite_schema WHERE name = 'message_parent'"))
                   ->toLongLong();
    }
    QVERIFY(page > 1);
    QFile file(path());
    QVERIFY(file.open(QIODevice::ReadWrite));
    constexpr int kPage = 4096;
    QVERIFY(file.seek((page - 1) * kPage));
    file.write(QByteArray(kPage, 'X'));
    file.close();

    const auto opened = app::openOrRecover(path());
    QVERIFY(opened.has_value());
    QVERIFY(!opened->notice.isEmpty());
    const auto conversations = opened->database->conversations();
    QCOMPARE(conversations->size(), 49);
    QVERIFY(!std::ranges::contains(*conversations, 1, &ConversationSummary::id));
    QVERIFY(opened->database->contents(1)->messages.isEmpty());
    QVERIFY(opened->database->contents(4)->messages.isEmpty());
    QCOMPARE(opened->database->contents(7)->messages.size(), 1);
    QCOMPARE(opened->database->contents(10)->messages.size(), 2);
}

void ConversationStoreTest::survivesRandomDamage()
{
    {
        auto database = open();
        fill(*database);
    }
    QFile file(path());
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray whole = file.readAll();
    file.close();
    QRandomGenerator random(7);
    for (int round = 0; round < 25; ++round) {
        QByteArray bytes = whole;
        for (int i = 0; i < 64; ++i)
            bytes[random.bounded(bytes.size())] = static_cast<char>(random.bounded(256));
        if (round % 5 == 0) bytes.truncate(random.bounded(bytes.size()));
        const QTemporaryDir folder;
        const QString copy = folder.filePath(QStringLiteral("conversations.db"));
        QFile target(copy);
        QVERIFY(target.open(QIODevice::WriteOnly));
        target.write(bytes);
        target.close();
        const auto opened = app::openOrRecover(copy);
        QVERIFY(opened.has_value());
        QVERIFY(opened->database->addMessage(conversation(9001),
                                             message(9002, 9001, 0, text("goes on"))));
    }
}

void ConversationStoreTest::leavesALaterFileAlone()
{
    {
        auto database = open();
        QVERIFY(database->addMessage(conversation(1), message(2, 1, 0, text("question"))));
    }
    {
        auto connection = SqliteConnection::open(path());
        QVERIFY((*connection)->run(text("PRAGMA user_version = 99")));
    }
    {
        ConversationStore store(m_folder->path());
        QSignalSpy troubled(&store, &ConversationStore::troubled);
        store.open();
        QTRY_COMPARE(troubled.size(), 1);
        QVERIFY(troubled.constFirst().constFirst().value<app::UserError>().sentence.contains(
            text("newer Inglenook")));
        store.addMessage(conversation(5), message(6, 5, 0, text("not saved")));
    }
    auto connection = SqliteConnection::open(path());
    QCOMPARE((*connection)->value(text("SELECT count(*) FROM message"))->toInt(), 1);
}

void ConversationStoreTest::saysWhyAFolderCannotBeUsed()
{
    // Where the database should be there is a folder.
    QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("conversations.db")));
    ConversationStore store(m_folder->path(), kRetryPause);
    QSignalSpy troubled(&store, &ConversationStore::troubled);
    QSignalSpy opened(&store, &ConversationStore::opened);
    QSignalSpy saved(&store, &ConversationStore::messageSaved);
    store.open();
    QTRY_COMPARE(troubled.size(), 1);
    const QString sentence = troubled.constFirst().constFirst().value<app::UserError>().sentence;
    QVERIFY(sentence.contains(QDir::toNativeSeparators(m_folder->path())));
    QVERIFY2(sentence.contains(text("a folder called conversations.db")), qPrintable(sentence));
    store.addMessage(conversation(1), message(2, 1, 0, text("question")));
    QVERIFY(QDir(m_folder->path()).rmdir(QStringLiteral("conversations.db")));
    QTRY_COMPARE(saved.size(), 1);
    QCOMPARE(opened.size(), 1);
}

QTEST_GUILESS_MAIN(ConversationStoreTest)

#include "conversation_store_test.moc"
