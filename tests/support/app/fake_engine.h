#pragma once

#include "app/inference/engine_factory.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace test {

/// What the fake engine does; shared with the tests, which change it while it runs.
struct FakeEngineControls {
    std::atomic<int> tokenMilliseconds = 0;
    std::atomic<int> prefillChunks = 0; ///< of one millisecond each
    std::atomic<int> loadSteps = 4;
    std::atomic<int> loadMilliseconds = 0; ///< a step
    std::atomic<std::uint64_t> tensorBytes = 1000;

    // Set before the engine is used.
    std::vector<std::string> reply{"Once", " upon", " a", " time", "."}; ///< token by token
    std::string trailingText;
    std::string modelName; ///< empty: the file's
    std::optional<engine::Error> inspectError;
    std::optional<engine::Error> openError;
    std::optional<engine::Error> sessionError;
    std::optional<engine::Error> generateError; ///< after the reply's tokens
    bool allocationFails = false;               ///< generate() throws bad_alloc
    bool endless = false;                       ///< the reply repeats until it is stopped

    // What it saw.
    std::atomic<int> modelsAlive = 0;
    std::atomic<int> sessionsMade = 0;
    std::atomic<int> tokensDecoded = 0;
    std::atomic<int> lastContextLength = 0;
    std::atomic<int> lastThreads = -1;
    std::atomic<std::uint64_t> keptBytes = 0; ///< of the last session
    std::atomic<int> promptCharacters = 0;    ///< of the last prompt, roles and texts
    std::vector<std::string> stopStrings;     ///< of the last reply; read when it has ended
};

/// An engine without weights: a prompt is the characters of its turns, a reply the words of the
/// controls, each a token. Deterministic.
app::EngineFactory fakeEngine(std::shared_ptr<FakeEngineControls> controls);

} // namespace test
