#include "tests/support/ui/pictures.h"

#include "app/application_core.h"
#include "ui/application/application.h"
#include "ui/application/command_line.h"
#include "ui/chat/chat_header.h"
#include "ui/chat/chat_page.h"
#include "ui/chat/failure_card.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/model_chip.h"
#include "ui/chat/model_popover.h"
#include "ui/chat/notice_strip.h"
#include "ui/chat/title_label.h"
#include "ui/chat/welcome_view.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/composer/send_button.h"
#include "ui/main_window/drawer.h"
#include "ui/main_window/main_window.h"
#include "ui/sampling/advanced_section.h"
#include "ui/sampling/knob_row.h"
#include "ui/sampling/knob_slider.h"
#include "ui/sampling/next_token_view.h"
#include "ui/sampling/number_field.h"
#include "ui/sampling/preset_row.h"
#include "ui/sampling/sampling_panel.h"
#include "ui/sampling/sampling_rail.h"
#include "ui/sidebar/sidebar.h"
#include "ui/sidebar/sidebar_rail.h"
#include "ui/transcript/link_popup.h"
#include "ui/transcript/transcript_style.h"
#include "ui/transcript/transcript_view.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/line_field.h"

#include <QClipboard>
#include <QFile>
#include <QFocusFrame>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSplitter>
#include <QTemporaryDir>
#include <QTest>

using ui::MainWindow;
using ui::Theme;

class MainWindowTest : public QObject {
    Q_OBJECT

    struct Program {
        app::ApplicationCore core;
        Theme theme{Theme::Mode::Light};
        std::unique_ptr<MainWindow> window;

        explicit Program(const QTemporaryDir& home, QSize size = {1280, 800})
            : core(app::Paths{home.filePath(QStringLiteral("data")),
                              home.filePath(QStringLiteral("config")),
                              home.filePath(QStringLiteral("cache"))})
        {
            core.start();
            ui::applyTheme(*qApp, theme);
            window = std::make_unique<MainWindow>(theme, core);
            window->resize(size);
            window->show();
            [&] { QVERIFY(QTest::qWaitForWindowActive(window.get())); }();
        }
    };

    QTemporaryDir m_home;

private Q_SLOTS:
    void roomDecidesBetweenPanesAndRails()
    {
        Program program(m_home);
        MainWindow& window = *program.window;
        QVERIFY(window.sidebar()->isVisible() && window.sampling()->isVisible());
        QVERIFY(!window.sidebarRail()->isVisible() && !window.samplingRail()->isVisible());
        window.resize(1039, 700);
        QVERIFY(window.sidebar()->isVisible());
        QVERIFY(window.samplingRail()->isVisible());
        QVERIFY(!window.sampling()->isVisible());
        window.resize(899, 700);
        QVERIFY(window.sidebarRail()->isVisible());
        QVERIFY(!window.sidebar()->isVisible());
        window.resize(560, 420);
        QCOMPARE(window.size(), QSize(560, 420));
        window.resize(1280, 800);
        QVERIFY(window.sidebar()->isVisible() && window.sampling()->isVisible());
        QVERIFY(!window.sidebarRail()->isVisible() && !window.samplingRail()->isVisible());
    }

    void escLeavesWhatHasTheFocus()
    {
        Program program(m_home);
        MainWindow& window = *program.window;
        ui::PresetRow* presets = window.sampling()->presets();
        presets->saveButton()->setEnabled(true);
        presets->saveButton()->click();
        QVERIFY(presets->nameField()->hasFocus());
        QTest::keyClick(presets->nameField(), Qt::Key_Escape);
        QVERIFY(!presets->nameField()->isVisible());
        QVERIFY(presets->combo()->hasFocus());

        ui::NumberField* number = window.sampling()->knobs().first()->field();
        const QString before = number->text();
        number->setFocus();
        number->selectAll();
        QTest::keyClicks(number, QStringLiteral("1.25"));
        QTest::keyClick(number, Qt::Key_Escape);
        QCOMPARE(number->text(), before);

        ui::FailureCard* card = window.chat()->failureCard();
        app::UserError error;
        error.sentence = QStringLiteral("The file is no longer there.");
        using Step = ui::FailureCard::Step;
        card->showError(QStringLiteral("It could not be loaded"), error, {Step::ChooseFile});
        window.chat()->focusComposer();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(card->isVisible()); // it is not asked about
        card->stepButton(Step::ChooseFile)->setFocus(Qt::TabFocusReason);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(!card->isVisible());
        QVERIFY(window.chat()->composer()->edit()->hasFocus());
    }

