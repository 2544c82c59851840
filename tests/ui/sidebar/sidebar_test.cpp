#include "tests/support/ui/busy_time.h"

#include "ui/sidebar/conversation_list.h"
#include "ui/sidebar/conversation_list_model.h"
#include "ui/sidebar/memory_meter.h"
#include "ui/sidebar/sidebar.h"
#include "ui/widgets/button.h"
#include "ui/widgets/line_field.h"
#include "ui/widgets/undo_strip.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

using ui::ConversationListModel;
using ui::Sidebar;
using ui::Theme;

namespace {

app::ConversationSummary conversation(qint64 id, const char* title, int daysAgo,
                                      bool pinned = false)
{
    app::ConversationSummary summary;
    summary.id = id;
    summary.title = QString::fromLatin1(title);
    summary.updatedAt = QDateTime::currentDateTime().addDays(-daysAgo);
    summary.pinned = pinned;
    return summary;
}

QList<app::ConversationSummary> someConversations()
{
    return {conversation(1, "Weekly meal plan", 40, true), conversation(2, "Tea", 0),
            conversation(3, "Letter to the council", 1), conversation(4, "Sourdough", 4),
            conversation(5, "Old one", 400)};
}

QStringList rows(const ConversationListModel& model)
{
    QStringList texts;
    for (int i = 0; i < model.rowCount(); ++i)
        texts += model.index(i).data().toString();
    return texts;
}

} // namespace

class SidebarTest : public QObject {
    Q_OBJECT
    Theme m_theme{Theme::Mode::Light};

private Q_SLOTS:
    void groupsByDay()
    {
        ConversationListModel model;
        model.setConversations(someConversations());
        const QStringList shown = rows(model);
        QCOMPARE(shown.first(8),
                 QStringList({QStringLiteral("Pinned"), QStringLiteral("Weekly meal plan"),
                              QStringLiteral("Today"), QStringLiteral("Tea"),
                              QStringLiteral("Yesterday"), QStringLiteral("Letter to the council"),
                              QStringLiteral("Previous 7 days"), QStringLiteral("Sourdough")}));
        QCOMPARE(shown.size(), 10); // and a month with the old one
    }

    void filtersTitlesAtOnce()
    {
        Sidebar sidebar(m_theme);
        sidebar.setConversations(someConversations());
        QTest::keyClicks(sidebar.searchField(), QStringLiteral("SOUR"));
        QCOMPARE(sidebar.model()->conversationCount(), 1);
        QTest::keyClicks(sidebar.searchField(), QStringLiteral("zzz"));
        QCOMPARE(sidebar.model()->conversationCount(), 0);
        QTest::keyClick(sidebar.searchField(), Qt::Key_Escape);
        QCOMPARE(sidebar.model()->conversationCount(), 5);
    }

