#include "ui/transcript/reply_parts.h"

#include <QTest>

using namespace ui;
using namespace Qt::StringLiterals;

class ReplyPartsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void splits_data();
    void splits();
    void holdsBackTags();
};

void ReplyPartsTest::splits_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("thought");
    QTest::addColumn<QString>("answer");
    const auto row = [](const char* text, const char* thought, const char* answer) {
        QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(thought)
                            << QString::fromUtf8(answer);
    };
    row("plain", "", "plain");
    row("<think>\na\n</think>\n\nb", "a", "b");
    row("  <think>a</think>b", "a", "b");
    row("<thinking>a</think>b</thinking>c", "a</think>b", "c");
    row("<think></think>b", "", "b");
    row("<think>never closed", "never closed", "");
    row("<think>a</thi", "a</thi", "");
    row("<thi", "", "<thi");
    row("a <think>b</think>", "", "a <think>b</think>");
    row("<think>a</think>b <think>c</think>", "a", "b <think>c</think>");
    row("<b>bold</b>", "", "<b>bold</b>");
    row("", "", "");
}

void ReplyPartsTest::splits()
{
    QFETCH(QString, text);
    ReplyParts whole;
    whole.append(text);
    whole.finish();
    QTEST(whole.thought(), "thought");
    QTEST(whole.answer(), "answer");
    // In two pieces, cut anywhere, and letter by letter: the same.
    for (qsizetype cut = 0; cut <= text.size(); ++cut) {
        ReplyParts pieces;
        pieces.append(QStringView(text).first(cut));
        pieces.append(QStringView(text).sliced(cut));
        pieces.finish();
        QCOMPARE(pieces.thought(), whole.thought());
        QCOMPARE(pieces.answer(), whole.answer());
    }
    ReplyParts letters;
    for (const QChar c : text)
        letters.append(QStringView(&c, 1));
    letters.finish();
    QCOMPARE(letters.thought(), whole.thought());
    QCOMPARE(letters.answer(), whole.answer());
}

void ReplyPartsTest::holdsBackTags()
{
    ReplyParts parts;
    parts.append(u"<thi");
    QCOMPARE(parts.phase(), ReplyParts::Phase::Undecided);
    QVERIFY(parts.answer().isEmpty());
    parts.append(u"nk>a</");
    QCOMPARE(parts.phase(), ReplyParts::Phase::Thinking);
    QCOMPARE(parts.thought(), u"a"_s);
    parts.append(u"b></think>");
    QCOMPARE(parts.thought(), u"a</b>"_s);
    QCOMPARE(parts.phase(), ReplyParts::Phase::Answering);
}

QTEST_GUILESS_MAIN(ReplyPartsTest)
#include "reply_parts_test.moc"
