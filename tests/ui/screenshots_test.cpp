// Pictures of the window in both themes, to be looked at: BUILD/screenshots/*.png.

#include "tests/support/ui/sample_conversation.h"

#include "app/application_core.h"
#include "ui/application/application.h"
#include "ui/chat/chat_header.h"
#include "ui/chat/chat_page.h"
#include "ui/chat/context_card.h"
#include "ui/chat/model_chip.h"
#include "ui/chat/model_popover.h"
#include "ui/chat/title_label.h"
#include "ui/chat/welcome_view.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/main_window/drawer.h"
#include "ui/main_window/main_window.h"
#include "ui/sampling/advanced_section.h"
#include "ui/sampling/next_token_view.h"
#include "ui/sampling/sampling_panel.h"
#include "ui/sampling/sampling_rail.h"
#include "ui/sampling/stop_strings_row.h"
#include "ui/sidebar/sidebar.h"
#include "ui/sidebar/sidebar_rail.h"
#include "ui/transcript/transcript_view.h"
#include "ui/widgets/icon_button.h"

#include <QDir>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QTest>

using ui::ChatPage;
using ui::Theme;

class ScreenshotsTest : public QObject {
    Q_OBJECT

    struct Scene {
        QTemporaryDir home;
        Theme theme{Theme::Mode::Light};
        app::ApplicationCore core;
        std::unique_ptr<ui::MainWindow> window;

        explicit Scene(QSize size)
            : core(app::Paths{home.filePath(QStringLiteral("data")),
                              home.filePath(QStringLiteral("config")),
                              home.filePath(QStringLiteral("cache"))})
        {
            QSignalSpy ready(&core.conversations(), &app::ConversationController::ready);
            core.start();
            ui::applyTheme(*qApp, theme);
            window = std::make_unique<ui::MainWindow>(theme, core);
            window->resize(size);
            window->show();
            ready.wait(); // the empty list of a new home comes before the sample's
        }
    };

