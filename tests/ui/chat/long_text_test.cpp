// A megabyte in a message: the window answers all the time, whatever the lines of it are like.

#include "tests/support/ui/busy_time.h"
#include "tests/support/ui/pictures.h"
#include "tests/support/ui/window_program.h"

#include "engine/base/address_sanitizer.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/transcript/transcript_view.h"
#include "ui/transcript/user_message.h"
#include "ui/widgets/button.h"

#include <QClipboard>
#include <QScrollBar>
#include <QTest>

namespace {

constexpr qsizetype kMegabyte = 1'000'000;
/// Of the thread, in one go: most of it is what Qt takes to put a megabyte into a document.
constexpr double kMostMs = engine::kAddressSanitizer ? 2000 : 100;

struct Program : test::WindowProgram {
    test::BusyTime busy;

    app::ConversationController& chats() { return core.conversations(); }
    ui::Composer& composer() const { return *window->chat()->composer(); }
    ui::TranscriptView& transcript() const { return *window->chat()->transcript(); }

    void paste(const QString& text)
    {
        QGuiApplication::clipboard()->setText(text);
        busy.in([&] { composer().edit()->paste(); });
    }
    void type(Qt::Key key)
    {
        busy.in([&] { QTest::keyClick(QApplication::focusWidget(), key); });
    }
    bool answered(int messages)
    {
        return busy.until([&] {
            return chats().messages().size() == messages && chats().writingConversation() == 0;
        });
    }
    /// Leaves the chat shown and opens it again.
    bool openAgain()
    {
        const qint64 chat = chats().currentConversation();
        busy.in([&] { chats().newConversation(); });
        busy.for_(50);
        busy.in([&] { chats().openConversation(chat); });
        const bool opened = busy.until([&] { return chats().currentConversation() == chat; });
        busy.for_(50);
        return opened;
    }
};

void addTexts()
{
    QTest::addColumn<QString>("text");
    const QString sentence = QStringLiteral("The kettle sings before the water boils, as ever. ");
    const auto filled = [](const QString& part) {
        return part.repeated(kMegabyte / part.size()).trimmed();
    };
    QTest::newRow("lines") << filled(sentence.trimmed() % QLatin1Char('\n'));
    QTest::newRow("one line") << filled(sentence);
    QTest::newRow("one word") << filled(QStringLiteral("abcdefghij"));
    QTest::newRow("short lines") << filled(QStringLiteral("a few\n"));
    QTest::newRow("Chinese") << filled(QStringLiteral("水还没有开壶已经在唱歌"));
    QTest::newRow("Arabic") << filled(QStringLiteral("الماء يغلي في الإبريق. "));
}

} // namespace

#define VERIFY_BUSY(what)                                                                          \
    do {                                                                                           \
        const double ms = program.busy.longestMs();                                                \
        qInfo("%s: %.0f ms", what, ms);                                                            \
        QVERIFY2(ms < kMostMs, what);                                                              \
        program.busy.forget();                                                                     \
    } while (false)

class LongTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isPastedSentAndOpened_data() { addTexts(); }
    void isPastedSentAndOpened()
    {
        QFETCH(const QString, text);
        Program program;
        program.paste(text);
        program.busy.for_(50);
        VERIFY_BUSY("paste");
        QCOMPARE(program.composer().text(), text);
        program.type(Qt::Key_X);
        program.type(Qt::Key_Backspace);
        program.type(Qt::Key_Up);
        program.type(Qt::Key_Home);
        program.busy.for_(50);
        VERIFY_BUSY("type");
        QCOMPARE(program.composer().text(), text);
        program.type(Qt::Key_Return);
        QVERIFY(program.answered(2));
        VERIFY_BUSY("send");
        QCOMPARE(program.chats().messages().constFirst().text, text);
        if (QLatin1StringView(QTest::currentDataTag()) == QLatin1StringView("lines"))
            test::savePictures(*program.window, program.theme, QStringLiteral("long-message"));
        auto* message = program.transcript().findChild<ui::UserMessage*>();
        QVERIFY(message && message->moreButton() && !message->isWhole());
        const int place = message->y();
        program.busy.in([&] { message->moreButton()->click(); });
        program.busy.for_(50);
        QVERIFY(message->isWhole());
        QCOMPARE(message->y(), place);
        VERIFY_BUSY("show all");
        QScrollBar* bar = program.transcript().verticalScrollBar();
        program.busy.in([&] { bar->setValue(bar->maximum() / 2); });
        program.busy.for_(50);
        program.busy.in([&] { bar->setValue(0); });
        program.busy.for_(50);
        VERIFY_BUSY("scroll");
        program.busy.in([&] { program.window->resize(1100, 760); });
        program.busy.for_(50);
        VERIFY_BUSY("resize");

        QVERIFY(program.openAgain());
        VERIFY_BUSY("open");

        program.busy.in([&] { program.window->chat()->editLastMessage(); });
        program.busy.for_(50);
        VERIFY_BUSY("edit");
        program.type(Qt::Key_Escape);
        program.busy.for_(50);
        VERIFY_BUSY("end of edit");
        program.busy.in([&] { program.window->chat()->openFind(); });
        program.busy.in([&] { program.transcript().setFindText(QStringLiteral("kettle")); });
        program.busy.for_(50);
        VERIFY_BUSY("find");
    }

    void waitsForAnotherReply()
    {
        Program program;
        program.controls->endless = true;
        program.controls->tokenMilliseconds = 5;
        program.composer().setText(QStringLiteral("Write on"));
        program.type(Qt::Key_Return);
        QVERIFY(program.busy.until([&] { return program.chats().messages().size() == 2; }));
        program.busy.forget();
        const QString text = QStringLiteral("The kettle sings. ").repeated(55'000).trimmed();
        program.paste(text);
        VERIFY_BUSY("paste");
        program.type(Qt::Key_Return);
        program.busy.for_(50);
        VERIFY_BUSY("wait");
        QVERIFY(program.composer().waitingText().contains(QStringLiteral("The kettle sings.")));
        program.chats().stop();
    }

    void isWrittenAndOpenedAsAReply_data()
    {
        addTexts();
        // Little in each, and much to do for it.
        QTest::newRow("lines of a letter")
            << QStringLiteral("a\n").repeated(kMegabyte / 2).trimmed();
        QTest::newRow("paragraphs of a letter")
            << QStringLiteral("a\n\n").repeated(kMegabyte / 3).trimmed();
    }
    void isWrittenAndOpenedAsAReply()
    {
        QFETCH(const QString, text);
        Program program;
        program.controls->reply.clear();
        for (qsizetype at = 0; at < text.size(); at += 2000)
            program.controls->reply.push_back(text.mid(at, 2000).toStdString());
        program.controls->tokenMilliseconds = 1;
        program.composer().setText(QStringLiteral("Write on"));
        program.type(Qt::Key_Return);
        QVERIFY(program.answered(2));
        VERIFY_BUSY("write");
        QCOMPARE(program.chats().messages().constLast().text, text);
        QVERIFY(program.openAgain());
        VERIFY_BUSY("open");
    }
};

QTEST_MAIN(LongTextTest)
#include "long_text_test.moc"
