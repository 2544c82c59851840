#include "ui/composer/composer.h"
#include "ui/composer/context_ring.h"
#include "ui/composer/message_edit.h"
#include "ui/composer/send_button.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>

using ui::Composer;
using ui::MessageEdit;
using ui::Theme;

class ComposerTest : public QObject {
    Q_OBJECT
    Theme m_theme{Theme::Mode::Light};

private Q_SLOTS:
    void growsToTenLinesThenScrolls()
    {
        Composer composer(m_theme);
        composer.resize(632, 400);
        composer.show();
        QVERIFY(QTest::qWaitForWindowExposed(&composer));
        const int one = composer.edit()->sizeHint().height();
        int before = one;
        for (int line = 2; line <= MessageEdit::kMostLines; ++line) {
            composer.setText(QStringLiteral("x\n").repeated(line - 1));
            QVERIFY(composer.edit()->sizeHint().height() > before);
            before = composer.edit()->sizeHint().height();
        }
        composer.setText(QStringLiteral("x\n").repeated(40));
        QCOMPARE(composer.edit()->sizeHint().height(), before);
        composer.setText({});
        QCOMPARE(composer.edit()->sizeHint().height(), one);
    }

    void wrappedLinesCount()
    {
        Composer composer(m_theme);
        composer.resize(300, 400);
        composer.show();
        QVERIFY(QTest::qWaitForWindowExposed(&composer));
        const int one = composer.edit()->sizeHint().height();
        composer.setText(QStringLiteral("word ").repeated(40));
        QTRY_VERIFY(composer.edit()->sizeHint().height() > one);
    }

    // A line that is cut for the layout is whole for everybody else.
    void aLongLineIsOneLine()
    {
        Composer composer(m_theme);
        composer.resize(632, 400);
        composer.show();
        QVERIFY(QTest::qWaitForWindowExposed(&composer));
        MessageEdit* edit = composer.edit();
        const QString words =
            QStringLiteral("some words and more ").repeated(900) % QLatin1Char('.');
        const QString word = QString(9999, QLatin1Char('x')) % QStringLiteral("\n\nend");
        const QString faces = QString::fromUcs4(U"\U0001F600").repeated(5001);
        const QString lines = QStringLiteral("a\n\n").repeated(5000) % QLatin1Char('z');
        for (const QString& text :
             QStringList{words, word, faces, lines, words + QLatin1Char('\n') + word}) {
            QGuiApplication::clipboard()->setText(text);
            edit->paste();
            QCOMPARE(composer.text(), text);
            for (QTextBlock block = edit->document()->begin(); block.isValid();
                 block = block.next())
                QVERIFY2(block.length() < 5000, qPrintable(QString::number(block.length())));
            edit->selectAll();
            edit->copy();
            QCOMPARE(QGuiApplication::clipboard()->text(), text);
            edit->undo();
            QVERIFY(composer.text().isEmpty());
            edit->redo();
            QCOMPARE(composer.text(), text);
            composer.setText({});
            composer.setText(text);
            QCOMPARE(composer.text(), text);
            // A letter, a line end and their removal where the cut is.
            edit->moveCursor(QTextCursor::End);
            edit->moveCursor(QTextCursor::StartOfBlock);
            const qsizetype letters = composer.text().size();
            QTest::keyClick(edit, Qt::Key_A);
            QCOMPARE(composer.text().size(), letters + 1);
            QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
            QCOMPARE(composer.text().size(), letters + 2);
            QTest::keyClick(edit, Qt::Key_Backspace);
            QTest::keyClick(edit, Qt::Key_Backspace);
            QCOMPARE(composer.text(), text);
            edit->selectAll();
            QTest::keyClick(edit, Qt::Key_Delete);
        }
    }

    // Whatever a text holds, none of it is taken for the place of a cut.
    void everyLetterIsKept()
    {
        Composer composer(m_theme);
        MessageEdit* edit = composer.edit();
        QString signs;
        for (const char16_t sign : {0x00a0, 0x200b, 0x2060, 0x2060, 0xfeff})
            signs += QChar(sign);
        const QString line = QString(5000, QLatin1Char('x'));
        for (const QString& text :
             QStringList{signs, signs % QLatin1Char('\n') % signs,
                         line % signs % QLatin1Char('\n') % signs % line, signs.repeated(1500)}) {
            composer.setText(text);
            QCOMPARE(composer.text(), text);
            edit->clear();
            QGuiApplication::clipboard()->setText(text);
            edit->paste();
            QCOMPARE(composer.text(), text);
        }
    }

