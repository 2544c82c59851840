#include "tests/support/ui/pictures.h"
#include "tests/support/ui/window_program.h"

#include "app/conversation/sqlite_connection.h"
#include "ui/chat/failure_card.h"
#include "ui/chat/notice_strip.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"

#include <QClipboard>
#include <QFocusFrame>
#include <QPushButton>

using namespace Qt::StringLiterals;
using Step = ui::FailureCard::Step;

class ClosingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void closesAtOnce();
    void asksWhereSomethingIsNotSaved();
    void closesAnyway();
    void escMeansToStay();
};

namespace {

/// The file of chats, held by another program: nothing can be written.
std::unique_ptr<app::SqliteConnection> hold(const test::WindowProgram& program)
{
    auto other = app::SqliteConnection::open(program.home.filePath(u"data/conversations.db"_s));
    return other && (*other)->run(u"BEGIN IMMEDIATE"_s) ? std::move(*other) : nullptr;
}

void click(const ui::FailureCard& card, Step step)
{
    auto* button = qobject_cast<QPushButton*>(card.stepButton(step));
    QVERIFY(button);
    button->click();
}

bool isOver(test::WindowProgram& program, const QString& answer)
{
    const QList<app::Message> messages = program.core.conversations().messages();
    return !messages.isEmpty() && messages.constLast().text == answer &&
           messages.constLast().state == app::MessageState::Complete;
}

} // namespace

void ClosingTest::closesAtOnce()
{
    test::WindowProgram program;
    program.core.conversations().send(u"Hello"_s);
    QTRY_VERIFY(isOver(program, u"Once upon a time."_s));
    program.core.conversations().setDraft(u"And then"_s);
    QVERIFY(program.window->close());
    QVERIFY(!program.window->isVisible());
}

void ClosingTest::asksWhereSomethingIsNotSaved()
{
    test::WindowProgram program;
    QTRY_VERIFY(program.core.store().isOpen());
    const auto other = hold(program);
    QVERIFY(other);
    program.core.conversations().send(u"Hello"_s);
    QTRY_VERIFY_WITH_TIMEOUT(isOver(program, u"Once upon a time."_s), 20'000);
    ui::FailureCard& card = *program.chat().closeCard();
    QVERIFY(!card.isVisible());
    QTRY_VERIFY(program.chat().storageNotice()->isVisible());
    QVERIFY(!program.window->close());
    QVERIFY(!program.chat().storageNotice()->isVisible()); // the card says it
    QVERIFY(program.window->isVisible());
    QVERIFY(card.isVisible());
    QVERIFY2(card.text().contains(u"another program holds the file"_s), qPrintable(card.text()));
    QVERIFY(card.stepButton(Step::Retry)->hasFocus());
    test::savePictures(*program.window, program.theme, u"closing"_s);

    click(card, Step::CopyUnsaved);
    const QString copied = QGuiApplication::clipboard()->text();
    QVERIFY2(copied.startsWith(u"You:\nHello\n\n"_s), qPrintable(copied));
    QVERIFY2(copied.endsWith(u":\nOnce upon a time."_s), qPrintable(copied));
    click(card, Step::Retry);
    QVERIFY(program.window->isVisible());
    QVERIFY(card.isVisible());
    QVERIFY(other->run(u"COMMIT"_s));
    QTest::keyClick(card.stepButton(Step::Retry), Qt::Key_Return);
    QVERIFY(!program.window->isVisible());
    auto saved = other->value(u"SELECT count(*) FROM message WHERE text <> ''"_s);
    QCOMPARE(saved->toInt(), 2);
}

void ClosingTest::closesAnyway()
{
    test::WindowProgram program;
    QTRY_VERIFY(program.core.store().isOpen());
    const auto other = hold(program);
    QVERIFY(other);
    program.core.conversations().setDraft(u"A draft is to be kept as well"_s);
    QVERIFY(!program.window->close());
    click(*program.chat().closeCard(), Step::CloseAnyway);
    QVERIFY(!program.window->isVisible());
}

// The window was closed by the keyboard, and is kept open by it.
void ClosingTest::escMeansToStay()
{
    test::WindowProgram program;
    QTRY_VERIFY(program.core.store().isOpen());
    const auto other = hold(program);
    QVERIFY(other);
    program.core.conversations().setDraft(u"A draft is to be kept as well"_s);
    QTest::keyClick(program.window.get(), Qt::Key_Q, Qt::ControlModifier);
    ui::FailureCard& card = *program.chat().closeCard();
    QVERIFY(card.isVisible());
    QWidget* retry = card.stepButton(Step::Retry);
    QVERIFY(retry->hasFocus());
    const auto* ring = program.window->findChild<QFocusFrame*>();
    QCOMPARE(ring->widget(), retry);
    QVERIFY(ring->isVisible());
    test::savePictures(*program.window, program.theme, u"closing-by-key"_s);
    QTest::keyClick(retry, Qt::Key_Escape);
    QVERIFY(!card.isVisible());
    QVERIFY(program.window->isVisible());
    QVERIFY(program.chat().composer()->edit()->hasFocus());
}

QTEST_MAIN(ClosingTest)
#include "closing_test.moc"