    // A link is opened by Enter, unless another button has the focus; which has it is seen.
    void aLinkIsAskedAboutByKeyboard()
    {
        const Theme theme(Theme::Mode::Light);
        const ui::TranscriptStyle style(theme);
        const QUrl url(QStringLiteral("https://example.org/tea"));
        for (const int tabs : {0, 1}) {
            QWidget window;
            window.resize(600, 400);
            window.show();
            auto* popup = new ui::LinkPopup(style, url, &window);
            const QSignalSpy agreed(popup, &ui::LinkPopup::agreed);
            popup->openAt(window.mapToGlobal(QPoint(100, 100)));
            QGuiApplication::clipboard()->clear();
            for (int i = 0; i < tabs; ++i)
                QTest::keyClick(popup, Qt::Key_Tab);
            if (tabs > 0) {
                const auto* ring = popup->findChild<QFocusFrame*>();
                QVERIFY(ring);
                QCOMPARE(ring->widget(), popup->focusWidget());
            }
            QTest::keyClick(popup->focusWidget(), Qt::Key_Return);
            QCOMPARE(agreed.count(), tabs == 0 ? 1 : 0);
            QCOMPARE(QGuiApplication::clipboard()->text(), tabs == 0 ? QString() : url.toString());
        }
    }

    void panesComeBackAsWideAsTheyWere()
    {
        Program program(m_home);
        MainWindow& window = *program.window;
        const int sidebar = window.sidebar()->width();
        const int sampling = window.sampling()->width();
        for (const int narrow : {1000, 700, 1000, 600}) {
            window.resize(narrow, 700);
            QTest::qWait(20);
            window.resize(1280, 800);
            QTest::qWait(20);
            QCOMPARE(window.sidebar()->width(), sidebar);
            QCOMPARE(window.sampling()->width(), sampling);
        }
        QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier);
        QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier);
        QTest::qWait(20);
        QCOMPARE(window.sidebar()->width(), sidebar);
        QCOMPARE(window.sampling()->width(), sampling);
    }

    // As with a hand on the window's edge: every width on the way is met.
    void panesComeBackAfterASlowResize_data()
    {
        QTest::addColumn<double>("scale");
        QTest::newRow("100") << 1.0;
        QTest::newRow("150") << 1.5;
    }

    void panesComeBackAfterASlowResize()
    {
        QFETCH(const double, scale);
        const QTemporaryDir home;
        Program program(home);
        program.theme.setTextScale(scale);
        MainWindow& window = *program.window;
        window.resize(1600, 800);
        auto* splitter = window.findChild<QSplitter*>();
        const auto drag = [&](int handle, int by) { // as the user sets a pane's width
            QSplitterHandle* edge = splitter->handle(handle);
            QTest::mousePress(edge, Qt::LeftButton, {}, QPoint(0, 300));
            QTest::mouseMove(edge, QPoint(by, 300));
            QTest::mouseRelease(edge, Qt::LeftButton, {}, QPoint(by, 300));
        };
        QTest::qWait(20);
        drag(1, 40);
        drag(2, -60);
        QTest::qWait(20);
        const int sidebar = window.sidebar()->width();
        const int sampling = window.sampling()->width();
        QVERIFY(sidebar > 264 && sampling > 320);
        const auto resizeSlowly = [&](int from, int to) {
            const int step = from < to ? 20 : -20;
            for (int width = from; width != to; width += step) {
                window.resize(width, 800);
                QCoreApplication::processEvents();
            }
            window.resize(to, 800);
            QTest::qWait(20);
        };
        resizeSlowly(1600, 560);
        QVERIFY(window.samplingRail()->isVisible());
        resizeSlowly(560, 1600);
        QCOMPARE(window.sidebar()->width(), sidebar);
        QCOMPARE(window.sampling()->width(), sampling);
        // Closed while it is narrow: the next day has them, too.
        resizeSlowly(1600, 1060);
        window.close();
        MainWindow next(program.theme, program.core);
        next.restore();
        next.show();
        next.resize(1600, 800);
        QTest::qWait(20);
        QCOMPARE(next.sidebar()->width(), sidebar);
        QCOMPARE(next.sampling()->width(), sampling);
    }

    void advancedIsSeenWhenItOpens_data()
    {
        QTest::addColumn<int>("height");
        QTest::newRow("800") << 800;
        QTest::newRow("600") << 600;
        QTest::newRow("1400") << 1400;
    }

    void advancedIsSeenWhenItOpens()
    {
        QFETCH(const int, height);
        const QTemporaryDir home;
        Program program(home, {1280, height});
        ui::SamplingPanel* panel = program.window->sampling();
        auto* scroll = panel->findChild<QScrollArea*>();
        panel->advanced()->disclosure()->click();
        QTest::qWait(50);
        const QRect seen = scroll->viewport()->rect();
        const auto top = [&](const QWidget* widget) {
            return widget->mapTo(scroll->viewport(), QPoint()).y();
        };
        // All of it, or from its line on as much as there is room for.
        QVERIFY(top(panel->advanced()) >= 0);
        if (panel->advanced()->height() >= seen.height())
            QCOMPARE(top(panel->advanced()), 0);
        else
            QVERIFY(top(panel->advanced()) + panel->advanced()->height() <= seen.height());
        // Closing and scrolling are left alone.
        scroll->verticalScrollBar()->setValue(0);
        panel->advanced()->disclosure()->click();
        QTest::qWait(50);
        QCOMPARE(scroll->verticalScrollBar()->value(), 0);
    }

    // Of the knobs four are seen at once, with what they do to the next token.
    void largeTextLeavesRoomForTheKnobs_data()
    {
        QTest::addColumn<double>("scale");
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("fewer");
        QTest::newRow("100") << 1.0 << QSize(1280, 800) << false;
        QTest::newRow("100, low") << 1.0 << QSize(1280, 640) << true;
        QTest::newRow("150") << 1.5 << QSize(1280, 800) << true;
        QTest::newRow("160, high") << 1.6 << QSize(1440, 1100) << false;
    }

    void largeTextLeavesRoomForTheKnobs()
    {
        QFETCH(const double, scale);
        QFETCH(const QSize, size);
        QFETCH(const bool, fewer);
        const QTemporaryDir home;
        Program program(home);
        program.theme.setTextScale(scale);
        program.window->resize(size);
        QTest::qWait(50);
        ui::SamplingPanel* panel = program.window->sampling();
        const auto* scroll = panel->findChild<QScrollArea*>();
        const ui::KnobRow* fourth = panel->knobs().at(3);
        QVERIFY(fourth->mapTo(scroll->viewport(), QPoint(0, fourth->height())).y() <=
                scroll->viewport()->height());
        QCOMPARE(panel->nextToken()->mostRows() < ui::NextTokenView::kRows, fewer);
        for (const ui::KnobRow* row : panel->knobs().first(5)) {
            const auto labels = row->findChildren<ui::Label*>();
            for (const char* caption : {"sharper", "cuts 38.4 %", "lowers 12"})
                QVERIFY(labels.at(1)->fontMetrics().horizontalAdvance(
                            QString::fromLatin1(caption)) <= labels.at(1)->width());
        }
        test::savePictures(*program.window, program.theme,
                           QStringLiteral("sampling-%1").arg(qRound(scale * size.height())));
    }

    void drawersOpenOverThePage()
    {
        Program program(m_home, {700, 600});
        MainWindow& window = *program.window;
        const int page = window.chat()->transcript()->width();
        window.samplingRail()->openButton()->click();
        QTRY_VERIFY(window.sampling()->isVisible());
        QCOMPARE(window.chat()->transcript()->width(), page); // nothing is wrapped again
        QTest::keyClick(&window, Qt::Key_Escape);
        QTRY_VERIFY(!window.samplingDrawer()->isVisible());
        window.sidebarRail()->openButton()->click();
        QTRY_VERIFY(window.sidebarDrawer()->isOpen());
        QTest::mouseClick(window.chat()->header(), Qt::LeftButton, {}, QPoint(600, 20));
        QVERIFY(!window.sidebarDrawer()->isOpen());
    }

    void escapeEndsTheSearchFirst()
    {
        Program program(m_home);
        MainWindow& window = *program.window;
        QLineEdit* search = window.sidebar()->searchField();
        QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(search->hasFocus());
        QTest::keyClicks(search, QStringLiteral("kettle"));
        QTest::keyClick(search, Qt::Key_Escape);
        QCOMPARE(search->text(), QString());
    }

    void shortcutsToggleThePanes()
    {
        Program program(m_home);
        MainWindow& window = *program.window;
        QTest::keyClick(&window, Qt::Key_J, Qt::ControlModifier);
        QVERIFY(!window.sampling()->isVisible());
        QVERIFY(!window.chat()->header()->samplingButton()->isChecked());
        QTest::keyClick(&window, Qt::Key_J, Qt::ControlModifier);
        QVERIFY(window.sampling()->isVisible());
        QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier);
        QVERIFY(!window.sidebar()->isVisible());
        QVERIFY(window.sidebarRail()->isVisible());
        QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier);
        QVERIFY(window.sidebar()->isVisible());
    }

    void tabGoesAllAround_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("back");
        for (const QSize size : {QSize(1280, 800), QSize(700, 600)})
            for (const bool back : {false, true})
                QTest::addRow("%d %s", size.width(), back ? "back" : "on") << size << back;
    }

    // From the composer through every pane and to the composer again.
    void tabGoesAllAround()
    {
        QFETCH(const QSize, size);
        QFETCH(const bool, back);
        Program program(m_home, size);
        MainWindow& window = *program.window;
        ui::ChatPage* chat = window.chat();
        chat->composer()->setText(QStringLiteral("words")); // what sends is there
        QList<QWidget*> seen;
        for (int i = 0; i < 200 && !seen.contains(QApplication::focusWidget()); ++i) {
            seen += QApplication::focusWidget();
            QTest::keyClick(seen.last(), back ? Qt::Key_Backtab : Qt::Key_Tab);
        }
        QCOMPARE(QApplication::focusWidget(), chat->composer()->edit());
        QList<QWidget*> wanted{chat->header()->chip(), chat->composer()->edit(),
                               chat->composer()->modelButton(), chat->composer()->sendButton(),
                               chat->welcome()->openButton()};
        if (size.width() >= MainWindow::kSamplingNeeds)
            wanted +=
                {window.sidebar()->searchField(), window.sampling()->knobs().first()->slider(),
                 window.sampling()->knobs().first()->field(),
                 window.sampling()->advanced()->disclosure()};
        else
            wanted += {window.sidebarRail()->openButton(), window.samplingRail()->openButton()};
        for (const QWidget* widget : std::as_const(wanted))
            QVERIFY2(seen.contains(widget), widget->metaObject()->className());
    }

    void f6GoesAroundThePanes()
    {
        Program program(m_home);
        MainWindow& window = *program.window;
        QVERIFY(window.chat()->composer()->edit()->hasFocus());
        QTest::keyClick(&window, Qt::Key_F6);
        QVERIFY(window.sampling()->isAncestorOf(QApplication::focusWidget()));
        QTest::keyClick(&window, Qt::Key_F6);
        QVERIFY(!window.sampling()->isAncestorOf(QApplication::focusWidget()));
    }

    // What scrolls cuts off what stands over its edge.
    void theFirstResetDotHasItsWholeRing()
    {
        const QTemporaryDir home;
        Program program(home);
        MainWindow& window = *program.window;
        ui::KnobRow* row = window.sampling()->knobs().first();
        Q_EMIT row->valueEdited(1.5);
        auto* dot = row->findChild<QAbstractButton*>();
        QVERIFY(dot && dot->isEnabled());
        window.setAttribute(Qt::WA_KeyboardFocusChange);
        dot->setFocus(Qt::TabFocusReason);
        auto* ring = window.findChild<QFocusFrame*>();
        QTRY_VERIFY(ring && ring->isVisible());
        test::savePictures(window, program.theme, QStringLiteral("reset-ring"));
        QCOMPARE(ring->visibleRegion().boundingRect(), ring->rect());
    }

    void popoversReturnTheFocus()
    {
        Program program(m_home);
        MainWindow& window = *program.window;
        QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
        QVERIFY(window.chat()->modelPopover()->isVisible());
        QTest::keyClick(window.chat()->modelPopover(), Qt::Key_Escape);
        QVERIFY(!window.chat()->modelPopover()->isVisible());
        QVERIFY(window.chat()->composer()->edit()->hasFocus());
    }

    // What a shortcut does is seen, and not covered by what was open before.
    void shortcutsCloseThePopover()
    {
        const QTemporaryDir home;
        Program program(home);
        MainWindow& window = *program.window;
        program.core.conversations().send(QStringLiteral("Hello")); // a chat with a title
        QTRY_VERIFY(window.chat()->header()->title()->isVisible());
        QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
        const ui::ModelPopover* popover = window.chat()->modelPopover();
        QVERIFY(popover->isVisible());
        QTest::keyClick(&window, Qt::Key_F2);
        QVERIFY(!popover->isVisible());
        auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(field && window.chat()->header()->isAncestorOf(field));
        QTest::keyClick(field, Qt::Key_Escape);
        QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
        QVERIFY(popover->isVisible());
        QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
        QVERIFY(!popover->isVisible());
    }

    void choosingAModelReturnsTheFocus()
    {
        Program program(m_home);
        MainWindow& window = *program.window;
        program.core.settings().set(app::settings::kRecentModels,
                                    {m_home.filePath(QStringLiteral("gone.gguf"))});
        QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QVERIFY(!window.chat()->modelPopover()->isVisible());
        QVERIFY(window.chat()->composer()->edit()->hasFocus());
        QTRY_VERIFY(window.chat()->failureCard()->isVisible());
        QVERIFY(window.chat()->composer()->edit()->hasFocus());
        QVERIFY(window.chat()->composer()->text().isEmpty());
    }

    void aKnobReachesInferenceAtOnce()
    {
        Program program(m_home);
        ui::KnobRow* temperature = program.window->sampling()->knobs().first();
        const quint64 before = program.core.inference().settings().version;
        temperature->slider()->setFocus();
        QTest::keyClick(temperature->slider(), Qt::Key_End);
        QCOMPARE(program.core.inference().settings().temperature, 2.0F);
        QVERIFY(program.core.inference().settings().version > before);
    }

    void settingsAndPresetsLast()
    {
        const QTemporaryDir home;
        {
            Program program(home);
            ui::SamplingPanel* panel = program.window->sampling();
            QVERIFY(!panel->presets()->combo()->isChanged());
            panel->knobs().first()->slider()->setFocus();
            QTest::keyClick(panel->knobs().first()->slider(), Qt::Key_End);
            QVERIFY(panel->presets()->combo()->isChanged());
            panel->presets()->saveButton()->click();
            QTest::keyClicks(panel->presets()->nameField(), QStringLiteral("balanced"));
            QTest::keyClick(panel->presets()->nameField(), Qt::Key_Return);
            QVERIFY(panel->presets()->nameField()->isWrong()); // taken by a built-in one
            panel->presets()->nameField()->setText(QStringLiteral("Wild"));
            QTest::keyClick(panel->presets()->nameField(), Qt::Key_Return);
            QCOMPARE(panel->presets()->combo()->currentText(), QStringLiteral("Wild"));
            QVERIFY(!panel->presets()->combo()->isChanged());
            program.window->close();
        }
        Program again(home);
        QCOMPARE(again.window->sampling()->settings().temperature, 2.0F);
        QCOMPARE(again.window->sampling()->presets()->combo()->currentText(),
                 QStringLiteral("Wild"));
    }

    void aFileThatIsNoModelIsSaidInline_data()
    {
        QTest::addColumn<QByteArray>("contents");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("text") << QByteArray("Once upon a time there was a text file.\n");
        QTest::newRow("truncated") << QByteArray("GGUF\x03\x00\x00\x00", 8);
    }

    void aFileThatIsNoModelIsSaidInline()
    {
        QFETCH(const QByteArray, contents);
        const QString path = m_home.filePath(QStringLiteral("bad.gguf"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(contents);
        file.close();
        Program program(m_home);
        program.window->openModel(path);
        const ui::FailureCard* card = program.window->chat()->failureCard();
        QTRY_VERIFY(card->isVisible());
        QVERIFY(!card->text().isEmpty());
        QVERIFY(card->stepButton(ui::FailureCard::Step::ChooseFile));
        QCOMPARE(program.window->chat()->header()->chip()->state(), ui::ModelChip::State::Failed);
    }

    void aMissingFileIsSaidInline()
    {
        Program program(m_home);
        program.window->openModel(m_home.filePath(QStringLiteral("gone.gguf")));
        QTRY_VERIFY(program.window->chat()->failureCard()->isVisible());
        QVERIFY(program.window->chat()->welcome()->isVisible());
    }

    void otherFilesAreNamedAndRefused()
    {
        Program program(m_home);
        program.window->chat()->takeFiles({QUrl::fromLocalFile(QStringLiteral("/x/photo.tiff"))});
        QVERIFY(program.window->chat()->notice()->isVisible());
        QVERIFY(program.window->chat()->notice()->text().startsWith(QStringLiteral("photo.tiff")));
    }

    void recoloursEverything()
    {
        Program program(m_home);
        const QImage light = program.window->grab().toImage();
        program.theme.setMode(Theme::Mode::Dark);
        QTest::qWait(50);
        const QImage dark = program.window->grab().toImage();
        int bright = 0;
        for (int y = 0; y < dark.height(); y += 7)
            for (int x = 0; x < dark.width(); x += 7)
                if (dark.pixelColor(x, y).lightness() > 200) ++bright;
        // Text and handles only: no pane stayed light.
        QVERIFY2(bright < dark.width() * dark.height() / 49 / 50,
                 qPrintable(QString::number(bright)));
        QVERIFY(light != dark);
    }

    void theCommandLineIsChecked_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<bool>("good");
        const auto row = [](const char* name, const char* arguments, bool good) {
            QTest::newRow(name) << QString(QStringLiteral("inglenook ") +
                                           QString::fromLatin1(arguments))
                                       .split(QLatin1Char(' '))
                                << good;
        };
        row("model", "--model F.gguf", true);
        row("demo", "--model F.gguf --demo Hello --screenshot a.png --theme both", true);
        row("unknown option", "--frobnicate", false);
        row("unknown theme", "--theme pink", false);
        row("screenshot of nothing", "--screenshot a.png", false);
        row("both without a picture", "--theme both", false);
    }

    void theCommandLineIsChecked()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const bool, good);
        QCOMPARE(ui::parseCommandLine(arguments).error.isEmpty(), good);
    }
};

QTEST_MAIN(MainWindowTest)
#include "main_window_test.moc"
