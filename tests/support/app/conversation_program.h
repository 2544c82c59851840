#pragma once

#include "tests/support/app/fake_engine.h"

#include "app/conversation/conversation_controller.h"

#include <QSignalSpy>
#include <QTest>

#include <memory>

namespace test {

/// The services of one start of the program.
struct Program {
    explicit Program(const QString& folder, std::shared_ptr<FakeEngineControls> engineControls =
                                                std::make_shared<FakeEngineControls>())
        : controls(std::move(engineControls))
        , inference(fakeEngine(controls))
        , store(folder)
        , controller(inference, store)
    {
        const QSignalSpy ready(&controller, &app::ConversationController::ready);
        store.open();
        started = QTest::qWaitFor([&] { return !ready.isEmpty(); });
    }

    bool load()
    {
        inference.loadModel(QStringLiteral("/models/fake.gguf"));
        return QTest::qWaitFor(
            [&] { return inference.modelState() == app::InferenceService::ModelState::Ready; });
    }
    bool waitIdle()
    {
        return QTest::qWaitFor(
            [&] { return controller.writingConversation() == 0 && controller.queue().isEmpty(); });
    }
    QStringList texts() const
    {
        QStringList texts;
        for (const app::Message& message : controller.messages())
            texts += message.text;
        return texts;
    }

    std::shared_ptr<FakeEngineControls> controls;
    app::InferenceService inference;
    app::ConversationStore store;
    app::ConversationController controller;
    bool started = false;
};

} // namespace test
