#include "tests/support/app/conversation_rows.h"

#include "app/conversation/conversation_database.h"
#include "app/conversation/schema.h"

#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace {

using namespace test;
using app::ConversationContents;
using app::ConversationDatabase;
using app::ConversationSummary;
using app::Message;
using app::MessageState;
using app::Role;
using app::SqliteConnection;

} // namespace

class ConversationDatabaseTest : public QObject {
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

private:
    QString path() const { return m_folder->databasePath(); }
    std::unique_ptr<ConversationDatabase> open() const { return m_folder->open(); }

    std::unique_ptr<DatabaseFolder> m_folder;
};

void ConversationDatabaseTest::init()
{
    m_folder = std::make_unique<DatabaseFolder>();
    QVERIFY(m_folder->isValid());
}

// --- schema ----------------------------------------------------------------------------------

void ConversationDatabaseTest::splitsScripts()
{
    const QStringList statements =
        app::splitStatements(text("-- a comment;\nCREATE TABLE a (\n    b TEXT, -- and; another\n "
                                  "   c TEXT\n);\n\nINSERT INTO a\n VALUES ('x', 'y');\n"));
    QCOMPARE(statements.size(), 2);
    QCOMPARE(statements.at(0), text("CREATE TABLE a (\nb TEXT,\nc TEXT\n)"));
    QCOMPARE(statements.at(1), text("INSERT INTO a\nVALUES ('x', 'y')"));
}

void ConversationDatabaseTest::migratesFromEveryVersion()
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

void ConversationDatabaseTest::undoesAMigrationThatFails()
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

void ConversationDatabaseTest::refusesALaterSchema()
{
    auto connection = SqliteConnection::open(path());
    QVERIFY((*connection)->run(text("PRAGMA user_version = 99")));
    const auto migrated = app::migrate(**connection, path(), app::schemaScripts());
    QVERIFY(!migrated.has_value());
    QCOMPARE(migrated.error().code, app::sqlite::kNewerSchema);
}

void ConversationDatabaseTest::hasTheSchemaItShips()
{
    QVERIFY(!app::schemaScripts().isEmpty());
    QVERIFY(open() != nullptr);
    QVERIFY(open() != nullptr); // again, where it is
}

void ConversationDatabaseTest::takesOldRepliesApart()
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

void ConversationDatabaseTest::readsWhatItWrote()
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
    const app::ContextChoice context{app::ContextPolicy::ShortenOldest,
                                     {.omittedTurns = 4, .summary = text("so far")}};
    {
        auto database = open();
        QVERIFY(database->addMessage(chat, question));
        QVERIFY(database->addMessage(chat, answer));
        QVERIFY(database->saveDraft(1, text("half")));
        QVERIFY(database->saveDraft(0, text("new")));
        QVERIFY(database->saveContext(1, context));
    }
    auto database = open();
    QCOMPARE(*database->conversations(), QList<ConversationSummary>({chat}));
    const ConversationContents contents = *database->contents(1);
    QCOMPARE(contents.messages, QList<Message>({question, answer}));
    QCOMPARE(contents.activeMessageId, 3);
    QCOMPARE(contents.draft, text("half"));
    QVERIFY(contents.context == context);
    QVERIFY(*database->context(2) == app::ContextChoice());
    QCOMPARE(*database->draft(0), text("new"));
    QCOMPARE(*database->greatestId(), 3);
    QVERIFY(database->saveDraft(0, {}));
    QVERIFY(database->draft(0)->isEmpty());
    // The same write again leads to the same rows.
    QVERIFY(database->addMessage(chat, answer));
    QCOMPARE(database->contents(1)->messages.size(), 2);
}

void ConversationDatabaseTest::keepsEveryBranch()
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

void ConversationDatabaseTest::putsMessagesIntoTheTrash()
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
        QVERIFY(database->growReply(3, {.text = text("half"), .reasoning = {}}, 1));
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

void ConversationDatabaseTest::journalsReplies()
{
    const ConversationSummary chat = conversation(1);
    Message answer = reply(3, 1, 2);
    {
        auto database = open();
        QVERIFY(database->addMessage(chat, message(2, 1, 0, text("question"))));
        QVERIFY(database->addMessage(chat, answer));
        for (const char* piece : {"A ", "story?"})
            QVERIFY(database->growReply(3, {.text = {}, .reasoning = text(piece)}, 1));
        for (const char* piece : {"Once ", "upon ", "a time"})
            QVERIFY(database->growReply(3, {.text = text(piece), .reasoning = {}}, 1));
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
        QVERIFY(database->growReply(3, {.text = text(" later"), .reasoning = {}}, 1));
        QVERIFY(database->contents(1)->messages.constLast().text == text("Once upon a time"));
        answer = reply(4, 1, 2);
        QVERIFY(database->addMessage(chat, answer));
        QVERIFY(database->growReply(4, {.text = text("half"), .reasoning = {}}, 1));
        answer.text = text("half and whole");
        answer.reasoning = text("hm");
        answer.state = MessageState::Complete;
        QVERIFY(database->finishReply(chat, answer));
    }
    auto database = open();
    QCOMPARE(database->contents(1)->messages.constLast(), answer);
}

void ConversationDatabaseTest::listsTheNewestFirst()
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

void ConversationDatabaseTest::putsIntoTheTrash()
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

void ConversationDatabaseTest::showsADamagedRow()
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

void ConversationDatabaseTest::searchesMessages_data()
{
    QTest::addColumn<QString>("query");
    QTest::addColumn<QList<qint64>>("ids");
    // The branch that is shown, of 2 and 6, comes first.
    QTest::newRow("a word") << text("kettle") << QList<qint64>{2, 4};
    QTest::newRow("any case") << text("KETTLE") << QList<qint64>{2, 4};
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

void ConversationDatabaseTest::searchesMessages()
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

void ConversationDatabaseTest::showsTheWordsAroundAHit()
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
    const QString accented = QString(500, u'x') % text(" the café");
    QVERIFY(app::searchExcerpt(accented, text("CAFE")).endsWith(text("the café")));
}

QTEST_GUILESS_MAIN(ConversationDatabaseTest)

#include "conversation_database_test.moc"
