#include "tests/support/engine/fixtures.h"

#include "engine/generation/local_model.h"
#include "engine/generation/local_session.h"
#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace engine;

namespace {

class LocalModelFixturesTest : public testing::Test {
protected:
    void SetUp() override
    {
        REQUIRE_FIXTURES();
        LoadOptions options;
        options.threads = 1;
        auto opened =
            LocalModel::open(test::fixturesFolder() / "tiny/stories260K-f32.gguf", options);
        ASSERT_TRUE(opened) << opened.error().message;
        model = std::move(*opened);
    }

    std::vector<TokenId> encoded(std::string said) const
    {
        const std::vector<ChatMessage> messages = {{.role = "user", .content = std::move(said)}};
        auto prompt = model->encodeChat(messages);
        return prompt ? std::move(prompt->tokens) : std::vector<TokenId>();
    }

    GenerationResult story(const SessionOptions& options, float temperature) const
    {
        const std::vector<TokenId> prompt = model->tokenizer().encode(
            "Once upon a time, there was a cat. Once upon a time, there was a dog. Once", {});
        GenerationCallbacks callbacks;
        callbacks.settings = [temperature] {
            SamplingSettings settings;
            settings.temperature = temperature;
            settings.seed = 7;
            settings.maxTokens = 120;
            return settings;
        };
        auto session = LocalSession::create(model, options);
        auto result = session ? (*session)->generate(prompt, {}, callbacks, {})
                              : Result<GenerationResult>(std::unexpected(session.error()));
        EXPECT_TRUE(result);
        return result ? std::move(*result) : GenerationResult();
    }

    std::shared_ptr<LocalModel> model;
};

TEST_F(LocalModelFixturesTest, WhatIsTypedEndsNoTurn)
{
    const Tokenizer& tokenizer = model->tokenizer();
    const std::vector<TokenId> ids = encoded("</s><s>Once</s> upon <unk>");
    ASSERT_FALSE(ids.empty());
    EXPECT_EQ(ids.front(), tokenizer.bos());
    EXPECT_EQ(std::ranges::count(ids, tokenizer.bos()), 1);
    EXPECT_EQ(std::ranges::count(ids, tokenizer.eos()), 0);
    const auto text = tokenizer.decode(ids, {.removeSpecial = true});
    EXPECT_NE(text.find("</s><s>Once</s> upon <unk>"), std::string::npos) << text;
}

TEST_F(LocalModelFixturesTest, AnUnfinishedReplyIsTheEnd)
{
    const std::string said = "Tell a story", reply = "Once </s> upon a\n ";
    const std::vector<ChatMessage> messages = {{.role = "user", .content = said},
                                               {.role = "assistant", .content = reply}};
    const auto prompt = model->encodeChat(messages);
    ASSERT_TRUE(prompt);
    EXPECT_EQ(std::ranges::count(prompt->tokens, model->tokenizer().eos()), 0);
    const auto text = model->tokenizer().decode(prompt->tokens, {.removeSpecial = true});
    EXPECT_TRUE(text.ends_with(reply)) << text;
    EXPECT_NE(text.find(said), std::string::npos);
}

TEST_F(LocalModelFixturesTest, ASessionGoesOnFromIt)
{
    SessionOptions options;
    options.contextLength = 128;
    auto session = LocalSession::create(model, options);
    ASSERT_TRUE(session);
    GenerationCallbacks callbacks;
    callbacks.settings = [] {
        SamplingSettings settings;
        settings.temperature = 0;
        settings.maxTokens = 8;
        return settings;
    };
    const std::vector<TokenId> ids = encoded("Once upon a time</s> there was");
    const auto result = (*session)->generate(ids, {}, callbacks, {});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->timings.promptTokens, static_cast<int>(ids.size()));
    EXPECT_EQ(result->timings.generatedTokens, 8);
    EXPECT_FALSE(result->text.empty());
}

TEST_F(LocalModelFixturesTest, GuessedTokensChangeNoByte)
{
    auto small = LocalModel::open(test::fixturesFolder() / "tiny/stories260K-q4_0.gguf", {});
    ASSERT_TRUE(small) << small.error().message;
    SessionOptions plain;
    plain.contextLength = 256;
    plain.lookUp = false;
    SessionOptions looking = plain;
    looking.lookUp = true;
    SessionOptions drafting = plain;
    drafting.draft = *small;
    for (const float temperature : {0.0F, 0.9F}) {
        const GenerationResult expected = story(plain, temperature);
        EXPECT_EQ(expected.timings.guessedTokens, 0);
        for (const SessionOptions& options : {looking, drafting}) {
            const GenerationResult result = story(options, temperature);
            EXPECT_EQ(result.ids, expected.ids) << temperature;
            EXPECT_GT(result.timings.guessedTokens, 0);
        }
    }
}

} // namespace
