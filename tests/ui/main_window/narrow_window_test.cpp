// Small windows and large text: nothing runs under something else, and names can be read.

#include "tests/support/ui/layout_faults.h"
#include "tests/support/ui/pictures.h"
#include "tests/support/ui/sample_conversation.h"

#include "app/application_core.h"
#include "ui/application/application.h"
#include "ui/chat/chat_header.h"
#include "ui/chat/chat_page.h"
#include "ui/chat/context_card.h"
#include "ui/chat/failure_card.h"
#include "ui/chat/model_chip.h"
#include "ui/chat/model_popover.h"
#include "ui/chat/notice_strip.h"
#include "ui/chat/suggestion_banner.h"
#include "ui/chat/title_label.h"
#include "ui/chat/welcome_view.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/main_window/command_palette.h"
#include "ui/main_window/drawer.h"
#include "ui/main_window/main_window.h"
#include "ui/sampling/sampling_panel.h"
#include "ui/sampling/sampling_rail.h"
#include "ui/sidebar/sidebar.h"
#include "ui/sidebar/sidebar_rail.h"
#include "ui/transcript/transcript_view.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/popover.h"
#include "ui/widgets/quiet_button.h"

#include <QAbstractButton>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QTest>

using ui::Theme;

namespace {

QString starterPath()
{
    return QStringLiteral(INGLENOOK_BINARY_DIR "/" INGLENOOK_STARTER_FILE);
}

QList<app::ModelSuggestion> longNames()
{
    using Role = app::ModelSuggestion::Role;
    return {{.role = Role::Quickest,
             .name = QStringLiteral("Llama 3.2 3B"),
             .fileBytes = 2'300'000'000,
             .tokensPerSecond = 49,
             .page = {}},
            {.role = Role::Balanced,
             .name = QStringLiteral("Qwen3 30B A3B Instruct"),
             .fileBytes = 18'600'000'000,
             .tokensPerSecond = 23,
             .page = {}},
            {.role = Role::Ablest,
             .name = QStringLiteral("Mistral Small 3.2 24B"),
             .fileBytes = 14'300'000'000,
             .tokensPerSecond = 4.6,
             .page = {}}};
}

/// Layouts settle with the event loop.
void verifyLayout(const QWidget& root)
{
    QStringList faults;
    const auto settled = [&] {
        faults = test::layoutFaults(root);
        return faults.isEmpty();
    };
    QVERIFY2(QTest::qWaitFor(settled, 2'000), qPrintable(faults.join(u'\n')));
}

struct Program {
    QTemporaryDir home;
    app::ApplicationCore core;
    Theme theme{Theme::Mode::Light};
    std::unique_ptr<ui::MainWindow> window;

    Program(double scale, const QString& starter)
        : core(app::Paths{home.filePath(QStringLiteral("data")),
                          home.filePath(QStringLiteral("config")),
                          home.filePath(QStringLiteral("cache")), starter})
    {
        theme.setTextScale(scale);
        core.start();
        ui::applyTheme(*qApp, theme);
        window = std::make_unique<ui::MainWindow>(theme, core);
        window->show();
        core.loadLastModel();
    }

    ui::ChatPage& chat() const { return *window->chat(); }

    void shoot(const QString& name) { test::savePictures(*window, theme, name); }
};

} // namespace

class NarrowWindowTest : public QObject {
    Q_OBJECT

    enum class Page : quint8 { FirstRun, Damaged, Conversation, Full };

    static void fillConversation(Program& program)
    {
        ui::ChatPage& chat = program.chat();
        chat.header()->title()->setTitle(QStringLiteral("When can I drink my tea, and how?"));
        chat.header()->chip()->setModel(QStringLiteral("Mistral Small 3.2 24B Instruct"),
                                        QStringLiteral("Q4_K_M"), 14'300'000'000);
        chat.header()->chip()->setState(ui::ModelChip::State::Writing);
        chat.transcript()->setMessages(test::sampleMessages());
        qobject_cast<QStackedWidget*>(chat.transcript()->parentWidget())
            ->setCurrentWidget(chat.transcript());
        chat.composer()->setState(ui::Composer::State::Writing,
                                  QStringLiteral("Mistral Small 3.2 24B Instruct"));
        chat.composer()->setContextUse(31'740, 131'072);
        chat.composer()->setQueued({QStringLiteral("And what if I add cold milk first?")});
        chat.showNotice(QStringLiteral(
            "This model's template could not be read; a plain one is used in its place."));
    }

    static void fillContext(Program& program)
    {
        app::ContextQuestion question;
        question.reply = test::sampleMessages().last();
        question.used = question.total = 131'072;
        question.longer = {.tokens = 262'144, .bytes = 10'640'000'000};
        question.freeBytes = 17'200'000'000;
        question.canDrop = question.canSummarize = true;
        question.freedTokens = 4100;
        program.chat().contextCard()->ask(question,
                                          QStringLiteral("Mistral Small 3.2 24B Instruct"));
    }

    static QWidget* openPicker(Program& program)
    {
        app::Settings& settings = program.core.settings();
        settings.set(app::settings::kRecentModels,
                     {QStringLiteral("/models/Mistral-Small-3.2-24B-Instruct-2506-Q4_K_M.gguf"),
                      starterPath()});
        settings.set(app::settings::kRecentNames,
                     {QStringLiteral("Mistral Small 3.2 24B Instruct 2506"), QString()});
        program.chat().openModelPopover();
        ui::ModelPopover* picker = program.chat().modelPopover();
        app::LoadedModel model;
        model.contextLength = 131'072;
        model.trainedContextLength = 131'072;
        model.kvBytesPerToken = 78'000;
        picker->dismiss();
        picker->setContext(model, 131'072, app::ContextStep::DropOldest);
        picker->setModels(settings.get(app::settings::kRecentModels), starterPath(),
                          QStringLiteral("Mistral Small 3.2 24B Instruct 2506"));
        picker->openBelow(program.chat().header()->chip());
        return picker;
    }

    static void showError(Program& program)
    {
        app::UserError error;
        error.sentence = QStringLiteral("The file ends too early: 3.1 of 5.0 GB are there. This "
                                        "happens when a download or a copy was cut off.");
        error.details = QStringLiteral("tensor blk.21.ffn_down.weight: data ends at byte "
                                       "3121004544, file has 3104227328 bytes");
        using Step = ui::FailureCard::Step;
        program.chat().failureCard()->showError(
            QStringLiteral("Mistral Small 3.2 24B Instruct could not be loaded"), error,
            {Step::ChooseFile, Step::LoadAnyway, Step::CopyDetails});
        program.chat().failureCard()->findChild<ui::QuietButton*>()->click();
    }

private Q_SLOTS:
    void everythingHasItsPlace_data()
    {
        QTest::addColumn<int>("page");
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("scale");
        const std::pair<Page, const char*> pages[] = {{Page::FirstRun, "first-run"},
                                                      {Page::Damaged, "damaged"},
                                                      {Page::Conversation, "conversation"},
                                                      {Page::Full, "full"}};
        for (const auto& [page, name] : pages)
            for (const QSize size : {QSize(560, 420), QSize(560, 640), QSize(720, 640),
                                     QSize(900, 640), QSize(1040, 700), QSize(1280, 800)})
                for (const double scale : {1.0, 1.6})
                    QTest::addRow("%s-%dx%d-%d", name, size.width(), size.height(),
                                  qRound(scale * 100))
                        << static_cast<int>(page) << size << scale;
    }

    void everythingHasItsPlace()
    {
        QFETCH(const int, page);
        QFETCH(const QSize, size);
        QFETCH(const double, scale);
        QTemporaryDir folder;
        const QString starter = page == static_cast<int>(Page::FirstRun) ? starterPath()
                                : page == static_cast<int>(Page::Damaged)
                                    ? folder.filePath(QStringLiteral("none.gguf"))
                                    : QString();
        Program program(scale, starter);
        program.window->resize(size);
        using State = ui::ModelChip::State;
        if (page == static_cast<int>(Page::FirstRun))
            QTRY_COMPARE_WITH_TIMEOUT(program.chat().header()->chip()->state(), State::Ready,
                                      10'000);
        if (page == static_cast<int>(Page::Damaged))
            QTRY_VERIFY_WITH_TIMEOUT(program.chat().failureCard()->isVisible(), 10'000);
        if (page >= static_cast<int>(Page::Conversation)) fillConversation(program);
        if (page == static_cast<int>(Page::Full)) fillContext(program);
        program.chat().suggestionBanner()->setSuggestions(longNames());
        QTest::qWait(50);
        QCOMPARE(program.window->size(), size);
        if (size.width() <= 720 || scale > 1)
            program.shoot(QStringLiteral("narrow-") % QString::fromLatin1(QTest::currentDataTag()));
        verifyLayout(*program.window->centralWidget());
    }

    void modelNamesAreShownWhole_data() { everythingHasItsPlace_data(); }

    // A name with three dots in its middle is no name to choose by.
    void modelNamesAreShownWhole()
    {
        QFETCH(const int, page);
        QFETCH(const QSize, size);
        QFETCH(const double, scale);
        if (page != static_cast<int>(Page::FirstRun)) return;
        Program program(scale, starterPath());
        program.window->resize(size);
        ui::SuggestionBanner* banner = program.chat().suggestionBanner();
        QTRY_VERIFY(banner->isVisible());
        banner->setSuggestions(longNames());
        QTest::qWait(50);
        if (banner->isFolded()) {
            banner->showButton()->click();
            QTRY_VERIFY(banner->popover()->isVisible());
            program.shoot(QStringLiteral("narrow-cards-") %
                          QString::fromLatin1(QTest::currentDataTag()));
        }
        const QWidget* cards =
            banner->isFolded() ? static_cast<QWidget*>(banner->popover()) : banner;
        int shown = 0;
        for (const ui::Label* label : cards->findChildren<ui::Label*>()) {
            if (!label->isVisible()) continue;
            ++shown;
            const double needed = QFontMetricsF(label->font()).horizontalAdvance(label->text());
            QVERIFY2(label->wordWrap() || needed <= label->width() + 1, qPrintable(label->text()));
        }
        QVERIFY(shown >= 3 * 3);
        verifyLayout(*cards);
    }

    // What is said beside the conversation does not take its place; all of it is there to be read.
    void aNoticeLeavesRoomForTheConversation()
    {
        Program program(1.5, {});
        program.window->resize(560, 420);
        fillConversation(program);
        QTest::qWait(50);
        ui::NoticeStrip* notice = program.chat().notice();
        const int before = notice->height();
        QVERIFY2(before < 50, qPrintable(QString::number(before)));
        QVERIFY(program.chat().transcript()->height() > 2 * before);
        program.shoot(QStringLiteral("narrow-notice"));
        QVERIFY(notice->moreButton()->isVisible());
        notice->moreButton()->click();
        QTest::qWait(50);
        QVERIFY(notice->height() > before);
        QVERIFY(!notice->moreButton()->isVisible());
        program.shoot(QStringLiteral("narrow-notice-opened"));
        verifyLayout(*program.window->centralWidget());
        // In a larger window it is whole by itself.
        program.chat().showNotice(QStringLiteral(
            "This model's template could not be read; a plain one is used in its place."));
        program.window->resize(560, 640);
        QTest::qWait(50);
        QVERIFY(!notice->moreButton()->isVisible());
        QVERIFY(notice->height() > before);
    }

    // A hint that is cut says nothing.
    void hintsAreShownWhole()
    {
        Program program(1.6, {});
        program.window->resize(560, 640);
        ui::Composer* composer = program.chat().composer();
        using State = ui::Composer::State;
        for (const State state : {State::NoModel, State::Ready, State::Asked, State::Writing}) {
            composer->setState(state, QStringLiteral("Qwen3 8B"));
            QTest::qWait(20);
            const ui::MessageEdit* edit = composer->edit();
            const int words = edit->fontMetrics().horizontalAdvance(edit->placeholderText());
            QVERIFY2(words <= edit->viewport()->width(), qPrintable(edit->placeholderText()));
        }
    }

    void theTitleKeepsAWord()
    {
        Program program(1.5, {});
        program.window->resize(560, 640);
        fillConversation(program);
        program.chat().header()->title()->setTitle(QStringLiteral("Names for a black cat"));
        QTest::qWait(50);
        const ui::TitleLabel* title = program.chat().header()->title();
        const auto* label = title->findChild<ui::Label*>();
        QVERIFY(title->width() >=
                label->fontMetrics().horizontalAdvance(QStringLiteral("Names ") % QChar(0x2026)));
    }

    void surfacesFit_data()
    {
        QTest::addColumn<QString>("surface");
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("scale");
        for (const char* surface :
             {"picker", "palette", "sidebar", "sampling", "error", "starting"})
            for (const QSize size : {QSize(560, 420), QSize(560, 700), QSize(1280, 800)})
                for (const double scale : {1.0, 1.6})
                    QTest::addRow("%s-%dx%d-%d", surface, size.width(), size.height(),
                                  qRound(scale * 100))
                        << QString::fromLatin1(surface) << size << scale;
    }

    // What opens over the page, or beside it, at the largest text too.
    void surfacesFit()
    {
        QFETCH(const QString, surface);
        QFETCH(const QSize, size);
        QFETCH(const double, scale);
        Program program(scale, {});
        ui::MainWindow& window = *program.window;
        window.resize(size);
        fillConversation(program);
        window.sidebar()->setConversations(test::sampleConversations());
        window.sidebar()->setOpenConversation(1);
        QTest::qWait(50);
        const QWidget* shown = window.centralWidget();
        if (surface == QLatin1StringView("picker"))
            shown = openPicker(program);
        else if (surface == QLatin1StringView("palette"))
            QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
        else if (surface == QLatin1StringView("sidebar") && !window.sidebar()->isVisible())
            window.sidebarRail()->openButton()->click();
        else if (surface == QLatin1StringView("sampling") && !window.sampling()->isVisible())
            window.samplingRail()->openButton()->click();
        else if (surface == QLatin1StringView("error"))
            showError(program);
        else if (surface == QLatin1StringView("starting"))
            qobject_cast<QStackedWidget*>(program.chat().transcript()->parentWidget())
                ->setCurrentWidget(program.chat().welcome());
        if (surface == QLatin1StringView("palette"))
            shown = window.findChild<ui::CommandPalette*>();
        if (surface == QLatin1StringView("sidebar")) shown = window.sidebar();
        if (surface == QLatin1StringView("sampling")) shown = window.sampling();
        QTRY_VERIFY(shown->isVisible());
        QTest::qWait(300); // a drawer slides
        program.shoot(QStringLiteral("surface-") % QString::fromLatin1(QTest::currentDataTag()));
        verifyLayout(*shown);
    }
};

QTEST_MAIN(NarrowWindowTest)
#include "narrow_window_test.moc"
