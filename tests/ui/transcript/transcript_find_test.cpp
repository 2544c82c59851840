#include "tests/support/ui/transcript_fixture.h"

#include "ui/transcript/transcript_find.h"

#include <QTest>

using namespace ui;
using namespace Qt::StringLiterals;
using app::Message;
using app::Role;
using test::kFrame;
using test::message;
using test::paragraphs;
using test::thoughtful;
using Fixture = test::TranscriptFixture;

class TranscriptFindTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsText();
    void findsFromWhereItWas();
    void findsInAFoldedMessage();
    void findsWithoutAccents();
    void marksWhereItIsAlsoAnew();
    void showsAMessage();
    void leadsBackToTheEnd();
    void marksTheScrollBar();
    void marksBelowAListWhereTheyStand();
};

void TranscriptFindTest::findsText()
{
    Fixture f;
    f.view.setMessages(
        {message(1, Role::User, u"room Room"_s),
         thoughtful(2, u"a room"_s,
                    paragraphs(40) +
                        u"The **ro**om.\n\n```\nroom = 1\n```\n\n| room |\n|---|\n"_s)});
    QCOMPARE(f.view.setFindText(u"room"_s), 6);
    QCOMPARE(f.view.setFindText(u"room"_s, Qt::CaseSensitive), 5);
    for (int i = 0; i < 7; ++i)
        f.view.findNext();
    QVERIFY(f.view.findPosition() >= 1 && f.view.findPosition() <= 5);
    f.bar()->setValue(0);
    QCOMPARE(f.view.setFindText(u"The room"_s), 1);
    QCOMPARE(f.view.findPosition(), 1);
    QVERIFY(!f.view.isFollowing() || f.atEnd());
    const int top = f.blockTop(2, 40);
    QVERIFY2(top > 0 && top < 560, qPrintable(QString::number(top)));
    QCOMPARE(f.view.setFindText({}), 0);
}

void TranscriptFindTest::findsFromWhereItWas()
{
    Fixture f;
    // One block of many screens, so that no match is at its top.
    const QString words = u"a kettle sings on the stove of an inn, and so on and on for long "_s;
    f.view.setMessages({message(1, Role::Assistant, words.repeated(200))});
    QVERIFY(f.atEnd());
    QCOMPARE(f.view.setFindText(u"kettle"_s), 200);
    QVERIFY2(f.view.findPosition() > 150, qPrintable(QString::number(f.view.findPosition())));
    f.bar()->setValue(0);
    f.view.setFindText(u"kettle"_s);
    for (int i = 0; i < 3; ++i)
        f.view.findNext();
    QCOMPARE(f.view.findPosition(), 4);
    QCOMPARE(f.view.setFindText(u"kettles"_s), 0);
    QCOMPARE(f.view.findPosition(), 0);
    f.view.setFindText(u"kettle"_s);
    QCOMPARE(f.view.findPosition(), 4);
    f.view.setFindText(u"kettle sings"_s);
    QCOMPARE(f.view.findPosition(), 4);
    f.view.findPrevious();
    QCOMPARE(f.view.findPosition(), 3);
    for (int i = 0; i < 3; ++i)
        f.view.findPrevious();
    QCOMPARE(f.view.findPosition(), 200);
    f.view.findNext();
    QCOMPARE(f.view.findPosition(), 1);
    f.view.setFindText({});
    f.bar()->setValue(f.bar()->maximum());
    f.view.setFindText(u"kettle"_s);
    QVERIFY(f.view.findPosition() > 150);
}

