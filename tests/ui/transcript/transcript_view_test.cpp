#include "tests/support/ui/transcript_fixture.h"

#include "ui/transcript/link_popup.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"

#include <QAccessible>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

using namespace ui;
using namespace Qt::StringLiterals;
using app::Message;
using app::MessageState;
using app::Role;
using test::kFrame;
using test::message;
using test::paragraphs;
using test::thoughtful;
using Fixture = test::TranscriptFixture;

namespace {

QStringList* announced = nullptr;

void rememberAnnouncements(QAccessibleEvent* event)
{
    if (announced && event->type() == QAccessible::Announcement)
        announced->append(static_cast<QAccessibleAnnouncementEvent*>(event)->message());
}

} // namespace

class TranscriptViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void followsTheNewestText();
    void stopsFollowingAtOnce();
    void followsAgain();
    void keepsThePlaceWhenSomethingAboveGrows();
    void keepsThePlaceWhenItWrapsAnew();
    void suspendsFollowingForASelection();
    void collectsTokensForAFrame();
    void laysOutOnlyTheEndOfALongReply();
    void hasWidgetsOnlyForWhatIsNear();
    void laysOutWhatIsSeenFirst();
    void standsStillWhileTheRestIsLaidOut_data();
    void standsStillWhileTheRestIsLaidOut();
    void keepsTheTextThatCameUnseen();
    void asksBeforeALinkIsOpened();
    void movesByMessageWithTheKeyboard();
    void announcesOnlyTheEnd();
    void newestCoversNoButton();
    void followsTheTheme();
};

void TranscriptViewTest::followsTheNewestText()
{
    Fixture f;
    f.view.setMessages(
        {message(1, Role::User, u"Go"_s), message(2, Role::Assistant, paragraphs(20))});
    QVERIFY(f.bar()->maximum() > 0);
    QVERIFY(f.atEnd());
    f.view.appendMessage(message(3, Role::User, u"More"_s));
    f.view.appendMessage(message(4, Role::Assistant, {}, MessageState::Writing));
    for (int i = 0; i < 8; ++i) {
        f.write(4, paragraphs(3));
        QVERIFY(f.view.isFollowing());
        QVERIFY(f.atEnd());
        QVERIFY(f.pill()->isHidden());
    }
}

void TranscriptViewTest::stopsFollowingAtOnce()
{
    Fixture f;
    f.view.setMessages({message(1, Role::User, u"Go"_s),
                        message(2, Role::Assistant, paragraphs(30), MessageState::Writing)});
    QSignalSpy changed(&f.view, &TranscriptView::followingChanged);
    f.wheel(120);
    QVERIFY(!f.view.isFollowing());
    QCOMPARE(changed.size(), 1);
    f.wheel(120);
    f.wheel(120);
    const qsizetype block = f.firstVisibleBlock(2);
    const int top = f.blockTop(2, block);
    for (int i = 0; i < 5; ++i) {
        f.write(2, paragraphs(4));
        QCOMPARE(f.blockTop(2, block), top);
    }
    QVERIFY(f.pill()->isVisible());
}

void TranscriptViewTest::followsAgain()
{
    Fixture f;
    f.view.setMessages({message(1, Role::User, u"Go"_s),
                        message(2, Role::Assistant, paragraphs(30), MessageState::Writing)});
    const auto leave = [&f] {
        f.wheel(360);
        QVERIFY(!f.view.isFollowing());
    };
    leave();
    f.pill()->click();
    QVERIFY(f.view.isFollowing());
    QVERIFY(f.atEnd());
    leave();
    QTest::keyClick(&f.view, Qt::Key_End);
    QVERIFY(f.view.isFollowing());
    leave();
    f.bar()->setValue(f.bar()->maximum());
    QVERIFY(f.view.isFollowing());
    leave();
    f.view.appendMessage(message(3, Role::User, u"Sent"_s));
    QVERIFY(f.view.isFollowing());
    QVERIFY(f.atEnd());
}

