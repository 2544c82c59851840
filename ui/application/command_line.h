#pragma once

#include "ui/theme/theme.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace ui {

/// What the program was asked for.
struct CommandLine {
    QString modelPath;
    std::optional<QString> demoQuestion;
    QString screenshotPath;
    std::optional<Theme::Mode> theme;
    bool bothThemes = false; ///< a screenshot of each
    QString homeFolder;

    QString error;  ///< not empty: wrong usage
    QString answer; ///< not empty: print it and end (--help, --version)
};

CommandLine parseCommandLine(const QStringList& arguments);

} // namespace ui
