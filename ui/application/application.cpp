#include "ui/application/application.h"

#include "app/application_core.h"
#include "app/settings/instance_call.h"
#include "ui/application/demo_player.h"
#include "ui/main_window/main_window.h"
#include "ui/theme/icon_cache.h"
#include "ui/theme/nook_style.h"
#include "ui/widgets/empty_state.h"

#include <QApplication>
#include <QFileInfo>
#include <QStyleHints>
#include <QTextStream>
#include <QToolTip>

#include <cstdio>

namespace ui {

namespace {

constexpr double kUsualTextSize = 14;

Theme::Mode modeOf(app::ThemeChoice choice)
{
    switch (choice) {
    case app::ThemeChoice::Light:
        return Theme::Mode::Light;
    case app::ThemeChoice::Dark:
        return Theme::Mode::Dark;
    case app::ThemeChoice::System:
        break;
    }
    return Theme::Mode::System;
}

// The one window of a program that cannot start: the sentence and a button.
int showStartError(const Theme& theme, const app::UserError& error)
{
    EmptyState window(theme);
    window.setWindowTitle(QStringLiteral("Inglenook"));
    window.setAutoFillBackground(true);
    window.setWords(QStringLiteral("info"), EmptyState::tr("Inglenook cannot start"),
                    error.sentence);
    QObject::connect(window.addButton(EmptyState::tr("Close"), Button::Kind::Primary),
                     &QPushButton::clicked, &window, &QWidget::close);
    window.resize(440, 240);
    window.show();
    QApplication::exec();
    return 1;
}

// Under Wayland a window may come to the front only with what the desktop gave to the second start.
constexpr const char* kActivation = "XDG_ACTIVATION_TOKEN";

app::InstanceCall callOf(const CommandLine& line)
{
    return {.modelPath =
                line.modelPath.isEmpty() ? QString() : QFileInfo(line.modelPath).absoluteFilePath(),
            .activation = qgetenv(kActivation)};
}

void takeCall(MainWindow& window, const app::InstanceCall& call)
{
    if (!call.activation.isEmpty()) qputenv(kActivation, call.activation);
    window.comeToFront();
    if (!call.modelPath.isEmpty()) window.openModel(call.modelPath);
}

} // namespace

void applyTheme(QApplication& application, const Theme& theme)
{
    QApplication::setStyle(new NookStyle(theme));
    const auto apply = [&theme] {
        QApplication::setPalette(theme.palette());
        QApplication::setFont(theme.font(Theme::TextStyle::Ui));
        QPalette tip = theme.palette();
        tip.setColor(QPalette::Inactive, QPalette::ToolTipBase, theme.color(Theme::Token::Text));
        QToolTip::setPalette(tip);
        QToolTip::setFont(theme.font(Theme::TextStyle::Caption));
    };
    apply();
    QObject::connect(&theme, &Theme::changed, &application, apply);
}

int runApplication(QApplication& application, const CommandLine& line)
{
    const app::Paths paths = app::Paths::standard();
    app::ApplicationCore core(paths);
    Theme theme(line.theme.value_or(modeOf(core.settings().get(app::settings::kTheme))));
    theme.setTextScale(core.settings().get(app::settings::kTextSize) / kUsualTextSize);
    applyTheme(application, theme);
    QIcon icon;
    for (const int size : {16, 24, 32, 48, 64, 128, 256})
        icon.addPixmap(theme.icons().appIcon(size, 1.0));
    QApplication::setWindowIcon(icon);

    if (const auto error = core.start()) {
        if (!line.demoQuestion && app::callRunningInstance(paths.dataFolder, callOf(line)))
            return 0;
        QTextStream(stderr) << "inglenook: " << error->sentence << Qt::endl;
        return line.demoQuestion ? 1 : showStartError(theme, *error);
    }
    app::InstanceListener second;
    if (!line.demoQuestion) second.listen(paths.dataFolder);
    MainWindow window(theme, core);
    QObject::connect(&second, &app::InstanceListener::called, &window,
                     [&window](const app::InstanceCall& call) { takeCall(window, call); });
    if (!line.demoQuestion) window.restore();
    window.show();
    if (line.modelPath.isEmpty())
        core.loadLastModel();
    else
        window.openModel(line.modelPath);
    DemoPlayer demo(line, theme, core, window);
    if (line.demoQuestion) demo.start();
    return QApplication::exec();
}

} // namespace ui
