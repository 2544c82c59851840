#include "app/library/model_suggester.h"
#include "app/library/suggestions.h"

#include <QSignalSpy>
#include <QTest>

using app::ModelSuggestion;
using app::suggestModels;
using Role = app::ModelSuggestion::Role;

class SuggestionsTest : public QObject {
    Q_OBJECT

    static app::SystemMemory memory(double gigabytes)
    {
        const auto bytes = static_cast<quint64>(gigabytes * 1e9);
        return {.total = 2 * bytes, .available = bytes};
    }

private Q_SLOTS:
    void fitWellWhateverTheMemory()
    {
        for (const double gigabytes : {0.1, 1.0, 2.0, 4.0, 6.5, 8.0, 13.0, 20.0, 48.0, 200.0}) {
            const QList<ModelSuggestion> models = suggestModels(memory(gigabytes), 0);
            QVERIFY(models.size() <= 3);
            QCOMPARE(models.isEmpty(), gigabytes < 1.5);
            for (const ModelSuggestion& model : models) {
                QVERIFY(static_cast<double>(model.fileBytes) < 0.8e9 * gigabytes);
                QCOMPARE(model.page.scheme(), QStringLiteral("https"));
                QCOMPARE(model.tokensPerSecond, 0.0);
            }
        }
    }

    void areThreeDifferentOnesInOrder()
    {
        const QList<ModelSuggestion> models = suggestModels(memory(12), 30e9);
        QCOMPARE(models.size(), 3);
        QCOMPARE(models[0].role, Role::Quickest);
        QCOMPARE(models[1].role, Role::Balanced);
        QCOMPARE(models[2].role, Role::Ablest);
        QVERIFY(models[0].fileBytes < models[1].fileBytes);
        QVERIFY(models[1].fileBytes < models[2].fileBytes);
        QVERIFY(models[0].tokensPerSecond > models[1].tokensPerSecond);
    }

    void leaveOutWhatWouldCrawl()
    {
        const QList<ModelSuggestion> models = suggestModels(memory(100), 10e9);
        QVERIFY(!models.isEmpty());
        for (const ModelSuggestion& model : models)
            QVERIFY(model.tokensPerSecond >= 3);
        // A busy machine measures slow: three small ones rather than none.
        QCOMPARE(suggestModels(memory(100), 0.5e9).size(), 3);
    }

    void comeWithSpeedsOnceMemoryIsMeasured()
    {
        app::ModelSuggester suggester;
        QSignalSpy suggested(&suggester, &app::ModelSuggester::suggested);
        suggester.start();
        suggester.start(); // once is enough
        if (suggested.isEmpty()) QSKIP("the system does not tell its memory");
        QCOMPARE(suggested.size(), 1);
        QTRY_COMPARE_WITH_TIMEOUT(suggested.size(), 2, 20'000);
        const auto models = suggested[1][0].value<QList<ModelSuggestion>>();
        for (const ModelSuggestion& model : models)
            QVERIFY(model.tokensPerSecond > 0);
    }
};

QTEST_GUILESS_MAIN(SuggestionsTest)
#include "suggestions_test.moc"
