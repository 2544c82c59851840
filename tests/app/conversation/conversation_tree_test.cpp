#include "tests/support/app/conversation_rows.h"

#include "app/conversation/conversation_list.h"
#include "app/conversation/conversation_tree.h"
#include "app/conversation/reply_writer.h"

#include <QTest>

namespace {

using app::ConversationContents;
using app::ConversationList;
using app::ConversationSummary;
using app::ConversationTree;
using app::Message;
using app::Role;
using test::text;

Message message(qint64 id, qint64 parentId, Role role = Role::User, const char* words = "words")
{
    Message result;
    result.id = id;
    result.conversationId = 1;
    result.parentId = parentId;
    result.role = role;
    result.text = text(words);
    return result;
}

QList<qint64> ids(const QList<Message>& messages)
{
    QList<qint64> result;
    for (const Message& row : messages)
        result += row.id;
    return result;
}

/// 2 is answered by 3 and 4; 4 goes on with 5 and 6, 3 with 7.
ConversationTree branched()
{
    ConversationContents contents;
    contents.id = 1;
    contents.messages = {message(2, 0), message(3, 2), message(4, 2),
                         message(5, 4), message(6, 5), message(7, 3)};
    contents.activeMessageId = 6;
    return ConversationTree(contents);
}

} // namespace

class ConversationTreeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void showsABranch();
    void stepsBetweenBranches();
    void stepsThroughAllBranches();
    void turnsToAMessage();
    void takesABranchOutAndPutsItBack();
    void readsHostileTrees();
    void sortsTheList();
    void findsTitles();
    void makesTitles_data();
    void makesTitles();
    void makesTurns();
};

void ConversationTreeTest::showsABranch()
{
    const ConversationTree tree = branched();
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({2, 4, 5, 6}));
    QCOMPARE(ids(tree.branchTo(3)), QList<qint64>({2, 3}));
    QCOMPARE(tree.position(4).index, 1);
    QCOMPARE(tree.position(4).count, 2);
    QCOMPARE(tree.position(6).count, 1);
    QCOMPARE(tree.position(99).count, 1);
    const ConversationTree again(tree.contents());
    QCOMPARE(ids(again.activeBranch()), ids(tree.activeBranch()));
    QVERIFY(ConversationTree().activeBranch().isEmpty());
}

void ConversationTreeTest::stepsBetweenBranches()
{
    ConversationTree tree = branched();
    QVERIFY(tree.stepBranch(4, -1));
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({2, 3, 7})); // to its newest end
    QVERIFY(!tree.stepBranch(3, -1));
    QVERIFY(!tree.stepBranch(3, 0));
    QVERIFY(!tree.stepBranch(99, 1));
    QVERIFY(tree.stepBranch(3, 1));
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({2, 4, 5, 6}));
    tree.add(message(8, 2));
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({2, 8}));
    QCOMPARE(tree.position(8).count, 3);
}

void ConversationTreeTest::stepsThroughAllBranches()
{
    // 2 is answered by 3 and 4; 4 goes on with 5 and 6 in one branch, with 8 in another; 3 with 7.
    ConversationTree tree = branched();
    tree.add(message(8, 4));
    QList<qint64> seen{tree.activeMessage()};
    while (tree.stepEnd(-1))
        seen += tree.activeMessage();
    QCOMPARE(seen, (QList<qint64>{8, 6, 7}));
    // Each step is undone by one the other way.
    QVERIFY(tree.stepEnd(1));
    QCOMPARE(tree.activeMessage(), 6);
    QVERIFY(tree.stepEnd(1));
    QCOMPARE(tree.activeMessage(), 8);
    QVERIFY(!tree.stepEnd(1));
    QVERIFY(!tree.stepEnd(0));
    QVERIFY(!ConversationTree().stepEnd(1));
    QVERIFY(!ConversationTree().stepEnd(-1));
}

void ConversationTreeTest::turnsToAMessage()
{
    ConversationTree tree = branched();
    QVERIFY(!tree.showMessage(5)); // shown already
    QVERIFY(!tree.showMessage(99));
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({2, 4, 5, 6}));
    QVERIFY(tree.showMessage(3));
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({2, 3, 7})); // to its newest end
    QVERIFY(tree.showMessage(6));
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({2, 4, 5, 6}));
}

void ConversationTreeTest::takesABranchOutAndPutsItBack()
{
    ConversationTree tree = branched();
    // The end: the message before it ends the branch.
    QCOMPARE(ids(tree.take(6)), QList<qint64>{6});
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({2, 4, 5}));
    tree.putBack({message(6, 5)}, 6);
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({2, 4, 5, 6}));
    // With what follows; the branch beside it is shown to its end.
    const QList<Message> taken = tree.take(4);
    QCOMPARE(ids(taken), QList<qint64>({4, 5, 6}));
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({2, 3, 7}));
    QCOMPARE(tree.position(3).count, 1);
    QVERIFY(tree.take(5).isEmpty()); // gone already
    // Something was written meanwhile: the branches are in their order again.
    tree.add(message(8, 2));
    tree.putBack(taken, 6);
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({2, 4, 5, 6}));
    QCOMPARE(tree.position(4).index, 1);
    QCOMPARE(tree.position(8).index, 2);
    // A branch that is not shown goes without a change of the one that is.
    QCOMPARE(ids(tree.take(3)), QList<qint64>({3, 7}));
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({2, 4, 5, 6}));
    // All of it.
    QCOMPARE(ids(tree.take(2)), QList<qint64>({2, 4, 5, 6, 8}));
    QVERIFY(tree.isEmpty());
    QCOMPARE(tree.activeMessage(), 0);
    QCOMPARE(tree.conversationId(), 1);
}

