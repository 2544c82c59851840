// The fast forward pass against golden logits of every architecture and quantized model there is a
// file for.

#include "tests/support/engine/fixtures.h"
#include "tests/support/engine/golden_logits.h"

#include "engine/model/forward_pass_factory.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

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

/// Rows that differ from golden ones by less than sums of f32 in another order do.
int equalRows(const std::vector<float>& logits, const test::NpyArray& golden)
{
    int equal = 0;
    for (std::size_t begin = 0; begin < logits.size();
         begin += static_cast<std::size_t>(golden.columns)) {
        float most = 0;
        for (std::size_t i = begin; i < begin + static_cast<std::size_t>(golden.columns); ++i)
            most = std::max(most, std::abs(logits[i] - golden.values[i]));
        equal += most < 1e-4F ? 1 : 0;
    }
    return equal;
}

/// Activations are rounded as where the logits were made, in matrices of 8 and 4 bits and in those
/// of 16 bits beside them. A sum whose last bit is another makes an activation round the other way
/// now and then, and all rows after it differ.
TEST(FastFixturesTest, ActivationsRoundAsGoldenOnesDo)
{
    REQUIRE_FIXTURES();
    for (const std::string name : {"stories260K-q8_0", "stories260K-q4_0"}) {
        SCOPED_TRACE(name);
        auto file = engine::ModelFile::open(test::fixturesFolder() / "tiny" / (name + ".gguf"));
        ASSERT_TRUE(file) << file.error().message;
        const auto pass = fastPass(std::make_shared<const engine::ModelFile>(std::move(*file)));
        ASSERT_TRUE(pass);
        int equal = 0, rows = 0;
        for (const test::GoldenRun& run : test::readTrainedRuns(name)) {
            equal += equalRows(test::logitsOf(*pass, run), run.logits);
            rows += run.logits.rows;
        }
        EXPECT_GE(equal, rows * 3 / 4);
    }
}

} // namespace
