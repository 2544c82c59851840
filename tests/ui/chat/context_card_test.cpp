// A full context and the ways on, in the whole window.

#include "tests/support/ui/pictures.h"
#include "tests/support/ui/window_program.h"

#include "ui/chat/context_card.h"
#include "ui/chat/context_option.h"
#include "ui/chat/model_popover.h"
#include "ui/composer/composer.h"
#include "ui/composer/context_ring.h"
#include "ui/composer/message_edit.h"
#include "ui/widgets/button.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QTest>

using app::ContextStep;
namespace {

struct Program : test::WindowProgram {
    Program()
        : WindowProgram(100)
    {
    }

    ui::ContextCard& card() const { return *chat().contextCard(); }
    app::Message last() { return core.conversations().messages().constLast(); }
    void ask(int characters)
    {
        core.conversations().send(QString(characters, u'x'));
        waitIdle();
    }
    void waitIdle()
    {
        [&] { QTRY_COMPARE(core.conversations().writingConversation(), 0); }();
    }
};

} // namespace

class ContextCardTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksAndGoesOn();
    void isAnsweredByKeyboard();
    void escLeavesItAsItIs();
    void saysWhereThereIsNoWay();
    void saysWhereThereIsRoomByNow();
    void goesAwayWithTheChat();
    void thePickerSetsTheContext();
};

void ContextCardTest::asksAndGoesOn()
{
    Program program;
    QVERIFY(!program.card().isVisible());
    program.ask(200);
    QVERIFY(program.card().isVisible());
    QVERIFY(program.card().option(ContextStep::Longer)->isChecked());
    const ui::MessageEdit* edit = program.chat().composer()->edit();
    QVERIFY(edit->placeholderText().startsWith(QStringLiteral("Choose how to go on")));
    program.card().continueButton()->click();
    program.waitIdle();
    QVERIFY(!program.card().isVisible());
    QVERIFY(edit->placeholderText().startsWith(QStringLiteral("Message ")));
    QCOMPARE(program.last().text, QStringLiteral("Once upon a time."));
    QCOMPARE(QApplication::focusWidget(), program.chat().composer()->edit());
    QCOMPARE(program.core.settings().get(app::settings::kContextStep), ContextStep::Ask);
}

void ContextCardTest::isAnsweredByKeyboard()
{
    Program program;
    for (int i = 0; i < 3; ++i)
        program.ask(30);
    QVERIFY(program.card().isVisible());
    program.card().option(ContextStep::Longer)->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
    QVERIFY(program.card().option(ContextStep::DropOldest)->isChecked());
    QTest::keyClick(program.card().everyChat(), Qt::Key_Space);
    QVERIFY(program.card().everyChat()->isChecked());
    QTest::keyClick(program.card().continueButton(), Qt::Key_Space);
    program.waitIdle();
    QCOMPARE(program.last().text, QStringLiteral("Once upon a time."));
    QCOMPARE(program.core.settings().get(app::settings::kContextStep), ContextStep::DropOldest);
}

// Nothing is written and nothing is left out.
void ContextCardTest::escLeavesItAsItIs()
{
    Program program;
    program.ask(200);
    QVERIFY(program.card().isVisible());
    const app::Message before = program.last();
    // While the next message is written Esc is not about the card.
    program.chat().focusComposer();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(program.card().isVisible());
    program.card().option(ContextStep::Longer)->setFocus(Qt::TabFocusReason);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(!program.card().isVisible());
    QCOMPARE(program.core.conversations().writingConversation(), 0);
    QCOMPARE(program.last().id, before.id);
    QCOMPARE(QApplication::focusWidget(), program.chat().composer()->edit());
    QCOMPARE(program.core.settings().get(app::settings::kContextStep), ContextStep::Ask);
}

