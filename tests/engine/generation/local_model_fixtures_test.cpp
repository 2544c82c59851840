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
    const std::vector<TokenId> prompt = model->tokenizer().encode(
        "Once upon a time, there was a cat. Once upon a time, there was a dog. Once", {});
    for (const float temperature : {0.0F, 0.9F}) {
        std::vector<std::vector<TokenId>> replies;
        for (const bool lookUp : {false, true}) {
            SessionOptions options;
            options.contextLength = 256;
            options.lookUp = lookUp;
            auto session = LocalSession::create(model, options);
            ASSERT_TRUE(session);
            GenerationCallbacks callbacks;
            callbacks.settings = [temperature] {
                SamplingSettings settings;
                settings.temperature = temperature;
                settings.seed = 7;
                settings.maxTokens = 120;
                return settings;
            };
            const auto result = (*session)->generate(prompt, {}, callbacks, {});
            ASSERT_TRUE(result);
            replies.push_back(result->ids);
            EXPECT_EQ(result->timings.guessedTokens > 0, lookUp);
        }
        EXPECT_EQ(replies[0], replies[1]) << temperature;
    }
}

} // namespace
