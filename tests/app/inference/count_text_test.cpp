#include "app/inference/count_text.h"

#include <QLocale>
#include <QTest>

class CountTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::English); }

    void countsTokens()
    {
        QCOMPARE(app::tokensText(0), QStringLiteral("0 tokens"));
        QCOMPARE(app::tokensText(1), QStringLiteral("1 token"));
        QCOMPARE(app::tokensText(4096), QStringLiteral("4,096 tokens"));
    }

    void neverSaysNothingOfSomething()
    {
        QCOMPARE(app::firstTokenText(0.0004), QStringLiteral("<0.01 s to first token"));
        QCOMPARE(app::firstTokenText(0.01), QStringLiteral("0.01 s to first token"));
        QCOMPARE(app::firstTokenText(0.314), QStringLiteral("0.31 s to first token"));
        QCOMPARE(app::firstTokenText(1234.5), QStringLiteral("1,234.50 s to first token"));
    }
};

QTEST_GUILESS_MAIN(CountTextTest)
#include "count_text_test.moc"