void TranscriptViewTest::keepsThePlaceWhenSomethingAboveGrows()
{
    Fixture f;
    f.view.setMessages(
        {thoughtful(1, paragraphs(6), u"Short."_s), message(2, Role::Assistant, paragraphs(40))});
    f.bar()->setValue(400);
    QTRY_VERIFY(f.reply(1)); // it is above the view
    const qsizetype block = f.firstVisibleBlock(2);
    const int top = f.blockTop(2, block);
    f.reply(1)->reveal(MessageAnchor::Part::Thought);
    QCOMPARE(f.blockTop(2, block), top);
    // Estimates above become heights while one scrolls up: what is seen moves by the wheel alone.
    Fixture g;
    QList<Message> many;
    for (int i = 1; i <= 40; ++i)
        many.append(
            message(i, Role::Assistant, paragraphs(i % 7 + 1) + u"```\nx\ny\n```\n# Head"_s));
    g.view.setMessages(many);
    for (int i = 0; i < 60; ++i) {
        const QWidget* first = nullptr;
        for (int y = 250; y < 350 && !first; y += 8)
            first = g.view.viewport()->childAt(100, y);
        QVERIFY(first);
        const int before = first->mapTo(g.view.viewport(), QPoint()).y();
        const int value = g.bar()->value();
        const int maximum = g.bar()->maximum();
        g.wheel(120);
        if (g.bar()->value() == 0) break;
        const int moved = first->mapTo(g.view.viewport(), QPoint()).y() - before;
        const int wheeled = 3 * g.bar()->singleStep();
        QVERIFY2(moved == wheeled, qPrintable(u"%1 %2 %3"_s.arg(moved).arg(value).arg(maximum)));
    }
}

void TranscriptViewTest::keepsThePlaceWhenItWrapsAnew()
{
    Fixture f;
    f.view.setMessages({message(1, Role::Assistant, paragraphs(60))});
    f.bar()->setValue(1500);
    const qsizetype above = f.firstVisibleBlock(1) - 1; // the first that is visible in part
    const int top = f.blockTop(1, above);
    for (const int width : {560, 900, 620, 696}) {
        f.view.resize(width, 600);
        QCOMPARE(f.blockTop(1, above), top);
    }
}

void TranscriptViewTest::suspendsFollowingForASelection()
{
    Fixture f;
    f.view.setMessages({message(1, Role::Assistant, paragraphs(20), MessageState::Writing)});
    const auto surfaces = f.reply(1)->findChildren<TextSurface*>();
    TextSurface* surface = surfaces.last();
    surface->selectAll();
    const int value = f.bar()->value();
    f.write(1, paragraphs(5));
    QCOMPARE(f.bar()->value(), value);
    QVERIFY(f.pill()->isVisible());
    // Only one selection in the whole transcript.
    f.bar()->setValue(0);
    TextSurface* other = f.reply(1)->findChildren<TextSurface*>().first();
    if (other != surface) {
        other->selectAll();
        QVERIFY(!surface->hasSelection());
    }
}

void TranscriptViewTest::collectsTokensForAFrame()
{
    Fixture f;
    f.view.setMessages({message(1, Role::Assistant, u"Begin "_s, MessageState::Writing)});
    QTest::qWait(kFrame);
    const int before = f.reply(1)->answer().blocksLaidOut();
    for (int i = 0; i < 500; ++i)
        f.view.grow(1, {.text = u"token "_s, .reasoning = {}});
    QCOMPARE(f.reply(1)->answer().blocksLaidOut(), before);
    QTest::qWait(kFrame);
    QCOMPARE(f.reply(1)->answer().blocksLaidOut(), before + 1);
    QCOMPARE(f.view.message(1).text, QString(u"Begin "_s + u"token "_s.repeated(500)));
}

void TranscriptViewTest::laysOutOnlyTheEndOfALongReply()
{
    Fixture f;
    f.view.setMessages({message(1, Role::User, u"Go"_s),
                        message(2, Role::Assistant, paragraphs(2500), MessageState::Writing)});
    QTest::qWait(kFrame);
    QElapsedTimer clock;
    qint64 worst = 0;
    for (int i = 0; i < 30; ++i) {
        const int before = f.reply(2)->answer().blocksLaidOut();
        f.view.grow(2, {.text = i % 10 == 9 ? u"end.\n\n"_s : u"token "_s, .reasoning = {}});
        clock.start();
        QTest::qWait(kFrame);
        worst = std::max(worst, clock.elapsed() - kFrame);
        QVERIFY(f.reply(2)->answer().blocksLaidOut() <= before + 2);
        QVERIFY(f.reply(2)->answer().realBlocks() < 20);
    }
    qInfo("longest frame for a token at 5,000 lines: about %lld ms over its time", worst);
}

// What is beyond the view comes while nothing else waits, a little at a time.
void TranscriptViewTest::laysOutWhatIsSeenFirst()
{
    Fixture f;
    const QString line = u"The kettle sings before the water boils, as ever. "_s.repeated(4000);
    QList<Message> messages{message(1, Role::User, u"Go"_s), message(2, Role::Assistant, line)};
    const auto laidOut = [&f] { return f.reply(2) ? f.reply(2)->answer().blocksLaidOut() : 0; };
    const auto settles = [&](int before) {
        int most = 0;
        for (int last = before, still = 0; still < 5; still = laidOut() == last ? still + 1 : 0) {
            last = laidOut();
            QCoreApplication::processEvents();
            most = std::max(most, laidOut() - last);
        }
        return most;
    };
    f.view.setMessages(messages);
    QTRY_VERIFY(!f.reply(2)->answer().isReading());
    const int first = laidOut();
    QVERIFY2(first > 0 && first <= 3, qPrintable(QString::number(first)));
    QVERIFY(f.atEnd());
    const int seen = f.reply(2)->answer().realBlocks();
    QVERIFY(settles(first) <= 2);
    QVERIFY(f.reply(2)->answer().realBlocks() > seen); // two screens ahead by then
    QVERIFY(f.atEnd());
    const int before = laidOut();
    f.bar()->setValue(f.bar()->maximum() / 2);
    QVERIFY(laidOut() - before <= 3);
    const int value = f.bar()->value();
    QVERIFY(settles(laidOut()) <= 2);
    QVERIFY(std::abs(f.bar()->value() - value) < f.view.height());
}

