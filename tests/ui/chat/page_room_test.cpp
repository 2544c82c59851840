#include "ui/chat/page_room.h"

#include <QTest>

using ui::BannerRoom;
using ui::PageNeeds;
using ui::PageRoom;

class PageRoomTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void givesAllWhatItAsksFor()
    {
        const PageRoom room = ui::shareRoom(1000, {.notes = 100,
                                                   .foldedNotes = 40,
                                                   .banner = 200,
                                                   .foldedBanner = 50,
                                                   .pills = 60,
                                                   .least = 96});
        QCOMPARE(room.notes, 100);
        QVERIFY(!room.foldsNotes);
        QCOMPARE(room.banner, BannerRoom::Whole);
        QVERIFY(room.pills);
    }

    void leavesTheConversationItsRoom()
    {
        const PageNeeds needs{.notes = 500, .foldedNotes = 460, .least = 96};
        QCOMPARE(ui::shareRoom(400, needs).notes, 304);
        QCOMPARE(ui::shareRoom(150, needs).notes, 100);
        QCOMPARE(ui::shareRoom(0, needs).notes, 0);
        QCOMPARE(ui::shareRoom(-20, needs).notes, 0);
        QVERIFY(ui::shareRoom(400, needs).foldsNotes);
    }

    void leavesOutTheBannersCardsFirst()
    {
        const PageNeeds needs{.banner = 200, .foldedBanner = 50, .pills = 60, .least = 96};
        QCOMPARE(ui::shareRoom(250, needs).banner, BannerRoom::Folded);
        QVERIFY(ui::shareRoom(250, needs).pills);
        QVERIFY(!ui::shareRoom(200, needs).pills);
        QCOMPARE(ui::shareRoom(140, needs).banner, BannerRoom::None);
    }
};

QTEST_APPLESS_MAIN(PageRoomTest)
#include "page_room_test.moc"
