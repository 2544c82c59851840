// The first start: the real window with the built-in model, without any other.

#include "app/application_core.h"
#include "ui/application/application.h"
#include "ui/chat/chat_header.h"
#include "ui/chat/chat_page.h"
#include "ui/chat/failure_card.h"
#include "ui/chat/model_chip.h"
#include "ui/chat/model_popover.h"
#include "ui/chat/prompt_pills.h"
#include "ui/chat/suggestion_banner.h"
#include "ui/chat/welcome_view.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/main_window/main_window.h"
#include "ui/sampling/next_token_view.h"
#include "ui/sampling/sampling_panel.h"
#include "ui/transcript/link_popup.h"
#include "ui/transcript/transcript_view.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"

#include <QAbstractButton>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using ui::Theme;
using State = ui::ModelChip::State;

namespace {

QString starterPath()
{
    return QStringLiteral(INGLENOOK_BINARY_DIR "/" INGLENOOK_STARTER_FILE);
}

struct Program {
    app::ApplicationCore core;
    Theme theme{Theme::Mode::Light};
    std::unique_ptr<ui::MainWindow> window;

    explicit Program(const QTemporaryDir& home, const QString& starter = starterPath())
        : core(app::Paths{home.filePath(QStringLiteral("data")),
                          home.filePath(QStringLiteral("config")),
                          home.filePath(QStringLiteral("cache")), starter})
    {
        core.start();
        ui::applyTheme(*qApp, theme);
        window = std::make_unique<ui::MainWindow>(theme, core);
        window->show();
        core.loadLastModel();
        [&] { QVERIFY(QTest::qWaitForWindowActive(window.get())); }();
    }

    ui::ChatPage& chat() const { return *window->chat(); }
    State state() const { return chat().header()->chip()->state(); }

    void shoot(const char* name)
    {
        const QDir folder(QStringLiteral(INGLENOOK_BINARY_DIR "/screenshots"));
        QVERIFY(folder.mkpath(QStringLiteral(".")));
        for (const auto& [mode, suffix] :
             {std::pair{Theme::Mode::Dark, "dark"}, std::pair{Theme::Mode::Light, "light"}}) {
            theme.setMode(mode);
            QTest::qWait(300);
            QVERIFY(window->grab().save(
                folder.filePath(QStringLiteral("%1-%2.png")
                                    .arg(QLatin1StringView(name), QLatin1StringView(suffix)))));
        }
    }
};

} // namespace

class FirstRunTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void answersAtOnce()
    {
        const QTemporaryDir home;
        Program program(home);
        QTRY_COMPARE_WITH_TIMEOUT(program.state(), State::Ready, 10'000);
        ui::ChatPage& chat = program.chat();
        QCOMPARE(chat.header()->chip()->accessibleName(),
                 QStringLiteral("Model: Starter, built in, ready"));
        QVERIFY(chat.suggestionBanner()->isVisible());
        QVERIFY(chat.promptPills()->isVisible());
        program.shoot("first-run");

        QSignalSpy finished(&program.core.conversations(),
                            &app::ConversationController::messageFinished);
        chat.promptPills()->pills().last()->click();
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 20'000);
        const auto answer = finished[0][0].value<app::Message>();
        QVERIFY2(answer.text.contains(QStringLiteral("token")), qPrintable(answer.text));
        QVERIFY(!chat.promptPills()->isVisible());
        program.shoot("first-run-answer");
        // It is no model of the user's: nothing to come back to, nothing to list.
        QVERIFY(program.core.settings().get(app::settings::kRecentModels).isEmpty());
        QVERIFY(program.core.settings().get(app::settings::kLastModelPath).isEmpty());
    }

    void keepsTheChatForTheNextDay()
    {
        const QTemporaryDir home;
        const QString question = QStringLiteral("How do I get a bigger model?");
        QString answer;
        {
            Program program(home);
            QTRY_COMPARE_WITH_TIMEOUT(program.state(), State::Ready, 10'000);
            QSignalSpy finished(&program.core.conversations(),
                                &app::ConversationController::messageFinished);
            ui::Composer* composer = program.chat().composer();
            QTest::keyClicks(composer->edit(), question);
            QTest::keyClick(composer->edit(), Qt::Key_Return);
            QVERIFY(composer->text().isEmpty());
            QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 20'000);
            const auto message = finished[0][0].value<app::Message>();
            answer = message.text;
            QVERIFY(!answer.isEmpty());
            QCOMPARE(message.modelName, QStringLiteral("Starter"));
            QCOMPARE(program.chat().transcript()->message(message.id).text, answer);
            QTRY_VERIFY(program.window->sampling()->nextToken()->preview());
            program.window->close();
        }
        Program again(home);
        QTRY_COMPARE(again.core.conversations().messages().size(), 2);
        QCOMPARE(again.core.conversations().messages()[0].text, question);
        QCOMPARE(again.core.conversations().messages()[1].text, answer);
        QVERIFY(!again.chat().promptPills()->isVisible());
    }

    void theBannerStaysClosedAndComesBackWithTheStarter()
    {
        const QTemporaryDir home;
        {
            Program program(home);
            QTRY_COMPARE_WITH_TIMEOUT(program.state(), State::Ready, 10'000);
            program.chat().suggestionBanner()->closeButton()->click();
            QVERIFY(!program.chat().suggestionBanner()->isVisible());
        }
        Program program(home);
        QTRY_COMPARE_WITH_TIMEOUT(program.state(), State::Ready, 10'000);
        QVERIFY(!program.chat().suggestionBanner()->isVisible());
        program.chat().openModelPopover();
        const QList<QWidget*> rows = program.chat().modelPopover()->rows();
        QCOMPARE(rows.size(), 1);
        qobject_cast<QAbstractButton*>(rows.first())->click();
        QTRY_COMPARE_WITH_TIMEOUT(program.state(), State::Ready, 10'000);
        QVERIFY(program.chat().suggestionBanner()->isVisible());
    }

    void theBannersButtonsDoWhatTheySay()
    {
        const QTemporaryDir home;
        Program program(home);
        QTRY_COMPARE_WITH_TIMEOUT(program.state(), State::Ready, 10'000);
        ui::SuggestionBanner* banner = program.chat().suggestionBanner();
        const QUrl page(QStringLiteral("https://example.org/story"));
        banner->setSuggestions({{.role = app::ModelSuggestion::Role::Quickest,
                                 .name = QStringLiteral("Story 1B"),
                                 .fileBytes = 1'000'000'000,
                                 .tokensPerSecond = 30,
                                 .page = page}});
        QTest::qWait(50);
        QCOMPARE(banner->openFileButton()->text(), QStringLiteral("Open a file…"));
        banner->openFileButton()->click();
        auto* dialog = program.window->findChild<QFileDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        dialog->reject();
        // The program fetches nothing itself: where a model is to be had is shown, and asked about.
        QAbstractButton* show = banner->getButtons().constFirst();
        QVERIFY(show->toolTip().startsWith(QStringLiteral("Show where Story 1B is downloaded")));
        QVERIFY(show->accessibleName().startsWith(QStringLiteral("Show where Story 1B is down")));
        show->click();
        auto* popup = program.window->findChild<ui::LinkPopup*>();
        QVERIFY(popup && popup->isVisible());
        QCOMPARE(popup->address(), page.toString());
        popup->close();
    }

    void aDamagedStarterIsReportedAndTheWindowOpens()
    {
        QFile whole(starterPath());
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray bytes = whole.readAll();
        const struct {
            const char* name;
            QByteArray content;
        } rows[] = {{"cut", bytes.first(bytes.size() / 2)},
                    {"text", "Dear diary"},
                    {"empty", {}},
                    {"header", bytes.first(64) + QByteArray(bytes.size() - 64, '\xff')}};
        for (const auto& row : rows) {
            const QTemporaryDir home;
            const QString path = home.filePath(QStringLiteral("starter.gguf"));
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(row.content);
            file.close();
            Program program(home, path);
            QTRY_VERIFY2_WITH_TIMEOUT(program.chat().failureCard()->isVisible(), row.name, 10'000);
            QCOMPARE(program.chat().failureCard()->title(),
                     QStringLiteral("The built-in model could not be loaded"));
            QVERIFY(program.chat().welcome()->isVisible());
            QVERIFY(program.chat().welcome()->openButton()->isVisible());
            QVERIFY(program.chat().suggestionBanner()->isVisible());
            QVERIFY(!program.chat().promptPills()->isVisible());
            if (qstrcmp(row.name, "cut") == 0) program.shoot("first-run-damaged");
        }
        const QTemporaryDir home;
        Program program(home, home.filePath(QStringLiteral("none.gguf")));
        QTRY_VERIFY_WITH_TIMEOUT(program.chat().failureCard()->isVisible(), 10'000);
    }

    void fitsANarrowWindow()
    {
        const QTemporaryDir home;
        Program program(home);
        QTRY_COMPARE_WITH_TIMEOUT(program.state(), State::Ready, 10'000);
        program.window->resize(560, 520);
        QTest::qWait(300);
        QCOMPARE(program.window->width(), 560);
        program.shoot("first-run-narrow");
    }
};

QTEST_MAIN(FirstRunTest)
#include "first_run_test.moc"
