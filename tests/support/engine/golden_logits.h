#pragma once

#include "tests/support/engine/npy.h"

#include "engine/model/forward_pass.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// Logits after a prompt and after each of some tokens fed one by one.
struct GoldenRun {
    std::vector<engine::TokenId> prompt;
    std::vector<engine::TokenId> then;
    int contextLength = 0;
    NpyArray logits; ///< (1 + then.size(), vocabulary)
};

/// A run of arch/golden/NAME.json, "short" or "long".
GoldenRun readArchitectureRun(const std::string& model, const std::string& run);
/// A run of quant/golden/NAME.json; `suffix` is "f32act" or "llamacpp".
GoldenRun readQuantizedRun(const std::string& model, std::string_view suffix);

/// How far logits may be from golden ones: parts of their standard deviation, nats.
struct LogitRule {
    double maxDifference = 1e-3;
    double maxDivergence = 1e-7;
    double marginForArgmax = 0; ///< rows whose best two are nearer may swap them; of the deviation
};

/// The rules of the fixtures' index, by its letters.
inline constexpr LogitRule kRuleA{};
inline constexpr LogitRule kRuleB{.maxDifference = 1e-2, .maxDivergence = 1e-5};
inline constexpr LogitRule kRuleC{.maxDifference = 0.1, .maxDivergence = 2e-4};
inline constexpr LogitRule kRuleQuantized{
    .maxDifference = 0.25, .maxDivergence = 2e-3, .marginForArgmax = 0.4};

/// Runs the prompt in one call and then token by token. Rows as in GoldenRun::logits.
std::vector<float> logitsOf(engine::ForwardPass& pass, const GoldenRun& run,
                            engine::KvType kv = engine::KvType::F32);

testing::AssertionResult nearGolden(std::span<const float> logits, const GoldenRun& run,
                                    const LogitRule& rule);

} // namespace test
