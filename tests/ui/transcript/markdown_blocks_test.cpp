#include "ui/transcript/markdown_blocks.h"

#include <QTest>

#include <random>

using namespace ui;
using namespace Qt::StringLiterals;
using Kind = MarkdownBlock::Kind;

namespace {

/// A block as one line: containers, kind, text. "q" quotation, "*" or a number for an item, "+"
/// behind it where the marker stands.
QString written(const MarkdownBlock& block)
{
    QString line;
    for (const BlockContainer& container : block.containers) {
        switch (container.kind) {
        case BlockContainer::Kind::Quote:
            line += u"q";
            break;
        case BlockContainer::Kind::Bullet:
            line += u"*";
            break;
        case BlockContainer::Kind::Ordered:
            line += QString::number(container.number);
            break;
        }
        if (container.starts) line += u'+';
        if (container.task == BlockContainer::Task::Open) line += u"[ ]";
        if (container.task == BlockContainer::Task::Done) line += u"[x]";
        line += u' ';
    }
    static constexpr const char* kNames[] = {"P", "H", "C", "M", "T", "R"};
    line += QLatin1String(kNames[static_cast<int>(block.kind)]);
    if (block.kind == Kind::Heading) line += QString::number(block.level);
    if (!block.info.isEmpty()) line += u'(' + block.info + u')';
    if (block.continued) line += u'~';
    if (block.open) line += u'?';
    QString text = block.text;
    return line + u'[' + text.replace(u'\n', u'/') + u']';
}

QStringList written(const MarkdownBlocks& blocks)
{
    QStringList lines;
    for (const MarkdownBlock& block : blocks.blocks())
        lines.append(written(block));
    return lines;
}

MarkdownBlocks whole(const QString& text, bool finished)
{
    MarkdownBlocks blocks;
    blocks.append(text);
    if (finished) blocks.finish();
    return blocks;
}

/// Everything an answer may hold, finely mixed.
QString rich()
{
    return QStringLiteral(
        "# Tea\n\nThe *gap* shrinks,\nso **it** cools.\n***\n"
        "- one\n- two\n  continued\n\n  second paragraph\n  1. deep\n  2. deeper\n"
        "     ```py\n     x = 1\n\n\ty\n     ```\n- [ ] task\n- [x] done\n\n"
        "> quoted\nlazy\n>> twice\n> - item\n\n"
        "| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 | `x\\|y` |\nAfter.\n"
        "Setext\n===\nother\n---\n\n    indented\n\n    code\ntext\n"
        "~~~\n```\nin\n~~~\n\\[\na = b\n\\]\n$$x^2$$\n"
        "1. a\n1. b\n\n7) seven\n\t- tab\n<div>\n<b>\n\n- \n- x\n"
        "```unclosed\nend | `` ");
}

} // namespace

class MarkdownBlocksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void splits_data();
    void splits();
    void holdsBack_data();
    void holdsBack();
    void givesTheSameForEveryPrefixAtEverySplit();
    void givesTheSameForRandomPieces();
    void keepsFinishedBlocks();
    void cutsLongLines();
    void cutsLongParagraphs();
    void cutsLongTables();
    void boundsNesting();
    void staysLinear();
};

