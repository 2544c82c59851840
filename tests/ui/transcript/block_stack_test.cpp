#include "tests/support/ui/busy_time.h"

#include "ui/theme/theme.h"
#include "ui/transcript/block_stack.h"
#include "ui/transcript/transcript_find.h"

#include <QClipboard>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace ui;
using namespace Qt::StringLiterals;

namespace {

struct Fixture {
    Theme theme{Theme::Mode::Light};
    TranscriptStyle style{theme};
    CodeLanguages languages;
    BlockStack stack{{.style = style, .languages = languages}, TextRole::Body};

    Fixture()
    {
        stack.setColumnWidth(632);
        stack.resize(632 + 2 * kBleed, 600);
    }
    void realizeAll()
    {
        while (stack.realize(0, 1'000'000)) {
        }
    }
};

/// Everything a surface shows, by selecting it.
QString textOf(TextSurface* surface)
{
    surface->selectAll();
    const QString text = surface->selectedText();
    surface->clearSelection();
    return text;
}

const QString kMixed =
    u"### Head\n\nSome **bold** text\nand `code`.\n\n1. one\n2. two\n\n> quoted\n\n"
    "| a | b |\n|---|---|\n| 1 | **2** |\n\n```py\nx = 1\n\ny = \"s\"\n```\n\nThe *end*."_s;

} // namespace

class BlockStackTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void laysOutOnlyTheLastBlock();
    void staysSmallForLongText();
    void neverShrinksWhileWriting();
    void readsALongTextALittleAtATime_data();
    void readsALongTextALittleAtATime();
    void takesWhatComesWhileItReads();
    void showsTheSameInPiecesAsWhole();
    void copiesWhatIsSelected();
    void keepsPlainTextAsItIs();
    void breaksCodeIntoTheRowsTheSearchKnows();
    void highlightsOnlyLinesThatEnded();
    void sumsUpHeights();
    void alignsNumbers_data();
    void alignsNumbers();
    void keepsTheWordsOfATableWhole();
    void startsRightToLeftParagraphsAtTheRight();
    void survivesPathologicalText_data();
    void survivesPathologicalText();
};

void BlockStackTest::laysOutOnlyTheLastBlock()
{
    Fixture f;
    f.stack.setText(u"A paragraph of text.\n\n"_s.repeated(20) + u"The last"_s, false);
    f.realizeAll();
    int before = f.stack.blocksLaidOut();
    QCOMPARE(before, 21);
    for (int i = 0; i < 50; ++i) {
        f.stack.appendText(u" word");
        QCOMPARE(f.stack.blocksLaidOut(), before + 1);
        before = f.stack.blocksLaidOut();
    }
    f.stack.appendText(u"\n\nnext");
    QVERIFY(f.stack.blocksLaidOut() <= before + 2);
}

void BlockStackTest::staysSmallForLongText()
{
    Fixture f;
    f.stack.setText(u"One line of *text* among many.\n\n"_s.repeated(5000), false);
    f.stack.realize(0, 600);
    QVERIFY2(f.stack.realBlocks() < 4, qPrintable(QString::number(f.stack.realBlocks())));
    f.stack.realize(f.stack.stackHeight() - 600, f.stack.stackHeight());
    QVERIFY(f.stack.realBlocks() < 5);
    const int before = f.stack.blocksLaidOut();
    f.stack.appendText(u"token");
    QVERIFY(f.stack.blocksLaidOut() <= before + 2);
}

void BlockStackTest::readsALongTextALittleAtATime_data()
{
    QTest::addColumn<QString>("part");
    QTest::newRow("lines") << u"a\n"_s;
    QTest::newRow("paragraphs") << u"a\n\n"_s;
    QTest::newRow("items") << u"- a\n"_s;
    QTest::newRow("tables") << u"b\n\n| a |\n|---|\n| c |\n\n"_s;
}

