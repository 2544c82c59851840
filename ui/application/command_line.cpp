#include "ui/application/command_line.h"

#include <QCommandLineParser>

namespace ui {

namespace {

// Themes by name; "both" is two of them.
bool readTheme(const QString& name, CommandLine& line)
{
    if (name == QLatin1StringView("light"))
        line.theme = Theme::Mode::Light;
    else if (name == QLatin1StringView("dark"))
        line.theme = Theme::Mode::Dark;
    else if (name == QLatin1StringView("system"))
        line.theme = Theme::Mode::System;
    else if (name == QLatin1StringView("both"))
        line.bothThemes = true;
    else
        return false;
    return true;
}

} // namespace

CommandLine parseCommandLine(const QStringList& arguments)
{
    const QCommandLineOption model(QStringLiteral("model"),
                                   QStringLiteral("Load this model at the start."),
                                   QStringLiteral("F.gguf"));
    const QCommandLineOption demo(
        QStringLiteral("demo"),
        QStringLiteral("Ask the model this, print the conversation and end."),
        QStringLiteral("question"));
    const QCommandLineOption screenshot(
        QStringLiteral("screenshot"),
        QStringLiteral("With --demo: a picture of the window at the end."), QStringLiteral("PATH"));
    const QCommandLineOption theme(
        QStringLiteral("theme"),
        QStringLiteral("light, dark, system, or both (a screenshot of each)."),
        QStringLiteral("NAME"));
    const QCommandLineOption home(QStringLiteral("home"),
                                  QStringLiteral("Keep everything below this folder."),
                                  QStringLiteral("FOLDER"));
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Talk with language models that run on this computer."));
    parser.addOptions({model, demo, screenshot, theme, home});
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("model"), QStringLiteral("The same as --model."),
                                 QStringLiteral("[F.gguf]"));

    CommandLine line;
    if (!parser.parse(arguments)) {
        line.error = parser.errorText();
        return line;
    }
    if (parser.isSet(help)) line.answer = parser.helpText();
    if (parser.isSet(version))
        line.answer = QStringLiteral("Inglenook %1\n").arg(QCoreApplication::applicationVersion());
    line.modelPath =
        parser.isSet(model) ? parser.value(model) : parser.positionalArguments().value(0);
    if (parser.isSet(demo)) line.demoQuestion = parser.value(demo);
    if (line.demoQuestion && line.demoQuestion->trimmed().isEmpty())
        line.error = QStringLiteral("--demo needs a question: --demo \"Why is the sky blue?\".");
    line.screenshotPath = parser.value(screenshot);
    line.homeFolder = parser.value(home);
    if (parser.isSet(theme) && !readTheme(parser.value(theme), line))
        line.error = QStringLiteral("\"%1\" is no theme; use light, dark, system or both.")
                         .arg(parser.value(theme));
    if (!line.screenshotPath.isEmpty() && !line.demoQuestion)
        line.error = QStringLiteral("--screenshot needs --demo \"question\".");
    if (line.bothThemes && line.screenshotPath.isEmpty())
        line.error = QStringLiteral("--theme both needs --screenshot PATH.");
    return line;
}

} // namespace ui
