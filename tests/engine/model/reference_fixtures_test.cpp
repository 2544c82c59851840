// The reference forward pass against golden logits of every architecture and tensor type.

#include "tests/support/engine/fixtures.h"
#include "tests/support/engine/golden_logits.h"

#include "engine/model/model_file.h"
#include "engine/model/reference_forward_pass.h"

#include <cctype>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>

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

struct ArchitectureCase {
    const char* model;
    LogitRule rule = kRuleA;
    bool isLong = false;
};

class ReferenceArchitecture : public testing::TestWithParam<ArchitectureCase> {};

TEST_P(ReferenceArchitecture, GivesGoldenLogits)
{
    REQUIRE_FIXTURES();
    const auto& [model, rule, isLong] = GetParam();
    const auto pass =
        openReference(fixturesFolder() / "arch/models" / (std::string(model) + ".gguf"));
    ASSERT_NE(pass, nullptr);
    const GoldenRun shortRun = readArchitectureRun(model, "short");
    EXPECT_TRUE(nearGolden(logitsOf(*pass, shortRun), shortRun, rule));
    if (!isLong) return;
    const GoldenRun longRun = readArchitectureRun(model, "long");
    EXPECT_TRUE(nearGolden(logitsOf(*pass, longRun), longRun, rule));
}

// clang-format off
const ArchitectureCase kCases[] = {
    {"cohere2", kRuleA, true},
    {"command-r"},
    {"deepseek2-fusedexps"},
    {"deepseek2-mla", kRuleA, true},
    {"ernie4_5"},
    {"exaone"},
    {"falcon7b", kRuleB},
    {"gemma", kRuleB},
    {"gemma2", kRuleB, true},
    {"gemma3", kRuleB, true},
    {"glm4"},
    {"gpt-oss-f32", kRuleA, true},
    {"gpt2", kRuleB},
    {"gptneox", kRuleB},
    {"granite"},
    {"granitemoe"},
    {"internlm2"},
    {"lfm2"},
    {"llama-bias"},
    {"llama-gqa"},
    {"llama-mixtral"},
    {"llama-tied"},
    {"llama3-ropefactors", kRuleA, true},
    {"mamba"},
    {"minicpm"},
    {"mistral-linear", kRuleA, true},
    {"mistral-yarn", kRuleA, true},
    {"olmo"},
    {"olmo2"},
    {"phi2", kRuleB},
    {"phi3"},
    {"phi3-longrope", kRuleA, true},
    {"qwen2"},
    {"qwen2moe"},
    {"qwen3"},
    {"qwen35"},
    {"qwen3moe"},
    {"smollm3"},
    {"stablelm"},
    {"starcoder2", kRuleB},
};
// clang-format on

std::string caseName(const testing::TestParamInfo<ArchitectureCase>& info)
{
    std::string name = info.param.model;
    for (char& letter : name)
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, ReferenceArchitecture, testing::ValuesIn(kCases), caseName);

TEST(ReferenceFixtures, MxfpExpertsEqualTheirValuesInF32)
{
    REQUIRE_FIXTURES();
    const auto pass = openReference(fixturesFolder() / "arch/models/gpt-oss.gguf");
    ASSERT_NE(pass, nullptr);
    const GoldenRun run = readArchitectureRun("gpt-oss-f32", "short");
    EXPECT_TRUE(nearGolden(logitsOf(*pass, run), run, kRuleA));
}

TEST(ReferenceFixtures, SplitSetIsOneModel)
{
    REQUIRE_FIXTURES();
    const auto pass = openReference(fixturesFolder() / "arch/split/llama-gqa-00002-of-00003.gguf");
    ASSERT_NE(pass, nullptr);
    const GoldenRun run = readArchitectureRun("llama-gqa", "short");
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
