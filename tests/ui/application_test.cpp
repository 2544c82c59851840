// The program as main() runs it: from the start, over an answer, to the closing of its window.

#include "ui/application/application.h"
#include "ui/application/command_line.h"
#include "ui/chat/chat_header.h"
#include "ui/chat/chat_page.h"
#include "ui/chat/model_chip.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/composer/send_button.h"
#include "ui/main_window/main_window.h"
#include "ui/transcript/reply_message.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

namespace {

ui::MainWindow* shownWindow()
{
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (auto* window = qobject_cast<ui::MainWindow*>(widget); window && window->isVisible())
            return window;
    return nullptr;
}

} // namespace

class ApplicationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runsUntilItsWindowIsClosed()
    {
        const QTemporaryDir home;
        qputenv("INGLENOOK_HOME", home.path().toLocal8Bit());
        bool asked = false;
        bool answered = false;
        QElapsedTimer clock;
        clock.start();
        QTimer user;
        user.setInterval(50);
        connect(&user, &QTimer::timeout, this, [&] {
            ui::MainWindow* window = shownWindow();
            if (clock.elapsed() > 30'000) return QCoreApplication::exit(3);
            if (window == nullptr) return; // not yet
            ui::ChatPage& chat = *window->chat();
            const bool ready = chat.header()->chip()->state() == ui::ModelChip::State::Ready;
            if (ready && !asked) {
                asked = true;
                QTest::keyClicks(chat.composer()->edit(), QStringLiteral("What is a token?"));
                QTest::keyClick(chat.composer()->edit(), Qt::Key_Return);
            } else if (ready) {
                const auto* reply = window->findChild<ui::ReplyMessage*>();
                if (reply == nullptr || reply->message().text.isEmpty()) return;
                if (std::exchange(answered, true)) window->close(); // a while after the answer
            }
        });
        user.start();
        QCOMPARE(ui::runApplication(*qApp, {}), 0);
        QVERIFY(answered);
    }

    void playsADemo()
    {
        const QTemporaryDir home;
        qputenv("INGLENOOK_HOME", home.path().toLocal8Bit());
        ui::CommandLine line;
        line.demoQuestion = QStringLiteral("What is a token?");
        line.screenshotPath = home.filePath(QStringLiteral("demo.png"));
        QCOMPARE(ui::runApplication(*qApp, line), 0);
        QVERIFY(QFile::exists(line.screenshotPath));
    }

    void aPictureThatCannotBeWrittenIsAFailure_data()
    {
        QTest::addColumn<bool>("bothThemes");
        QTest::newRow("one") << false;
        QTest::newRow("both themes") << true;
    }

    void aPictureThatCannotBeWrittenIsAFailure()
    {
        const QTemporaryDir home;
        qputenv("INGLENOOK_HOME", home.path().toLocal8Bit());
        ui::CommandLine line;
        line.demoQuestion = QStringLiteral("What is a token?");
        line.screenshotPath = home.filePath(QStringLiteral("nowhere/demo.png"));
        QFETCH(bool, bothThemes);
        line.bothThemes = bothThemes;
        QCOMPARE(ui::runApplication(*qApp, line), 1);
    }
};

QTEST_MAIN(ApplicationTest)
#include "application_test.moc"
