#include "tests/support/engine/fake_model.h"

#include "engine/generation/local_session.h"

#include <gtest/gtest.h>

namespace {

using engine::StopReason;
using engine::TokenId;

engine::SamplingSettings greedy()
{
    engine::SamplingSettings settings;
    settings.temperature = 0;
    return settings;
}

class LocalSessionTest : public testing::Test {
protected:
    void start(std::string script, engine::SessionOptions options = {})
    {
        model = std::make_shared<test::ScriptedModel>(std::move(script));
        session = engine::LocalSession::create(model, options).value();
        callbacks.settings = [] { return greedy(); };
        callbacks.token = [this](const engine::TokenEvent& event) {
            streamed += event.text;
            thought += event.reasoning;
        };
    }

    engine::Result<engine::GenerationResult>
    say(std::string_view prompt, std::vector<std::string> stops = {}, std::stop_token stop = {})
    {
        const std::vector<TokenId> ids = model->tokenizer().encode(prompt, {});
        model->pass.promptLength = static_cast<int>(ids.size());
        streamed.clear();
        thought.clear();
        return session->generate(ids, {.stopStrings = std::move(stops), .format = format},
                                 callbacks, stop);
    }

    std::shared_ptr<test::ScriptedModel> model;
    std::unique_ptr<engine::Session> session;
    engine::GenerationCallbacks callbacks;
    std::optional<engine::ReplyFormat> format;
    std::string streamed;
    std::string thought;
};

TEST_F(LocalSessionTest, StreamsUntilTheEndOfGeneration)
{
    start("warm");
    const auto result = say("tea");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->text, "warm");
    EXPECT_EQ(streamed, "warm");
    EXPECT_EQ(result->stopReason, StopReason::EndOfGeneration);
    EXPECT_EQ(result->ids.size(), 4U);
}

TEST_F(LocalSessionTest, StopsBeforeAStopString)
{
    start("one END two");
    const auto result = say("tea", {"END"});
    EXPECT_EQ(result->text, "one ");
    EXPECT_EQ(streamed, "one ");
    EXPECT_EQ(result->stopReason, StopReason::StopString);
}

TEST_F(LocalSessionTest, ReleasesWhatOnlyLookedLikeAStopString)
{
    start("one EN");
    const auto result = say("tea", {"END"});
    EXPECT_EQ(result->text, "one EN");
    EXPECT_EQ(streamed, "one ");
    EXPECT_EQ(result->trailing.text, "EN");
}

TEST_F(LocalSessionTest, AnUnfinishedCharacterIsReplacedAtTheEnd)
{
    start("caf\xC3");
    const auto result = say("tea");
    EXPECT_EQ(result->text, "caf\uFFFD");
    EXPECT_EQ(streamed + result->trailing.text, result->text);
}

TEST_F(LocalSessionTest, AChatsReplyIsTakenApart)
{
    const std::string script = "<think>\nhm\n</think>\n\nwarm \n";
    start(script);
    const auto raw = say("tea");
    EXPECT_EQ(raw->text, script);
    EXPECT_TRUE(raw->reasoning.empty());
    format.emplace();
    const auto result = say("tea");
    EXPECT_EQ(result->text, "warm \n");
    EXPECT_EQ(result->reasoning, "hm");
    EXPECT_EQ(streamed, "warm \n");
    EXPECT_EQ(thought, "hm");
}

TEST_F(LocalSessionTest, TheTemplateMayHaveBegunTheThought)
{
    start("hm</think>warm");
    format = {.promptEnd = "assistant\n<think>\n"};
    const auto result = say("tea");
    EXPECT_EQ(result->text, "warm");
    EXPECT_EQ(result->reasoning, "hm");
}

TEST_F(LocalSessionTest, WhatWasHeldBackIsThereWhereAStopStringEndsTheReply)
{
    start("<think>a</th one END two");
    format.emplace();
    const auto result = say("tea", {"END"});
    EXPECT_EQ(result->reasoning, "a</th one");
    EXPECT_EQ(thought + result->trailing.reasoning, result->reasoning);
    EXPECT_TRUE(result->text.empty());
    EXPECT_EQ(result->stopReason, StopReason::StopString);
}

