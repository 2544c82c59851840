// The fast forward pass against golden logits of every architecture and quantized model there is a
// file for.

#include "tests/support/engine/fixtures.h"
#include "tests/support/engine/golden_logits.h"

#include "engine/model/forward_pass_factory.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace {

std::unique_ptr<engine::ForwardPass> fastPass(std::shared_ptr<const engine::ModelFile> file)
{
    if (file == nullptr) return nullptr;
    engine::ForwardPassOptions options;
    options.threads = 2;
    auto pass = engine::createForwardPass(std::move(file), options);
    if (pass) return std::move(*pass);
    ADD_FAILURE() << pass.error().message;
    return nullptr;
}

TEST(FastFixturesTest, EveryArchitectureGivesGoldenLogits)
{
    REQUIRE_FIXTURES();
    int count = 0;
    for (const std::string& name : test::goldenModels(false)) {
        SCOPED_TRACE(name);
        const auto file = test::openGoldenModel(name);
        const auto pass = fastPass(file);
        if (!pass) continue;
        for (const test::GoldenRun& run : test::readArchitectureRuns(name)) {
            SCOPED_TRACE(run.name);
            EXPECT_TRUE(test::nearGolden(test::logitsOf(*pass, run), run, test::ruleFor(*file)));
            ++count;
        }
    }
    EXPECT_GT(count, 40);
}

TEST(FastFixturesTest, EveryQuantizedModelGivesGoldenLogits)
{
    REQUIRE_FIXTURES();
    int count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(test::fixturesFolder() / "quant/models")) {
        const std::string name = entry.path().stem().string();
        SCOPED_TRACE(name);
        auto file = engine::ModelFile::open(entry.path());
        ASSERT_TRUE(file) << file.error().message;
        const auto pass = fastPass(std::make_shared<const engine::ModelFile>(std::move(*file)));
        if (!pass) continue;
        const test::GoldenRun expected = test::readQuantizedRun(name, "f32act");
        EXPECT_TRUE(
            test::nearGolden(test::logitsOf(*pass, expected), expected, test::kRuleQuantized));
        ++count;
    }
    EXPECT_GT(count, 20);
}

} // namespace
