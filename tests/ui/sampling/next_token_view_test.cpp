#include "tests/support/ui/busy_time.h"
#include "tests/support/ui/pictures.h"
#include "tests/support/ui/sample_conversation.h"

#include "ui/sampling/knob_table.h"
#include "ui/sampling/next_token_view.h"
#include "ui/sampling/sum_legend.h"

#include <QAccessible>
#include <QSignalSpy>
#include <QTest>

using ui::NextTokenView;
using ui::Theme;

class NextTokenViewTest : public QObject {
    Q_OBJECT
    Theme m_theme{Theme::Mode::Light};

private Q_SLOTS:
    void showsTheFirstTokenAtOnceAndAtMostFifteenASecond()
    {
        NextTokenView view(m_theme);
        QSignalSpy changed(&view, &NextTokenView::previewChanged);
        const engine::TokenEvent event = test::sampleToken({});
        for (int i = 0; i < 100; ++i)
            view.setToken(event, {}, test::kSampleVocabulary);
        QCOMPARE(changed.count(), 1);
        QTest::qWait(150);
        QVERIFY(changed.count() <= 3);
        view.setPhase(NextTokenView::Phase::Last);
        QVERIFY(view.preview());
    }

    void aKnobIsRecomputedAtOnce()
    {
        NextTokenView view(m_theme);
        view.setToken(test::sampleToken({}), {}, test::kSampleVocabulary);
        engine::SamplingSettings settings;
        settings.topK = 4;
        settings.topP = 1;
        settings.minP = 0;
        test::BusyTime busy;
        busy.in([&] { view.setSettings(settings); });
        QVERIFY2(busy.longestMs() <= 8, qPrintable(QString::number(busy.longestMs())));
        QCOMPARE(view.preview()->keptCount, 4);
        settings.temperature = 0;
        view.setSettings(settings);
        QCOMPARE(view.preview()->keptCount, 1);
        QCOMPARE(view.preview()->rows[1].cutBy, engine::SamplerStage::Temperature);
    }

    void whatIsSmallIsNotNothing()
    {
        QCOMPARE(ui::percentText(0), QStringLiteral("0.0"));
        QCOMPARE(ui::percentText(1e-9), QStringLiteral("<0.1"));
        QCOMPARE(ui::percentText(0.00049), QStringLiteral("<0.1"));
        QCOMPARE(ui::percentText(0.0005), QStringLiteral("0.1"));
        QCOMPARE(ui::percentText(0.888), QStringLiteral("88.8"));
        QCOMPARE(ui::percentText(0.9994), QStringLiteral("99.9"));
        QCOMPARE(ui::percentText(0.9999), QStringLiteral("100"));
    }

    // A name that ends with a digit and its number are two things; what has no room is counted.
    void theLegendReadsAsItIsMeant()
    {
        using engine::SamplerStage;
        const std::vector<ui::StageShare> shares{{SamplerStage::Kept, 0.6},
                                                 {SamplerStage::Temperature, 0.003},
                                                 {SamplerStage::MinP, 0.002},
                                                 {SamplerStage::TopP, 0.001},
                                                 {SamplerStage::TopK, 0.001}};
        const auto text = [](const ui::SumLegend& legend) {
            QStringList parts;
            for (const auto& entry : legend.entries)
                parts += entry.name + entry.number;
            if (!legend.more.isEmpty()) parts += legend.more;
            return parts.join(QStringLiteral("  "));
        };
        QCOMPARE(text(ui::sumLegend(shares, m_theme, 262)),
                 QStringLiteral("kept 60.0  temp 0: 0.3  min-p 0.2  +2 more"));
        for (const double scale : {0.8, 1.0, 1.3, 1.6}) {
            m_theme.setTextScale(scale);
            for (const int width : {256, 288, 380}) {
                const double room = width - 26 - 14 * scale;
                const ui::SumLegend legend = ui::sumLegend(shares, m_theme, room);
                QVERIFY(!legend.entries.empty());
                double needed = -ui::legendGap(m_theme);
                for (const auto& entry : legend.entries)
                    needed += entry.width + ui::legendGap(m_theme);
                if (!legend.more.isEmpty())
                    needed += ui::legendGap(m_theme) +
                              QFontMetricsF(m_theme.font(Theme::TextStyle::Micro))
                                  .horizontalAdvance(legend.more);
                QVERIFY2(needed <= room, qPrintable(text(legend)));
                QCOMPARE(legend.more, QStringLiteral("+%1 more").arg(5 - legend.entries.size()));
            }
        }
        m_theme.setTextScale(1);
    }