TEST_F(LocalSessionTest, CallsAreTakenOutWhereToolsWereOffered)
{
    const std::string call = R"(<tool_call>{"name":"f","arguments":{}}</tool_call>)";
    start("So: " + call, {.contextLength = 256});
    format.emplace();
    EXPECT_EQ(say("tea")->text, "So: " + call);
    format->toolsOffered = true;
    std::vector<std::string> called;
    callbacks.token = [&](const engine::TokenEvent& event) {
        for (const engine::ToolCall& made : event.toolCalls)
            called.push_back(made.name);
    };
    const auto result = say("tea");
    EXPECT_EQ(result->text, "So:");
    ASSERT_EQ(result->toolCalls.size(), 1U);
    EXPECT_EQ(result->toolCalls[0].arguments, "{}");
    EXPECT_EQ(called, std::vector<std::string>{"f"});
}

TEST_F(LocalSessionTest, ReusesTheSharedPrefix)
{
    start("warm");
    ASSERT_TRUE(say("tea is"));
    model->pass.computed = 0;
    const auto result = say("tea is hot");
    EXPECT_EQ(result->text, "warm");
    EXPECT_EQ(result->timings.reusedTokens, 6);
    EXPECT_EQ(model->pass.computed, 4 + 4); // " hot", "warm"
}

TEST_F(LocalSessionTest, TheSamePromptComputesItsLastTokenAgain)
{
    start("warm");
    ASSERT_TRUE(say("tea"));
    EXPECT_EQ(say("tea")->timings.reusedTokens, 2);
}

TEST_F(LocalSessionTest, StopsWithinOneToken)
{
    start("a long reply");
    std::stop_source stop;
    callbacks.token = [&](const engine::TokenEvent& event) {
        streamed += event.text;
        if (streamed == "a l") stop.request_stop();
    };
    const auto result = say("tea", {}, stop.get_token());
    EXPECT_EQ(result->text, "a l");
    EXPECT_EQ(result->stopReason, StopReason::Cancelled);
}

TEST_F(LocalSessionTest, StopsBetweenPrefillChunks)
{
    start("warm", {.prefillChunk = 2});
    std::stop_source stop;
    callbacks.prefill = [&](int done, int) {
        if (done >= 4) stop.request_stop();
    };
    const auto result = say("a longer prompt", {}, stop.get_token());
    EXPECT_EQ(result->stopReason, StopReason::Cancelled);
    EXPECT_EQ(model->pass.computed, 6);
    // What was computed is reused.
    callbacks.prefill = nullptr;
    EXPECT_EQ(say("a longer prompt")->timings.reusedTokens, 6);
}

TEST_F(LocalSessionTest, ReadsTheSettingsBeforeEveryToken)
{
    start("abcdef");
    std::uint64_t version = 0;
    std::vector<std::uint64_t> seen;
    callbacks.settings = [&] {
        engine::SamplingSettings settings = greedy();
        settings.version = version;
        return settings;
    };
    callbacks.token = [&](const engine::TokenEvent& event) {
        seen.push_back(event.settingsVersion);
        if (seen.size() == 2) version = 9;
    };
    ASSERT_TRUE(say("tea"));
    EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 0, 9, 9, 9, 9, 9}));
}

TEST_F(LocalSessionTest, MaxTokensAndAFullContextEndTheReply)
{
    start(std::string(100, 'x'), {.contextLength = 10});
    EXPECT_EQ(say("tea")->stopReason, StopReason::ContextFull);
    EXPECT_EQ(streamed.size(), 8U); // positions 3 to 9, and one more that is never computed
    callbacks.settings = [] {
        engine::SamplingSettings settings = greedy();
        settings.maxTokens = 3;
        return settings;
    };
    const auto result = say("tea");
    EXPECT_EQ(result->stopReason, StopReason::MaxTokens);
    EXPECT_EQ(result->text, "xxx");
}

