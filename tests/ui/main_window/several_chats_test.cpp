// More than one chat at a time: one is answered while another is read, searched for, deleted.

#include "tests/support/ui/pictures.h"
#include "tests/support/ui/window_program.h"

#include "ui/chat/notice_strip.h"
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
        program.answerWithoutEnd(QStringLiteral("All about tea"));
        program.chats().openConversation(first);
        QTRY_COMPARE(program.chats().currentConversation(), first);
        program.window->chat()->regenerateLast();
        QVERIFY(notice.isVisible());
        QVERIFY(notice.text().contains(QStringLiteral("written again")));
        program.chats().newConversation();
        QVERIFY(!notice.isVisible());
        using Scope = ui::ChatPage::NoticeScope;
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
