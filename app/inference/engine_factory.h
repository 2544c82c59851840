#pragma once

#include "engine/engine.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace app {

/// How inference reaches the engine; tests put a fake here. Called in the worker's thread only.
struct EngineFactory {
    std::function<engine::Result<engine::ModelInfo>(const std::filesystem::path&)> inspect;
    std::function<engine::Result<std::shared_ptr<engine::Model>>(const std::filesystem::path&,
                                                                 const engine::LoadOptions&)>
        open;
    std::function<engine::Result<std::unique_ptr<engine::Session>>(std::shared_ptr<engine::Model>,
                                                                   engine::SessionOptions)>
        createSession;

    /// The real engine.
    static EngineFactory standard();
};

} // namespace app
