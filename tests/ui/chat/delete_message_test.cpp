// Delete under a message and the way back, in the whole window.

#include "tests/support/ui/pictures.h"
#include "tests/support/ui/window_program.h"

#include "ui/chat/chat_header.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/transcript/action_row.h"
#include "ui/transcript/reply_message.h"
#include "ui/transcript/transcript_view.h"
#include "ui/transcript/user_message.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/undo_strip.h"

#include <QApplication>
#include <QTest>

using Action = ui::ActionRow::Action;

namespace {

struct Program : test::WindowProgram {
    QStringList texts()
    {
        QStringList texts;
        for (const app::Message& message : core.conversations().messages())
            texts += message.text;
        return texts;
    }
    void ask(const QString& text)
    {
        QTest::keyClicks(chat().composer()->edit(), text);
        QTest::keyClick(chat().composer()->edit(), Qt::Key_Return);
        [&] {
            QTRY_VERIFY(core.conversations().queue().isEmpty() &&
                        core.conversations().writingConversation() == 0);
        }();
    }
    template <typename Widget>
    ui::IconButton* button(qsizetype index, Action action) const
    {
        const auto widgets = chat().transcript()->findChildren<Widget*>();
        QList<Widget*> shown;
        for (Widget* widget : widgets)
            if (widget->isVisible()) shown += widget;
        std::ranges::sort(shown, {}, [](const Widget* widget) { return widget->y(); });
        return shown.value(index)->template findChild<ui::ActionRow*>()->button(action);
    }
};

} // namespace

class DeleteMessageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void goesWithWhatFollowsAndComesBack()
    {
        Program program;
        const QString reply = QStringLiteral("Once upon a time.");
        program.ask(QStringLiteral("one"));
        program.ask(QStringLiteral("two"));
        const QStringList all{QStringLiteral("one"), reply, QStringLiteral("two"), reply};
        QTRY_COMPARE(program.texts(), all);
        QVERIFY(!program.chat().undoStrip()->isVisible());

        program.button<ui::UserMessage>(1, Action::Delete)->click();
        QCOMPARE(program.texts(), all.first(2));
        QVERIFY(program.chat().undoStrip()->isVisible());
        QCOMPARE(program.chat().undoStrip()->text(), QStringLiteral("2 messages deleted"));
        QTest::qWait(300);
        test::savePictures(*program.window, program.theme, QStringLiteral("delete-message"));
        program.chat().undoStrip()->undoButton()->click();
        QCOMPARE(program.texts(), all);
        QVERIFY(!program.chat().undoStrip()->isVisible());

        program.button<ui::ReplyMessage>(1, Action::Delete)->click();
        QCOMPARE(program.texts(), all.first(3));
        QCOMPARE(program.chat().undoStrip()->text(), QStringLiteral("Message deleted"));
    }

    void ctrlZTakesItBack()
    {
        Program program;
        program.ask(QStringLiteral("one"));
        QTRY_COMPARE(program.texts().size(), 2);
        program.button<ui::ReplyMessage>(0, Action::Delete)->click();
        QCOMPARE(program.texts().size(), 1);
        ui::MessageEdit* edit = program.chat().composer()->edit();
        QVERIFY(edit->hasFocus());
        // What was typed since is undone first.
        QTest::keyClicks(edit, QStringLiteral("x"));
        QTest::keyClick(edit, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(edit->toPlainText().isEmpty());
        QCOMPARE(program.texts().size(), 1);
        QTest::keyClick(edit, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(program.texts().size(), 2);
        QTest::keyClick(edit, Qt::Key_Z, Qt::ControlModifier); // nothing more
        QCOMPARE(program.texts().size(), 2);
    }

    void whatHasNoAnswerCanBeAnswered()
    {
        Program program;
        program.ask(QStringLiteral("one"));
        QTRY_COMPARE(program.texts().size(), 2);
        program.button<ui::ReplyMessage>(0, Action::Delete)->click();
        QCOMPARE(program.texts().size(), 1);
        ui::IconButton* answer = program.button<ui::UserMessage>(0, Action::Regenerate);
        QCOMPARE(answer->accessibleName(), QStringLiteral("Answer again"));
        answer->click();
        QTRY_COMPARE(program.texts().size(), 2);
    }

    void theFirstMessageBringsFind()
    {
        Program program;
        QVERIFY(!program.chat().header()->findButton()->isVisible());
        program.ask(QStringLiteral("one"));
        QTRY_COMPARE(program.texts().size(), 2);
        QVERIFY(program.chat().header()->findButton()->isVisible());
    }

    void theKeyboardReachesIt()
    {
        Program program;
        program.ask(QStringLiteral("one"));
        QTRY_COMPARE(program.texts().size(), 2);
        ui::IconButton* trash = program.button<ui::ReplyMessage>(0, Action::Delete);
        QCOMPARE(trash->accessibleName(), QStringLiteral("Delete"));
        trash->setFocus(Qt::TabFocusReason);
        QTest::keyClick(trash, Qt::Key_Space);
        QCOMPARE(program.texts().size(), 1);
        QVERIFY(program.chat().composer()->edit()->hasFocus());
    }

    void theLastMessageLeavesANewChat()
    {
        Program program;
        program.ask(QStringLiteral("one"));
        QTRY_COMPARE(program.texts().size(), 2);
        program.button<ui::UserMessage>(0, Action::Delete)->click();
        QVERIFY(program.texts().isEmpty());
        QVERIFY(!program.chat().transcript()->isVisible());
        program.chat().undoStrip()->undoButton()->click();
        QVERIFY(program.chat().transcript()->isVisible());
        QCOMPARE(program.texts().size(), 2);
    }
};

QTEST_MAIN(DeleteMessageTest)
#include "delete_message_test.moc"
