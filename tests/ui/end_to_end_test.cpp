// The real window on the real engine with a small trained model: what a person does on the first
// day and finds again on the next.

#include "app/application_core.h"
#include "ui/application/application.h"
#include "ui/chat/chat_header.h"
#include "ui/chat/chat_page.h"
#include "ui/chat/model_chip.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/composer/send_button.h"
#include "ui/main_window/main_window.h"
#include "ui/sampling/knob_row.h"
#include "ui/sampling/knob_slider.h"
#include "ui/sampling/next_token_view.h"
#include "ui/sampling/sampling_panel.h"
#include "ui/sidebar/conversation_list_model.h"
#include "ui/sidebar/sidebar.h"
#include "ui/transcript/transcript_view.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using ui::Theme;

namespace {

QString modelPath()
{
    const QByteArray set = qgetenv("INGLENOOK_FIXTURES");
    const QString folder =
        set.isEmpty() ? QStringLiteral(INGLENOOK_FIXTURES) : QString::fromLocal8Bit(set);
    return folder + QStringLiteral("/tiny/stories260K-f32.gguf");
}

/// One run of the program, from its start to the closing of its window.
struct Program {
    app::ApplicationCore core;
    Theme theme{Theme::Mode::Light};
    std::unique_ptr<ui::MainWindow> window;

    explicit Program(const QTemporaryDir& home)
        : core(app::Paths{home.filePath(QStringLiteral("data")),
                          home.filePath(QStringLiteral("config")),
                          home.filePath(QStringLiteral("cache"))})
    {
        [&] { QVERIFY(!core.start().has_value()); }();
        ui::applyTheme(*qApp, theme);
        window = std::make_unique<ui::MainWindow>(theme, core);
        window->show();
        [&] { QVERIFY(QTest::qWaitForWindowActive(window.get())); }();
    }

    app::ConversationController& conversations() { return core.conversations(); }
    ui::ModelChip::State chip() const { return window->chat()->header()->chip()->state(); }
};

} // namespace

class EndToEndTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (QFile::exists(modelPath())) return;
        QVERIFY2(!qEnvironmentVariableIsSet("INGLENOOK_REQUIRE_FIXTURES"), "the model is missing");
        QSKIP("no fixtures here");
    }

    void writesObeysStopsAndRemembers()
    {
        const QTemporaryDir home;
        QString question = QStringLiteral("Once upon a time");
        QString reply;
        {
            Program program(home);
            program.window->openModel(modelPath());
            QTRY_COMPARE_WITH_TIMEOUT(program.chip(), ui::ModelChip::State::Ready, 30'000);

            std::vector<engine::TokenEvent> events;
            connect(&program.conversations(), &app::ConversationController::tokenDecoded, this,
                    [&](qint64, const engine::TokenEvent& event) { events.push_back(event); });
            QSignalSpy finished(&program.conversations(),
                                &app::ConversationController::messageFinished);

            ui::Composer* composer = program.window->chat()->composer();
            QTest::keyClicks(composer->edit(), question);
            QTest::keyClick(composer->edit(), Qt::Key_Return);
            QVERIFY(composer->text().isEmpty());
            QTRY_VERIFY_WITH_TIMEOUT(events.size() >= 8, 30'000);
            QCOMPARE(program.chip(), ui::ModelChip::State::Writing);

            // A knob in the middle of the reply: the tokens after it are drawn with it.
            ui::KnobRow* temperature = program.window->sampling()->knobs().first();
            temperature->slider()->setFocus();
            QTest::keyClick(temperature->slider(), Qt::Key_Home);
            const quint64 version = program.core.inference().settings().version;
            QCOMPARE(program.core.inference().settings().temperature, 0.0F);
            QVERIFY(events.back().settingsVersion < version);
            QTRY_VERIFY_WITH_TIMEOUT(
                !finished.isEmpty() || events.back().settingsVersion == version, 30'000);
            QVERIFY(events.back().settingsVersion == version);
            QTRY_VERIFY_WITH_TIMEOUT(!finished.isEmpty() || events.back().sample.keptCount == 1,
                                     30'000);
            QVERIFY(program.window->sampling()->nextToken()->preview());

            if (finished.isEmpty()) QTest::keyClick(program.window.get(), Qt::Key_Escape);
            QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
            const auto message = finished[0][0].value<app::Message>();
            reply = message.text;
            QVERIFY(!reply.isEmpty());
            QTRY_COMPARE(program.chip(), ui::ModelChip::State::Ready);
            QCOMPARE(program.window->chat()->transcript()->message(message.id).text, reply);
            program.window->close();
        }

        Program again(home);
        QTRY_COMPARE(again.window->sidebar()->model()->conversationCount(), 1);
        QTRY_COMPARE(again.conversations().messages().size(), 2);
        QCOMPARE(again.conversations().messages()[0].text, question);
        QCOMPARE(again.conversations().messages()[1].text, reply);
        QCOMPARE(again.window->sampling()->settings().temperature, 0.0F);
    }
};

QTEST_MAIN(EndToEndTest)
#include "end_to_end_test.moc"