TEST_F(LocalSessionTest, GuessesChangeNothingButTheSpeed)
{
    const std::string script = "tick tack tick tack tick tock tick tack tick";
    start(script);
    const auto guessed = say("tick tack, ");
    EXPECT_EQ(guessed->text, script);
    EXPECT_EQ(streamed, script);
    EXPECT_GT(guessed->timings.guessedTokens, 0);
    EXPECT_GT(guessed->timings.usedGuesses, 0);
    EXPECT_LE(guessed->timings.usedGuesses, guessed->timings.guessedTokens);
    EXPECT_EQ(session->contextUsed(), 11 + static_cast<int>(script.size()));
    // What was guessed wrong is not taken for computed.
    EXPECT_EQ(say("tick tack, tick tack tick tock")->timings.reusedTokens, 27);
    start(script, {.lookUp = false});
    const auto plain = say("tick tack, ");
    EXPECT_EQ(plain->ids, guessed->ids);
    EXPECT_EQ(plain->timings.guessedTokens, 0);
}

TEST_F(LocalSessionTest, ADraftModelGuessesWhereNothingRepeats)
{
    const std::string script = "the quick brown fox jumps";
    for (const std::string& drafted : {script, std::string("the slow brown ox"), std::string()}) {
        const auto draft = std::make_shared<test::ScriptedModel>(drafted);
        draft->pass.promptLength = 3;
        start(script, {.draft = draft});
        const auto result = say("tea");
        ASSERT_TRUE(result);
        EXPECT_EQ(result->text, script);
        EXPECT_EQ(result->timings.usedGuesses > 0, !drafted.empty()) << drafted;
    }
}

TEST_F(LocalSessionTest, GuessesStayWithinTheContext)
{
    start(std::string(200, 'x'), {.contextLength = 40});
    EXPECT_EQ(say("tea")->stopReason, StopReason::ContextFull);
    EXPECT_EQ(streamed.size(), 38U);
    EXPECT_LE(session->contextUsed(), 40);
}

TEST_F(LocalSessionTest, StoppedAmongGuessesItGoesOnFromThere)
{
    start("ababababababababab");
    std::stop_source stop;
    callbacks.token = [&](const engine::TokenEvent& event) {
        streamed += event.text;
        if (streamed.size() == 9) stop.request_stop();
    };
    EXPECT_EQ(say("tea", {}, stop.get_token())->text, "ababababa");
    const int used = session->contextUsed();
    callbacks.token = nullptr;
    model->pass.computed = 0;
    EXPECT_EQ(say("teaabababxx")->text, "ababababababababab");
    EXPECT_LE(used, 12);
}

TEST_F(LocalSessionTest, KeepsASmallCacheExact)
{
    const auto typeFor = [](std::uint64_t bytesPerToken, engine::SessionOptions options) {
        const auto sized = std::make_shared<test::ScriptedModel>("warm", bytesPerToken);
        EXPECT_TRUE(engine::LocalSession::create(sized, options));
        return sized->pass.stateType;
    };
    EXPECT_EQ(typeFor(640, {.contextLength = 512}), engine::KvType::F32);
    EXPECT_EQ(typeFor(640, {.contextLength = 1 << 20}), engine::KvType::F16);
    EXPECT_EQ(typeFor(32768, {.contextLength = 4096}), engine::KvType::F16);
    EXPECT_EQ(typeFor(~0ULL, {.contextLength = 512}), engine::KvType::F16);
    EXPECT_EQ(typeFor(640, {.contextLength = 512, .kv = engine::KvType::Q8_0}),
              engine::KvType::Q8_0);
}

TEST_F(LocalSessionTest, RefusesAPromptThatDoesNotFit)
{
    start("warm", {.contextLength = 4});
    EXPECT_EQ(say("").error().code, engine::ErrorCode::InvalidArgument);
    const auto result = say("four");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, engine::ErrorCode::ContextFull);
    EXPECT_EQ(result.error().expected, 5U);
    EXPECT_EQ(result.error().found, 4U);
}

} // namespace
