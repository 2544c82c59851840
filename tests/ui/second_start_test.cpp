// The program started again while it runs: as two processes, as it is.

#include "app/settings/instance_lock.h"
#include "app/settings/paths.h"
#include "ui/application/application.h"
#include "ui/application/command_line.h"
#include "ui/chat/chat_page.h"
#include "ui/chat/failure_card.h"
#include "ui/main_window/main_window.h"

#include <QApplication>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <string_view>
#include <utility>

namespace {

ui::MainWindow* shownWindow()
{
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (auto* window = qobject_cast<ui::MainWindow*>(widget); window && window->isVisible())
            return window;
    return nullptr;
}

void start(QProcess& second, const QString& model)
{
    second.setProgram(QCoreApplication::applicationFilePath());
    second.setArguments({QStringLiteral("--second"), model});
    second.start();
}

} // namespace

class SecondStartTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void showsTheWindowThatIsThere()
    {
        const QTemporaryDir home;
        qputenv("INGLENOOK_HOME", home.path().toLocal8Bit());
        QFile model(home.filePath(QStringLiteral("no model.gguf")));
        QVERIFY(model.open(QIODevice::WriteOnly));
        model.close();
        QProcess second;
        QProcess third;
        bool minimized = false;
        QTimer user;
        user.setInterval(50);
        connect(&user, &QTimer::timeout, this, [&] {
            ui::MainWindow* window = shownWindow();
            if (window == nullptr) return;
            if (!std::exchange(minimized, true)) {
                window->showMinimized();
                start(second, model.fileName());
            }
            if (second.state() == QProcess::NotRunning && third.program().isEmpty()) {
                QVERIFY(!window->isMinimized());
                start(third, {});
            }
            // The model handed over is none: its card says so.
            if (!third.program().isEmpty() && third.state() == QProcess::NotRunning &&
                window->chat()->failureCard()->isVisible())
                window->close();
        });
        user.start();
        QTimer::singleShot(60'000, this, [] { QCoreApplication::exit(3); });
        QCOMPARE(ui::runApplication(*qApp, {}), 0);
        for (QProcess* process : {&second, &third}) {
            QCOMPARE(process->exitStatus(), QProcess::NormalExit);
            QCOMPARE(process->exitCode(), 0);
        }
    }

    // The lock stays the truth: where its holder does not hear, the window with the sentence.
    void saysSoWhereTheFirstDoesNotAnswer()
    {
        const QTemporaryDir home;
        qputenv("INGLENOOK_HOME", home.path().toLocal8Bit());
        app::InstanceLock lock(app::Paths::standard().dataFolder);
        QCOMPARE(lock.take(), app::InstanceLock::Outcome::Taken);
        QProcess second;
        start(second, {});
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT(
            (said += second.readAllStandardError()).contains("already running"), 20'000);
        QCOMPARE(second.state(), QProcess::Running);
        second.kill();
        QVERIFY(second.waitForFinished());
    }
};

int main(int argc, char** argv)
{
    const QTemporaryDir runtime; // where sockets are
    if (argc == 1 || argv[1] != std::string_view("--second"))
        qputenv("XDG_RUNTIME_DIR", runtime.path().toLocal8Bit());
    QApplication application(argc, argv);
    const QStringList arguments = QApplication::arguments();
    if (arguments.value(1) == u"--second") {
        ui::CommandLine line;
        line.modelPath = arguments.value(2);
        return ui::runApplication(application, line);
    }
    SecondStartTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "second_start_test.moc"