void TranscriptViewTest::standsStillWhileTheRestIsLaidOut_data()
{
    QTest::addColumn<int>("key");
    QTest::newRow("opened") << 0;
    for (const auto& [name, key] : {std::pair{"Home", Qt::Key_Home}, std::pair{"End", Qt::Key_End},
                                    std::pair{"page up", Qt::Key_PageUp}})
        QTest::newRow(name) << static_cast<int>(key);
}

// A chat that is opened is at its end at once, and a key pressed then leads where it says: what is
// made real later, above or below, moves nothing of what is seen.
void TranscriptViewTest::standsStillWhileTheRestIsLaidOut()
{
    QFETCH(const int, key);
    Fixture f;
    QList<Message> messages;
    for (int i = 0; i < 60; ++i) {
        messages += message(2 * i + 1, Role::User, u"How is tea %1 made?"_s.arg(i));
        messages += thoughtful(2 * i + 2, paragraphs(i % 4), // of each kind of block
                               paragraphs(1 + i % 5) + u"# Tea\n\n```\nboil()\nwait()\n```\n\n"
                                                       "| a | b |\n|---|---|\n| 1 | 2 |\n"_s);
    }
    f.view.setMessages(messages);
    QVERIFY(f.atEnd());
    if (key != 0) QTest::keyClick(&f.view, static_cast<Qt::Key>(key));
    const auto seen = [&f] {
        QMap<qint64, QRect> places;
        for (const auto* widget : f.view.viewport()->findChildren<MessageWidget*>())
            if (!widget->isHidden() && widget->geometry().intersects(f.view.viewport()->rect()))
                places[widget->message().id] = widget->geometry();
        return places;
    };
    const auto first = seen();
    QVERIFY(!first.isEmpty());
    if (key == Qt::Key_Home) QCOMPARE(first.firstKey(), 1);
    if (key == 0 || key == Qt::Key_End) QCOMPARE(first.lastKey(), 120);
    for (int i = 0; i < 20; ++i) {
        QCoreApplication::processEvents();
        QCOMPARE(seen(), first);
    }
    QCOMPARE(f.atEnd(), key == 0 || key == Qt::Key_End);
    QCOMPARE(f.bar()->value() == 0, key == Qt::Key_Home);
}

void TranscriptViewTest::hasWidgetsOnlyForWhatIsNear()
{
    Fixture f;
    QList<Message> many;
    for (int i = 1; i <= 2000; ++i)
        many.append(message(i, i % 2 ? Role::User : Role::Assistant, paragraphs(2)));
    f.view.setMessages(many);
    const auto count = [&f] {
        int visible = 0;
        for (const auto* widget : f.view.viewport()->findChildren<MessageWidget*>())
            visible += widget->isHidden() ? 0 : 1;
        return visible;
    };
    QVERIFY2(count() < 60, qPrintable(QString::number(count())));
    f.bar()->setValue(f.bar()->maximum() / 2);
    QVERIFY(count() < 60);
    const auto isThere = [&f](int y) { return f.view.viewport()->childAt(300, y) != nullptr; };
    QVERIFY(isThere(300) || isThere(330)); // not both are between two messages
    f.bar()->setValue(0);
    QVERIFY(f.user(1));
    QCOMPARE(f.user(1)->y(), 16);
}

void TranscriptViewTest::keepsTheTextThatCameUnseen()
{
    Fixture f;
    QList<Message> many;
    for (int i = 1; i <= 60; ++i)
        many.append(message(i, Role::Assistant, paragraphs(6)));
    many.append(message(61, Role::Assistant, u"Start"_s, MessageState::Writing));
    f.view.setMessages(many);
    f.bar()->setValue(0);
    QVERIFY(!f.reply(61));
    f.write(61, u" and more"_s);
    QCOMPARE(f.view.message(61).text, u"Start and more"_s);
    f.view.scrollToEnd();
    QVERIFY(f.reply(61));
    QCOMPARE(f.reply(61)->answer().blocks().first().text, u"Start and more"_s);
}

