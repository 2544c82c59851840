// Made-up tokenizer.json files of every kind of step; ids and texts are those of the tokenizers
// library (tests/peers/tokenizer_steps.py --golden).

#include "tests/support/engine/processor_time.h"

#include "engine/huggingface/model_config.h"
#include "engine/huggingface/vocabulary.h"
#include "engine/tokenizer/tokenizer.h"

#include <fstream>
#include <gtest/gtest.h>

namespace {

using nlohmann::json;

const json& cases()
{
    static const json all = [] {
        std::ifstream file(std::filesystem::path(INGLENOOK_SOURCE_DIR) /
                           "tests/data/tokenizer/steps.json");
        return json::parse(file, nullptr, false);
    }();
    return all;
}

engine::Result<std::unique_ptr<const engine::Tokenizer>> tokenizerOf(const json& file)
{
    engine::TokenizerFiles files;
    files.tokenizer = file;
    engine::Metadata metadata;
    TRY(engine::writeVocabulary(files, engine::ModelConfig::fromJson(json::object()),
                                engine::tokenCount(files), metadata));
    return engine::Tokenizer::create(metadata);
}

std::vector<std::string> names()
{
    std::vector<std::string> names;
    for (const json& one : cases())
        names.push_back(one["name"]);
    return names;
}

class TokenizerSteps : public ::testing::TestWithParam<std::string> {};

TEST_P(TokenizerSteps, GiveTheIdsAndTextsOfTheFilesOwnReader)
{
    const auto one = std::ranges::find(cases(), json(GetParam()),
                                       [](const json& value) { return value["name"]; });
    ASSERT_NE(one, cases().end());
    const auto tokenizer = tokenizerOf((*one)["tokenizer"]);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    for (const json& row : (*one)["texts"]) {
        const std::string text = row["text"];
        EXPECT_EQ((*tokenizer)->encode(text, {.addSpecial = true, .parseSpecial = true}),
                  row["ids"].get<std::vector<engine::TokenId>>())
            << text;
        const auto plain = (*tokenizer)->encode(text, {.addSpecial = false, .parseSpecial = true});
        EXPECT_EQ((*tokenizer)->decode(plain, {}), row["decoded"].get<std::string>()) << text;
    }
}

TEST_P(TokenizerSteps, TakeNotLongWithAnyText)
{
    constexpr std::size_t kLength = 100'000;
    const auto one = std::ranges::find(cases(), json(GetParam()),
                                       [](const json& value) { return value["name"]; });
    const auto tokenizer = tokenizerOf((*one)["tokenizer"]);
    ASSERT_TRUE(tokenizer);
    for (const std::string_view part : {"a", " ", "7", "\n", "\xF0", "e\u0301", "\u2581", "aB"}) {
        std::string text;
        while (text.size() < kLength)
            text += part;
        const test::ProcessorTime time;
        (*tokenizer)->encode(text, {});
        EXPECT_LT(time.seconds(), 1) << part;
    }
}

TEST(TokenizerStepsTest, BytesOfNoCharacterAreMarkedOneByOne)
{
    const auto one = std::ranges::find(cases(), json("decode-strip-letters"),
                                       [](const json& value) { return value["name"]; });
    ASSERT_NE(one, cases().end());
    const json& vocab = (*one)["tokenizer"]["model"]["vocab"];
    const auto tokenizer = tokenizerOf((*one)["tokenizer"]);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    const std::vector<engine::TokenId> ids = {vocab["<0xE2>"], vocab["<0x82>"], vocab["a"],
                                              vocab["<0xE2>"], vocab["<0x82>"], vocab["<0xAC>"]};
    EXPECT_EQ((*tokenizer)->decode(ids, {}), "\uFFFD\uFFFDa\u20AC");
}

TEST(TokenizerStepsTest, AStepThatIsNotKnownIsNamed)
{
    for (const char* const list : {"normalizer", "pre_tokenizer", "decoder", "post_processor"}) {
        json file = cases().front()["tokenizer"];
        file[list] = {{"type", "Sharpen"}};
        const auto refused = tokenizerOf(file);
        ASSERT_FALSE(refused) << list;
        EXPECT_EQ(refused.error().code, engine::ErrorCode::UnsupportedTokenizer);
        EXPECT_EQ(refused.error().subject, "Sharpen");
        EXPECT_TRUE(refused.error().message.contains("\"Sharpen\"")) << refused.error().message;
    }
}

INSTANTIATE_TEST_SUITE_P(Files, TokenizerSteps, ::testing::ValuesIn(names()), [](const auto& row) {
    std::string name = row.param;
    std::erase(name, '-');
    return name;
});

} // namespace