    // The key of the mark is there however many can be picked, and the view as high.
    void theKeyHasRoomAtEveryWidth()
    {
        engine::SamplingSettings all;
        all.topK = 0;
        all.topP = 1;
        all.minP = 0;
        for (const double scale : {0.8, 1.0, 1.3, 1.6}) {
            m_theme.setTextScale(scale);
            for (const int width : {256, 288, 380}) {
                NextTokenView view(m_theme);
                view.resize(width, 400);
                view.show();
                view.setToken(test::sampleToken({}), {}, test::kSampleVocabulary);
                view.setPhase(NextTokenView::Phase::Last);
                const int height = view.sizeHint().height();
                view.setSettings(all);
                QVERIFY(view.preview()->keptBeyond);
                QCOMPARE(view.sizeHint().height(), height);
                const NextTokenView::PickedText text = view.pickedText();
                QCOMPARE(text.count, QStringLiteral("64 or more"));
                const double count =
                    QFontMetricsF(m_theme.font(Theme::TextStyle::Micro, QFont::DemiBold))
                        .horizontalAdvance(text.count);
                const QFontMetricsF metrics(m_theme.font(Theme::TextStyle::Micro));
                const double beside =
                    view.keyLines() == 2
                        ? 0
                        : 2 + 13 * scale + metrics.horizontalAdvance(QStringLiteral("model's own"));
                QVERIFY2(count + metrics.horizontalAdvance(QLatin1Char(' ') % text.words) +
                                 beside <=
                             width - 26,
                         qPrintable(text.words));
                if (width != 256) continue;
                view.resize(width, height);
                test::savePictures(view, m_theme,
                                   QStringLiteral("next-token-%1").arg(qRound(scale * 100)));
            }
        }
        m_theme.setTextScale(1);
    }

    // A space between two words is as wide as in any text, at every size.
    void theCountStandsASpaceBeforeItsWords()
    {
        for (const double scale : {0.8, 1.0, 1.5, 1.6}) {
            m_theme.setTextScale(scale);
            NextTokenView view(m_theme);
            view.setToken(test::sampleToken({}), {}, test::kSampleVocabulary);
            view.setPhase(NextTokenView::Phase::Last);
            view.resize(400, view.sizeHint().height());
            const QImage image = view.grab().toImage();
            QCOMPARE(view.pickedText().count, QStringLiteral("5"));
            const QRgb paper = image.pixel(image.width() / 2, 5);
            const auto isBlank = [&](int x, int top, int bottom) {
                for (int y = top; y < bottom; ++y)
                    if (image.pixel(x, y) != paper) return false;
                return true;
            };
            // The last line of words: the number, and what is blank behind it.
            int bottom = image.height() - 4;
            const auto rowIsBlank = [&](int y) {
                for (int x = 10; x < 100; ++x)
                    if (image.pixel(x, y) != paper) return false;
                return true;
            };
            while (bottom > 0 && rowIsBlank(bottom - 1))
                --bottom;
            const int top = bottom - qRound(9 * scale);
            int x = 6;
            while (x < 100 && isBlank(x, top, bottom))
                ++x;
            while (x < 100 && !isBlank(x, top, bottom))
                ++x;
            int gap = 0;
            while (gap < 100 && isBlank(x + gap, top, bottom))
                ++gap;
            const double space = QFontMetricsF(m_theme.font(Theme::TextStyle::Micro))
                                     .horizontalAdvance(QLatin1Char(' '));
            QVERIFY2(gap >= space - 0.5 && gap <= space + 3,
                     qPrintable(QStringLiteral("%1 at %2: %3").arg(gap).arg(scale).arg(space)));
        }
        m_theme.setTextScale(1);
    }

    void isAListToAssistiveTechnology()
    {
        NextTokenView view(m_theme);
        view.setToken(test::sampleToken({}), {}, test::kSampleVocabulary);
        QAccessibleInterface* list = QAccessible::queryAccessibleInterface(&view);
        QVERIFY(list);
        QCOMPARE(list->role(), QAccessible::List);
        QCOMPARE(list->childCount(), NextTokenView::kRows);
        QVERIFY(list->child(0)->text(QAccessible::Name).startsWith(QStringLiteral("slowly, ")));
        QVERIFY(list->child(0)->text(QAccessible::Name).endsWith(QStringLiteral("picked")));
        QVERIFY(list->child(9)->text(QAccessible::Name).contains(QStringLiteral("cut by")));
    }

    void paintsQuickly()
    {
        NextTokenView view(m_theme);
        view.resize(view.sizeHint());
        view.setToken(test::sampleToken({}), QStringLiteral("it cools more"),
                      test::kSampleVocabulary);
        view.grab(); // fonts and icons are loaded
        test::BusyTime busy;
        busy.in([&] {
            for (int i = 0; i < 10; ++i)
                view.grab();
        });
        QVERIFY2(busy.longestMs() < 10 * 16, qPrintable(QString::number(busy.longestMs())));
    }
};

QTEST_MAIN(NextTokenViewTest)
#include "next_token_view_test.moc"
