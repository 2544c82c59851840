#pragma once

#include "tests/support/engine/npy.h"

#include "engine/model/forward_pass.h"
#include "engine/model/model_file.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// Logits after a prompt and after each of some tokens fed one by one.
struct GoldenRun {
    std::string name; ///< "short", "long"
    std::vector<engine::TokenId> prompt;
    std::vector<engine::TokenId> then;
    int contextLength = 0;
    NpyArray logits; ///< (1 + then.size(), vocabulary)
};

/// The runs of arch/golden/NAME.json, the shortest first.
std::vector<GoldenRun> readArchitectureRuns(const std::string& model);
/// The runs of tiny/golden/NAME.json, whose logits are those of the first rows.
std::vector<GoldenRun> readTrainedRuns(const std::string& model);
/// A run of quant/golden/NAME.json; `suffix` is "f32act" or "llamacpp".
GoldenRun readQuantizedRun(const std::string& model, std::string_view suffix);

/// What an embedding model makes of some tokens, not normalized.
struct GoldenEmbedding {
    std::vector<engine::TokenId> tokens;
    NpyArray states; ///< (tokens, embedding)
    NpyArray pooled; ///< (1, embedding); empty where there is none
};

GoldenEmbedding readEmbedding(const std::string& model);

/// The names in arch/golden, sorted: of models with logits, or of embedding models.
std::vector<std::string> goldenModels(bool embedding);
/// Opens arch/models/NAME.gguf; fails the test and gives null where that fails.
std::shared_ptr<const engine::ModelFile> openGoldenModel(const std::string& model);

/// By the index's rule for embeddings: cosine and largest difference.
testing::AssertionResult nearVector(std::span<const float> ours, std::span<const float> golden);

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

/// How near a model of arch/models comes to its golden logits: GELU is a table of halves where they
/// were made, and tensors of another type than F32 were multiplied with activations of 8 bits.
LogitRule ruleFor(const engine::ModelFile& file);

/// Runs the prompt in one call and then token by token. Rows as in GoldenRun::logits.
std::vector<float> logitsOf(engine::ForwardPass& pass, const GoldenRun& run,
                            engine::KvType kv = engine::KvType::F32);

testing::AssertionResult nearGolden(std::span<const float> logits, const GoldenRun& run,
                                    const LogitRule& rule);

} // namespace test