void MarkdownBlocksTest::splits_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("expected");
    const auto row = [](const char* name, const char* text, const QStringList& expected) {
        QTest::newRow(name) << QString::fromUtf8(text) << expected;
    };
    row("paragraphs", "a\nb\n\nc", {u"P[a/b]"_s, u"P[c]"_s});
    row("headings", "# a\n### b ##\n#c\n####### d", {u"H1[a]"_s, u"H3[b]"_s, u"P[#c/####### d]"_s});
    row("setext", "a\n===\nb\n---", {u"H1[a]"_s, u"H2[b]"_s});
    row("rules", "---\n* * *\n_ _ _", {u"R[]"_s, u"R[]"_s, u"R[]"_s});
    row("fence", "```py\nx\n\n  y\n```\nz", {u"C(py)[x//  y]"_s, u"P[z]"_s});
    row("fence in fence", "````\n```\n````", {u"C[```]"_s});
    row("tilde fence", "~~~ a b\n```\n~~~", {u"C(a b)[```]"_s});
    row("open fence", "```\nx", {u"C[x]"_s});
    row("empty fence", "```\n```", {u"C[]"_s});
    row("blank lines in a fence", "```\n\n\nx\n\n```", {u"C[//x/]"_s});
    row("bullets", "- a\n- b\n  c\nd", {u"*+ P[a]"_s, u"*+ P[b/c/d]"_s});
    row("numbers count", "3. a\n3. b\n9. c", {u"3+ P[a]"_s, u"4+ P[b]"_s, u"5+ P[c]"_s});
    row("numbers after code", "1. a\n```\nx\n```\n2. b", {u"1+ P[a]"_s, u"C[x]"_s, u"2+ P[b]"_s});
    row("nested", "- a\n  - b\n    - c\n- d",
        {u"*+ P[a]"_s, u"* *+ P[b]"_s, u"* * *+ P[c]"_s, u"*+ P[d]"_s});
    row("nested by two below a number", "1. a\n  - b\n  - c\n2. d",
        {u"1+ P[a]"_s, u"1 *+ P[b]"_s, u"1 *+ P[c]"_s, u"2+ P[d]"_s});
    row("two markers", "- 1. a", {u"*+ 1+ P[a]"_s});
    row("item with code", "1. a\n   ```sh\n   ls\n   ```\n   b",
        {u"1+ P[a]"_s, u"1 C(sh)[ls]"_s, u"1 P[b]"_s});
    row("item with badly indented code", "1. a\n   ```sh\nls\n```\n2. b",
        {u"1+ P[a]"_s, u"1 C(sh)[ls]"_s, u"2+ P[b]"_s});
    row("item then text", "- a\n\nb", {u"*+ P[a]"_s, u"P[b]"_s});
    row("item then heading", "- a\n# b", {u"*+ P[a]"_s, u"H1[b]"_s});
    row("item with two paragraphs", "- a\n\n  b", {u"*+ P[a]"_s, u"* P[b]"_s});
    row("tasks", "- [ ] a\n- [x] b\n- [y] c", {u"*+[ ] P[a]"_s, u"*+[x] P[b]"_s, u"*+ P[[y] c]"_s});
    row("a year is no list", "It was\n1986. Then", {u"P[It was/1986. Then]"_s});
    row("empty items", "-\n- a", {u"*+ P[]"_s, u"*+ P[a]"_s});
    row("quotes", "> a\n> b\nc\n\nd", {u"q P[a/b/c]"_s, u"P[d]"_s});
    row("quotes nested", ">> a\n> - b", {u"q q P[a]"_s, u"q *+ P[b]"_s});
    row("quote with code", "> ```\n> x\n\ny", {u"q C[x]"_s, u"P[y]"_s});
    row("table", "| a | b |\n|:--|--:|\n| 1 | 2 |\ntext",
        {u"T[| a | b |/| 1 | 2 |]"_s, u"P[text]"_s});
    row("table without outer bars", "a | b\n--|--\n1 | 2\n\nc", {u"T[a | b/1 | 2]"_s, u"P[c]"_s});
    row("table below text", "Look:\n| a |\n|---|\n| 1 |", {u"P[Look:]"_s, u"T[| a |/| 1 |]"_s});
    row("no table", "| a | b |\n|---|\nc", {u"P[| a | b |/|---|/c]"_s});
    row("indented code", "a\n\n    b\n\n      c\nd", {u"P[a]"_s, u"C[b//  c]"_s, u"P[d]"_s});
    row("no indented code in a paragraph", "a\n    b", {u"P[a/b]"_s});
    row("math", "\\[\na = b\n\\]\n$$x$$\n$$x$$ is", {u"M[a = b]"_s, u"M[x]"_s, u"P[$$x$$ is]"_s});
    row("html is text", "<script>\nalert(1)\n</script>", {u"P[<script>/alert(1)/</script>]"_s});
    row("tabs", "-\ta\n\tb", {u"*+ P[a/b]"_s});
    row("carriage returns", "a\r\n\r\n```\r\nb\r\n```\r\n", {u"P[a]"_s, u"C[b]"_s});
    row("nothing", "\n \n\n", {});
}