void ConversationTreeTest::readsHostileTrees()
{
    // Cycles, messages that are their own parents, parents that are not there.
    ConversationContents contents;
    contents.id = 1;
    contents.messages = {message(2, 3), message(3, 2), message(4, 4), message(5, 99)};
    contents.activeMessageId = 77;
    ConversationTree tree(contents);
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({5}));
    QCOMPARE(ids(tree.branchTo(3)), QList<qint64>({2, 3}));
    QVERIFY(tree.stepBranch(5, -1));
    QCOMPARE(ids(tree.activeBranch()), QList<qint64>({4}));

    ConversationContents deep;
    for (qint64 id = 1; id <= 20'000; ++id)
        deep.messages += message(id, id - 1);
    deep.activeMessageId = 20'000;
    QCOMPARE(ConversationTree(deep).activeBranch().size(), 20'000);
}

void ConversationTreeTest::sortsTheList()
{
    const auto row = [](qint64 id, int second, bool pinned) {
        ConversationSummary summary;
        summary.id = id;
        summary.updatedAt = QDateTime::fromSecsSinceEpoch(second, QTimeZone::UTC);
        summary.pinned = pinned;
        return summary;
    };
    const auto order = [](const ConversationList& list) {
        QList<qint64> result;
        for (const ConversationSummary& summary : list.all())
            result += summary.id;
        return result;
    };
    ConversationList list;
    list.reset({row(1, 10, false), row(2, 30, false), row(3, 20, true)});
    QCOMPARE(order(list), QList<qint64>({3, 2, 1}));
    list.put(row(1, 40, false));
    QCOMPARE(order(list), QList<qint64>({3, 1, 2}));
    list.put(row(4, 40, false));
    QCOMPARE(order(list), QList<qint64>({3, 4, 1, 2}));
    list.put(row(2, 30, true));
    QCOMPARE(order(list), QList<qint64>({2, 3, 4, 1}));
    list.remove(3);
    QCOMPARE(order(list), QList<qint64>({2, 4, 1}));
    QVERIFY(list.find(3) == nullptr);
    QCOMPARE(list.find(4)->id, 4);
}

void ConversationTreeTest::findsTitles()
{
    ConversationSummary summary;
    summary.id = 1;
    summary.title = text("How to boil a Kéttle");
    ConversationList list;
    list.reset({summary});
    QCOMPARE(list.withTitle(text("kett BOIL")).size(), 1);
    QVERIFY(list.withTitle(text("kettle tea")).isEmpty());
    QVERIFY(list.withTitle(text("  ")).isEmpty());
}

void ConversationTreeTest::makesTitles_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("title");
    QTest::newRow("short") << text("Hello") << text("Hello");
    QTest::newRow("first line") << text("\n  Hello   there \nand more") << text("Hello there");
    QTest::newRow("cut at a word")
        << text("Write a very long story about a kettle that sings in the evening")
        << text("Write a very long story about a kettle that…");
    QTest::newRow("48 fit") << QString(48, u'x') << QString(48, u'x');
    QTest::newRow("one long word") << QString(60, u'x') << QString(47, u'x') % u'…';
    QTest::newRow("whole characters")
        << text("\xf0\x9f\x94\xa5").repeated(30) << text("\xf0\x9f\x94\xa5").repeated(23) % u'…';
    QTest::newRow("nothing") << text(" \n ") << text("New chat");
}

void ConversationTreeTest::makesTitles()
{
    QFETCH(const QString, words);
    QFETCH(const QString, title);
    QCOMPARE(app::automaticTitle(words), title);
}

void ConversationTreeTest::makesTurns()
{
    const QList<app::ChatTurn> turns =
        app::chatTurns({message(1, 0, Role::System, "Be kind"), message(2, 1, Role::User, "One"),
                        message(3, 2, Role::Assistant, ""), message(4, 3, Role::User, "Two"),
                        message(5, 4, Role::Assistant, "Reply")});
    QCOMPARE(turns.size(), 3);
    QCOMPARE(turns.at(0).role, text("system"));
    QCOMPARE(turns.at(1).role, text("user"));
    QCOMPARE(turns.at(1).text, text("One\n\nTwo"));
    QCOMPARE(turns.at(2).role, text("assistant"));
}

QTEST_GUILESS_MAIN(ConversationTreeTest)
#include "conversation_tree_test.moc"
