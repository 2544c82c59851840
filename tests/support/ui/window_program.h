#pragma once

#include "tests/support/app/fake_engine.h"

#include "app/application_core.h"
#include "ui/application/application.h"
#include "ui/chat/chat_page.h"
#include "ui/main_window/main_window.h"

#include <QApplication>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace test {

/// The whole window in a home of its own, with a model of the fake engine ready.
struct WindowProgram {
    QTemporaryDir home;
    std::shared_ptr<FakeEngineControls> controls = std::make_shared<FakeEngineControls>();
    app::ApplicationCore core;
    ui::Theme theme{ui::Theme::Mode::Light};
    std::unique_ptr<ui::MainWindow> window;

    /// `contextLength` 0: as the program chooses.
    explicit WindowProgram(int contextLength = 0)
        : core(app::Paths{home.filePath(QStringLiteral("data")),
                          home.filePath(QStringLiteral("config")),
                          home.filePath(QStringLiteral("cache")), QString()},
               fakeEngine(controls))
    {
        core.start();
        core.settings().set(app::settings::kContextLength, contextLength);
        ui::applyTheme(*qApp, theme);
        window = std::make_unique<ui::MainWindow>(theme, core);
        window->show();
        [&] { QVERIFY(QTest::qWaitForWindowActive(window.get())); }();
        core.loadModel(QStringLiteral("/models/fake.gguf"));
        [&] {
            QTRY_COMPARE(core.inference().modelState(), app::InferenceService::ModelState::Ready);
        }();
    }

    ui::ChatPage& chat() const { return *window->chat(); }
};

} // namespace test