void BlockStackTest::readsALongTextALittleAtATime()
{
    QFETCH(const QString, part);
    const QString text = part.repeated(1'000'000 / part.size());
    MarkdownBlocks whole;
    test::BusyTime atOnce, busy;
    atOnce.in([&] {
        whole.append(text);
        whole.finish();
    });
    Fixture f;
    const QSignalSpy done(&f.stack, &BlockStack::readThrough);
    busy.in([&] { f.stack.setText(text, true); });
    QVERIFY(f.stack.isReading());
    QVERIFY(f.stack.stackHeight() > 100'000);
    QVERIFY(!f.stack.realize(0, 1000)); // nothing moves before all is there
    QCOMPARE(f.stack.realBlocks(), 0);
    QVERIFY(busy.until([&] { return !done.isEmpty(); }));
    qInfo("%.1f ms of %.1f", busy.longestMs(), atOnce.longestMs());
    QVERIFY2(busy.longestMs() < atOnce.longestMs() / 2, "a step takes too much of the whole");
    QVERIFY(f.stack.blocks() == whole.blocks());
    Fixture again;
    again.stack.setBlocks(whole);
    QCOMPARE(again.stack.stackHeight(), f.stack.stackHeight());
    f.stack.realize(0, 1000);
    QVERIFY(f.stack.realBlocks() > 0);
}

void BlockStackTest::takesWhatComesWhileItReads()
{
    const QString text = u"a\n"_s.repeated(500'000);
    MarkdownBlocks whole;
    whole.append(QString(text + u"and *more*"_s));
    whole.finish();
    Fixture f;
    f.stack.setText(text, false);
    QVERIFY(f.stack.isReading());
    f.stack.appendText(u"and *more*");
    f.stack.finish();
    f.stack.readAll();
    QVERIFY(!f.stack.isReading());
    QVERIFY(f.stack.blocks() == whole.blocks());
    // Another text takes its place, whatever was still to be read.
    f.stack.setText(text, true);
    f.stack.setText(u"Short"_s, true);
    QVERIFY(!f.stack.isReading());
    QCOMPARE(f.stack.blocks().size(), 1);
    QTest::qWait(50);
    QCOMPARE(f.stack.blocks().constFirst().text, u"Short"_s);
}

void BlockStackTest::neverShrinksWhileWriting()
{
    Fixture f;
    f.stack.setText({}, false);
    int height = 0;
    for (const QChar c : kMixed) {
        f.stack.appendText(QStringView(&c, 1));
        f.realizeAll();
        QVERIFY2(f.stack.stackHeight() >= height, qPrintable(QString(c)));
        height = f.stack.stackHeight();
    }
}

void BlockStackTest::showsTheSameInPiecesAsWhole()
{
    Fixture whole;
    whole.stack.setText(kMixed, true);
    whole.realizeAll();
    Fixture pieces;
    pieces.stack.setText({}, false);
    for (qsizetype i = 0; i < kMixed.size(); i += 7) {
        pieces.stack.appendText(
            QStringView(kMixed).sliced(i, std::min<qsizetype>(7, kMixed.size() - i)));
        pieces.realizeAll();
    }
    pieces.stack.finish();
    pieces.realizeAll();
    QCOMPARE(pieces.stack.stackHeight(), whole.stack.stackHeight());
    for (qsizetype i = 0; i < whole.stack.blocks().size(); ++i) {
        QCOMPARE(textOf(pieces.stack.placeOf(i).surface), textOf(whole.stack.placeOf(i).surface));
        QCOMPARE(pieces.stack.topOf(i), whole.stack.topOf(i));
    }
}

void BlockStackTest::copiesWhatIsSelected()
{
    Fixture f;
    f.stack.setText(kMixed, true);
    f.realizeAll();
    QCOMPARE(textOf(f.stack.placeOf(0).surface),
             u"Head\n\nSome bold text and code.\n\none\ntwo\n\nquoted"_s);
    QCOMPARE(textOf(f.stack.placeOf(5).surface), u"a\tb\n1\t2"_s);
    auto* code = f.stack.findChild<CodeArea*>();
    QCOMPARE(textOf(code), u"x = 1\n\ny = \"s\""_s);
    auto* copy = f.stack.findChild<CopyButton*>();
    QApplication::clipboard()->clear();
    copy->click();
    QCOMPARE(QApplication::clipboard()->text(), code->text());
    QVERIFY(copy->saysCopied());
    QCOMPARE(copy->accessibleName(), u"Copied"_s);
}

void BlockStackTest::keepsPlainTextAsItIs()
{
    const QStringList texts = {u"  **not bold** <b>x</b>\n\n\ttab  \n- no item"_s,
                               u"a\n"_s,
                               u"\n\na"_s,
                               u"x"_s.repeated(10'000),
                               u"line of text\n"_s.repeated(2000),
                               u"\u05E9\u05DC\u05D5\u05DD\nab"_s};
    for (const QString& text : texts) {
        Fixture f;
        f.stack.setPlainText(text);
        f.realizeAll();
        QString shown;
        const TextSurface* last = nullptr;
        for (qsizetype i = 0; i < f.stack.blocks().size(); ++i) {
            TextSurface* surface = f.stack.placeOf(i).surface;
            if (surface == last) continue;
            // Between widgets the end of a line, unless a line was cut there.
            if (last && !f.stack.blocks()[i].continued) shown += u'\n';
            shown += textOf(surface);
            last = surface;
        }
        QCOMPARE(shown, text);
    }
}

void BlockStackTest::breaksCodeIntoTheRowsTheSearchKnows()
{
    Fixture f;
    const QString code = u"a\n\n"_s + u"x"_s.repeated(4500) + u"\nend"_s;
    f.stack.setText(u"```\n"_s + code + u"\n```"_s, true);
    f.realizeAll();
    QCOMPARE(rowsOfCode(code).size(), 6);
    QCOMPARE(fragmentTexts(f.stack.blocks().first()).size(), 6);
    QCOMPARE(textOf(f.stack.placeOf(0).surface), code);
}

void BlockStackTest::highlightsOnlyLinesThatEnded()
{
    Fixture f;
    f.stack.setText(u"```py\nx = 1\ny = 2"_s, false);
    f.realizeAll();
    f.stack.show();
    QVERIFY(QTest::qWaitForWindowExposed(&f.stack));
    auto* area = f.stack.findChild<CodeArea*>();
    QTRY_COMPARE(area->highlightedLines(), 1);
    f.stack.appendText(u"\nz");
    QTRY_COMPARE(area->highlightedLines(), 2);
    f.stack.appendText(u"\n```\n");
    QTRY_COMPARE(area->highlightedLines(), 3);
    QCOMPARE(f.languages.nameOf(u"py"_s), u"Python"_s);
    QCOMPARE(f.languages.nameOf(u"c++"_s), u"C++"_s);
    QCOMPARE(f.languages.nameOf(u"no-such"_s), u"no-such"_s);
}

void BlockStackTest::sumsUpHeights()
{
    Fixture f;
    f.stack.setText(kMixed, true);
    f.realizeAll();
    const auto widgets = f.stack.findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
    int bottom = 0;
    for (const QWidget* widget : widgets) {
        QVERIFY2(widget->y() >= bottom, "blocks overlap");
        bottom = widget->geometry().bottom() + 1;
    }
    QCOMPARE(f.stack.stackHeight(), bottom);
}

void BlockStackTest::alignsNumbers_data()
{
    QTest::addColumn<QString>("cell");
    QTest::addColumn<bool>("number");
    const auto row = [](const char* cell, bool number) {
        QTest::newRow(cell) << QString::fromUtf8(cell) << number;
    };
    row("90.0", true);
    row("1,024", true);
    row("-3", true);
    row("+12 %", true);
    row("6.1 GB", true);
    row("**60.0**", true);
    row("$5", true);
    row("", true);
    row("8192", true);
    row("text", false);
    row("Q4_K_M", false);
    row("2 threads are enough", false);
    row("`--ctx`", false);
}

void BlockStackTest::alignsNumbers()
{
    QFETCH(QString, cell);
    QTEST(isNumber(cell), "number");
}

// A column is as wide as its longest word, and the table scrolls before a word is broken.
void BlockStackTest::keepsTheWordsOfATableWhole()
{
    const QString word = u"Incomprehensibilities"_s;
    const QString long_ = u"some words that go on and on, as a description in a table does, "_s;
    for (const int width : {632, 400, 240}) {
        Fixture f;
        f.stack.setColumnWidth(width);
        f.stack.setText(u"| Name | What it is | More |\n|---|---|---|\n| **"_s + word +
                            u"** x | "_s + long_ + long_ + u" | "_s + long_ + u" |\n"_s,
                        true);
        f.realizeAll();
        auto* table = f.stack.findChild<TableBlock*>();
        QVERIFY(table);
        QFont font = f.style.look(TextRole::TableCell).font;
        font.setWeight(QFont::DemiBold);
        const double needed = QFontMetricsF(font).horizontalAdvance(word) + 28;
        QVERIFY2(table->columnWidth(0) >= std::min(needed, width - 4.0),
                 qPrintable(QString::number(table->columnWidth(0))));
        // What is over goes to those that need it.
        if (width == 632) QVERIFY(table->columnWidth(1) > table->columnWidth(0));
    }
    // A word wider than everything is broken.
    Fixture f;
    f.stack.setText(u"| a | b |\n|---|---|\n| "_s + word.repeated(2000) + u" | b |\n"_s, true);
    f.realizeAll();
    QVERIFY(f.stack.findChild<TableBlock*>()->columnWidth(0) <= 632);
}

void BlockStackTest::startsRightToLeftParagraphsAtTheRight()
{
    Fixture f;
    f.stack.setText(u"left\n\n\u05E9\u05DC\u05D5\u05DD"_s, true);
    f.realizeAll();
    TextSurface* surface = f.stack.placeOf(0).surface;
    const QRectF left = surface->placeOf({.fragment = 0, .offset = 0}, 1);
    const QRectF right = surface->placeOf({.fragment = 1, .offset = 0}, 1);
    QVERIFY(left.left() < kBleed + 2);
    QVERIFY2(right.right() > kBleed + 630, qPrintable(QString::number(right.right())));
}

void BlockStackTest::survivesPathologicalText_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("V88 brackets") << u"["_s.repeated(50'000);
    QTest::newRow("V88 deep list") << u"- "_s.repeated(20'000) + u'x';
    QString stairs;
    for (int i = 0; i < 500; ++i)
        stairs += QString(2 * i, u' ') + u"- x\n"_s;
    QTest::newRow("V88 stairs") << stairs;
    QString ticks;
    for (int i = 1; i < 1500; ++i)
        ticks += QString(i % 97 + 1, u'`') + u'a';
    QTest::newRow("V88 backtick runs") << ticks;
    QTest::newRow("V88 quotes") << u"> "_s.repeated(20'000);
    QTest::newRow("long line") << u"x"_s.repeated(1'000'000);
    QTest::newRow("long words") << u"word "_s.repeated(200'000);
    QTest::newRow("long code line") << u"```\n"_s + u"x"_s.repeated(1'000'000);
    QTest::newRow("long table") << u"|a|b|\n|-|-|\n"_s + u"|1|2|\n"_s.repeated(20'000);
    QTest::newRow("combining marks") << u"a"_s + u"\u0301"_s.repeated(20'000);
}

void BlockStackTest::survivesPathologicalText()
{
    QFETCH(QString, text);
    Fixture f;
    f.stack.setText(text, false);
    f.stack.realize(0, 1800);
    // What is near is all that is made.
    QVERIFY2(f.stack.realBlocks() < 60, qPrintable(QString::number(f.stack.realBlocks())));
    const int before = f.stack.blocksLaidOut();
    f.stack.appendText(u"more");
    QVERIFY(f.stack.blocksLaidOut() <= before + 2);
    f.stack.grab(QRect(0, 0, 656, 600));
}

QTEST_MAIN(BlockStackTest)
#include "block_stack_test.moc"
