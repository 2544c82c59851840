#include "ui/sampling/knob_row.h"
#include "ui/sampling/knob_slider.h"
#include "ui/sampling/number_field.h"
#include "ui/sampling/seed_row.h"
#include "ui/widgets/icon_button.h"

#include <QAbstractButton>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

using ui::Knob;
using ui::KnobRow;
using ui::knobSpec;
using ui::Theme;

namespace {

void wheel(QWidget* widget, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    const QPointF at(widget->rect().center());
    QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(widget, &event);
}

void type(ui::NumberField* field, const QString& text)
{
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, text);
}

} // namespace

class KnobRowTest : public QObject {
    Q_OBJECT
    Theme m_theme{Theme::Mode::Light};

    std::unique_ptr<KnobRow> shown(Knob knob, double value, double preset)
    {
        auto row = std::make_unique<KnobRow>(m_theme, knobSpec(knob));
        row->setPresetValue(preset);
        row->setValue(value);
        row->resize(320, row->sizeHint().height());
        row->show();
        [&] { QVERIFY(QTest::qWaitForWindowActive(row.get())); }();
        return row;
    }

private Q_SLOTS:
    void arrowsStepAndShiftIsFiner()
    {
        const auto row = shown(Knob::Temperature, 0.80, 0.80);
        QSignalSpy edited(row.get(), &KnobRow::valueEdited);
        row->slider()->setFocus();
        QTest::keyClick(row->slider(), Qt::Key_Right);
        QCOMPARE(row->value(), 0.85);
        QTest::keyClick(row->slider(), Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(row->value(), 0.845);
        QTest::keyClick(row->slider(), Qt::Key_Home);
        QCOMPARE(row->value(), 0.0);
        QTest::keyClick(row->slider(), Qt::Key_End);
        QCOMPARE(row->value(), 2.0);
        QTest::keyClick(row->slider(), Qt::Key_PageDown);
        QCOMPARE(row->value(), 1.5);
        QCOMPARE(edited.count(), 5);
        QCOMPARE(row->field()->text(), knobSpec(Knob::Temperature).format(1.5));
    }

    void wholeNumbersStayWhole()
    {
        const auto row = shown(Knob::TopK, 40, 40);
        row->slider()->setFocus();
        QTest::keyClick(row->slider(), Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(row->value(), 41.0);
        type(row->field(), QStringLiteral("7.5"));
        QVERIFY(row->field()->isWrong());
        QCOMPARE(row->value(), 7.0); // the last good value on the way
    }

    void theFieldGoesBeyondTheSlider()
    {
        const auto row = shown(Knob::Temperature, 0.80, 0.80);
        type(row->field(), QStringLiteral("3.5"));
        QCOMPARE(row->value(), 3.5);
        QVERIFY(!row->field()->isWrong());
        QCOMPARE(row->slider()->number(), 2.0);
    }

    void wrongInputKeepsTheLastGoodValue()
    {
        const auto row = shown(Knob::Temperature, 0.80, 0.80);
        QSignalSpy edited(row.get(), &KnobRow::valueEdited);
        type(row->field(), QStringLiteral("-1"));
        QVERIFY(row->field()->isWrong());
        QCOMPARE(row->value(), 0.80);
        QCOMPARE(edited.count(), 0);
        row->slider()->setFocus(); // leaving the field shows what holds
        QVERIFY(!row->field()->isWrong());
        QCOMPARE(row->field()->text(), knobSpec(Knob::Temperature).format(0.80));
    }

    void pointAndCommaBeginDecimals_data()
    {
        QTest::addColumn<QString>("locale");
        QTest::addColumn<Knob>("knob");
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("value"); // negative: it is wrong
        const auto row = [](const char* locale, Knob knob, const char* text, double value) {
            QTest::addRow("%s %s %d", locale, text, static_cast<int>(knob))
                << QString::fromLatin1(locale) << knob << QString::fromUtf8(text) << value;
        };
        for (const char* locale : {"C", "en_US", "de_DE", "fr_FR", "de_CH"}) {
            row(locale, Knob::Temperature, "0,5", 0.5);
            row(locale, Knob::Temperature, "0.5", 0.5);
            row(locale, Knob::Temperature, "1,500", 1.5);
            row(locale, Knob::Temperature, "1.500", 1.5);
            row(locale, Knob::Temperature, ",5", 0.5);
            row(locale, Knob::Temperature, "0,5,5", -1);
            row(locale, Knob::Temperature, "0.5,5", -1);
            row(locale, Knob::TopK, "7.5", -1);
            row(locale, Knob::TopK, "7,5", -1);
            row(locale, Knob::TopK, "1200", 1200);
        }
        row("en_US", Knob::TopK, "1,200", 1200); // where whole numbers are, marks part groups
        row("de_DE", Knob::TopK, "1.200", 1200);
    }

    void pointAndCommaBeginDecimals()
    {
        QFETCH(const QString, locale);
        QFETCH(const Knob, knob);
        QFETCH(const QString, text);
        QFETCH(const double, value);
        const QLocale before;
        QLocale::setDefault(QLocale(locale));
        const auto restore = qScopeGuard([&] { QLocale::setDefault(before); });
        const auto row = shown(knob, 1, 1);
        type(row->field(), text);
        QCOMPARE(row->field()->isWrong(), value < 0);
        if (value >= 0) QCOMPARE(row->value(), value);
    }

    void aMinusSignOfAnyKindIsRead()
    {
        const auto row = shown(Knob::PresencePenalty, 0, 0);
        type(row->field(), {});
        QTest::sendKeyEvent(QTest::Click, row->field(), Qt::Key_Minus, QString(QChar(0x2212)),
                            Qt::NoModifier);
        QTest::keyClicks(row->field(), QStringLiteral("0,5"));
        QCOMPARE(row->value(), -0.5);
    }

    void wrongTextBringsTheValueBeforeItBack_data()
    {
        QTest::addColumn<Knob>("knob");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("enter");
        for (const bool enter : {true, false}) {
            QTest::addRow("not whole, %d", enter) << Knob::TopK << QStringLiteral("7.5") << enter;
            QTest::addRow("a word, %d", enter) << Knob::TopK << QStringLiteral("12x") << enter;
            QTest::addRow("too much, %d", enter) << Knob::TopP << QStringLiteral("1.5") << enter;
        }
    }

    // On its way it was a good number; that is not what was wanted.
    void wrongTextBringsTheValueBeforeItBack()
    {
        QFETCH(const Knob, knob);
        QFETCH(const QString, text);
        QFETCH(const bool, enter);
        const double value = knob == Knob::TopK ? 40 : 0.95;
        const auto row = shown(knob, value, value);
        QSignalSpy edited(row.get(), &KnobRow::valueEdited);
        type(row->field(), text);
        QVERIFY(row->field()->isWrong());
        if (enter)
            QTest::keyClick(row->field(), Qt::Key_Return);
        else
            row->slider()->setFocus();
        QVERIFY(!row->field()->isWrong());
        QCOMPARE(row->value(), value);
        QCOMPARE(row->field()->text(), knobSpec(knob).format(value));
        QCOMPARE(edited.constLast().constFirst().toDouble(), value);
    }

    void escapeTakesBackWhatWasTyped()
    {
        const auto row = shown(Knob::Temperature, 0.80, 0.80);
        type(row->field(), QStringLiteral("1.25"));
        QCOMPARE(row->value(), 1.25);
        QTest::keyClick(row->field(), Qt::Key_Escape);
        QCOMPARE(row->value(), 0.80);
        QCOMPARE(row->field()->text(), knobSpec(Knob::Temperature).format(0.80));
        type(row->field(), QStringLiteral("1.25"));
        QTest::keyClick(row->field(), Qt::Key_Return);
        QTest::keyClick(row->field(), Qt::Key_Up);
        QCOMPARE(row->value(), 1.30);
    }

    void resetShowsAndUndoesAChange()
    {
        const auto row = shown(Knob::TopP, 0.95, 0.95);
        QVERIFY(!row->resetButton()->isEnabled());
        row->slider()->setFocus();
        QTest::keyClick(row->slider(), Qt::Key_Left);
        QVERIFY(row->resetButton()->isEnabled());
        row->resetButton()->click();
        QCOMPARE(row->value(), 0.95);
        QVERIFY(!row->resetButton()->isEnabled());
    }

    void doubleClickOnTheSliderResets()
    {
        const auto row = shown(Knob::MinP, 0.20, 0.05);
        QTest::mouseDClick(row->slider(), Qt::LeftButton);
        QCOMPARE(row->value(), 0.05);
    }

    void theWheelWorksOnlyWithFocus()
    {
        const auto row = shown(Knob::TopP, 0.50, 0.95);
        row->field()->setFocus();
        wheel(row->slider(), 120);
        QCOMPARE(row->value(), 0.50);
        row->slider()->setFocus();
        wheel(row->slider(), 120);
        QCOMPARE(row->value(), 0.51);
        wheel(row->slider(), -120, Qt::ShiftModifier);
        QCOMPARE(row->value(), 0.509);
    }

    void draggingMoves()
    {
        const auto row = shown(Knob::Temperature, 0.80, 0.80);
        QSignalSpy edited(row.get(), &KnobRow::valueEdited);
        const QPoint end(row->slider()->width() - 1, 8);
        QTest::mousePress(row->slider(), Qt::LeftButton, {}, QPoint(10, 8));
        QTest::mouseMove(row->slider(), end);
        QTest::mouseRelease(row->slider(), Qt::LeftButton, {}, end);
        QCOMPARE(row->value(), 2.0);
        QVERIFY(edited.count() >= 2);
    }

    void effectsSayWhatAKnobDoes()
    {
        engine::SamplingSettings settings;
        settings.temperature = 0.7F;
        const auto caption = [&](Knob knob, const ui::ChainPreview* preview) {
            return ui::knobEffect(knobSpec(knob), settings, preview).caption;
        };
        QCOMPARE(caption(Knob::Temperature, nullptr), QStringLiteral("sharper"));
        settings.temperature = 1.3F;
        QCOMPARE(caption(Knob::Temperature, nullptr), QStringLiteral("flatter"));
        settings.temperature = 0;
        QCOMPARE(caption(Knob::Temperature, nullptr), QStringLiteral("greedy"));
        QCOMPARE(caption(Knob::RepeatPenalty, nullptr), QStringLiteral("off"));
        QCOMPARE(caption(Knob::TopP, nullptr), QString());
        ui::ChainPreview preview;
        preview.shares[static_cast<std::size_t>(engine::SamplerStage::TopP)] = 0.038;
        QCOMPARE(caption(Knob::TopP, &preview), QStringLiteral("cuts 3.8 %"));
        settings.repeatPenalty = 1.1F;
        preview.loweredCount = 2;
        QCOMPARE(caption(Knob::RepeatPenalty, &preview), QStringLiteral("lowers 2"));
    }

    void seedReadsNumbersOnly()
    {
        ui::SeedRow row(m_theme);
        QSignalSpy edited(&row, &ui::SeedRow::seedEdited);
        QTest::keyClicks(row.field(), QStringLiteral("42"));
        QCOMPARE(row.seed(), std::optional<quint64>(42));
        QTest::keyClicks(row.field(), QStringLiteral("x"));
        QVERIFY(row.field()->isWrong());
        QCOMPARE(row.seed(), std::optional<quint64>(42));
        row.field()->selectAll();
        QTest::keyClick(row.field(), Qt::Key_Backspace);
        QCOMPARE(row.seed(), std::nullopt);
        row.dice()->click();
        QVERIFY(row.seed().has_value());
        QCOMPARE(edited.count(), 4);
    }

    void aWrongSeedBringsTheOneBeforeBack()
    {
        ui::SeedRow row(m_theme);
        row.setSeed(7);
        QSignalSpy edited(&row, &ui::SeedRow::seedEdited);
        row.field()->selectAll();
        QTest::keyClicks(row.field(), QStringLiteral("42x"));
        QTest::keyClick(row.field(), Qt::Key_Return);
        QCOMPARE(row.seed(), std::optional<quint64>(7));
        QCOMPARE(row.field()->text(), QStringLiteral("7"));
        QVERIFY(!row.field()->isWrong());
        QCOMPARE(edited.constLast().constFirst().value<std::optional<quint64>>(), row.seed());
    }
};

QTEST_MAIN(KnobRowTest)
#include "knob_row_test.moc"