    static void fill(Scene& scene)
    {
        ui::MainWindow& window = *scene.window;
        window.sidebar()->setConversations(test::sampleConversations());
        window.sidebar()->setOpenConversation(1);
        ChatPage* chat = window.chat();
        chat->header()->title()->setTitle(QStringLiteral("When can I drink my tea?"));
        chat->header()->chip()->setModel(QStringLiteral("Qwen3 8B"), QStringLiteral("Q4_K_M"),
                                         5'030'000'000);
        chat->header()->chip()->setState(ui::ModelChip::State::Ready);
        chat->transcript()->setMessages(test::sampleMessages());
        qobject_cast<QStackedWidget*>(chat->transcript()->parentWidget())
            ->setCurrentWidget(chat->transcript());
        chat->composer()->setState(ui::Composer::State::Ready, QStringLiteral("Qwen3 8B"));
        chat->composer()->setContextUse(3174, 8192);
        ui::SamplingPanel* sampling = window.sampling();
        engine::SamplingSettings settings;
        settings.temperature = 0.7F;
        sampling->setSettings(settings);
        window.samplingRail()->setSettings(settings);
        sampling->nextToken()->setToken(test::sampleToken(settings),
                                        QStringLiteral("less heat escapes each minute, "
                                                       "so from then on it cools more"),
                                        test::kSampleVocabulary);
        sampling->nextToken()->setPhase(ui::NextTokenView::Phase::Last);
    }

    static void shoot(Scene& scene, const char* name)
    {
        const QDir folder(QStringLiteral(INGLENOOK_BINARY_DIR "/screenshots"));
        QVERIFY(folder.mkpath(QStringLiteral(".")));
        QImage first;
        for (const auto& [mode, suffix] :
             {std::pair{Theme::Mode::Light, "light"}, std::pair{Theme::Mode::Dark, "dark"}}) {
            scene.theme.setMode(mode);
            QTest::qWait(300);
            const QImage picture = scene.window->grab().toImage();
            QVERIFY(picture != first); // the themes differ
            first = picture;
            QVERIFY(picture.save(
                folder.filePath(QStringLiteral("%1-%2.png")
                                    .arg(QLatin1StringView(name), QLatin1StringView(suffix)))));
        }
    }

private Q_SLOTS:
    void conversation()
    {
        Scene scene({1280, 800});
        fill(scene);
        scene.window->chat()->composer()->setText(QStringLiteral("What if I add cold milk first?"));
        shoot(scene, "conversation");
    }

    void writing()
    {
        Scene scene({1280, 800});
        fill(scene);
        ChatPage* chat = scene.window->chat();
        chat->header()->chip()->setState(ui::ModelChip::State::Writing);
        chat->composer()->setState(ui::Composer::State::Writing, QStringLiteral("Qwen3 8B"));
        scene.window->sidebar()->setWritingConversation(1);
        engine::SamplingSettings settings;
        settings.temperature = 1.3F;
        scene.window->sampling()->setSettings(settings);
        scene.window->sampling()->nextToken()->setPhase(ui::NextTokenView::Phase::Live);
        app::Message question = test::sampleMessages().first();
        question.id = 13;
        question.text = QStringLiteral("What if I add cold milk first?");
        app::Message answer = test::sampleMessages().last();
        answer.id = 14;
        answer.state = app::MessageState::Writing;
        answer.stats = {};
        answer.text = QStringLiteral(
            "**Milk first wins, by a little.** Heat leaves in proportion to the gap between the "
            "tea and the room. The smaller gap is why it holds on: less heat escapes each minute, "
            "so from then on it cools more");
        chat->transcript()->appendMessage(question);
        chat->transcript()->appendMessage(answer);
        chat->transcript()->setLive(14, 21.8, 138, 6.3);
        chat->transcript()->scrollToEnd();
        shoot(scene, "writing");
    }

    void empty()
    {
        Scene scene({1280, 800});
        shoot(scene, "empty");
    }

    void newChat()
    {
        Scene scene({1280, 800});
        fill(scene);
        ChatPage* chat = scene.window->chat();
        chat->welcome()->setState(ui::WelcomeView::State::Ready, QStringLiteral("Qwen3 8B"));
        qobject_cast<QStackedWidget*>(chat->transcript()->parentWidget())
            ->setCurrentWidget(chat->welcome());
        shoot(scene, "new-chat");
    }

    void loadError()
    {
        Scene scene({1280, 800});
        fill(scene);
        app::UserError error;
        error.code = engine::ErrorCode::FileTruncated;
        error.sentence = QStringLiteral("The file ends too early: 3.1 of 5.0 GB are there. This "
                                        "happens when a download or a copy was cut off.");
        error.details = QStringLiteral("tensor blk.21.ffn_down.weight: data ends at byte "
                                       "3121004544, file has 3104227328 bytes");
        using Step = ui::FailureCard::Step;
        scene.window->chat()->failureCard()->showError(
            QStringLiteral("Qwen3 8B could not be loaded"), error,
            {Step::ChooseFile, Step::CopyDetails});
        scene.window->chat()->header()->chip()->setState(ui::ModelChip::State::Failed);
        shoot(scene, "load-error");
    }

    void contextFull()
    {
        Scene scene({1280, 800});
        fill(scene);
        app::ContextQuestion question;
        question.reply = test::sampleMessages().last();
        question.used = question.total = 8192;
        question.longer = {.tokens = 16'384, .bytes = 640'000'000};
        question.freeBytes = 17'200'000'000;
        question.canDrop = question.canSummarize = true;
        question.freedTokens = 4100;
        ChatPage* chat = scene.window->chat();
        chat->contextCard()->ask(question, QStringLiteral("Qwen3 8B"));
        chat->composer()->setContextUse(8192, 8192);
        QTest::qWait(50);
        chat->transcript()->scrollToEnd();
        shoot(scene, "context-full");
    }

    void contextStart()
    {
        Scene scene({1280, 800});
        fill(scene);
        scene.window->chat()->transcript()->setContextStart(test::sampleMessages().last().id, {});
        shoot(scene, "context-start");
    }

    void picker()
    {
        Scene scene({1280, 800});
        fill(scene);
        scene.core.settings().set(app::settings::kRecentModels,
                                  {QStringLiteral("/models/Qwen3-8B-Q4_K_M.gguf"),
                                   QStringLiteral("/models/gemma-3-4b-it-Q6_K.gguf"),
                                   QStringLiteral("/models/Llama-3.2-3B-Instruct-Q5_K_M.gguf")});
        scene.core.settings().set(app::settings::kRecentNames,
                                  {QStringLiteral("Qwen3 8B"), QStringLiteral("Gemma 3 4B It"),
                                   QStringLiteral("Llama 3.2 3B Instruct")});
        scene.window->chat()->openModelPopover();
        auto* picker = scene.window->findChild<ui::ModelPopover*>();
        app::LoadedModel model;
        model.contextLength = 8192;
        model.trainedContextLength = 40'960;
        model.kvBytesPerToken = 78'000;
        picker->setContext(model, 8192, app::ContextStep::Ask);
        picker->openBelow(scene.window->chat()->header()->chip());
        shoot(scene, "picker");
    }

    void narrow()
    {
        Scene scene({700, 600});
        fill(scene);
        shoot(scene, "narrow");
        scene.window->samplingRail()->openButton()->click();
        QTest::qWait(300);
        shoot(scene, "narrow-sampling");
        scene.window->samplingDrawer()->dismiss();
        scene.window->sidebarRail()->openButton()->click();
        QTest::qWait(300);
        shoot(scene, "narrow-sidebar");
    }

    void advanced()
    {
        Scene scene({1280, 1100});
        fill(scene);
        ui::AdvancedSection* section = scene.window->sampling()->advanced();
        section->stopStringsRow()->setStopStrings(
            {QStringLiteral("\n\nUser:"), QStringLiteral("###"), QStringLiteral("</answer>")});
        section->setOpen(true);
        QTest::qWait(50);
        auto* knobs = scene.window->sampling()->findChild<QScrollArea*>();
        knobs->verticalScrollBar()->setValue(knobs->verticalScrollBar()->maximum());
        shoot(scene, "advanced");
    }

    void advancedOpened()
    {
        Scene scene({1280, 800});
        fill(scene);
        scene.window->sampling()->advanced()->setOpen(true);
        QTest::qWait(50);
        shoot(scene, "advanced-opened");
    }

    void largeText()
    {
        Scene scene({1280, 800});
        scene.theme.setTextScale(1.5);
        fill(scene);
        shoot(scene, "large-text");
    }
};

QTEST_MAIN(ScreenshotsTest)
#include "screenshots_test.moc"
