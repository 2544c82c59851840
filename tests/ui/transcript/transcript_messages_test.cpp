#include "tests/support/ui/transcript_fixture.h"

#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"

#include <QClipboard>
#include <QLineEdit>
#include <QPlainTextEdit>
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

class TranscriptMessagesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void saysHowAReplyEnded_data();
    void saysHowAReplyEnded();
    void saysAllThereIsRoomFor();
    void offersToContinueWhatWasCutOff_data();
    void offersToContinueWhatWasCutOff();
    void saysHowFarThePromptIsRead();
    void branchesTakeNothingFromABubble();
    void editingGivesTheFocusBack();
    void editsAMessage();
    void foldsThoughts();
    void copiesTheExactSource();
    void copiesWhatCannotBeShown_data();
    void copiesWhatCannotBeShown();
    void showsWhatTheUserTyped();
};

void TranscriptMessagesTest::saysHowAReplyEnded_data()
{
    QTest::addColumn<MessageState>("state");
    QTest::addColumn<bool>("card");
    QTest::newRow("complete") << MessageState::Complete << false;
    QTest::newRow("stopped") << MessageState::Stopped << false;
    QTest::newRow("interrupted") << MessageState::Interrupted << false;
    QTest::newRow("failed") << MessageState::Failed << true;
}

void TranscriptMessagesTest::saysHowAReplyEnded()
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

void TranscriptMessagesTest::saysAllThereIsRoomFor()
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

void TranscriptMessagesTest::offersToContinueWhatWasCutOff_data()
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

void TranscriptMessagesTest::offersToContinueWhatWasCutOff()
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
    const auto places = [row] {
        QList<QRect> all;
        for (const auto action :
             {ActionRow::Action::Copy, ActionRow::Action::Regenerate, ActionRow::Action::Delete})
            all += row->button(action)->geometry();
        return all;
    };
    const QList<QRect> before = places();
    button->setAttribute(Qt::WA_UnderMouse, offered); // as where it was clicked
    // What was written after it stands on it as it is.
    f.view.appendMessage(message(3, Role::User, u"More"_s));
    QVERIFY(!row->isOffered(ActionRow::Action::Continue));
    QCOMPARE(places(), before);
    QVERIFY(!button->isVisible() && !button->underMouse());
}

void TranscriptMessagesTest::saysHowFarThePromptIsRead()
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

void TranscriptMessagesTest::branchesTakeNothingFromABubble()
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

void TranscriptMessagesTest::editingGivesTheFocusBack()
{
    Fixture f;
    QLineEdit composer(&f.view);
    composer.show();
    f.view.setMessages({message(1, Role::User, u"First"_s)});
    composer.setFocus();
    QVERIFY(composer.hasFocus());
    f.view.startEditing(1);
    QTest::keyClick(f.user(1)->findChild<QPlainTextEdit*>(), Qt::Key_Escape);
    QVERIFY(composer.hasFocus());
    // From the message itself it stays there.
    f.user(1)->setFocus();
    f.view.startEditing(1);
    QTest::keyClick(f.user(1)->findChildren<QPlainTextEdit*>().last(), Qt::Key_Escape);
    QVERIFY(f.user(1)->hasFocus());
}

void TranscriptMessagesTest::editsAMessage()
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

void TranscriptMessagesTest::foldsThoughts()
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

void TranscriptMessagesTest::copiesTheExactSource()
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

void TranscriptMessagesTest::copiesWhatCannotBeShown_data()
{
    QTest::addColumn<Role>("role");
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("copied");
    const QString odd = u"a\u0007b\u202Ec\u001B[1m"_s;
    QTest::newRow("typed") << Role::User << QString(odd % u"\nx\u2028y")
                           << QString(odd % u"\nx\u2028y");
    QTest::newRow("prose") << Role::Assistant << QString(u"An "_s % odd % u" **b\u0007**")
                           << QString(u"An "_s % odd % u" b\u0007");
    QTest::newRow("broken line") << Role::Assistant << u"a\u0007\\\nb"_s << u"a\u0007\nb"_s;
    QTest::newRow("inline code") << Role::Assistant << QString(u"`"_s % odd % u"\u200E`")
                                 << QString(odd % u"\u200E");
    QTest::newRow("link") << Role::Assistant << u"[a\u0007](https://example.org)"_s << u"a\u0007"_s;
    QTest::newRow("code") << Role::Assistant << QString(u"```\n"_s % odd % u"\n```\n") << odd;
    QTest::newRow("formula") << Role::Assistant << QString(u"$$\n"_s % odd % u"\n$$\n") << odd;
}

void TranscriptMessagesTest::copiesWhatCannotBeShown()
{
    QFETCH(const Role, role);
    QFETCH(const QString, source);
    QFETCH(const QString, copied);
    Fixture f;
    f.view.setMessages({message(1, role, source)});
    const auto* widget = role == Role::User ? static_cast<QWidget*>(f.user(1)) : f.reply(1);
    auto* surface = widget->findChild<TextSurface*>();
    QVERIFY(surface);
    surface->selectAll();
    QCOMPARE(surface->selectedText(), copied);
}

void TranscriptMessagesTest::showsWhatTheUserTyped()
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

QTEST_MAIN(TranscriptMessagesTest)
#include "transcript_messages_test.moc"
