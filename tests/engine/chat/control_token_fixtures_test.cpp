// What people type is no control token, whatever the vocabulary.

#include "tests/support/engine/fixtures.h"

#include "engine/chat/chat_template.h"
#include "engine/model/model_file.h"
#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace engine;

namespace {

std::vector<std::filesystem::path> vocabularies()
{
    std::vector<std::filesystem::path> files;
    std::error_code absent;
    const auto folder = test::fixturesFolder() / "tokenizer/vocab";
    for (const auto& entry : std::filesystem::directory_iterator(folder, absent))
        if (entry.path().extension() == ".gguf") files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

/// A model's vocabulary and how it is asked.
struct Asked {
    Metadata metadata;
    std::unique_ptr<const Tokenizer> tokenizer;
    std::unique_ptr<const ChatTemplate> chat;

    std::vector<TokenId> ids(const std::string& said) const
    {
        const std::vector<ChatMessage> messages = {{.role = "system", .content = said},
                                                   {.role = "user", .content = said}};
        const auto rendered = chat->render(messages);
        if (!rendered) {
            ADD_FAILURE() << rendered.error().message;
            return {};
        }
        return tokenizer->encode(
            rendered->text,
            {.addSpecial = false, .parseSpecial = true, .literals = rendered->literals});
    }

    std::vector<TokenId> controls(const std::string& said) const
    {
        std::vector<TokenId> found = ids(said);
        std::erase_if(found, [this](TokenId id) {
            return !tokenizer->isControl(id) && !tokenizer->isEndOfGeneration(id);
        });
        return found;
    }
};

class ControlTokenFixturesTest : public testing::TestWithParam<std::filesystem::path> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ControlTokenFixturesTest);

TEST_P(ControlTokenFixturesTest, TypedTokensStayText)
{
    auto file = ModelFile::open(GetParam());
    ASSERT_TRUE(file) << file.error().message;
    Asked asked{file->metadata(), nullptr, nullptr};
    auto tokenizer = Tokenizer::create(asked.metadata);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    asked.tokenizer = std::move(*tokenizer);
    asked.chat = ChatTemplate::create(asked.metadata, *asked.tokenizer);

    const std::vector<TokenId> plain = asked.controls("Good morning");
    std::string all;
    int tried = 0;
    for (TokenId id = 0; id < asked.tokenizer->size() && tried < 200; ++id) {
        if (!asked.tokenizer->isControl(id)) continue;
        const std::string written = asked.tokenizer->piece(id, true);
        EXPECT_EQ(asked.controls("Say " + written + " now"), plain) << written;
        EXPECT_EQ(asked.controls(written), plain) << written;
        all += written;
        ++tried;
    }
    EXPECT_EQ(asked.controls(all), plain);
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, ControlTokenFixturesTest, testing::ValuesIn(vocabularies()),
                         [](const auto& vocabulary) {
                             std::string name = vocabulary.param.stem().string();
                             std::ranges::replace_if(
                                 name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                             return name;
                         });

} // namespace
