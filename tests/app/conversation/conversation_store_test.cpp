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

using app::ConversationContents;
using app::ConversationDatabase;
using app::ConversationStore;
using app::ConversationSummary;
using app::Message;
using app::MessageState;
using app::Role;
using app::SqliteConnection;

constexpr std::chrono::milliseconds kRetryPause{50};

QString text(const char* utf8)
{
    return QString::fromUtf8(utf8);
}

QDateTime timeAt(qint64 second)
{
    return QDateTime::fromSecsSinceEpoch(second, QTimeZone::UTC);
}

ConversationSummary conversation(qint64 id, const QString& title = QStringLiteral("A chat"))
{
    return {.id = id,
            .title = title,
            .updatedAt = timeAt(1'800'000'000 + id),
            .createdAt = timeAt(1'800'000'000)};
}

Message message(qint64 id, qint64 conversationId, qint64 parentId, const QString& words)
{
    Message result;
    result.id = id;
    result.conversationId = conversationId;
    result.parentId = parentId;
    result.role = parentId == 0 ? Role::User : Role::Assistant;
    result.text = words;
    result.createdAt = timeAt(1'800'000'000 + id);
    return result;
}

Message reply(qint64 id, qint64 conversationId, qint64 parentId)
{
    Message result = message(id, conversationId, parentId, {});
    result.state = MessageState::Writing;
    return result;
}

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

    void splitsScripts();
    void migratesFromEveryVersion();
    void undoesAMigrationThatFails();
    void refusesALaterSchema();
    void hasTheSchemaItShips();
    void takesOldRepliesApart();

    void readsWhatItWrote();
    void keepsEveryBranch();
    void putsMessagesIntoTheTrash();
    void journalsReplies();
    void listsTheNewestFirst();
    void putsIntoTheTrash();
    void showsADamagedRow();
    void searchesMessages_data();
    void searchesMessages();
    void showsTheWordsAroundAHit();

    void answersInOrder();
    void givesGrowingIds();
    void writesEverythingAtTheEnd();
    void waitsForALockedFile();
    void waitsForADiskWithRoom();
    void setsADamagedFileAside_data();
    void setsADamagedFileAside();
    void survivesRandomDamage();
    void leavesALaterFileAlone();
    void saysWhyAFolderCannotBeUsed();

private:
    QString path() const { return m_folder->filePath(QStringLiteral("conversations.db")); }
    std::unique_ptr<ConversationDatabase> open()
    {
        auto database = ConversationDatabase::open(path());
        return database ? std::move(*database) : nullptr;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void ConversationStoreTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

// --- schema ----------------------------------------------------------------------------------

void ConversationStoreTest::splitsScripts()
{
    const QStringList statements =
        app::splitStatements(text("-- a comment;\nCREATE TABLE a (\n    b TEXT, -- and; another\n "
                                  "   c TEXT\n);\n\nINSERT INTO a\n VALUES ('x', 'y');\n"));
    QCOMPARE(statements.size(), 2);
    QCOMPARE(statements.at(0), text("CREATE TABLE a (\nb TEXT,\nc TEXT\n)"));
    QCOMPARE(statements.at(1), text("INSERT INTO a\nVALUES ('x', 'y')"));
}

void ConversationStoreTest::migratesFromEveryVersion()
{
    const QStringList scripts{text("CREATE TABLE one (a TEXT);"),
                              text("ALTER TABLE one ADD COLUMN b TEXT DEFAULT 'two';"),
                              text("CREATE TABLE three (c TEXT);\nINSERT INTO three SELECT b FROM "
                                   "one;")};
    for (qsizetype version = 0; version <= scripts.size(); ++version) {
        const QString file = m_folder->filePath(QStringLiteral("v%1.db").arg(version));
        auto connection = SqliteConnection::open(file);
        QVERIFY(connection.has_value());
        QCOMPARE(app::migrate(**connection, file, scripts.mid(0, version)).value_or(-1), 0);
        if (version > 0) QVERIFY((*connection)->run(text("INSERT INTO one (a) VALUES ('kept')")));
        QCOMPARE(app::migrate(**connection, file, scripts).value_or(-1), version);
        QCOMPARE((*connection)->value(text("PRAGMA user_version"))->toInt(), 3);
        QCOMPARE((*connection)->value(text("SELECT count(*) FROM one WHERE b = 'two'"))->toInt(),
                 version > 0 ? 1 : 0);
        const bool changed = version > 0 && version < scripts.size();
        QCOMPARE(QFile::exists(file % QStringLiteral(".before-v3")), changed);
    }
}

void ConversationStoreTest::undoesAMigrationThatFails()
{
    auto connection = SqliteConnection::open(path());
    const QStringList good{text("CREATE TABLE one (a TEXT);")};
    QVERIFY(app::migrate(**connection, path(), good).has_value());
    const QStringList bad = good + QStringList{text("CREATE TABLE two (a TEXT);\nINSERT INTO one "
                                                    "VALUES ('half');\nSELECT nothing FROM "
                                                    "nowhere;")};
    QVERIFY(!app::migrate(**connection, path(), bad).has_value());
    QCOMPARE((*connection)->value(text("PRAGMA user_version"))->toInt(), 1);
    QCOMPARE((*connection)->value(text("SELECT count(*) FROM one"))->toInt(), 0);
    QVERIFY(!(*connection)->run(text("SELECT * FROM two")).has_value());
}

void ConversationStoreTest::refusesALaterSchema()
{
    auto connection = SqliteConnection::open(path());
    QVERIFY((*connection)->run(text("PRAGMA user_version = 99")));
    const auto migrated = app::migrate(**connection, path(), app::schemaScripts());
    QVERIFY(!migrated.has_value());
    QCOMPARE(migrated.error().code, app::sqlite::kNewerSchema);
}

void ConversationStoreTest::hasTheSchemaItShips()
{
    QVERIFY(!app::schemaScripts().isEmpty());
    QVERIFY(open() != nullptr);
    QVERIFY(open() != nullptr); // again, where it is
}

void ConversationStoreTest::takesOldRepliesApart()
{
    struct Row {
        const char* before;
        const char* text;
        const char* reasoning;
    };
    constexpr Row kRows[] = {
        {" <think>\nhm\n</think>\n\n**a**", "**a**", "hm"},
        {"<think>never closed", "", "never closed"},
        {"a <think>b</think>", "a <think>b</think>", ""},
        {"plain", "plain", ""},
    };
    {
        auto connection = SqliteConnection::open(path());
        QVERIFY(app::migrate(**connection, path(), app::schemaScripts().mid(0, 1)).has_value());
        QVERIFY((*connection)
                    ->run(text("INSERT INTO conversation (id, title, created_at, "
                               "updated_at) VALUES (1, 't', 0, 0)")));
        for (qint64 id = 2; const Row& row : kRows)
            QVERIFY((*connection)
                        ->run(text("INSERT INTO message (id, conversation_id, role, text, "
                                   "created_at, state) VALUES (?, 1, 'assistant', ?, 0, "
                                   "'complete')"),
                              {id++, text(row.before)}));
    }
    const auto contents = open()->contents(1);
    QCOMPARE(contents->messages.size(), std::ssize(kRows));
    for (qsizetype i = 0; i < contents->messages.size(); ++i) {
        QCOMPARE(contents->messages[i].text, text(kRows[i].text));
        QCOMPARE(contents->messages[i].reasoning, text(kRows[i].reasoning));
    }
}

// --- rows ------------------------------------------------------------------------------------

void ConversationStoreTest::readsWhatItWrote()
{
    ConversationSummary chat = conversation(1, text("Küche — “tea”"));
    chat.pinned = true;
    chat.renamed = true;
    const Message question = message(2, 1, 0, text("What's 'this'; -- \xf0\x9f\x94\xa5\n\ttab"));
    Message answer = message(3, 1, 2, QString(200'000, u'x'));
    answer.modelName = text("Qwen3 8B");
    answer.state = MessageState::Failed;
    answer.error = text("There is not enough memory.");
    answer.stats = {.tokens = 412,
                    .tokensPerSecond = 23.4,
                    .secondsToFirstToken = 0.31,
                    .seconds = 17.6,
                    .seed = 0xfedcba9876543210ULL,
                    .stopReason = text("max-tokens")};
    {
        auto database = open();
        QVERIFY(database->addMessage(chat, question));
        QVERIFY(database->addMessage(chat, answer));
        QVERIFY(database->saveDraft(1, text("half")));
        QVERIFY(database->saveDraft(0, text("new")));
    }
    auto database = open();
    QCOMPARE(*database->conversations(), QList<ConversationSummary>({chat}));
    const ConversationContents contents = *database->contents(1);
    QCOMPARE(contents.messages, QList<Message>({question, answer}));
    QCOMPARE(contents.activeMessageId, 3);
    QCOMPARE(contents.draft, text("half"));
    QCOMPARE(*database->draft(0), text("new"));
    QCOMPARE(*database->greatestId(), 3);
    QVERIFY(database->saveDraft(0, {}));
    QVERIFY(database->draft(0)->isEmpty());
    // The same write again leads to the same rows.
    QVERIFY(database->addMessage(chat, answer));
    QCOMPARE(database->contents(1)->messages.size(), 2);
}

void ConversationStoreTest::keepsEveryBranch()
{
    auto database = open();
    const ConversationSummary chat = conversation(1);
    QVERIFY(database->addMessage(chat, message(2, 1, 0, text("question"))));
    QVERIFY(database->addMessage(chat, message(3, 1, 2, text("first"))));
    QVERIFY(database->addMessage(chat, message(4, 1, 2, text("second"))));
    QVERIFY(database->setActiveMessage(1, 3));
    const ConversationContents contents = *database->contents(1);
    QCOMPARE(contents.messages.size(), 3);
    QCOMPARE(contents.activeMessageId, 3);
    // A message without its parent is refused, not half written.
    const auto orphan = database->addMessage(chat, message(9, 1, 8, text("orphan")));
    QVERIFY(!orphan.has_value());
    QCOMPARE(orphan.error().code, app::sqlite::kConstraint);
    QCOMPARE(database->contents(1)->messages.size(), 3);
    QCOMPARE(database->contents(1)->activeMessageId, 3);
}

void ConversationStoreTest::putsMessagesIntoTheTrash()
{
    const ConversationSummary chat = conversation(1);
    const Message question = message(2, 1, 0, text("an apple"));
    const Message answer = reply(3, 1, 2);
    const Message more = message(4, 1, 3, text("a pear"));
    const QDateTime now = QDateTime::currentDateTimeUtc();
    const auto shown = [](ConversationDatabase& database) {
        QList<qint64> ids;
        const QList<Message> messages = database.contents(1)->messages;
        for (const Message& row : messages)
            ids += row.id;
        return ids;
    };
    {
        auto database = open();
        for (const Message& row : {question, answer, more})
            QVERIFY(database->addMessage(chat, row));
        QVERIFY(database->setMessageDeleted(answer, now, 2));
        QCOMPARE(shown(*database), QList<qint64>{2});
        QCOMPARE(database->contents(1)->activeMessageId, 2);
        QCOMPARE(database->search(text("apple"), 10)->size(), 1);
        QVERIFY(database->search(text("pear"), 10)->isEmpty());
        // What a reply still brings is of the deleted branch, and new ids are new.
        QVERIFY(database->growReply(3, {.text = text("half"), .reasoning = {}}));
        Message whole = answer;
        whole.text = text("half a cherry");
        whole.state = MessageState::Stopped;
        QVERIFY(database->finishReply(chat, whole));
        QCOMPARE(shown(*database), QList<qint64>{2});
        QVERIFY(database->search(text("cherry"), 10)->isEmpty());
        QCOMPARE(*database->greatestId(), 4);
    }
    {
        auto database = open();
        QCOMPARE(shown(*database), QList<qint64>{2});
        QVERIFY(database->setMessageDeleted(answer, {}, 4));
        QCOMPARE(shown(*database), QList<qint64>({2, 3, 4}));
        QCOMPARE(database->contents(1)->messages[1].text, text("half a cherry"));
        QCOMPARE(database->contents(1)->activeMessageId, 4);
        QCOMPARE(database->search(text("pear"), 10)->size(), 1);
        // A branch deleted before stays deleted when the one around it comes back.
        QVERIFY(database->setMessageDeleted(more, now, 3));
        QVERIFY(database->setMessageDeleted(question, now, 0));
        QVERIFY(shown(*database).isEmpty());
        QVERIFY(database->setMessageDeleted(question, {}, 3));
        QCOMPARE(shown(*database), QList<qint64>({2, 3}));
        // Later than thirty days it is gone, with what follows it, and from the index.
        QVERIFY(database->setMessageDeleted(answer, now.addDays(-31), 2));
        QVERIFY(database->purgeDeleted(now.addDays(-30)));
        QVERIFY(database->setMessageDeleted(answer, {}, 3));
        QCOMPARE(shown(*database), QList<qint64>{2});
        QCOMPARE(*database->greatestId(), 2);
        QVERIFY(database->search(text("cherry"), 10)->isEmpty());
    }
    QCOMPARE(open()->search(text("apple"), 10)->size(), 1);
}

void ConversationStoreTest::journalsReplies()
{
    const ConversationSummary chat = conversation(1);
    Message answer = reply(3, 1, 2);
    {
        auto database = open();
        QVERIFY(database->addMessage(chat, message(2, 1, 0, text("question"))));
        QVERIFY(database->addMessage(chat, answer));
        for (const char* piece : {"A ", "story?"})
            QVERIFY(database->growReply(3, {.text = {}, .reasoning = text(piece)}));
        for (const char* piece : {"Once ", "upon ", "a time"})
            QVERIFY(database->growReply(3, {.text = text(piece), .reasoning = {}}));
        const Message writing = database->contents(1)->messages.constLast();
        QCOMPARE(writing.text, text("Once upon a time"));
        QCOMPARE(writing.reasoning, text("A story?"));
        QCOMPARE(writing.state, MessageState::Writing);
    } // the program ends here
    {
        auto database = open();
        const Message interrupted = database->contents(1)->messages.constLast();
        QCOMPARE(interrupted.text, text("Once upon a time"));
        QCOMPARE(interrupted.reasoning, text("A story?"));
        QCOMPARE(interrupted.state, MessageState::Interrupted);
        QCOMPARE(database->search(text("upon"), 10)->size(), 1);
        // A piece that comes late is not added to a reply that has ended.
        QVERIFY(database->growReply(3, {.text = text(" later"), .reasoning = {}}));
        QVERIFY(database->contents(1)->messages.constLast().text == text("Once upon a time"));
        answer = reply(4, 1, 2);
        QVERIFY(database->addMessage(chat, answer));
        QVERIFY(database->growReply(4, {.text = text("half"), .reasoning = {}}));
        answer.text = text("half and whole");
        answer.reasoning = text("hm");
        answer.state = MessageState::Complete;
        QVERIFY(database->finishReply(chat, answer));
    }
    auto database = open();
    QCOMPARE(database->contents(1)->messages.constLast(), answer);
}

void ConversationStoreTest::listsTheNewestFirst()
{
    auto database = open();
    ConversationSummary pinned = conversation(1);
    pinned.pinned = true;
    QVERIFY(database->updateConversation(conversation(2)));
    QVERIFY(database->updateConversation(pinned));
    QVERIFY(database->updateConversation(conversation(3)));
    const QList<ConversationSummary> rows = *database->conversations();
    QList<qint64> ids;
    for (const ConversationSummary& row : rows)
        ids += row.id;
    QCOMPARE(ids, QList<qint64>({1, 3, 2}));
}

void ConversationStoreTest::putsIntoTheTrash()
{
    auto database = open();
    QVERIFY(database->addMessage(conversation(1), message(2, 1, 0, text("kettle"))));
    QVERIFY(database->addMessage(conversation(3), message(4, 3, 0, text("kettle"))));
    QVERIFY(database->saveDraft(1, text("draft")));
    const QDateTime now = timeAt(1'800'000'000);
    QVERIFY(database->setDeleted(1, now));
    QCOMPARE(database->conversations()->size(), 1);
    QCOMPARE(database->search(text("kettle"), 10)->size(), 1);
    QVERIFY(database->purgeDeleted(now.addSecs(-1))); // not long enough ago
    QVERIFY(database->setDeleted(1, {}));
    QCOMPARE(database->conversations()->size(), 2);
    QCOMPARE(database->search(text("kettle"), 10)->size(), 2);
    QVERIFY(database->setDeleted(1, now));
    QVERIFY(database->purgeDeleted(now.addSecs(1)));
    QVERIFY(database->setDeleted(1, {}));
    QVERIFY(!database->conversation(1).has_value());
    QVERIFY(database->contents(1)->messages.isEmpty());
    QVERIFY(database->draft(1)->isEmpty());
    QCOMPARE(database->contents(3)->messages.size(), 1);
}

void ConversationStoreTest::showsADamagedRow()
{
    {
        auto database = open();
        QVERIFY(database->addMessage(conversation(1), message(2, 1, 0, text("good"))));
        QVERIFY(database->addMessage(conversation(1), message(3, 1, 2, text("bad"))));
    }
    {
        auto connection = SqliteConnection::open(path());
        QVERIFY((*connection)
                    ->run(text("UPDATE message SET role = 'x\n', state = '', tokens = "
                               "9223372036854775807 WHERE id = 3")));
    }
    const ConversationContents contents = *open()->contents(1);
    QCOMPARE(contents.messages.size(), 2);
    QCOMPARE(contents.messages.at(0).text, text("good"));
    QCOMPARE(contents.messages.at(1).text, text("bad"));
    QCOMPARE(contents.messages.at(1).state, MessageState::Failed);
    QVERIFY(contents.messages.at(1).error.contains(text("damaged")));
}

void ConversationStoreTest::searchesMessages_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QList<qint64>>("ids");
    QTest::newRow("a word") << text("kettle") << QList<qint64>{4, 2};
    QTest::newRow("any case") << text("KETTLE") << QList<qint64>{4, 2};
    QTest::newRow("a beginning") << text("whis") << QList<qint64>{2};
    QTest::newRow("all words") << text("kettle sings") << QList<qint64>{4};
    QTest::newRow("no accents") << text("uber") << QList<qint64>{4};
    QTest::newRow("Chinese") << text("茶壶") << QList<qint64>{6};
    QTest::newRow("query language") << text("kettle OR \"whistles NEAR(") << QList<qint64>{};
    QTest::newRow("column") << text("text:kettle") << QList<qint64>{};
    QTest::newRow("percent") << text("100%") << QList<qint64>{6};
    QTest::newRow("signs") << text("\" * ^ ( -") << QList<qint64>{};
    QTest::newRow("nothing") << text("   ") << QList<qint64>{};
}

void ConversationStoreTest::searchesMessages()
{
    QFETCH(const QString, query);
    QFETCH(const QList<qint64>, ids);
    auto database = open();
    const ConversationSummary chat = conversation(1);
    QVERIFY(database->addMessage(chat, message(2, 1, 0, text("The kettle whistles."))));
    QVERIFY(database->addMessage(chat, message(4, 1, 2, text("Über the kettle it sings"))));
    QVERIFY(database->addMessage(chat, message(6, 1, 2, text("那个茶壶 is 100% hot"))));
    const auto hits = database->search(query, 200);
    QVERIFY(hits.has_value());
    QList<qint64> found;
    for (const app::SearchHit& hit : *hits) {
        found += hit.messageId;
        QVERIFY(!hit.excerpt.isEmpty());
    }
    QCOMPARE(found, ids);
}

void ConversationStoreTest::showsTheWordsAroundAHit()
{
    auto database = open();
    QList<Message> messages;
    for (qint64 id = 2; id < 300; ++id)
        messages += message(id, 1, id == 2 ? 0 : id - 1, text("many kettles"));
    QVERIFY(database->insertAll({conversation(1)}, messages));
    QCOMPARE(database->search(text("kettl"), 200)->size(), 200);
    QCOMPARE(database->search(text("kettl"), 200)->constFirst().messageId, 299);
    const QString words = QString(500, u'x') % text(" and the\nkettle was  ") % QString(500, u'y');
    const QString excerpt = app::searchExcerpt(words, text("KETTLE"));
    QVERIFY(excerpt.contains(text("and the kettle was y")));
    QVERIFY(excerpt.startsWith(u'…') && excerpt.endsWith(u'…'));
    QVERIFY(excerpt.size() < 140);
    QCOMPARE(app::searchExcerpt(text("short"), text("absent")), text("short"));
}

// --- the store -------------------------------------------------------------------------------

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
    store.growReply(3, {.text = text("ans"), .reasoning = {}});
    store.growReply(3, {.text = text("wer"), .reasoning = {}});
    store.loadConversation(1);
    QTRY_COMPARE(loaded.size(), 1);
    QCOMPARE(opened.size(), 1);
    QCOMPARE(saved.size(), 2);
    const auto contents = loaded.constFirst().constFirst().value<ConversationContents>();
    QCOMPARE(contents.messages.size(), 2);
    QCOMPARE(contents.messages.constLast().text, text("answer"));
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
    QVERIFY(troubled.constFirst().constFirst().value<app::UserError>().sentence.contains(
        QDir::toNativeSeparators(m_folder->path())));
    store.addMessage(conversation(1), message(2, 1, 0, text("question")));
    QVERIFY(QDir(m_folder->path()).rmdir(QStringLiteral("conversations.db")));
    QTRY_COMPARE(saved.size(), 1);
    QCOMPARE(opened.size(), 1);
}

QTEST_GUILESS_MAIN(ConversationStoreTest)
#include "conversation_store_test.moc"
