#pragma once

#include "ui/theme/theme.h"

#include <QDir>
#include <QTest>
#include <QWidget>

namespace test {

/// Saves `window` as screenshots/NAME-dark.png and NAME-light.png of the build, to be looked at.
inline void savePictures(QWidget& window, ui::Theme& theme, const QString& name)
{
    const QDir folder(QStringLiteral(INGLENOOK_BINARY_DIR "/screenshots"));
    QVERIFY(folder.mkpath(QStringLiteral(".")));
    for (const auto& [mode, suffix] :
         {std::pair{ui::Theme::Mode::Dark, "dark"}, std::pair{ui::Theme::Mode::Light, "light"}}) {
        theme.setMode(mode);
        QTest::qWait(60);
        QVERIFY(window.grab().save(
            folder.filePath(QStringLiteral("%1-%2.png").arg(name, QLatin1StringView(suffix)))));
    }
}

} // namespace test
