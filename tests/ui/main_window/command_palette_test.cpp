#include "tests/support/engine/processor_time.h"
#include "tests/support/ui/layout_faults.h"
#include "tests/support/ui/pictures.h"
#include "tests/support/ui/window_program.h"

#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/main_window/command_palette.h"
#include "ui/main_window/fuzzy_match.h"
#include "ui/sampling/sampling_panel.h"
#include "ui/sidebar/sidebar.h"
#include "ui/widgets/line_field.h"

#include <QListView>

using namespace Qt::StringLiterals;
using ui::fuzzyMatch;

namespace {

struct Program : test::WindowProgram {
    ui::CommandPalette& palette() const { return *window->palette(); }
    void open() { QTest::keyClick(window.get(), Qt::Key_K, Qt::ControlModifier); }
    void type(const QString& text) { QTest::keyClicks(palette().field(), text); }
    void press(Qt::Key key) { QTest::keyClick(palette().field(), key); }
    QString chosen() const { return palette().list()->currentIndex().data().toString(); }
    void say(const QString& text)
    {
        core.conversations().newConversation();
        core.conversations().send(text);
        [&] {
            QTRY_VERIFY(core.conversations().messages().size() == 2 &&
                        core.conversations().writingConversation() == 0);
        }();
    }
};

} // namespace

class CommandPaletteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void matchesLettersInOrder_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QList<int>>("places");
        QTest::addColumn<bool>("matches");
        const auto row = [](const char* name, const QString& text, const QString& typed,
                            const QList<int>& places, bool matches = true) {
            QTest::newRow(name) << text << typed << places << matches;
        };
        row("beginning", u"New chat"_s, u"new"_s, {0, 1, 2});
        row("beginnings of words", u"Copy the last answer"_s, u"cla"_s, {0, 9, 14});
        row("side by side rather than apart", u"Find in this chat"_s, u"chat"_s, {13, 14, 15, 16});
        row("a word's beginning rather than earlier", u"Rename a name"_s, u"name"_s,
            {9, 10, 11, 12});
        row("words in one piece", u"Tom had a red ball, said Tom Hadley"_s, u"tom had"_s,
            {0, 1, 2, 4, 5, 6});
        row("one piece inside a word", u"Show the sidebar"_s, u"bar"_s, {13, 14, 15});
        row("spaces do not count", u"New chat"_s, u"n c"_s, {0, 4});
        row("accents do not count", u"Élève"_s, u"eleve"_s, {0, 1, 2, 3, 4});
        row("nothing typed", u"New chat"_s, QString(), {});
        row("other letters", u"New chat"_s, u"newx"_s, {}, false);
        row("other order", u"New chat"_s, u"wen"_s, {}, false);
        row("more than there is", u"a"_s, u"aa"_s, {}, false);
        row("no text", QString(), u"a"_s, {}, false);
    }
    void matchesLettersInOrder()
    {
        QFETCH(const QString, text);
        QFETCH(const QString, typed);
        QFETCH(const QList<int>, places);
        QFETCH(const bool, matches);
        const auto match = fuzzyMatch(text, typed);
        QCOMPARE(match.has_value(), matches);
        if (match) QCOMPARE(match->places, places);
    }

    void matchesManyTitlesQuickly()
    {
        const test::ProcessorTime time;
        int count = 0;
        for (int i = 0; i < 10'000; ++i)
            count += fuzzyMatch(u"A chat of forty letters about tea and so on"_s, u"tea so"_s)
                         .has_value();
        QCOMPARE(count, 10'000);
        QVERIFY2(time.seconds() < 0.4, qPrintable(QString::number(time.seconds())));
    }

    void runsWhatIsChosen()
    {
        Program program;
        program.say(u"All about tea"_s);
        const qint64 tea = program.core.conversations().currentConversation();
        program.say(u"Sourdough"_s);
        program.open();
        ui::CommandPalette& palette = program.palette();
        QVERIFY(palette.isVisible());
        QVERIFY(palette.field()->hasFocus());
        QCOMPARE(program.chosen(), u"New chat"_s);
        QVERIFY(palette.rows().contains(u"Preset: Precise"_s));
        QCOMPARE(palette.rows().last(2), (QStringList{u"Sourdough"_s, u"All about tea"_s}));
        test::savePictures(*program.window, program.theme, u"command-palette"_s);
        program.type(u"sidebar"_s);
        QCOMPARE(program.chosen(), u"Show or hide the sidebar"_s);
        test::savePictures(*program.window, program.theme, u"command-palette-typed"_s);
        const bool shown = program.window->sidebar()->isVisible();
        program.press(Qt::Key_Return);
        QVERIFY(!palette.isVisible());
        QCOMPARE(program.window->sidebar()->isVisible(), !shown);
        QVERIFY(program.chat().composer()->edit()->hasFocus());

        program.open();
        QCOMPARE(palette.field()->text(), QString());
        program.type(u"#tea"_s);
        QCOMPARE(palette.rows(), (QStringList{u"Chats"_s, u"All about tea"_s}));
        program.press(Qt::Key_Enter);
        QTRY_COMPARE(program.core.conversations().currentConversation(), tea);

        program.open();
        program.type(u">creative"_s);
        QCOMPARE(palette.rows(), (QStringList{u"Commands"_s, u"Preset: Creative"_s}));
        program.press(Qt::Key_Return);
        QCOMPARE(program.window->sampling()->settings().temperature, 1.1F);
    }

    void theKeyboardChooses()
    {
        Program program;
        program.open();
        program.press(Qt::Key_Down);
        QCOMPARE(program.chosen(), u"Find in this chat"_s);
        program.press(Qt::Key_Up);
        program.press(Qt::Key_Up); // from the first to the last
        QVERIFY(program.chosen().startsWith(u"Preset: "_s));
        program.type(u"xyzzy"_s);
        QCOMPARE(program.palette().rows(), QStringList{u"Nothing found for “xyzzy”"_s});
        program.press(Qt::Key_Return);
        QVERIFY(program.palette().isVisible());
        program.press(Qt::Key_Escape);
        QVERIFY(!program.palette().isVisible());
        QVERIFY(program.chat().composer()->edit()->hasFocus());
        program.open();
        program.open(); // once more closes it
        QVERIFY(!program.palette().isVisible());
        // A command may take the focus.
        program.open();
        program.type(u"search all"_s);
        program.press(Qt::Key_Return);
        QVERIFY(program.window->sidebar()->searchField()->hasFocus());
    }

    void fitsInto_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("scale");
        QTest::newRow("small") << QSize(560, 420) << 1.0;
        QTest::newRow("small, large text") << QSize(560, 420) << 1.6;
        QTest::newRow("usual, large text") << QSize(1280, 800) << 1.6;
    }
    void fitsInto()
    {
        QFETCH(const QSize, size);
        QFETCH(const double, scale);
        Program program;
        program.theme.setTextScale(scale);
        program.window->resize(size);
        QTest::qWait(50);
        program.open();
        QVERIFY(program.window->rect().contains(program.palette().geometry()));
        QCOMPARE(test::layoutFaults(program.palette()), QStringList());
        test::savePictures(*program.window, program.theme,
                           u"command-palette-%1-%2"_s.arg(size.width()).arg(scale));
    }
};

QTEST_MAIN(CommandPaletteTest)
#include "command_palette_test.moc"
