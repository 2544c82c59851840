// The reference forward pass against golden logits of every architecture and tensor type there is a
// model of.

#include "tests/support/engine/fixtures.h"
#include "tests/support/engine/golden_logits.h"

#include "engine/model/embedding.h"
#include "engine/model/model_file.h"
#include "engine/model/reference_forward_pass.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using namespace engine;
using namespace test;

namespace {

std::unique_ptr<ForwardPass> openReference(const std::filesystem::path& path)
{
    Result<ModelFile> file = ModelFile::open(path);
    if (!file) {
        ADD_FAILURE() << file.error().message;
        return nullptr;
    }
    auto pass = createReferenceForwardPass(std::make_shared<const ModelFile>(std::move(*file)));
    if (!pass) {
        ADD_FAILURE() << pass.error().message;
        return nullptr;
    }
    return std::move(*pass);
}

class ReferenceArchitecture : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceArchitecture, GivesGoldenLogits)
{
    REQUIRE_FIXTURES();
    const std::string& name = GetParam();
    const auto file = openGoldenModel(name);
    ASSERT_NE(file, nullptr);
    const auto pass = createReferenceForwardPass(file);
    ASSERT_TRUE(pass) << pass.error().message;
    for (const GoldenRun& run : readArchitectureRuns(name)) {
        SCOPED_TRACE(run.name);
        const testing::AssertionResult near =
            nearGolden(logitsOf(**pass, run), run, ruleFor(*file));
        EXPECT_TRUE(near);
        RecordProperty(run.name, near.message());
    }
}

std::string testName(const testing::TestParamInfo<std::string>& info)
{
    std::string name = info.param;
    for (char& letter : name)
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
    return name;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ReferenceArchitecture);
INSTANTIATE_TEST_SUITE_P(All, ReferenceArchitecture, testing::ValuesIn(goldenModels(false)),
                         testName);

class EmbeddingFixtures : public testing::TestWithParam<std::string> {};

TEST_P(EmbeddingFixtures, GivesGoldenVectors)
{
    REQUIRE_FIXTURES();
    const std::string& name = GetParam();
    const auto file = openGoldenModel(name);
    ASSERT_NE(file, nullptr);
    const GoldenEmbedding golden = readEmbedding(name);
    for (const bool reference : {true, false}) {
        SCOPED_TRACE(reference ? "reference" : "fast");
        ForwardPassOptions options;
        options.reference = reference;
        const auto model = EmbeddingModel::create(file, options);
        ASSERT_TRUE(model) << model.error().message;
        const auto states = (*model)->hiddenStates(golden.tokens);
        ASSERT_TRUE(states) << states.error().message;
        EXPECT_TRUE(nearVector(*states, golden.states.values));
        if (golden.pooled.values.empty()) continue;
        const auto pooled = (*model)->embed(golden.tokens, {});
        ASSERT_TRUE(pooled) << pooled.error().message;
        EXPECT_TRUE(nearVector(*pooled, golden.pooled.values));
    }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EmbeddingFixtures);
INSTANTIATE_TEST_SUITE_P(All, EmbeddingFixtures, testing::ValuesIn(goldenModels(true)), testName);

TEST(ReferenceFixtures, ModelsOfAllKindsAreThere)
{
    REQUIRE_FIXTURES();
    EXPECT_GE(goldenModels(false).size(), 40U);
    EXPECT_GE(goldenModels(true).size(), 2U);
}

TEST(ReferenceFixtures, MxfpExpertsEqualTheirValuesInF32)
{
    REQUIRE_FIXTURES();
    const auto pass = openReference(fixturesFolder() / "arch/models/gpt-oss.gguf");
    ASSERT_NE(pass, nullptr);
    const GoldenRun run = readArchitectureRuns("gpt-oss-f32").front();
    EXPECT_TRUE(nearGolden(logitsOf(*pass, run), run, kRuleA));
}

TEST(ReferenceFixtures, SplitSetIsOneModel)
{
    REQUIRE_FIXTURES();
    const auto pass = openReference(fixturesFolder() / "arch/split/llama-gqa-00002-of-00003.gguf");
    ASSERT_NE(pass, nullptr);
    const GoldenRun run = readArchitectureRuns("llama-gqa").front();
    EXPECT_TRUE(nearGolden(logitsOf(*pass, run), run, kRuleA));
}

TEST(ReferenceFixtures, EveryTensorTypeGivesTheLogitsOfItsValues)
{
    REQUIRE_FIXTURES();
    int models = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(fixturesFolder() / "quant/models")) {
        const std::string name = entry.path().stem().string();
        SCOPED_TRACE(name);
        const auto pass = openReference(entry.path());
        ASSERT_NE(pass, nullptr);
        const GoldenRun run = readQuantizedRun(name, "f32act");
        EXPECT_TRUE(nearGolden(logitsOf(*pass, run), run, kRuleA));
        ++models;
    }
    EXPECT_GT(models, 20);
}

} // namespace
