#include "ui/theme/theme.h"
#include "ui/transcript/link_popup.h"
#include "ui/transcript/newest_pill.h"
#include "ui/transcript/reply_message.h"
#include "ui/transcript/transcript_view.h"
#include "ui/transcript/user_message.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"

#include <QAccessible>
#include <QClipboard>
#include <QElapsedTimer>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

using namespace ui;
using namespace Qt::StringLiterals;
using app::Message;
using app::MessageState;
using app::Role;

namespace {

constexpr int kFrame = 50; ///< ms, longer than a frame

Message message(qint64 id, Role role, const QString& text,
                MessageState state = MessageState::Complete)
{
    Message m;
    m.id = id;
    m.role = role;
    m.text = text;
    m.state = state;
    m.modelName = role == Role::Assistant ? u"Tiny"_s : QString();
    m.createdAt = QDateTime(QDate(2025, 3, 9), QTime(14, 32));
    return m;
}

Message thoughtful(qint64 id, const QString& thought, const QString& answer)
{
    Message m = message(id, Role::Assistant, answer);
    m.reasoning = thought;
    return m;
}

QString paragraphs(int count)
{
    QString text;
    for (int i = 0; i < count; ++i)
        text +=
            u"Paragraph %1 of a text that is long enough to be broken into lines, at least when "
            "the view is as narrow as it is here, and so on.\n\n"_s.arg(i);
    return text;
}

struct Fixture {
    Theme theme{Theme::Mode::Light};
    TranscriptView view;

