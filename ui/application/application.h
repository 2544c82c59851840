#pragma once

#include "ui/application/command_line.h"

class QApplication;

namespace ui {

/// Gives the program its style, palette and font, and keeps them to the theme.
void applyTheme(QApplication& application, const Theme& theme);

/// Runs the program; returns its exit code: 0, 1 (failed) or 2 (wrong usage).
int runApplication(QApplication& application, const CommandLine& line);

} // namespace ui