void TranscriptViewTest::asksBeforeALinkIsOpened()
{
    Fixture f;
    f.view.setMessages({message(
        1, Role::Assistant,
        u"[click](https://example.org/\u202Epath) [bad](javascript:alert(1)) [file](file:///etc)"_s)});
    QSignalSpy activated(&f.view, &TranscriptView::linkActivated);
    auto* surface = f.reply(1)->findChild<TextSurface*>();
    const auto click = [&](int offset) {
        const QRectF place = surface->placeOf({.fragment = 0, .offset = offset}, 1);
        QTest::mouseClick(surface, Qt::LeftButton, {}, place.center().toPoint());
    };
    click(1);
    auto* popup = f.view.findChild<LinkPopup*>();
    QVERIFY(popup && popup->isVisible());
    QCOMPARE(popup->address(), u"https://example.org/%E2%80%AEpath"_s);
    QCOMPARE(activated.size(), 0);
    popup->openButton()->click();
    QCOMPARE(activated.size(), 1);
    QTRY_VERIFY(!f.view.findChild<LinkPopup*>());
    for (int offset = 6; offset < 60; offset += 3)
        click(offset);
    QVERIFY(!f.view.findChild<LinkPopup*>());
}

void TranscriptViewTest::movesByMessageWithTheKeyboard()
{
    Fixture f;
    f.view.setMessages(
        {message(1, Role::User, u"One"_s), message(2, Role::Assistant, paragraphs(20)),
         message(3, Role::User, u"Three"_s), message(4, Role::Assistant, u"Four"_s)});
    f.view.activateWindow();
    f.view.setFocus();
    QTest::keyClick(&f.view, Qt::Key_Up);
    QVERIFY(f.reply(4)->hasFocus());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Up);
    QVERIFY(f.user(3)->hasFocus());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QVERIFY(f.user(3)->isAncestorOf(QApplication::focusWidget()));
    QVERIFY(qobject_cast<IconButton*>(QApplication::focusWidget()));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Up);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Up);
    QVERIFY(f.user(1)->hasFocus());
    QVERIFY(f.user(1)->y() >= 0);
    QCOMPARE(f.user(1)->accessibleName(), f.user(1)->title());
    QVERIFY(f.user(1)->title().startsWith(u"You, "));
    QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(f.user(1));
    QCOMPARE(accessible->role(), QAccessible::ListItem);
    QCOMPARE(accessible->text(QAccessible::Value), u"One"_s);
    QCOMPARE(QAccessible::queryAccessibleInterface(&f.view)->role(), QAccessible::List);
}

void TranscriptViewTest::announcesOnlyTheEnd()
{
    Fixture f;
    Message reply = message(1, Role::Assistant, {}, MessageState::Writing);
    f.view.setMessages({reply});
    QStringList said;
    announced = &said;
    QAccessible::installUpdateHandler(rememberAnnouncements);
    f.write(1, u"Some tokens"_s);
    QVERIFY(said.isEmpty());
    reply.text = u"Some tokens"_s;
    reply.state = MessageState::Complete;
    reply.stats.tokens = 412;
    f.view.updateMessage(reply);
    QAccessible::installUpdateHandler(nullptr);
    announced = nullptr;
    QCOMPARE(said, QStringList{u"Answer finished, 412 tokens"_s});
}

void TranscriptViewTest::newestCoversNoButton()
{
    Fixture f;
    f.view.setMessages(
        {message(1, Role::User, paragraphs(200)), message(2, Role::Assistant, paragraphs(40))});
    f.bar()->setValue(0);
    const Button* more = f.user(1)->moreButton();
    QVERIFY(more && f.pill()->isVisible());
    const int top = more->mapTo(&f.view, QPoint(0, 0)).y();
    f.view.resize(696, top + more->height() + 14); // the link stands where the pill would
    f.bar()->setValue(0);
    QVERIFY(f.pill()->isVisible());
    const QRect link(more->mapTo(&f.view, QPoint(0, 0)), more->size());
    QVERIFY(f.view.rect().contains(link));
    QVERIFY(!f.pill()->geometry().intersects(link));
    QVERIFY(f.view.rect().contains(f.pill()->geometry()));
}

void TranscriptViewTest::followsTheTheme()
{
    Fixture f;
    f.view.setMessages({message(1, Role::Assistant, paragraphs(40))});
    f.bar()->setValue(500);
    const QImage light = f.view.grab().toImage();
    f.theme.setMode(Theme::Mode::Dark);
    QVERIFY(f.view.grab().toImage() != light);
    QVERIFY(f.reply(1));
    f.theme.setTextScale(1.5);
    QVERIFY(f.reply(1));
    QVERIFY(f.bar()->maximum() > 0);
}

QTEST_MAIN(TranscriptViewTest)
#include "transcript_view_test.moc"