    void editingAroundACutIsExact()
    {
        Composer composer(m_theme);
        MessageEdit* edit = composer.edit();
        const QString line = QString(9000, QLatin1Char('x')) % QLatin1Char('.');
        composer.setText(line);
        QVERIFY(!edit->document()->isUndoAvailable());
        QVERIFY(edit->document()->blockCount() > 2);
        // Behind the last letter before a cut.
        edit->moveCursor(QTextCursor::Start);
        edit->moveCursor(QTextCursor::EndOfBlock);
        QTest::keyClicks(edit, QStringLiteral("ab"));
        const qsizetype at = composer.text().indexOf(QStringLiteral("ab"));
        QCOMPARE(composer.text(), QString(line.first(at) % QStringLiteral("ab") % line.sliced(at)));
        // A new line in one that goes on from the block before.
        composer.setText(line);
        edit->moveCursor(QTextCursor::PreviousCharacter);
        edit->insertText(QStringLiteral("1\n2\n3"));
        QCOMPARE(composer.text(), QString(line.chopped(1) % QStringLiteral("1\n2\n3.")));
        edit->undo();
        QCOMPARE(composer.text(), line);
        // Two blocks become one, and what is copied is what was there.
        edit->moveCursor(QTextCursor::Start);
        edit->moveCursor(QTextCursor::NextBlock);
        QTest::keyClick(edit, Qt::Key_Backspace);
        QCOMPARE(composer.text(), line);
        edit->selectAll();
        edit->cut();
        QCOMPARE(QGuiApplication::clipboard()->text(), line);
        QVERIFY(composer.text().isEmpty());
        QTest::keyClicks(edit, QStringLiteral("a"));
        edit->insertText(QStringLiteral("\nb"));
        QCOMPARE(composer.text(), QStringLiteral("a\nb"));
    }

