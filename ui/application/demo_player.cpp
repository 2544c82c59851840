#include "ui/application/demo_player.h"

#include "app/inference/count_text.h"
#include "ui/main_window/main_window.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QTextStream>
#include <QTimer>

#include <cstdio>

namespace ui {

namespace {

constexpr int kSettleMs = 400; // animations and the last frame

void print(FILE* to, const QString& text)
{
    QTextStream(to) << text << Qt::endl;
}

QString variantPath(const QString& path, QLatin1StringView theme)
{
    const QFileInfo file(path);
    return QStringLiteral("%1/%2-%3.%4")
        .arg(file.path(), file.completeBaseName(), theme,
             file.suffix().isEmpty() ? QStringLiteral("png") : file.suffix());
}

} // namespace

DemoPlayer::DemoPlayer(const CommandLine& line, Theme& theme, app::ApplicationCore& core,
                       MainWindow& window, QObject* parent)
    : QObject(parent)
    , m_line(line)
    , m_theme(theme)
    , m_core(core)
    , m_window(window)
{
}

void DemoPlayer::start()
{
    connect(&m_core.inference(), &app::InferenceService::loadFailed, this,
            [this](const app::UserError& error) {
                fail(error.details.isEmpty() ? error.sentence
                                             : error.sentence % QLatin1Char('\n') % error.details);
            });
    connect(&m_core.inference(), &app::InferenceService::modelLoaded, this, &DemoPlayer::ask);
    connect(&m_core.conversations(), &app::ConversationController::messageFinished, this,
            &DemoPlayer::finish);
    connect(&m_core.conversations(), &app::ConversationController::errorOccurred, this,
            [this](const app::UserError& error) { fail(error.sentence); });
    using State = app::InferenceService::ModelState;
    if (m_core.inference().modelState() == State::Ready)
        ask();
    else if (m_core.inference().modelState() != State::Loading)
        fail(tr("There is no model to ask. Name one with --model F.gguf."));
}

void DemoPlayer::ask()
{
    if (std::exchange(m_asked, true)) return;
    m_core.conversations().newConversation();
    m_core.conversations().send(*m_line.demoQuestion);
}

void DemoPlayer::finish(const app::Message& message)
{
    if (message.role != app::Role::Assistant) return;
    for (const app::Message& turn : m_core.conversations().messages())
        print(stdout, (turn.role == app::Role::User ? tr("You") : turn.modelName) %
                          QStringLiteral(":\n") % turn.text % QLatin1Char('\n'));
    const app::MessageStats& stats = message.stats;
    print(stdout, tr("%1, %2 tok/s, %3")
                      .arg(app::tokensText(stats.tokens))
                      .arg(stats.tokensPerSecond, 0, 'f', 1)
                      .arg(app::firstTokenText(stats.secondsToFirstToken)));
    if (message.state == app::MessageState::Failed)
        fail(message.error);
    else
        takeScreenshots(0);
}

void DemoPlayer::fail(const QString& sentence)
{
    print(stderr, QStringLiteral("inglenook: ") % sentence);
    takeScreenshots(1);
}

void DemoPlayer::takeScreenshots(int exitCode)
{
    m_exitCode = exitCode;
    const auto end = [this] { QCoreApplication::exit(m_exitCode); };
    if (m_line.screenshotPath.isEmpty()) {
        QTimer::singleShot(0, this, end);
        return;
    }
    QTimer::singleShot(kSettleMs, this, [this, end] {
        if (!m_line.bothThemes) {
            shoot(m_line.screenshotPath);
            end();
            return;
        }
        m_theme.setMode(Theme::Mode::Light);
        QTimer::singleShot(kSettleMs, this, [this, end] {
            shoot(variantPath(m_line.screenshotPath, QLatin1StringView("light")));
            m_theme.setMode(Theme::Mode::Dark);
            QTimer::singleShot(kSettleMs, this, [this, end] {
                shoot(variantPath(m_line.screenshotPath, QLatin1StringView("dark")));
                end();
            });
        });
    });
}

// A picture that was asked for and is not there is a failure.
void DemoPlayer::shoot(const QString& path)
{
    if (m_window.grab().save(path)) return;
    print(stderr, tr("inglenook: %1 cannot be written.").arg(path));
    m_exitCode = 1;
}

} // namespace ui