void MarkdownBlocksTest::splits()
{
    QFETCH(QString, text);
    QFETCH(QStringList, expected);
    QCOMPARE(written(whole(text, true)), expected);
}

void MarkdownBlocksTest::holdsBack_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("expected");
    const auto row = [](const char* text, const QStringList& expected) {
        QTest::newRow(text) << QString::fromUtf8(text) << expected;
    };
    row("-", {});
    row("- ", {});
    row("- a", {u"*+ P?[a]"_s});
    row("--", {});
    row("1", {});
    row("1. ", {});
    row("1. **", {});
    row("1. **B", {u"1+ P?[**B]"_s});
    row("12 m", {u"P?[12 m]"_s});
    row("##", {});
    row("## a", {u"H2[a]"_s});
    row("``", {});
    row("```", {u"C?[]"_s});
    row("```py", {u"C?[]"_s});
    row("```py\n", {u"C(py)?[]"_s});
    row("```py\nx\n``", {u"C(py)?[x]"_s});
    row("```py\nx\n```", {u"C(py)?[x]"_s});
    row("```py\nx\n```\n", {u"C(py)[x]"_s});
    row("text\n-", {u"P?[text]"_s});
    row("> ", {});
    row("> a", {u"q P?[a]"_s});
    row("| a | b", {});
    row("Look:\n| a | b", {u"P?[Look:]"_s});
    row("| a | b |\n", {});
    row("| a | b |\n|--", {});
    row("| a | b |\n|---|---|", {});
    row("| a | b |\n|---|---|\n", {u"T?[| a | b |]"_s});
    row("| a | b |\n|---|---|\n| 1", {u"T?[| a | b |/| 1]"_s});
    row("| a | b |\ntext", {u"P?[| a | b |/text]"_s});
    row("- | a |", {u"*+ P?[]"_s});
}

void MarkdownBlocksTest::holdsBack()
{
    QFETCH(QString, text);
    QFETCH(QStringList, expected);
    QCOMPARE(written(whole(text, false)), expected);
}

void MarkdownBlocksTest::givesTheSameForEveryPrefixAtEverySplit()
{
    const QString text = rich();
    QList<QStringList> expected;
    for (qsizetype n = 0; n <= text.size(); ++n)
        expected.append(written(whole(text.first(n), false)));

    // One character at a time.
    MarkdownBlocks growing;
    for (qsizetype n = 1; n <= text.size(); ++n) {
        growing.append(QStringView(text).sliced(n - 1, 1));
        QCOMPARE(written(growing), expected[n]);
    }
    // In two pieces, cut anywhere.
    for (qsizetype cut = 0; cut <= text.size(); ++cut) {
        MarkdownBlocks pieces;
        pieces.append(QStringView(text).first(cut));
        pieces.append(QStringView(text).sliced(cut));
        QCOMPARE(written(pieces), expected.last());
        pieces.finish();
        QCOMPARE(written(pieces), written(whole(text, true)));
    }
}

void MarkdownBlocksTest::givesTheSameForRandomPieces()
{
    std::mt19937 random(7);
    const QStringList parts = {u"- "_s,   u"1. "_s,   u"> "_s,     u"```"_s,  u"\n"_s,   u"\n\n"_s,
                               u"| a "_s, u"|---"_s,  u"|"_s,      u"  "_s,   u"    "_s, u"\t"_s,
                               u"# "_s,   u"text "_s, u"**b** "_s, u"==="_s,  u"---"_s,  u"$$"_s,
                               u"\\["_s,  u"\\]"_s,   u"~~~"_s,    u"\r\n"_s, u"[ ] "_s};
    for (int round = 0; round < 400; ++round) {
        MarkdownBlocks growing;
        QString text;
        for (int i = 0; i < 40; ++i) {
            const QString& part = parts[static_cast<qsizetype>(random()) % parts.size()];
            text += part;
            growing.append(part);
            const MarkdownBlocks expected = whole(text, false);
            if (growing.blocks() != expected.blocks())
                QCOMPARE(written(growing), written(expected));
        }
        growing.finish();
        QCOMPARE(written(growing), written(whole(text, true)));
    }
}

