#include "tests/support/ui/sample_conversation.h"

#include "ui/sampling/next_token_view.h"

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
        QElapsedTimer clock;
        clock.start();
        view.setSettings(settings);
        QVERIFY2(clock.elapsed() <= 8, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(view.preview()->keptCount, 4);
        settings.temperature = 0;
        view.setSettings(settings);
        QCOMPARE(view.preview()->keptCount, 1);
        QCOMPARE(view.preview()->rows[1].cutBy, engine::SamplerStage::Temperature);
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
        QElapsedTimer clock;
        clock.start();
        for (int i = 0; i < 10; ++i)
            view.grab();
        QVERIFY2(clock.elapsed() < 10 * 16, qPrintable(QString::number(clock.elapsed())));
    }
};

QTEST_MAIN(NextTokenViewTest)
#include "next_token_view_test.moc"
