#pragma once

#include "ui/application/command_line.h"

class QApplication;

namespace ui {

/// Gives the program its style, palette and font, and keeps them to the theme.
void applyTheme(QApplication& application, const Theme& theme);

/// Runs the program; returns its exit code: 0, 1 (failed) or 2 (wrong usage). Where it runs
/// already, the window there comes to the front, with the model asked for, and this one ends with
/// 0.
int runApplication(QApplication& application, const CommandLine& line);

} // namespace ui