    // A book is named by its beginning: measuring all of it takes seconds.
    void whatWaitsIsShort()
    {
        Composer composer(m_theme);
        composer.setState(Composer::State::Writing, QStringLiteral("Story"));
        const QString book = QStringLiteral("word ").repeated(200'000);
        composer.setQueued({book, book});
        QVERIFY(composer.waitingText().size() < 1000);
        QVERIFY(composer.waitingText().contains(QStringLiteral("word word")));
    }

    void enterSendsAndShiftEnterBreaksTheLine()
    {
        Composer composer(m_theme);
        composer.setState(Composer::State::Ready, QStringLiteral("Story"));
        QSignalSpy sent(&composer, &Composer::sendRequested);
        QTest::keyClicks(composer.edit(), QStringLiteral("one"));
        QTest::keyClick(composer.edit(), Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClicks(composer.edit(), QStringLiteral("two"));
        QCOMPARE(sent.count(), 0);
        QTest::keyClick(composer.edit(), Qt::Key_Return);
        QCOMPARE(sent.count(), 1);
        QCOMPARE(sent[0][0].toString(), QStringLiteral("one\ntwo"));
        QVERIFY(composer.text().isEmpty());
    }

    void nothingIsNotSent()
    {
        Composer composer(m_theme);
        composer.setState(Composer::State::Ready, QStringLiteral("Story"));
        QSignalSpy sent(&composer, &Composer::sendRequested);
        QVERIFY(!composer.sendButton()->isEnabled());
        composer.setText(QStringLiteral("  \n "));
        QTest::keyClick(composer.edit(), Qt::Key_Return);
        QCOMPARE(sent.count(), 0);
    }

    void sendBecomesStopInPlace()
    {
        Composer composer(m_theme);
        QSignalSpy stopped(&composer, &Composer::stopRequested);
        QSignalSpy sent(&composer, &Composer::sendRequested);
        composer.setState(Composer::State::Writing, QStringLiteral("Story"));
        QVERIFY(composer.sendButton()->isEnabled());
        QCOMPARE(composer.sendButton()->accessibleName(), QStringLiteral("Stop"));
        composer.setText(QStringLiteral("next"));
        composer.sendButton()->click();
        QCOMPARE(stopped.count(), 1);
        QCOMPARE(composer.text(), QStringLiteral("next"));
        // The next message can be sent while this one is written: Enter queues it.
        QTest::keyClick(composer.edit(), Qt::Key_Return);
        QCOMPARE(sent.count(), 1);
    }

    void saysWhatIsMissing()
    {
        Composer composer(m_theme);
        QCOMPARE(composer.edit()->placeholderText(),
                 QStringLiteral("Load a model to send a message"));
        composer.setState(Composer::State::Ready, QStringLiteral("Story"));
        QCOMPARE(composer.edit()->placeholderText(), QStringLiteral("Message Story"));
    }

    void aNewHintIsPainted()
    {
        struct Painted : QObject {
            int count = 0;
            bool eventFilter(QObject*, QEvent* event) override
            {
                if (event->type() == QEvent::Paint) ++count;
                return false;
            }
        };
        Composer composer(m_theme);
        composer.setState(Composer::State::Writing, QStringLiteral("Story"));
        composer.show();
        QVERIFY(QTest::qWaitForWindowExposed(&composer));
        QTest::qWait(50);
        Painted painted;
        composer.edit()->viewport()->installEventFilter(&painted);
        composer.setState(Composer::State::Ready, QStringLiteral("Story"));
        QTRY_VERIFY(painted.count > 0);
    }

    void upInAnEmptyTextEditsTheLastMessage()
    {
        Composer composer(m_theme);
        QSignalSpy asked(composer.edit(), &MessageEdit::editLastRequested);
        QTest::keyClick(composer.edit(), Qt::Key_Up);
        QCOMPARE(asked.count(), 1);
        composer.setText(QStringLiteral("text"));
        QTest::keyClick(composer.edit(), Qt::Key_Up);
        QCOMPARE(asked.count(), 1);
    }

    void draftsAreNotAnnouncedAsTyped()
    {
        Composer composer(m_theme);
        QSignalSpy edited(&composer, &Composer::textEdited);
        composer.setText(QStringLiteral("kept draft"));
        QCOMPARE(edited.count(), 0);
        QTest::keyClicks(composer.edit(), QStringLiteral("!"));
        QCOMPARE(edited.count(), 1);
        QCOMPARE(edited[0][0].toString(), QStringLiteral("kept draft!"));
    }

    void ringWarnsAsTheContextFills_data()
    {
        QTest::addColumn<int>("used");
        QTest::addColumn<Theme::Token>("token");
        QTest::newRow("half") << 4096 << Theme::Token::Accent;
        QTest::newRow("to 95") << 7000 << Theme::Token::Warn;
        QTest::newRow("above") << 8000 << Theme::Token::Bad;
    }

    void ringWarnsAsTheContextFills()
    {
        QFETCH(const int, used);
        QFETCH(const Theme::Token, token);
        ui::ContextRing ring(m_theme);
        ring.setUse(used, 8192);
        QCOMPARE(ring.token(), token);
        ring.setUse(3174, 8192);
        QCOMPARE(ring.text(), QStringLiteral("3.1k / 8k"));
    }

    // A k is 1,024 tokens wherever it stands.
    void ringCountsInPowersOfTwo()
    {
        ui::ContextRing ring(m_theme);
        ring.setUse(999, 1024);
        QCOMPARE(ring.text(), QStringLiteral("999 / 1,024"));
        ring.setUse(1000, 4096);
        QCOMPARE(ring.text(), QStringLiteral("1,000 / 4,096"));
        ring.setUse(2047, 2048);
        QCOMPARE(ring.text(), QStringLiteral("2,047 / 2,048"));
        ring.setUse(1024, 131'072);
        QCOMPARE(ring.text(), QStringLiteral("1k / 128k"));
        ring.setUse(1536, 40'960);
        QCOMPARE(ring.text(), QStringLiteral("1.5k / 40k"));
    }
};

QTEST_MAIN(ComposerTest)
#include "composer_test.moc"
