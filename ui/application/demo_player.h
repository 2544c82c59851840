#pragma once

#include "app/application_core.h"
#include "ui/application/command_line.h"

#include <QObject>

namespace ui {

class MainWindow;

/// Plays `--demo`: waits for the model, sends the question through the real engine, waits for the
/// reply, prints the conversation, takes the screenshots and ends the program with an exit code.
class DemoPlayer : public QObject {
    Q_OBJECT
public:
    DemoPlayer(const CommandLine& line, Theme& theme, app::ApplicationCore& core,
               MainWindow& window, QObject* parent = nullptr);

    void start();

private:
    void ask();
    void finish(const app::Message& message);
    void fail(const QString& sentence);
    void takeScreenshots(int exitCode);
    void shoot(const QString& path);

    const CommandLine& m_line;
    Theme& m_theme;
    app::ApplicationCore& m_core;
    MainWindow& m_window;
    bool m_asked = false;
    int m_exitCode = 0;
};

} // namespace ui
