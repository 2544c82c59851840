#include "ui/application/application.h"

#include <QApplication>
#include <QTextStream>

#include <cstdio>

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("Inglenook"));
    QApplication::setApplicationVersion(QStringLiteral(INGLENOOK_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("inglenook"));

    const ui::CommandLine line = ui::parseCommandLine(QApplication::arguments());
    if (!line.error.isEmpty()) {
        QTextStream(stderr) << "inglenook: " << line.error << Qt::endl;
        return 2;
    }
    if (!line.answer.isEmpty()) {
        QTextStream(stdout) << line.answer;
        return 0;
    }
    if (!line.homeFolder.isEmpty()) qputenv("INGLENOOK_HOME", line.homeFolder.toLocal8Bit());
    return ui::runApplication(application, line);
}