void MarkdownBlocksTest::keepsFinishedBlocks()
{
    MarkdownBlocks blocks;
    QList<MarkdownBlock> before;
    const QString text = rich();
    for (const QChar c : text) {
        blocks.append(QStringView(&c, 1));
        const qsizetype kept = blocks.firstChanged();
        QVERIFY(kept >= before.size() - 2);
        QCOMPARE(blocks.blocks().first(std::min(kept, before.size())),
                 before.first(std::min(kept, before.size())));
        before = blocks.blocks();
    }
}

void MarkdownBlocksTest::cutsLongLines()
{
    const QString line(1'000'000, u'x');
    const MarkdownBlocks blocks = whole(line, true);
    QString together;
    for (const MarkdownBlock& block : blocks.blocks()) {
        QVERIFY(block.text.size() <= MarkdownBlocks::kMaxPiece);
        together += block.text;
    }
    QCOMPARE(together, line);
    QVERIFY(blocks.blocks().at(1).continued);

    const MarkdownBlocks code = whole("```\n"_L1 + line + u"\n```\nafter", true);
    QCOMPARE(code.blocks().size(), 2);
    QCOMPARE(code.blocks().first().text, line);

    // A pair of surrogates is never cut in two.
    const QString faces = u"a"_s + QString::fromUtf8("\U0001F600").repeated(5000);
    const MarkdownBlocks pairs = whole(faces, true);
    for (const MarkdownBlock& block : pairs.blocks())
        QVERIFY(!block.text.back().isHighSurrogate());
}

void MarkdownBlocksTest::cutsLongParagraphs()
{
    const MarkdownBlocks blocks = whole(QStringLiteral("some words\n").repeated(2000), true);
    QVERIFY(blocks.blocks().size() > 4);
    for (const MarkdownBlock& block : blocks.blocks())
        QVERIFY(block.text.size() <= MarkdownBlocks::kMaxPiece);
}

void MarkdownBlocksTest::cutsLongTables()
{
    const MarkdownBlocks blocks =
        whole(u"| a | b |\n|---|---|\n" + QStringLiteral("| 1 | 2 |\n").repeated(1000), true);
    QCOMPARE(blocks.blocks().size(), 5);
    for (const MarkdownBlock& block : blocks.blocks())
        QCOMPARE(block.alignments.size(), 2);
    // Too many columns are no table.
    const QString wide =
        QStringLiteral("|a").repeated(100) + u'\n' + QStringLiteral("|-").repeated(100);
    QCOMPARE(whole(wide, true).blocks().first().kind, Kind::Paragraph);
}

void MarkdownBlocksTest::boundsNesting()
{
    for (const QString& mark : {u"- "_s, u"> "_s, u"1. "_s}) {
        const MarkdownBlocks blocks = whole(mark.repeated(100'000) + u'x', true);
        for (const MarkdownBlock& block : blocks.blocks())
            QVERIFY(block.containers.size() <= MarkdownBlocks::kMaxDepth);
    }
    QString stairs;
    for (int i = 0; i < 300; ++i)
        stairs += QString(2 * i, u' ') + u"- x\n";
    const MarkdownBlocks deep = whole(stairs, true);
    for (const MarkdownBlock& block : deep.blocks())
        QVERIFY(block.containers.size() <= MarkdownBlocks::kMaxDepth);
}

void MarkdownBlocksTest::staysLinear()
{
    // 5,000 lines, then token by token: what an append reads again is bounded by a line and the
    // open block. Without that this takes minutes.
    MarkdownBlocks blocks;
    blocks.append(QStringLiteral("Some *words* of a line.\n\n").repeated(5000));
    for (int i = 0; i < 20'000; ++i) {
        blocks.append(u"token ");
        if (i % 9 == 0) blocks.append(u"\n\n");
        QVERIFY(blocks.firstChanged() >= blocks.blocks().size() - 3);
    }
}

QTEST_GUILESS_MAIN(MarkdownBlocksTest)
#include "markdown_blocks_test.moc"