    void findsInMessagesToo()
    {
        Sidebar sidebar(m_theme);
        sidebar.setConversations(someConversations());
        QSignalSpy asked(&sidebar, &Sidebar::searchRequested);
        QTest::keyClicks(sidebar.searchField(), QStringLiteral("kettle"));
        QTRY_COMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].toString(), QStringLiteral("kettle"));
        sidebar.setSearchHits(QStringLiteral("old words"), {{2, 7, QStringLiteral("no")}});
        QCOMPARE(sidebar.model()->conversationCount(), 0);
        sidebar.setSearchHits(QStringLiteral("kettle"),
                              {{2, 7, QStringLiteral("the kettle sings")}});
        QCOMPARE(rows(*sidebar.model()),
                 QStringList({QStringLiteral("In messages"), QStringLiteral("Tea")}));
        // It opens at the message; what is found by its title opens as it was left.
        QSignalSpy opened(&sidebar, &Sidebar::openRequested);
        const auto open = [&](qint64 id) {
            sidebar.list()->setCurrentIndex(sidebar.model()->indexOf(id));
            QTest::keyClick(sidebar.list(), Qt::Key_Return);
            return opened.takeFirst();
        };
        QCOMPARE(open(2), (QVariantList{qint64(2), qint64(7)}));
        sidebar.searchField()->setText(QStringLiteral("tea"));
        sidebar.setSearchHits(QStringLiteral("tea"), {{2, 7, QStringLiteral("tea and kettles")}});
        QCOMPARE(open(2), (QVariantList{qint64(2), qint64(0)}));
    }

    void renamesInPlace()
    {
        Sidebar sidebar(m_theme);
        sidebar.setConversations(someConversations());
        sidebar.resize(264, 700);
        sidebar.show();
        QVERIFY(QTest::qWaitForWindowActive(&sidebar));
        QSignalSpy renamed(&sidebar, &Sidebar::renameRequested);
        sidebar.list()->setFocus();
        sidebar.list()->setCurrentIndex(sidebar.model()->indexOf(2));
        QTest::keyClick(sidebar.list(), Qt::Key_F2);
        auto* editor = sidebar.list()->findChild<QLineEdit*>();
        QVERIFY(editor);
        editor->selectAll();
        QTest::keyClicks(editor, QStringLiteral("Coffee"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(renamed.count(), 1);
        QCOMPARE(renamed[0][0].toLongLong(), 2);
        QCOMPARE(renamed[0][1].toString(), QStringLiteral("Coffee"));
    }

    void anEmptyTitleIsNotTaken()
    {
        ConversationListModel model;
        model.setConversations(someConversations());
        QSignalSpy renamed(&model, &ConversationListModel::titleEdited);
        QVERIFY(!model.setData(model.indexOf(2), QStringLiteral("  "), Qt::EditRole));
        model.setData(model.indexOf(2), QStringLiteral("Tea"), Qt::EditRole);
        QCOMPARE(renamed.count(), 0);
    }

    void deletesWithUndo()
    {
        Sidebar sidebar(m_theme);
        sidebar.setConversations(someConversations());
        sidebar.resize(264, 700);
        sidebar.show();
        QVERIFY(QTest::qWaitForWindowActive(&sidebar));
        QSignalSpy deleted(&sidebar, &Sidebar::deleteRequested);
        QSignalSpy restored(&sidebar, &Sidebar::restoreRequested);
        sidebar.list()->setFocus();
        sidebar.list()->setCurrentIndex(sidebar.model()->indexOf(3));
        QTest::keyClick(sidebar.list(), Qt::Key_Delete);
        QCOMPARE(deleted.count(), 1);
        QVERIFY(!sidebar.model()->indexOf(3).isValid());
        QVERIFY(sidebar.undoStrip()->isVisible());
        sidebar.undoStrip()->undoButton()->click();
        QCOMPARE(restored.count(), 1);
        QCOMPARE(restored[0][0].toLongLong(), 3);
        QVERIFY(sidebar.model()->indexOf(3).isValid());
        QVERIFY(!sidebar.undoStrip()->isVisible());
    }

    void theOfferToUndoEnds()
    {
        QWidget window;
        QLineEdit elsewhere(&window);
        ui::UndoStrip strip(m_theme, &window);
        window.resize(400, 400);
        strip.move(0, 300); // away from the pointer
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        elsewhere.setFocus();
        strip.setDuration(20);
        QSignalSpy expired(&strip, &ui::UndoStrip::expired);
        strip.offer(QStringLiteral("Chat deleted"));
        QTRY_COMPARE(expired.count(), 1);
        QVERIFY(!strip.isVisible());
    }

    void dotsSayWhoWritesAndWhatIsUnseen()
    {
        ConversationListModel model;
        model.setConversations(someConversations());
        const auto flag = [&](qint64 id, int role) {
            return model.indexOf(id).data(role).toBool();
        };
        model.setOpen(2);
        model.setWriting(2);
        QVERIFY(flag(2, ConversationListModel::WritingRole));
        model.setOpen(3); // looking elsewhere while it is finished
        model.setWriting(0);
        QVERIFY(!flag(2, ConversationListModel::WritingRole));
        QVERIFY(flag(2, ConversationListModel::UnseenRole));
        model.setOpen(2);
        QVERIFY(!flag(2, ConversationListModel::UnseenRole));
    }

    void enterOpens()
    {
        Sidebar sidebar(m_theme);
        sidebar.setConversations(someConversations());
        QSignalSpy opened(&sidebar, &Sidebar::openRequested);
        sidebar.list()->setCurrentIndex(sidebar.model()->indexOf(4));
        QTest::keyClick(sidebar.list(), Qt::Key_Return);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toLongLong(), 4);
    }

    void tenThousandTitlesFilterFast()
    {
        QList<app::ConversationSummary> many;
        for (int i = 0; i < 10'000; ++i)
            many += conversation(i + 1, "Some chat about tea", i / 20);
        ConversationListModel model;
        model.setConversations(many);
        test::BusyTime busy;
        busy.in([&] {
            model.setFilter(QStringLiteral("about"));
            model.setFilter(QStringLiteral("nothing"));
        });
        QVERIFY2(busy.longestMs() < 100, qPrintable(QString::number(busy.longestMs())));
    }

    void memoryIsKnownOnThisSystem()
    {
        const ui::MemoryUse use = ui::readMemoryUse();
        QVERIFY(use.total > 0);
        QVERIFY(use.used > 0 && use.used <= use.total);
    }
};

QTEST_MAIN(SidebarTest)
#include "sidebar_test.moc"