    Fixture()
    {
        view.setTheme(&theme);
        view.resize(696, 600);
        view.show();
        if (!QTest::qWaitForWindowExposed(&view)) qFatal("no window");
    }
    QScrollBar* bar() { return view.verticalScrollBar(); }
    bool atEnd() { return bar()->value() == bar()->maximum(); }
    void wheel(int delta)
    {
        QWheelEvent event(QPointF(300, 300), view.viewport()->mapToGlobal(QPointF(300, 300)), {},
                          QPoint(0, delta), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.viewport(), &event);
    }
    ReplyMessage* reply(qint64 id)
    {
        for (auto* widget : view.viewport()->findChildren<ReplyMessage*>())
            if (widget->message().id == id && !widget->isHidden()) return widget;
        return nullptr;
    }
    UserMessage* user(qint64 id)
    {
        for (auto* widget : view.viewport()->findChildren<UserMessage*>())
            if (widget->message().id == id && !widget->isHidden()) return widget;
        return nullptr;
    }
    /// Where a block of a reply stands in the viewport.
    int blockTop(qint64 id, qsizetype block)
    {
        ReplyMessage* widget = reply(id);
        return widget->y() + widget->stackTop(MessageAnchor::Part::Body) +
               widget->stackOf(MessageAnchor::Part::Body)->topOf(block);
    }
    /// The first block of a reply whose top is visible.
    qsizetype firstVisibleBlock(qint64 id)
    {
        const ReplyMessage* widget = reply(id);
        for (qsizetype i = 0; i < widget->answer().blocks().size(); ++i)
            if (blockTop(id, i) >= 0) return i;
        return -1;
    }
    NewestPill* pill() { return view.findChild<NewestPill*>(); }
    void write(qint64 id, const QString& text)
    {
        view.grow(id, {.text = text, .reasoning = {}});
        QTest::qWait(kFrame);
    }
    void think(qint64 id, const QString& text)
    {
        view.grow(id, {.text = {}, .reasoning = text});
        QTest::qWait(kFrame);
    }
};

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
    void keepsTheTextThatCameUnseen();
    void copiesTheExactSource();
    void showsWhatTheUserTyped();
    void asksBeforeALinkIsOpened();
    void movesByMessageWithTheKeyboard();
    void announcesOnlyTheEnd();
    void saysHowAReplyEnded_data();
    void saysHowAReplyEnded();
    void saysAllThereIsRoomFor();
    void offersToContinueWhatWasCutOff_data();
    void offersToContinueWhatWasCutOff();
    void saysHowFarThePromptIsRead();
    void branchesTakeNothingFromABubble();
    void newestCoversNoButton();
    void editsAMessage();
    void foldsThoughts();
    void findsText();
    void findsFromWhereItWas();
    void findsInAFoldedMessage();
    void stepsToTheNextBranch();
    void showsAMessage();
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
    QVERIFY(f.reply(1));
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
    QVERIFY(f.view.viewport()->childAt(300, 300) != nullptr);
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

void TranscriptViewTest::copiesTheExactSource()
{
    Fixture f;
    const QString source = u"**a**  \n\n| b |\n|---|\n\n`c`  "_s;
    f.view.setMessages({message(1, Role::User, u" q \n"_s), thoughtful(2, u"x"_s, source)});
    QSignalSpy copied(&f.view, &TranscriptView::copyRequested);
    f.reply(2)->findChild<ActionRow*>()->button(ActionRow::Action::Copy)->click();
    QCOMPARE(QApplication::clipboard()->text(), source);
    f.user(1)->copyMessage();
    QCOMPARE(QApplication::clipboard()->text(), u" q \n"_s);
    QCOMPARE(copied.size(), 2);
    QCOMPARE(copied.last().first().toLongLong(), 1);
}

void TranscriptViewTest::showsWhatTheUserTyped()
{
    Fixture f;
    const QString typed = u"  # no head\n\n* no item **x** <i>y</i>  z"_s;
    f.view.setMessages({message(1, Role::User, typed)});
    auto* surface = f.user(1)->findChild<TextSurface*>();
    surface->selectAll();
    QCOMPARE(surface->selectedText(), typed);
    // A short message makes a narrow bubble at the right.
    f.view.setMessages({message(2, Role::User, u"Hi"_s)});
    const auto* stack = f.user(2)->stackOf(MessageAnchor::Part::Body);
    QVERIFY(stack->usedWidth() < 30);
    QCOMPARE(stack->x() + stack->width(), f.user(2)->width() - 14);
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

void TranscriptViewTest::saysHowAReplyEnded_data()
{
    QTest::addColumn<MessageState>("state");
    QTest::addColumn<bool>("card");
    QTest::newRow("complete") << MessageState::Complete << false;
    QTest::newRow("stopped") << MessageState::Stopped << false;
    QTest::newRow("interrupted") << MessageState::Interrupted << false;
    QTest::newRow("failed") << MessageState::Failed << true;
}

void TranscriptViewTest::saysHowAReplyEnded()
{
    QFETCH(MessageState, state);
    Fixture f;
    Message reply = message(1, Role::Assistant, u"Text"_s, state);
    reply.error = u"It broke. Try again later."_s;
    f.view.setMessages({reply});
    QSignalSpy again(&f.view, &TranscriptView::regenerateRequested);
    auto* button = f.reply(1)->findChild<Button*>();
    QTEST(button != nullptr, "card");
    if (!button) return;
    QVERIFY(button->isVisible());
    button->click();
    QCOMPARE(again.size(), 1);
}

void TranscriptViewTest::saysAllThereIsRoomFor()
{
    Fixture f;
    Message reply = message(1, Role::Assistant, u"Text"_s);
    reply.stats.tokens = 4012;
    reply.stats.tokensPerSecond = 23.4;
    reply.stats.secondsToFirstToken = 0.31;
    reply.stats.stopReason = u"context"_s;
    f.view.setMessages({reply});
    const auto* row = f.reply(1)->findChild<ActionRow*>();
    f.view.resize(1000, 600);
    QCOMPARE(row->fittingNumbers(),
             u"23.4 tok/s · 4,012 tokens · 0.31 s to first token · context full"_s);
    f.view.resize(560, 600);
    QCOMPARE(row->fittingNumbers(), u"23.4 tok/s · 4,012 tokens · context full"_s);
    f.view.resize(420, 600);
    QCOMPARE(row->fittingNumbers(), u"4,012 tokens · context full"_s);
    reply.stats.stopReason = u"eog"_s;
    f.view.updateMessage(reply);
    f.view.resize(300, 600);
    QCOMPARE(row->fittingNumbers(), u"23.4 tok/s"_s);
}

void TranscriptViewTest::offersToContinueWhatWasCutOff_data()
{
    QTest::addColumn<MessageState>("state");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<bool>("offered");
    QTest::newRow("complete") << MessageState::Complete << u"eog"_s << false;
    QTest::newRow("stopped") << MessageState::Stopped << u"cancelled"_s << true;
    QTest::newRow("interrupted") << MessageState::Interrupted << QString() << true;
    QTest::newRow("most tokens") << MessageState::Complete << u"max-tokens"_s << true;
    QTest::newRow("context full") << MessageState::Complete << u"context"_s << false; // asked about
    QTest::newRow("failed") << MessageState::Failed << QString() << false;
}

void TranscriptViewTest::offersToContinueWhatWasCutOff()
{
    QFETCH(MessageState, state);
    QFETCH(QString, reason);
    QFETCH(bool, offered);
    Fixture f;
    Message reply = message(2, Role::Assistant, u"Once upon"_s, state);
    reply.stats.stopReason = reason;
    f.view.setMessages({message(1, Role::User, u"Go"_s), reply});
    QSignalSpy asked(&f.view, &TranscriptView::continueRequested);
    const auto* row = f.reply(2)->findChild<ActionRow*>();
    IconButton* button = row->button(ActionRow::Action::Continue);
    QCOMPARE(button->isVisible(), offered);
    button->click();
    if (offered) QCOMPARE(asked.constLast().at(0).toLongLong(), 2);
    // What was written after it stands on it as it is.
    f.view.appendMessage(message(3, Role::User, u"More"_s));
    QVERIFY(!row->isOffered(ActionRow::Action::Continue));
}

void TranscriptViewTest::saysHowFarThePromptIsRead()
{
    Fixture f;
    Message reply = message(2, Role::Assistant, u"Once"_s, MessageState::Stopped);
    reply.stats.tokens = 7;
    reply.stats.tokensPerSecond = 12;
    f.view.setMessages({message(1, Role::User, u"Go"_s), reply});
    reply.state = MessageState::Writing;
    f.view.updateMessage(reply);
    const auto* row = f.reply(2)->findChild<ActionRow*>();
    QCOMPARE(row->liveLine(), u"Reading the message"_s); // not how fast it was
    f.view.setReading(2, 512, 2048);
    QTest::qWait(kFrame);
    QCOMPARE(row->liveLine(), u"Reading · 512 of 2,048 tokens"_s);
    f.view.setLive(2, 20, 3, 1.5);
    QTest::qWait(kFrame);
    QCOMPARE(row->liveLine(), u"20.0 tok/s · 3 tokens · 1.5 s"_s);
}

void TranscriptViewTest::branchesTakeNothingFromABubble()
{
    Fixture f;
    for (const int width : {480, 696, 1000}) {
        f.view.resize(width, 600);
        f.view.setMessages({message(1, Role::User, paragraphs(1).repeated(3)),
                            message(2, Role::User, u"Short"_s)});
        for (const qint64 id : {1, 2}) {
            UserMessage* user = f.user(id);
            const auto* stack = user->stackOf(MessageAnchor::Part::Body);
            const QSize alone = stack->size();
            f.view.setBranches(id, 2, 3);
            QCOMPARE(stack->size(), alone);
            const auto* row = user->findChild<ActionRow*>();
            QVERIFY(user->rect().contains(row->geometry()));
            const QRect text = stack->geometry().adjusted(kBleed, 0, -kBleed, 0);
            QVERIFY(!text.intersects(row->geometry()));
        }
    }
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

void TranscriptViewTest::editsAMessage()
{
    Fixture f;
    f.view.setMessages(
        {message(1, Role::User, u"First"_s), message(2, Role::Assistant, u"Answer"_s)});
    QSignalSpy edited(&f.view, &TranscriptView::editRequested);
    f.view.startEditing(1);
    auto* editor = f.user(1)->findChild<QPlainTextEdit*>();
    QVERIFY(editor && editor->hasFocus());
    QTest::keyClicks(editor, u" and more"_s);
    QTest::keyClick(editor, Qt::Key_Escape);
    QVERIFY(!f.user(1)->isEditing());
    QCOMPARE(edited.size(), 0);
    f.view.startEditing(1);
    editor = f.user(1)->findChildren<QPlainTextEdit*>().last();
    QCOMPARE(editor->toPlainText(), u"First"_s);
    QTest::keyClicks(editor, u"!"_s);
    QTest::keyClick(editor, Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClicks(editor, u"x"_s);
    QTest::keyClick(editor, Qt::Key_Return);
    QCOMPARE(edited.size(), 1);
    QCOMPARE(edited.first().at(1).toString(), u"First!\nx"_s);
}

void TranscriptViewTest::foldsThoughts()
{
    Fixture f;
    f.view.setMessages({message(1, Role::Assistant, {}, MessageState::Writing)});
    f.think(1, u"some thought"_s);
    auto* chip = f.reply(1)->findChild<ThoughtButton*>();
    QVERIFY(chip->isVisible());
    QCOMPARE(chip->accessibleName(), u"Thinking"_s);
    QVERIFY(f.reply(1)->answer().isEmpty());
    QVERIFY(!f.reply(1)->isThoughtOpen());
    chip->click();
    QVERIFY(f.reply(1)->isThoughtOpen());
    f.view.grow(1, {.text = u"The "_s, .reasoning = u" more"_s});
    f.write(1, u"answer"_s);
    QVERIFY(f.reply(1)->isThoughtOpen()); // the user opened it
    QCOMPARE(f.reply(1)->stackOf(MessageAnchor::Part::Thought)->blocks().first().text,
             u"some thought more"_s);
    QCOMPARE(f.reply(1)->answer().blocks().first().text, u"The answer"_s);
    QVERIFY(chip->accessibleName().startsWith(u"Thought for "));
}

void TranscriptViewTest::findsText()
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

void TranscriptViewTest::findsFromWhereItWas()
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

void TranscriptViewTest::findsInAFoldedMessage()
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

void TranscriptViewTest::stepsToTheNextBranch()
{
    Fixture f;
    f.view.setMessages({message(1, Role::User, u"Go"_s), message(2, Role::Assistant, u"Gone"_s)});
    QSignalSpy asked(&f.view, &TranscriptView::branchRequested);
    f.view.stepBranch(1); // there is but one
    QVERIFY(asked.isEmpty());
    f.view.setBranches(2, 2, 3);
    f.view.stepBranch(1);
    f.view.stepBranch(-1);
    QCOMPARE(asked.takeFirst(), (QVariantList{qint64(2), 3}));
    QCOMPARE(asked.takeFirst(), (QVariantList{qint64(2), 1}));
    f.view.setBranches(2, 3, 3);
    f.view.stepBranch(1);
    QVERIFY(asked.isEmpty());
}

void TranscriptViewTest::showsAMessage()
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
