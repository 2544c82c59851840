#include "ui/chat/drop_overlay.h"
#include "ui/chat/failure_card.h"
#include "ui/chat/model_chip.h"
#include "ui/chat/model_popover.h"
#include "ui/widgets/button.h"

#include <QAbstractButton>
#include <QApplication>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>

#include <algorithm>

using ui::ModelChip;
using ui::Theme;

class ModelChipTest : public QObject {
    Q_OBJECT
    Theme m_theme{Theme::Mode::Light};

private Q_SLOTS:
    void saysItsStateInWords()
    {
        ModelChip chip(m_theme);
        QCOMPARE(chip.accessibleName(), QStringLiteral("Model: No model, choose…"));
        chip.setModel(QStringLiteral("Qwen3 8B"), QStringLiteral("Q4_K_M"), 5'000'000'000);
        QCOMPARE(chip.stateWord(), QStringLiteral("Not loaded"));
        chip.setState(ModelChip::State::Loading);
        chip.setProgress(0.62);
        QCOMPARE(chip.stateWord(), QStringLiteral("Loading 62 %"));
        chip.setState(ModelChip::State::Ready);
        QCOMPARE(chip.accessibleName(), QStringLiteral("Model: Qwen3 8B, Q4_K_M, ready"));
        chip.setState(ModelChip::State::Writing);
        QCOMPARE(chip.stateWord(), QStringLiteral("Writing"));
        chip.setState(ModelChip::State::Failed);
        QCOMPARE(chip.stateWord(), QStringLiteral("Not loaded"));
    }

    // In the header, in the picker and while it is dropped.
    void aSizeIsWrittenAlikeEverywhere()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("tiny.gguf")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.resize(1024));
        const QString size = QStringLiteral("1.0 KB");
        ModelChip chip(m_theme);
        chip.setModel(QStringLiteral("tiny"), {}, static_cast<quint64>(file.size()));
        QCOMPARE(chip.sizeWord(), size);
        QWidget window;
        window.resize(900, 600);
        ui::ModelPopover popover(m_theme, &window);
        popover.setModels({file.fileName()}, {}, {});
        QCOMPARE(popover.rows()[0]->accessibleDescription(), size);
        ui::DropOverlay overlay(m_theme, &window);
        overlay.showFor({QUrl::fromLocalFile(file.fileName())});
        QVERIFY2(overlay.text().contains(size), qPrintable(overlay.text()));
    }

    // How much of a name is shown does not depend on the size of the text.
    void itShowsAsMuchOfANameAtEverySize()
    {
        ModelChip chip(m_theme);
        chip.setModel(QStringLiteral("Mistral Small 3.2 24B It"), {}, 0);
        chip.setState(ModelChip::State::Ready);
        for (const double scale : {1.0, 1.6}) {
            m_theme.setTextScale(scale);
            const QFontMetricsF metrics(m_theme.font(Theme::TextStyle::Ui, QFont::DemiBold));
            const double name =
                metrics.horizontalAdvance(QStringLiteral("Mistral Small 3.2 24B It"));
            QVERIFY2(chip.sizeHint().width() > name + 60 * scale,
                     qPrintable(QString::number(chip.sizeHint().width())));
        }
        m_theme.setTextScale(1);
    }

    void itsWidthDoesNotChangeWithTheProgress()
    {
        ModelChip chip(m_theme);
        chip.setModel(QStringLiteral("Qwen3 8B"), QStringLiteral("Q4_K_M"), 5'000'000'000);
        chip.setState(ModelChip::State::Loading);
        chip.setProgress(0.01);
        const int width = chip.sizeHint().width();
        chip.setProgress(1.0);
        QCOMPARE(chip.sizeHint().width(), width);
        QVERIFY(chip.minimumSizeHint().width() < width);
    }

    void everyStateLooksDifferent()
    {
        ModelChip chip(m_theme);
        chip.setModel(QStringLiteral("Qwen3 8B"), QStringLiteral("Q4_K_M"), 5'000'000'000);
        chip.resize(chip.sizeHint());
        QList<QImage> pictures;
        for (const auto state :
             {ModelChip::State::NotLoaded, ModelChip::State::Loading, ModelChip::State::Ready,
              ModelChip::State::Writing, ModelChip::State::Failed}) {
            chip.setState(state);
            const QImage picture = chip.grab().toImage();
            QVERIFY(!pictures.contains(picture));
            pictures += picture;
        }
    }

    void rowsSayTheModelsName()
    {
        QWidget window;
        window.resize(900, 600);
        ui::ModelPopover popover(m_theme, &window);
        const QStringList paths{QStringLiteral("/m/q4.gguf"), QStringLiteral("/m/q6.gguf"),
                                QStringLiteral("/m/gemma.gguf"), QStringLiteral("/m/new.gguf")};
        popover.setStarter(QStringLiteral("/m/starter.gguf"));
        popover.setNames({{paths[0], QStringLiteral("Qwen3 8B")},
                          {paths[1], QStringLiteral("Qwen3 8B")},
                          {paths[2], QStringLiteral("Gemma 3 4B")}});
        popover.setModels(paths.first(3), paths[3], QStringLiteral("Brand New 1B"));
        QStringList names;
        for (const QWidget* row : popover.rows())
            names += qobject_cast<const QAbstractButton*>(row)->text();
        QCOMPARE(names,
                 (QStringList{QStringLiteral("Brand New 1B"), QStringLiteral("Qwen3 8B (q4)"),
                              QStringLiteral("Qwen3 8B (q6)"), QStringLiteral("Gemma 3 4B"),
                              QStringLiteral("Starter")}));
        // Nothing is known of one that was never loaded.
        popover.setNames({});
        popover.setModels({paths[0]}, {}, {});
        QCOMPARE(qobject_cast<QAbstractButton*>(popover.rows()[0])->text(), QStringLiteral("q4"));
    }

    void popoverOffersModelsAndOpen()
    {
        QWidget window;
        window.resize(900, 600);
        ModelChip chip(m_theme, &window);
        chip.setGeometry(500, 10, 260, 32);
        ui::ModelPopover popover(m_theme, &window);
        window.show();
        popover.setModels({QStringLiteral("/no/such/a.gguf"), QStringLiteral("/no/such/b.gguf")},
                          QStringLiteral("/no/such/b.gguf"), QStringLiteral("b"));
        popover.openBelow(&chip);
        QVERIFY(popover.isVisible());
        QCOMPARE(popover.rows().size(), 2);
        QSignalSpy chosen(&popover, &ui::ModelPopover::modelChosen);
        QTest::mouseClick(popover.rows()[0], Qt::LeftButton);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen[0][0].toString(), QStringLiteral("/no/such/a.gguf"));
        QVERIFY(!popover.isVisible());
        popover.openBelow(&chip);
        QTest::keyClick(&popover, Qt::Key_Escape);
        QVERIFY(!popover.isVisible());
        popover.openBelow(&chip);
        QTest::mouseClick(&window, Qt::LeftButton, {}, QPoint(5, 5));
        QVERIFY(!popover.isVisible());
    }

    void keysChooseInThePicker_data()
    {
        QTest::addColumn<QList<int>>("keys");
        QTest::addColumn<QString>("chosen");
        const auto row = [](const char* name, const QList<int>& keys, const char* chosen) {
            QTest::newRow(name) << keys << QString::fromLatin1(chosen);
        };
        row("Return", {Qt::Key_Down, Qt::Key_Return}, "/no/such/a.gguf");
        row("Enter", {Qt::Key_Down, Qt::Key_Down, Qt::Key_Enter}, "/no/such/b.gguf");
        row("Space", {Qt::Key_Tab, Qt::Key_Tab, Qt::Key_Space}, "/no/such/b.gguf");
        row("End", {Qt::Key_End, Qt::Key_Return}, "/no/such/c.gguf");
        row("Home", {Qt::Key_End, Qt::Key_Home, Qt::Key_Return}, "/no/such/a.gguf");
        row("Up", {Qt::Key_End, Qt::Key_Up, Qt::Key_Return}, "/no/such/b.gguf");
    }

    void keysChooseInThePicker()
    {
        QFETCH(const QList<int>, keys);
        QFETCH(const QString, chosen);
        QWidget window;
        window.resize(900, 600);
        ModelChip chip(m_theme, &window);
        chip.setGeometry(500, 10, 260, 32);
        ui::ModelPopover popover(m_theme, &window);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        popover.setModels({QStringLiteral("/no/such/a.gguf"), QStringLiteral("/no/such/b.gguf"),
                           QStringLiteral("/no/such/c.gguf")},
                          {}, {});
        popover.openBelow(&chip);
        QSignalSpy asked(&popover, &ui::ModelPopover::modelChosen);
        for (const int key : keys)
            QTest::keyClick(QApplication::focusWidget(), static_cast<Qt::Key>(key));
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].toString(), chosen);
        QVERIFY(!popover.isVisible());
    }

    void enterPressesThePickersButtons()
    {
        QWidget window;
        window.resize(900, 600);
        ModelChip chip(m_theme, &window);
        chip.setGeometry(500, 10, 260, 32);
        ui::ModelPopover popover(m_theme, &window);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        popover.openBelow(&chip);
        QSignalSpy asked(&popover, &ui::ModelPopover::openFileRequested);
        popover.openButton()->setFocus();
        QTest::keyClick(popover.openButton(), Qt::Key_Return);
        QCOMPARE(asked.count(), 1);
    }

    void tabStaysInAPopover_data()
    {
        QTest::addColumn<Qt::Key>("key");
        QTest::newRow("on") << Qt::Key_Tab;
        QTest::newRow("back") << Qt::Key_Backtab;
    }

    void tabStaysInAPopover()
    {
        QFETCH(const Qt::Key, key);
        QWidget window;
        window.resize(900, 600);
        ui::Button below(m_theme, QStringLiteral("Below"), ui::Button::Kind::Primary, &window);
        ui::Popover popover(m_theme, &window);
        QList<QWidget*> stops;
        for (int i = 0; i < 3; ++i) {
            auto* button = new ui::Button(m_theme, QStringLiteral("Choice"),
                                          ui::Button::Kind::Secondary, &popover);
            popover.body()->addWidget(button);
            stops += button;
        }
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        popover.openBelow(&below);
        QList<QWidget*> seen;
        for (int i = 0; i < 6; ++i) {
            QTest::keyClick(QApplication::focusWidget(), key);
            seen += QApplication::focusWidget();
        }
        if (key == Qt::Key_Backtab) std::ranges::reverse(stops);
        QCOMPARE(seen, stops + stops);
        QVERIFY(window.testAttribute(Qt::WA_KeyboardFocusChange)); // the ring is drawn
        popover.dismiss();
        QVERIFY(!seen.contains(QApplication::focusWidget()));
    }

    void errorsOfferTheNextStep()
    {
        ui::FailureCard card(m_theme);
        app::UserError error;
        error.sentence = QStringLiteral("This model needs 45 GB; this computer has 32 GB.");
        error.details = QStringLiteral("tensors: 45000000000 bytes");
        using Step = ui::FailureCard::Step;
        card.showError(QStringLiteral("Llama could not be loaded"), error,
                       {Step::ChooseFile, Step::LoadAnyway, Step::CopyDetails});
        QCOMPARE(card.text(), error.sentence);
        QSignalSpy asked(&card, &ui::FailureCard::stepRequested);
        static_cast<ui::Button*>(card.stepButton(Step::LoadAnyway))->click();
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].value<Step>(), Step::LoadAnyway);
        QVERIFY(!card.stepButton(Step::Retry));
    }
};

QTEST_MAIN(ModelChipTest)
#include "model_chip_test.moc"
