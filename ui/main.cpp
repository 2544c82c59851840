#include "ui/application/application.h"

#include <QApplication>
#include <QTextStream>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string_view>

namespace {

/// Whether the words ask for an answer on the terminal, for which no display is needed.
bool asksForWordsAlone(std::span<char*> words)
{
    constexpr std::string_view kQuestions[] = {"-h", "--help", "-v", "--version"};
    return std::ranges::any_of(
        words, [&](const char* word) { return std::ranges::contains(kQuestions, word); });
}

} // namespace

int main(int argc, char** argv)
{
    if (asksForWordsAlone({argv, static_cast<std::size_t>(argc)}))
        qputenv("QT_QPA_PLATFORM", "offscreen");
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
