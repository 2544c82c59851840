// The fast forward pass against golden logits of every architecture and quantized model there is a
// file for.

#include "tests/support/engine/fixtures.h"
#include "tests/support/engine/golden_logits.h"

#include "engine/model/fast_forward_pass.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>

namespace {

namespace fs = std::filesystem;

std::unique_ptr<engine::ForwardPass> openFast(const fs::path& path)
{
    auto file = engine::ModelFile::open(path);
    if (!file) {
        ADD_FAILURE() << file.error().message;
        return nullptr;
    }
    engine::ForwardPassOptions options;
    options.threads = 2;
    auto pass = engine::createFastForwardPass(
        std::make_shared<const engine::ModelFile>(std::move(*file)), options);
    if (!pass) {
        ADD_FAILURE() << pass.error().message;
        return nullptr;
    }
    return std::move(*pass);
}

std::vector<fs::path> goldenFiles(const fs::path& folder)
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

nlohmann::json readJson(const fs::path& path)
{
    std::ifstream file(path);
    return nlohmann::json::parse(file);
}

/// ggml's GELU reads a table of halfs, so its goldens are a little off; MXFP4 experts are
/// multiplied in 8 bits.
test::LogitRule ruleFor(const std::string& name)
{
    static const std::regex gelu(
        "gemma|gpt2|gptneox|phi2|falcon|starcoder|bloom|mpt|codeshell|refact|jais");
    if (name == "gpt-oss") return {.maxDifference = 0.1, .maxDivergence = 1e-3};
    return std::regex_search(name, gelu) ? test::kRuleB : test::kRuleA;
}

TEST(FastFixturesTest, EveryArchitectureGivesGoldenLogits)
{
    REQUIRE_FIXTURES();
    int count = 0;
    for (const fs::path& path : goldenFiles(test::fixturesFolder() / "arch/golden")) {
        const nlohmann::json golden = readJson(path);
        if (!golden.contains("runs") || !golden.contains("model"))
            continue; // embeddings, measurements
        const std::string name = path.stem().string();
        SCOPED_TRACE(name);
        const auto pass =
            openFast(test::fixturesFolder() / "arch/models" / golden["model"].get<std::string>());
        if (!pass) continue;
        for (const auto& [run, unused] : golden["runs"].items()) {
            const test::GoldenRun expected = test::readArchitectureRun(name, run);
            EXPECT_TRUE(test::nearGolden(test::logitsOf(*pass, expected), expected, ruleFor(name)));
            ++count;
        }
    }
    EXPECT_GT(count, 40);
}

TEST(FastFixturesTest, EveryQuantizedModelGivesGoldenLogits)
{
    REQUIRE_FIXTURES();
    int count = 0;
    for (const fs::path& path : goldenFiles(test::fixturesFolder() / "quant/golden")) {
        const nlohmann::json golden = readJson(path);
        if (!golden.contains("forced_tokens")) continue;
        const std::string name = path.stem().string();
        SCOPED_TRACE(name);
        const auto pass =
            openFast(test::fixturesFolder() / "quant/models" / golden["model"].get<std::string>());
        if (!pass) continue;
        const test::GoldenRun expected = test::readQuantizedRun(name, "f32act");
        EXPECT_TRUE(
            test::nearGolden(test::logitsOf(*pass, expected), expected, test::kRuleQuantized));
        ++count;
    }
    EXPECT_GT(count, 20);
}

} // namespace