void TranscriptFindTest::findsInAFoldedMessage()
{
    Fixture f;
    const auto isInSight = [&f](qint64 id, const QString& text) {
        UserMessage* user = f.user(id);
        if (!user || !user->isWhole()) return false;
        const BlockStack* stack = user->stackOf(MessageAnchor::Part::Body);
        for (qsizetype block = 0; block < stack->blocks().size(); ++block) {
            const auto offset = static_cast<int>(stack->blocks()[block].text.indexOf(text));
            if (offset < 0) continue;
            const BlockStack::Place place = stack->placeOf(block);
            if (!place.surface) return false;
            const QRectF rect =
                place.surface->placeOf({.fragment = place.fragment, .offset = offset}, 5);
            return f.view.viewport()->rect().contains(
                place.surface->mapTo(f.view.viewport(), rect.center().toPoint()));
        }
        return false;
    };
    const QString lines = u"The kettle sings before the water boils.\n"_s.repeated(900);
    const QString line = u"The kettle sings before the water boils. "_s.repeated(900);
    QList<Message> messages{message(1, Role::User, lines + u"A heron stands there."_s + lines),
                            message(2, Role::Assistant, paragraphs(40)),
                            message(3, Role::User, line + u"An egret stands there."_s + line),
                            message(4, Role::Assistant, paragraphs(40))};
    f.view.setMessages(messages);
    QCOMPARE(f.view.setFindText(u"heron"_s), 1);
    QVERIFY(isInSight(1, u"heron"_s));
    QCOMPARE(f.view.setFindText(u"egret"_s), 1);
    QVERIFY(isInSight(3, u"egret"_s));
    // Sought by words in any order, as all chats are searched.
    f.view.setFindText({});
    f.view.setMessages(messages);
    QCOMPARE(f.view.showInMessage(1, u" there  heron "_s), u"there"_s);
    QCOMPARE(f.view.showInMessage(1, u"HERON stands"_s), u"HERON stands"_s);
    QVERIFY(isInSight(1, u"heron"_s));
    QCOMPARE(f.view.showInMessage(3, u"osprey"_s), QString());
    QVERIFY(f.user(3) && f.user(3)->y() >= 0 && f.user(3)->y() < 60);
    // Before it has its size, as when the page is just turned to it.
    TranscriptView later;
    later.setTheme(&f.theme);
    later.setMessages(messages);
    later.showInMessage(1, u"heron"_s);
    later.resize(696, 600);
    later.show();
    QVERIFY(QTest::qWaitForWindowExposed(&later));
    QVERIFY(later.verticalScrollBar()->value() > 2000);
    QVERIFY(!later.isFollowing());
}

void TranscriptFindTest::findsWithoutAccents()
{
    Fixture f;
    const QString text = u"Un café, un cafe\u0301.\n\n```\nCafé\n```\n\n| CAFÉ |\n|---|\n"_s;
    f.view.setMessages({message(1, Role::User, u"Café cafe"_s), message(2, Role::Assistant, text)});
    QCOMPARE(f.view.setFindText(u"cafe"_s), 6);
    QCOMPARE(f.view.setFindText(u"CAFÉ"_s), 6);
    QCOMPARE(f.view.setFindText(u"cafe"_s, Qt::CaseSensitive), 3);
    // Words found in all chats are found in theirs.
    QCOMPARE(f.view.showInMessage(2, u"un CAFE"_s), u"un CAFE"_s);
    // The marks cover the letters with their accents: the same place as letter by letter.
    const QList<FindHit> hits =
        findIn(message(2, Role::Assistant, text), u"cafe"_s, Qt::CaseInsensitive);
    QCOMPARE(hits.size(), 4);
    QCOMPARE(hits[0].offset, 3);
    QCOMPARE(hits[0].length, 4);
    QCOMPARE(hits[1].offset, 12);
    QCOMPARE(hits[1].length, 5);
}

void TranscriptFindTest::marksWhereItIsAlsoAnew()
{
    Fixture f;
    f.view.setMessages({message(1, Role::Assistant, u"A kettle sings"_s)});
    f.view.setFindText(u"kettle"_s);
    const auto marked = [&f] {
        const QImage image = f.view.viewport()->grab().toImage();
        const QRgb warn = f.theme.color(Theme::Token::Warn).rgb();
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                count += image.pixel(x, y) == warn;
        return count;
    };
    QVERIFY(marked() > 300);            // filled, not underlined
    f.theme.setMode(Theme::Mode::Dark); // all is made anew
    QVERIFY2(marked() > 300, qPrintable(QString::number(marked())));
}

void TranscriptFindTest::showsAMessage()
{
    Fixture f;
    QList<Message> messages;
    for (qint64 id = 1; id <= 40; ++id)
        messages += message(id, id % 2 == 1 ? Role::User : Role::Assistant,
                            id % 2 == 1 ? u"Go"_s : paragraphs(static_cast<int>(id) % 7 + 2));
    f.view.setMessages(messages);
    QVERIFY(f.atEnd());
    for (const qint64 id : {12, 2, 30}) {
        f.view.showMessage(id);
        QVERIFY(!f.view.isFollowing());
        QVERIFY(f.reply(id));
        QVERIFY2(f.reply(id)->y() >= 0 && f.reply(id)->y() < 60,
                 qPrintable(QString::number(f.reply(id)->y())));
    }
    const int value = f.bar()->value();
    f.view.showMessage(99);
    QCOMPARE(f.bar()->value(), value);
    // Asked for before it has its size, as when the page is just turned to it.
    TranscriptView later;
    later.setTheme(&f.theme);
    later.setMessages(messages);
    later.showMessage(12);
    later.resize(696, 600);
    later.show();
    QVERIFY(QTest::qWaitForWindowExposed(&later));
    QVERIFY(!later.isFollowing());
    QVERIFY(later.verticalScrollBar()->value() < later.verticalScrollBar()->maximum() / 2);
    QVERIFY(later.verticalScrollBar()->value() > 0);
}

