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
#include "ui/chat/suggestion_banner.h"
#include "ui/chat/title_label.h"
#include "ui/composer/composer.h"
#include "ui/main_window/drawer.h"
#include "ui/main_window/main_window.h"
#include "ui/sampling/sampling_panel.h"
#include "ui/sampling/sampling_rail.h"
#include "ui/sidebar/sidebar_rail.h"
#include "ui/transcript/transcript_view.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/popover.h"

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
                for (const double scale : {1.0, 1.5})
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

    void drawersFitTheSmallestWindow()
    {
        Program program(1.5, starterPath());
        program.window->resize(560, 420);
        program.window->samplingRail()->openButton()->click();
        QTRY_COMPARE(program.window->sampling()->mapTo(program.window.get(), QPoint()).x() +
                         program.window->sampling()->width(),
                     560);
        QTest::qWait(300);
        program.shoot(QStringLiteral("narrow-sampling-150"));
        verifyLayout(*program.window->sampling());
    }
};

QTEST_MAIN(NarrowWindowTest)
#include "narrow_window_test.moc"
