#include "app/conversation/folded_text.h"

#include <QElapsedTimer>
#include <QTest>

using app::FoldedText;
using app::TextRange;
using namespace Qt::StringLiterals;

class FoldedTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsWithoutAccentsAndCase_data();
    void findsWithoutAccentsAndCase();
    void minds();
    void findsApart();
    void readsAMegabyteQuickly_data();
    void readsAMegabyteQuickly();
};

void FoldedTextTest::findsWithoutAccentsAndCase_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("found"); ///< all that is found, as it is in the text
    const auto row = [](const char* name, const QString& text, const QString& words,
                        const QString& found) { QTest::newRow(name) << text << words << found; };
    row("plain", u"a kettle sings"_s, u"KETTLE"_s, u"kettle"_s);
    row("composed", u"The Café is"_s, u"cafe"_s, u"Café"_s);
    row("decomposed", u"The Cafe\u0301 is"_s, u"cafe"_s, u"Cafe\u0301"_s);
    row("decomposed at the end", u"cafe\u0301"_s, u"fe"_s, u"fe\u0301"_s);
    row("two marks", u"te\u0302\u0301t (tết)"_s, u"tet"_s, u"te\u0302\u0301t tết"_s);
    row("after marks", u"e\u0301e\u0301 kettle"_s, u"kettle"_s, u"kettle"_s);
    row("accented words", u"cafe CAFÉ"_s, u"café"_s, u"cafe CAFÉ"_s);
    row("decomposed words", u"café"_s, u"cafe\u0301"_s, u"café"_s);
    row("only marks", u"cafe\u0301"_s, u"\u0301"_s, QString());
    row("Greek", u"ΟΔΟΣ οδός"_s, u"οδοσ"_s, u"ΟΔΟΣ οδός"_s);
    row("Turkish", u"İstanbul"_s, u"istanbul"_s, u"İstanbul"_s);
    row("Deseret", u"\U00010400 a"_s, u"\U00010428"_s, u"\U00010400"_s);
    row("spaces", u"a\u00A0kettle"_s, u"a kettle"_s, u"a\u00A0kettle"_s);
    row("line separator", u"a\u2028kettle"_s, u"a kettle"_s, u"a\u2028kettle"_s);
    row("Hangul is whole", u"각 가"_s, u"가"_s, u"가"_s);
    row("kana keep their voice", u"がか"_s, u"か"_s, u"か"_s);
    row("vowel signs stay", u"कि की"_s, u"की"_s, u"की"_s);
    row("nowhere", u"kettle"_s, u"heron"_s, QString());
    row("no words", u"kettle"_s, QString(), QString());
}

void FoldedTextTest::findsWithoutAccentsAndCase()
{
    QFETCH(const QString, text);
    QFETCH(const QString, words);
    QFETCH(const QString, found);
    const FoldedText folded(text);
    QStringList all;
    for (const TextRange& range : folded.occurrencesOf(FoldedText(words)))
        all += text.sliced(range.start, range.length);
    QCOMPARE(all.join(u' '), found);
    QCOMPARE(folded.contains(FoldedText(words)), !all.isEmpty());
    QCOMPARE(folded.indexOf(FoldedText(words)), all.isEmpty() ? -1 : text.indexOf(all.first()));
}

void FoldedTextTest::minds()
{
    const FoldedText text(u"Café café cafe"_s, Qt::CaseSensitive);
    const QList<TextRange> found = text.occurrencesOf(FoldedText(u"cafe"_s, Qt::CaseSensitive));
    QCOMPARE(found, (QList<TextRange>{{5, 4}, {10, 4}}));
}

void FoldedTextTest::findsApart()
{
    QCOMPARE(FoldedText(u"aaaaa"_s).occurrencesOf(FoldedText(u"aa"_s)),
             (QList<TextRange>{{0, 2}, {2, 2}}));
}

void FoldedTextTest::readsAMegabyteQuickly_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("English") << u"a kettle sings on the stove "_s;
    QTest::newRow("French") << u"l'eau frémit déjà là-bas, être "_s;
    QTest::newRow("decomposed") << u"e\u0301te\u0301 a\u0300 la\u0300-bas "_s;
    QTest::newRow("Chinese") << u"水壶在炉子上唱歌"_s;
    QTest::newRow("Arabic") << u"الغلاية تغني على الموقد "_s;
    QTest::newRow("emoji") << u"\U0001F600\U0001F525 "_s;
}

void FoldedTextTest::readsAMegabyteQuickly()
{
    QFETCH(const QString, text);
    const QString megabyte = text.repeated(1'000'000 / text.size());
    const FoldedText words(u"heron"_s);
    // The best of some, as the machine may be busy.
    qint64 best = std::numeric_limits<qint64>::max();
    for (int i = 0; i < 5; ++i) {
        QElapsedTimer clock;
        clock.start();
        QVERIFY(!FoldedText(megabyte).contains(words));
        best = std::min(best, clock.nsecsElapsed());
    }
    qInfo("%.1f ms", static_cast<double>(best) / 1e6);
#ifdef NDEBUG
    QVERIFY2(best < 60'000'000, qPrintable(QString::number(static_cast<double>(best) / 1e6)));
#endif
}

QTEST_GUILESS_MAIN(FoldedTextTest)

#include "folded_text_test.moc"
