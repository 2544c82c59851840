#include "app/settings/stop_text.h"

#include <QTest>

class StopTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readsEscapes_data()
    {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const QString& written, const QString& text) {
            QTest::newRow(name) << written << text;
        };
        row("plain", QStringLiteral("###"), QStringLiteral("###"));
        row("new lines", QStringLiteral("\\n\\nUser:"), QStringLiteral("\n\nUser:"));
        row("tab and return", QStringLiteral("a\\tb\\r"), QStringLiteral("a\tb\r"));
        row("backslash", QStringLiteral("\\\\n"), QStringLiteral("\\n"));
        row("unit", QStringLiteral("\\u20acx"), QStringLiteral("\u20acx"));
        row("half a unit", QStringLiteral("\\u20a"), QStringLiteral("\\u20a"));
        row("no hex", QStringLiteral("\\uzzzz"), QStringLiteral("\\uzzzz"));
        row("unknown", QStringLiteral("\\d"), QStringLiteral("\\d"));
        row("at the end", QStringLiteral("end\\"), QStringLiteral("end\\"));
        row("spaces stay", QStringLiteral(" a "), QStringLiteral(" a "));
        row("empty", QString(), QString());
    }

    void readsEscapes()
    {
        QFETCH(const QString, written);
        QFETCH(const QString, text);
        QCOMPARE(app::stopStringOf(written), text);
    }

    void whatIsWrittenIsReadBack()
    {
        const QString texts[] = {QStringLiteral("\n\nUser:"),     QStringLiteral("\\n"),
                                 QStringLiteral("a\\"),           QStringLiteral("\u0007\u200b"),
                                 QStringLiteral("\U0001F525 ok"), QStringLiteral("\\u0041"),
                                 QStringLiteral("</s>"),          QStringLiteral("tab\tend\r\n")};
        for (const QString& text : texts) {
            const QString written = app::writtenStopString(text);
            QVERIFY2(!written.contains(u'\n'), qPrintable(written));
            QCOMPARE(app::stopStringOf(written), text);
        }
    }

    void keepsOnlyWhatIsOfUse()
    {
        const QString tooLong(201, u'x');
        QCOMPARE(app::usableStopStrings({QStringLiteral("a"), QString(), QStringLiteral("a"),
                                         tooLong, QStringLiteral(" ")}),
                 (QStringList{QStringLiteral("a"), QStringLiteral(" ")}));
        QStringList many;
        for (int i = 0; i < 40; ++i)
            many += QString::number(i);
        QCOMPARE(app::usableStopStrings(many).size(), 16);
    }
};

QTEST_GUILESS_MAIN(StopTextTest)
#include "stop_text_test.moc"