// Who only looked is where they were; who went on to a hit, or scrolled, stays there.
void TranscriptFindTest::leadsBackToTheEnd()
{
    Fixture f;
    f.view.setMessages({message(1, Role::User, u"A heron?"_s),
                        message(2, Role::Assistant, paragraphs(60) + u"A kettle."_s)});
    QVERIFY(f.atEnd());
    const auto search = [&f](const QString& text) {
        f.view.setFindText(text);
        QVERIFY(!f.atEnd());
    };
    search(u"heron"_s);
    f.view.setFindText({});
    QVERIFY(f.atEnd());
    QVERIFY(f.view.isFollowing());
    // Another word on the way there is the same search.
    search(u"A her"_s);
    search(u"heron"_s);
    f.view.setFindText({});
    QVERIFY(f.atEnd());
    search(u"heron"_s);
    f.view.findNext();
    f.view.setFindText({});
    QVERIFY(!f.atEnd());
    f.view.scrollToEnd();
    search(u"heron"_s);
    f.wheel(-120);
    f.view.setFindText({});
    QVERIFY(!f.atEnd());
    // From the middle nothing leads to the end.
    f.bar()->setValue(f.bar()->maximum() / 2);
    f.view.setFindText(u"kettle"_s);
    f.view.setFindText({});
    QVERIFY(!f.atEnd() || !f.view.isFollowing());
}

namespace {

/// Where the scroll bar is marked, in rows of a hundred.
QList<double> markedRows(Fixture& f)
{
    const QImage image = f.bar()->grab().toImage();
    const QRgb warn = f.theme.color(Theme::Token::Warn).rgb();
    QList<double> rows;
    bool before = false;
    for (int y = 0; y < image.height(); ++y) {
        const bool marked = image.pixel(image.width() / 2, y) == warn;
        if (marked && !before) rows += y * 100.0 / image.height();
        before = marked;
    }
    return rows;
}

} // namespace

// A line for each place, as far down as it is in the whole; none when nothing is searched. What
// stands below the last is its message's row of actions, and the column's end.
void TranscriptFindTest::marksTheScrollBar()
{
    Fixture f;
    f.view.setMessages(
        {message(1, Role::User, u"A heron?"_s),
         message(2, Role::Assistant,
                 paragraphs(30) + u"A heron.\n\n"_s + paragraphs(30) + u"A heron."_s)});
    f.bar()->setValue(0);
    QTRY_COMPARE(f.bar()->height(), f.view.height()); // it just came
    QCOMPARE(markedRows(f), QList<double>());
    QCOMPARE(f.view.setFindText(u"heron"_s), 3);
    const QList<double> rows = markedRows(f);
    QCOMPARE(rows.size(), 3);
    const auto percent = [&f](int y) {
        return y * 100.0 / (f.bar()->maximum() + f.view.viewport()->height());
    };
    f.bar()->setValue(f.bar()->maximum());
    QTRY_VERIFY(f.reply(2)->answer().realBlocks() > 1);
    const QList<qsizetype> blocks{30, 61};
    for (qsizetype i = 0; i < blocks.size(); ++i) {
        const double place = percent(f.bar()->value() + f.blockTop(2, blocks[i]));
        qInfo("marked at %.1f, stands at %.1f", rows[i + 1], place);
        QVERIFY(std::abs(rows[i + 1] - place) < 2);
    }
    QVERIFY(rows[0] < 2);
    QVERIFY(rows[2] > 96);
    // Cards may leave it no room.
    f.bar()->resize(f.bar()->width(), 1);
    QVERIFY(!f.bar()->grab().isNull());
    f.view.setFindText({});
    QCOMPARE(markedRows(f), QList<double>());
}

// A list of short lines is much higher than its letters say, so a share of all letters does not
// tell where something below it stands.
void TranscriptFindTest::marksBelowAListWhereTheyStand()
{
    Fixture f;
    QString list;
    for (int i = 0; i < 120; ++i)
        list += u"- tea\n"_s;
    f.view.setMessages(
        {message(1, Role::User, u"Go"_s),
         message(2, Role::Assistant,
                 list + u'\n' + paragraphs(20) + u"A heron.\n\n"_s + paragraphs(40))});
    QCOMPARE(f.view.setFindText(u"heron"_s), 1);
    f.bar()->setValue(0);
    QTest::qWait(kFrame);
    const QList<double> before = markedRows(f);
    f.view.findNext();
    QTest::qWait(kFrame);
    QCOMPARE(before.size(), 1);
    constexpr qsizetype kBlock = 140;
    const double place = (f.bar()->value() + f.blockTop(2, kBlock)) * 100.0 /
                         (f.bar()->maximum() + f.view.viewport()->height());
    qInfo("marked at %.1f from afar, stands at %.1f", before[0], place);
    QVERIFY(std::abs(before[0] - place) < 3);
}

QTEST_MAIN(TranscriptFindTest)
#include "transcript_find_test.moc"
