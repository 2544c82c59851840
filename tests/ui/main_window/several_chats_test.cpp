// More than one chat at a time: one is answered while another is read, searched for, deleted.

#include "tests/support/ui/pictures.h"
#include "tests/support/ui/window_program.h"

#include "ui/chat/chat_header.h"
#include "ui/chat/failure_card.h"
#include "ui/chat/notice_strip.h"
#include "ui/chat/title_label.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/sampling/next_token_view.h"
#include "ui/sampling/sampling_panel.h"
#include "ui/sidebar/conversation_list.h"
#include "ui/sidebar/conversation_list_model.h"
#include "ui/sidebar/sidebar.h"
#include "ui/transcript/reply_message.h"
#include "ui/transcript/transcript_view.h"
#include "ui/widgets/button.h"
#include "ui/widgets/line_field.h"
#include "ui/widgets/undo_strip.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QScrollBar>
#include <QTest>

namespace {

struct Program : test::WindowProgram {
    app::ConversationController& chats() { return core.conversations(); }
    ui::Composer& composer() const { return *window->chat()->composer(); }
    ui::NextTokenView& nextToken() const { return *window->sampling()->nextToken(); }

    void send(const QString& text)
    {
        composer().setText(text);
        QTest::keyClick(composer().edit(), Qt::Key_Return);
    }
    /// An answer without end in a chat of its own; then a new chat.
    qint64 answerWithoutEnd(const QString& question)
    {
        controls->endless = true;
        controls->tokenMilliseconds = 5;
        send(question);
        [&] { QTRY_VERIFY(nextToken().preview()); }();
        const qint64 id = chats().currentConversation();
        QTest::keyClick(window.get(), Qt::Key_N, Qt::ControlModifier);
        return id;
    }
    void shoot(const QString& name) { test::savePictures(*window, theme, name); }
};

} // namespace

class SeveralChatsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // A notice of a chat goes with the chat, one of a model with the model; others stay.
    void noticesEndWhenTheyAreNoLongerTrue()
    {
        Program program;
        const ui::NoticeStrip& notice = *program.window->chat()->notice();
        program.send(QStringLiteral("Hello"));
        QTRY_COMPARE(program.chats().messages().size(), 2);
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        const qint64 first = program.chats().currentConversation();
        QTest::keyClick(program.window.get(), Qt::Key_N, Qt::ControlModifier);
        using Scope = ui::ChatPage::NoticeScope;
        for (const Scope scope : {Scope::Chat, Scope::Shown}) {
            program.chats().openConversation(first);
            QTRY_COMPARE(program.chats().currentConversation(), first);
            program.window->chat()->showNotice(QStringLiteral("Words"), scope);
            QVERIFY(notice.isVisible());
            program.chats().newConversation();
            QVERIFY(!notice.isVisible());
        }
        for (const auto& [scope, stays] :
             {std::pair(Scope::Lasting, true), {Scope::Model, false}}) {
            program.window->chat()->showNotice(QStringLiteral("Words"), scope);
            program.chats().openConversation(first);
            QTRY_COMPARE(program.chats().currentConversation(), first);
            QVERIFY(notice.isVisible());
            program.core.inference().unloadModel();
            QTRY_COMPARE(program.core.inference().modelState(),
                         app::InferenceService::ModelState::None);
            QCOMPARE(notice.isVisible(), stays);
            program.core.loadModel(QStringLiteral("/models/story.gguf"));
            QTRY_VERIFY(!program.core.inference().model().path.isEmpty());
        }
    }

    void theComposerSaysWhatItWaitsFor()
    {
        Program program;
        const qint64 tea = program.answerWithoutEnd(QStringLiteral("All about tea"));
        ui::Composer& composer = program.composer();
        QCOMPARE(composer.state(), ui::Composer::State::Ready);
        QCOMPARE(composer.waitingText(),
                 QStringLiteral("The answer in “All about tea” is being written."));
        program.send(QStringLiteral("And coffee?"));
        QCOMPARE(
            composer.waitingText(),
            QStringLiteral("Sent when the answer in “All about tea” is finished: And coffee?"));
        QVERIFY(composer.stopOtherButton()->isVisible());
        program.shoot(QStringLiteral("other-chat"));
        program.window->resize(560, 500);
        QTest::qWait(50);
        program.shoot(QStringLiteral("other-chat-narrow"));
        program.window->resize(1280, 800);
        // In the chat that is answered, as ever.
        const qint64 coffee = program.chats().currentConversation();
        program.chats().openConversation(tea);
        QTRY_COMPARE(composer.state(), ui::Composer::State::Writing);
        QCOMPARE(composer.waitingText(), QString());
        program.chats().openConversation(coffee);
        QTRY_VERIFY(!composer.waitingText().isEmpty());
        // Stopped from here, the message is sent.
        QTest::mouseClick(composer.stopOtherButton(), Qt::LeftButton);
        QTRY_COMPARE(program.chats().writingConversation(), coffee);
        QCOMPARE(composer.waitingText(), QString());
        QTRY_COMPARE(composer.state(), ui::Composer::State::Writing);
        program.chats().stop();
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        QCOMPARE(composer.waitingText(), QString());
    }

    // What was asked for by mistake is not written later on.
    void aReplyThatWaitsIsTakenBack()
    {
        Program program;
        ui::Composer& composer = program.composer();
        program.send(QStringLiteral("Hello"));
        QTRY_COMPARE(program.chats().messages().size(), 2);
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        const qint64 hello = program.chats().currentConversation();
        QTest::keyClick(program.window.get(), Qt::Key_N, Qt::ControlModifier);
        program.answerWithoutEnd(QStringLiteral("All about tea"));
        program.chats().openConversation(hello);
        QTRY_COMPARE(program.chats().currentConversation(), hello);
        QVERIFY(!composer.takeBackButton()->isVisible());
        QTest::keyClick(program.window.get(), Qt::Key_R, Qt::ControlModifier);
        QCOMPARE(composer.waitingText(),
                 QStringLiteral("Written again when the answer in “All about tea” is finished."));
        QVERIFY(composer.takeBackButton()->isVisible());
        QVERIFY(composer.stopOtherButton()->isVisible());
        program.shoot(QStringLiteral("reply-waits"));
        composer.setText(QStringLiteral("half a draft"));
        Q_EMIT composer.textEdited(composer.text());
        QTest::mouseClick(composer.takeBackButton(), Qt::LeftButton);
        QCOMPARE(composer.waitingText(),
                 QStringLiteral("The answer in “All about tea” is being written."));
        QVERIFY(!composer.takeBackButton()->isVisible());
        QCOMPARE(composer.text(), QStringLiteral("half a draft"));
        // With a message behind it both come back, the draft once.
        QTest::keyClick(program.window.get(), Qt::Key_R, Qt::ControlModifier);
        program.send(QStringLiteral("And coffee?"));
        composer.setText(QStringLiteral("half"));
        Q_EMIT composer.textEdited(composer.text());
        QTest::mouseClick(composer.takeBackButton(), Qt::LeftButton);
        QCOMPARE(composer.text(), QStringLiteral("And coffee?\n\nhalf"));
        program.chats().stop();
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        QTest::qWait(20);
        QCOMPARE(program.chats().messages().size(), 2);
        QCOMPARE(program.chats().branchPosition(program.chats().messages().constLast().id).count,
                 1);
    }

    // It stands in the chat that was shown when the file failed, and there only.
    void aFailureCardStaysInItsChat()
    {
        Program program;
        program.send(QStringLiteral("Hello"));
        QTRY_COMPARE(program.chats().messages().size(), 2);
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        const qint64 hello = program.chats().currentConversation();
        const ui::FailureCard& card = *program.chat().failureCard();
        program.controls->inspectError =
            engine::fail(engine::ErrorCode::FileUnreadable, "the file cannot be read").error();
        program.chats().newConversation();
        program.window->openModel(QStringLiteral("/models/other.gguf"));
        QTRY_VERIFY(card.isVisible());
        program.chats().openConversation(hello);
        QTRY_COMPARE(program.chats().currentConversation(), hello);
        QVERIFY(!card.isVisible());
        program.chats().newConversation();
        QVERIFY(card.isVisible());
        // The chat gets its id: it is the same.
        program.send(QStringLiteral("All about tea"));
        QTRY_COMPARE(program.chats().messages().size(), 2);
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        const qint64 tea = program.chats().currentConversation();
        QVERIFY(card.isVisible());
        program.chats().newConversation();
        QVERIFY(!card.isVisible());
        program.chats().openConversation(tea);
        QTRY_VERIFY(card.isVisible());
        Q_EMIT program.chat().failureCard()->dismissed();
        program.chats().openConversation(hello);
        QTRY_COMPARE(program.chats().currentConversation(), hello);
        program.chats().openConversation(tea);
        QTRY_COMPARE(program.chats().currentConversation(), tea);
        QVERIFY(!card.isVisible());
    }

    void f2RenamesTheChatShown()
    {
        Program program;
        program.send(QStringLiteral("All about tea"));
        QTRY_COMPARE(program.chats().messages().size(), 2);
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        const ui::TitleLabel& title = *program.chat().header()->title();
        QVERIFY(program.composer().edit()->hasFocus());
        QTest::keyClick(program.composer().edit(), Qt::Key_F2);
        QVERIFY(title.field()->hasFocus());
        QCOMPARE(title.field()->selectedText(), QStringLiteral("All about tea"));
        program.shoot(QStringLiteral("rename-title"));
        QTest::keyClicks(title.field(), QStringLiteral("Kettles"));
        QTest::keyClick(title.field(), Qt::Key_F2); // goes on
        QCOMPARE(title.field()->text(), QStringLiteral("Kettles"));
        QTest::keyClick(title.field(), Qt::Key_Return);
        QCOMPARE(title.title(), QStringLiteral("Kettles"));
        QVERIFY(program.composer().edit()->hasFocus());
        // Esc leaves it as it was, and nothing else.
        program.controls->endless = true;
        program.controls->tokenMilliseconds = 5;
        program.send(QStringLiteral("Go on"));
        QTRY_VERIFY(program.chats().writingConversation() != 0);
        QTest::keyClick(program.composer().edit(), Qt::Key_F2);
        QTest::keyClicks(title.field(), QStringLiteral("Pots"));
        QTest::keyClick(title.field(), Qt::Key_Escape);
        QCOMPARE(title.title(), QStringLiteral("Kettles"));
        QVERIFY(program.composer().edit()->hasFocus());
        QVERIFY(program.chats().writingConversation() != 0);
        program.chats().stop();
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        // In the list it is the row's.
        ui::ConversationList* list = program.window->sidebar()->list();
        list->setFocus();
        QTest::keyClick(list, Qt::Key_F2);
        QVERIFY(!title.field()->isVisible());
        QVERIFY(list->isAncestorOf(QApplication::focusWidget()));
        QVERIFY(QApplication::focusWidget() != list);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    }

    void theListOffersToStop()
    {
        Program program;
        const qint64 tea = program.answerWithoutEnd(QStringLiteral("All about tea"));
        ui::Sidebar* sidebar = program.window->sidebar();
        const auto stopAction = [&]() -> QAction* {
            Q_EMIT sidebar->list()->menuRequested(tea, sidebar->mapToGlobal(QPoint(10, 200)));
            const auto menus = sidebar->findChildren<QMenu*>();
            for (QAction* action : menus.last()->actions())
                if (action->text() == QStringLiteral("Stop the answer")) return action;
            return nullptr;
        };
        QAction* stop = stopAction();
        QVERIFY(stop);
        stop->trigger();
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        QVERIFY(!stopAction()); // there is nothing to stop
    }

    // What was pressed to open it is done with when it is closed.
    void aRowsMenuActsAndGivesTheFocusBack()
    {
        Program program;
        program.send(QStringLiteral("Tea"));
        QTRY_COMPARE(program.chats().messages().size(), 2);
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        const qint64 tea = program.chats().currentConversation();
        program.chats().newConversation();
        program.send(QStringLiteral("Coffee"));
        QTRY_COMPARE(program.chats().messages().size(), 2);
        const qint64 coffee = program.chats().currentConversation();
        program.window->chat()->focusComposer();
        ui::MessageEdit* edit = program.composer().edit();
        ui::Sidebar* sidebar = program.window->sidebar();
        ui::ConversationList* list = sidebar->list();
        const auto openMenu = [&] {
            const QPoint row =
                list->visualRect(sidebar->model()->indexOf(tea)).center() - QPoint(30, 0);
            QTest::mousePress(list->viewport(), Qt::RightButton, {}, row);
            QContextMenuEvent event(QContextMenuEvent::Mouse, row,
                                    list->viewport()->mapToGlobal(row));
            QApplication::sendEvent(list->viewport(), &event);
            QTest::mouseRelease(list->viewport(), Qt::RightButton, {}, row);
            return qobject_cast<QMenu*>(QApplication::activePopupWidget());
        };
        QMenu* menu = openMenu();
        QVERIFY(menu);
        QTest::keyClick(menu, Qt::Key_Escape);
        QVERIFY(!QApplication::activePopupWidget());
        QVERIFY(edit->hasFocus());
        QCOMPARE(list->currentId(), coffee);

        menu = openMenu();
        QVERIFY(menu);
        QTest::keyClick(menu, Qt::Key_F2);
        QVERIFY(!QApplication::activePopupWidget());
        auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(field && list->isAncestorOf(field));
        QCOMPARE(field->text(), QStringLiteral("Tea"));
        QTest::keyClick(field, Qt::Key_Escape);

        menu = openMenu();
        QVERIFY(menu);
        QTest::keyClick(menu, Qt::Key_Delete);
        QVERIFY(!sidebar->model()->indexOf(tea).isValid());
        QVERIFY(sidebar->undoStrip()->isVisible());
    }

    void tokensOfAnotherChatAreNotShown()
    {
        Program program;
        const qint64 tea = program.answerWithoutEnd(QStringLiteral("All about tea"));
        QVERIFY(!program.nextToken().preview());
        const int decoded = program.controls->tokensDecoded;
        QTRY_VERIFY(program.controls->tokensDecoded > decoded + 10);
        QTest::qWait(20);
        QVERIFY(!program.nextToken().preview());
        QCOMPARE(program.nextToken().phase(), ui::NextTokenView::Phase::Empty);
        program.chats().openConversation(tea);
        QTRY_VERIFY(program.nextToken().preview());
        QCOMPARE(program.nextToken().phase(), ui::NextTokenView::Phase::Live);
        program.chats().stop();
        QTRY_COMPARE(program.chats().writingConversation(), 0);
    }

    void undoShowsTheDeletedChatAgain()
    {
        Program program;
        program.send(QStringLiteral("All about tea"));
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        QTRY_COMPARE(program.chats().messages().size(), 2);
        const qint64 tea = program.chats().currentConversation();
        ui::Sidebar* sidebar = program.window->sidebar();
        sidebar->removeConversation(tea);
        QCOMPARE(program.chats().currentConversation(), 0);
        QTest::keyClick(program.window.get(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(program.chats().currentConversation(), tea);
        QCOMPARE(program.chats().messages().size(), 2);
        QTRY_COMPARE(sidebar->list()->currentId(), tea);
        QVERIFY(program.window->chat()->transcript()->isVisible());
    }

    void aHitInAHiddenBranchIsShown()
    {
        Program program;
        program.controls->reply = {"Some", " words", ".\n\n", "More", " of", " it", ".\n\n"};
        program.send(QStringLiteral("A question about kettles"));
        QTRY_COMPARE(program.chats().messages().size(), 2);
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        const qint64 first = program.chats().messages().constFirst().id;
        const qint64 chat = program.chats().currentConversation();
        for (int i = 0; i < 8; ++i) {
            program.send(QStringLiteral("Go on"));
            QTRY_COMPARE(program.chats().messages().size(), 4 + 2 * i);
            QTRY_COMPARE(program.chats().writingConversation(), 0);
        }
        program.chats().renameConversation(chat, QStringLiteral("A chat"));
        program.chats().sendEdited(first, QStringLiteral("A question about pots"));
        QTRY_COMPARE(program.chats().messages().size(), 2);
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        QTest::keyClick(program.window.get(), Qt::Key_N, Qt::ControlModifier);

        ui::Sidebar* sidebar = program.window->sidebar();
        QTest::keyClicks(sidebar->searchField(), QStringLiteral("kettles"));
        QTRY_COMPARE(sidebar->model()->conversationCount(), 1);
        QTest::keyClick(sidebar->searchField(), Qt::Key_Down);
        QTest::keyClick(sidebar->list(), Qt::Key_Return);
        QTRY_COMPARE(program.chats().currentConversation(), chat);
        QCOMPARE(program.chats().messages().constFirst().id, first);
        QCOMPARE(program.chats().messages().size(), 18);
        // At the message, not at the end.
        QTest::qWait(50);
        ui::TranscriptView* transcript = program.window->chat()->transcript();
        QVERIFY(!transcript->isFollowing());
        QVERIFY(transcript->verticalScrollBar()->maximum() > 0);
        QCOMPARE(transcript->verticalScrollBar()->value(), 0);
    }
};

QTEST_MAIN(SeveralChatsTest)
#include "several_chats_test.moc"