void ContextCardTest::saysWhereThereIsNoWay()
{
    Program program;
    app::ContextQuestion question;
    question.used = question.total = 512;
    const auto says = [&](const QString& words) {
        program.card().ask(question, QStringLiteral("story"));
        const auto labels = program.card().findChildren<QLabel*>();
        return std::ranges::any_of(
            labels, [&](const QLabel* label) { return label->text().startsWith(words); });
    };
    question.freeBytes = 1ULL << 30;
    question.longer = {.bytes = 3ULL << 30, .limit = app::ContextLimit::Memory, .mostTokens = 0};
    QVERIFY(says(QStringLiteral(
        "A longer one needs 3.0\u00A0GB more of memory and 1.0\u00A0GB are free, ")));
    question.longer = {.limit = app::ContextLimit::Training, .mostTokens = 512};
    QVERIFY(says(QStringLiteral("The model was trained for at most 512 tokens, and no message ")));
    for (const ContextStep step :
         {ContextStep::Longer, ContextStep::DropOldest, ContextStep::ShortenOldest})
        QVERIFY(program.card().option(step)->isHidden());
    QVERIFY(program.card().option(ContextStep::StopHere)->isChecked());
    QCOMPARE(program.card().continueButton()->text(), QStringLiteral("Close"));
    QVERIFY(program.card().everyChat()->isHidden());
    question.longer.tokens = 1024;
    program.card().ask(question, QStringLiteral("story"));
    QVERIFY(program.card().option(ContextStep::Longer)->isChecked());
    QCOMPARE(program.card().continueButton()->text(), QStringLiteral("Continue"));
}

void ContextCardTest::saysWhereThereIsRoomByNow()
{
    Program program;
    app::ContextQuestion question;
    question.used = 2795;
    question.total = 4096;
    question.fits = true;
    question.reply.text = QStringLiteral("Once upon");
    question.longer = {.tokens = 8192, .bytes = 1ULL << 20};
    program.card().ask(question, QStringLiteral("story"));
    QCOMPARE(program.card().title(), QStringLiteral("This chat had filled its context"));
    const auto labels = program.card().findChildren<QLabel*>();
    QVERIFY(std::ranges::none_of(labels, [](const QLabel* label) {
        return label->text().startsWith(QStringLiteral("There is no room"));
    }));
    test::savePictures(*program.window, program.theme, QStringLiteral("context-fits"));
    question.fits = false;
    program.card().ask(question, QStringLiteral("story"));
    QCOMPARE(program.card().title(), QStringLiteral("This chat has filled its context"));
}

void ContextCardTest::goesAwayWithTheChat()
{
    Program program;
    program.ask(200);
    QVERIFY(program.card().isVisible());
    program.core.conversations().newConversation();
    QVERIFY(!program.card().isVisible());
}

void ContextCardTest::thePickerSetsTheContext()
{
    Program program;
    program.ask(20);
    const auto* ring = program.window->findChild<ui::ContextRing*>();
    program.chat().openModelPopover();
    auto* picker = program.window->findChild<ui::ModelPopover*>();
    QComboBox* box = picker->contextSection()->lengths();
    QVERIFY(box->isVisible());
    QCOMPARE(box->currentData().toInt(), 100);
    QCOMPARE(box->itemData(box->count() - 1).toInt(), 8192);
    box->setCurrentIndex(box->findData(4096));
    Q_EMIT box->activated(box->currentIndex());
    QCOMPARE(program.core.settings().get(app::settings::kContextLength), 4096);
    QVERIFY(ring->text().endsWith(QStringLiteral("/ 4,096")));
    // What was chosen for every chat is taken back here.
    QComboBox* steps = picker->contextSection()->steps();
    QCOMPARE(steps->currentIndex(), 0);
    steps->setCurrentIndex(2);
    Q_EMIT steps->activated(2);
    QCOMPARE(program.core.settings().get(app::settings::kContextStep), ContextStep::DropOldest);
    steps->setCurrentIndex(0);
    Q_EMIT steps->activated(0);
    QCOMPARE(program.core.settings().get(app::settings::kContextStep), ContextStep::Ask);
    picker->dismiss();
    program.ask(200);
    QVERIFY(!program.card().isVisible());
}

QTEST_MAIN(ContextCardTest)
#include "context_card_test.moc"
