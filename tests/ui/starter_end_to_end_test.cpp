// The real window on the real engine with the model in the box: what a person does who has just
// installed the program and has no file to open. Needs nothing that is not built here.

#include "app/application_core.h"
#include "ui/application/application.h"
#include "ui/chat/chat_header.h"
#include "ui/chat/chat_page.h"
#include "ui/chat/model_chip.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/main_window/main_window.h"
#include "ui/sampling/advanced_section.h"
#include "ui/sampling/knob_row.h"
#include "ui/sampling/knob_slider.h"
#include "ui/sampling/next_token_view.h"
#include "ui/sampling/sampling_panel.h"
#include "ui/sampling/stop_strings_row.h"
#include "ui/sidebar/conversation_list_model.h"
#include "ui/sidebar/sidebar.h"
#include "ui/transcript/transcript_view.h"

#include <QElapsedTimer>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using ui::Theme;

namespace {

/// One run of the program, from its start to the closing of its window, as runApplication() does
/// it.
struct Program {
    app::ApplicationCore core;
    Theme theme{Theme::Mode::Light};
    std::unique_ptr<ui::MainWindow> window;
    std::vector<engine::TokenEvent> events;
    QSignalSpy finished;
    QElapsedTimer sinceLoad;

    explicit Program(const QTemporaryDir& home)
        : core(app::Paths{home.filePath(QStringLiteral("data")),
                          home.filePath(QStringLiteral("config")),
                          home.filePath(QStringLiteral("cache")),
                          QStringLiteral(INGLENOOK_BINARY_DIR "/" INGLENOOK_STARTER_FILE)})
        , finished(&core.conversations(), &app::ConversationController::messageFinished)
    {
        [&] { QVERIFY(!core.start().has_value()); }();
        ui::applyTheme(*qApp, theme);
        window = std::make_unique<ui::MainWindow>(theme, core);
        QObject::connect(
            &core.conversations(), &app::ConversationController::tokenDecoded, window.get(),
            [this](qint64, const engine::TokenEvent& event) { events.push_back(event); });
        window->restore();
        window->show();
        QObject::connect(
            &core.inference(), &app::InferenceService::modelLoaded, window.get(),
            [this] { qInfo("the starter was loaded in %lld ms", sinceLoad.elapsed()); });
        sinceLoad.start();
        core.loadLastModel();
        [&] { QVERIFY(QTest::qWaitForWindowActive(window.get())); }();
    }

    ui::ModelChip* chip() const { return window->chat()->header()->chip(); }
    ui::MessageEdit* edit() const { return window->chat()->composer()->edit(); }

    /// The answer, empty where none came.
    QString ask(const QString& question)
    {
        const qsizetype before = finished.size();
        QTest::keyClicks(edit(), question);
        QTest::keyClick(edit(), Qt::Key_Return);
        const auto answered = [&] { return finished.size() > before; };
        return QTest::qWaitFor(answered, 30'000)
                   ? finished.last().first().value<app::Message>().text
                   : QString();
    }
};

} // namespace

class StarterEndToEndTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void answersObeysAndRemembers()
    {
        const QTemporaryDir home;
        const QString question = QStringLiteral("What does temperature do?");
        QString reply;
        {
            Program program(home);
            QTRY_COMPARE_WITH_TIMEOUT(program.chip()->state(), ui::ModelChip::State::Ready, 10'000);
            QCOMPARE(program.chip()->accessibleName(),
                     QStringLiteral("Model: Starter, built in, ready"));
            QVERIFY(program.edit()->hasFocus());

            // Greedy, set by hand before the first word.
            ui::KnobRow* temperature = program.window->sampling()->knobs().first();
            temperature->slider()->setFocus();
            QTest::keyClick(temperature->slider(), Qt::Key_Home);
            program.edit()->setFocus();
            reply = program.ask(question);
            QVERIFY2(reply.contains(QStringLiteral("emperature")), qPrintable(reply));
            QVERIFY(!program.events.empty());
            for (const engine::TokenEvent& event : program.events)
                QCOMPARE(event.sample.keptCount, 1);
            const auto message = program.finished.last().first().value<app::Message>();
            QCOMPARE(message.modelName, QStringLiteral("Starter"));
            QCOMPARE(program.window->chat()->transcript()->message(message.id).text, reply);
            QVERIFY(program.window->sampling()->nextToken()->preview());
            QTRY_COMPARE(program.chip()->state(), ui::ModelChip::State::Ready);
            program.window->close();
        }
        Program again(home);
        QTRY_COMPARE(again.window->sidebar()->model()->conversationCount(), 1);
        QTRY_COMPARE(again.core.conversations().messages().size(), 2);
        QCOMPARE(again.core.conversations().messages()[0].text, question);
        QCOMPARE(again.core.conversations().messages()[1].text, reply);
        QCOMPARE(again.window->sampling()->settings().temperature, 0.0F);
        QTRY_COMPARE_WITH_TIMEOUT(again.chip()->state(), ui::ModelChip::State::Ready, 10'000);
        QCOMPARE(again.chip()->accessibleName(), QStringLiteral("Model: Starter, built in, ready"));
    }

    void aStopStringEndsTheReply()
    {
        const QTemporaryDir home;
        Program program(home);
        QTRY_COMPARE_WITH_TIMEOUT(program.chip()->state(), ui::ModelChip::State::Ready, 10'000);
        ui::KnobRow* temperature = program.window->sampling()->knobs().first();
        temperature->slider()->setFocus();
        QTest::keyClick(temperature->slider(), Qt::Key_Home);
        const QString question = QStringLiteral("What does temperature do?");
        program.edit()->setFocus();
        const QString whole = program.ask(question);
        const qsizetype space = whole.indexOf(u' ', whole.size() / 2);
        QVERIFY2(space > 0 && space + 4 < whole.size(), qPrintable(whole));
        const QString stop = whole.sliced(space, 4);

        ui::StopStringsRow* stops = program.window->sampling()->advanced()->stopStringsRow();
        program.window->sampling()->advanced()->setOpen(true);
        stops->field()->setFocus();
        QTest::keyClicks(stops->field(), stop);
        QTest::keyClick(stops->field(), Qt::Key_Return);
        program.core.conversations().newConversation();
        const QString cut = program.ask(question);
        QCOMPARE(cut, whole.first(whole.indexOf(stop)));
        QCOMPARE(program.finished.last().first().value<app::Message>().stats.stopReason,
                 QStringLiteral("stop-string"));
    }
};

QTEST_MAIN(StarterEndToEndTest)
#include "starter_end_to_end_test.moc"
