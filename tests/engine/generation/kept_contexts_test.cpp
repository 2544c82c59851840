#include "tests/support/engine/fake_model.h"

#include "engine/generation/local_session.h"

#include <gtest/gtest.h>

namespace {

/// Chats over a model that counts what it computes; a byte of kept memory is a token.
class KeptContextsTest : public testing::Test {
protected:
    void start(std::uint64_t keptBytes)
    {
        session = engine::LocalSession::create(
                      model, {.contextLength = 1000, .lookUp = false, .keptBytes = keptBytes})
                      .value();
    }

    /// Tokens computed to read `prompt` and to answer "ok".
    int computed(const std::string& prompt)
    {
        const std::vector<engine::TokenId> ids = model->tokenizer().encode(prompt, {});
        model->pass.promptLength = static_cast<int>(ids.size());
        const int before = model->pass.computed;
        engine::GenerationCallbacks callbacks;
        callbacks.settings = [] {
            engine::SamplingSettings settings;
            settings.temperature = 0;
            return settings;
        };
        const auto result = session->generate(ids, {}, callbacks, {});
        EXPECT_EQ(result->text, "ok");
        return model->pass.computed - before;
    }

    std::shared_ptr<test::ScriptedModel> model = std::make_shared<test::ScriptedModel>("ok");
    std::unique_ptr<engine::Session> session;
    const std::string a = std::string(200, 'a');
    const std::string b = std::string(300, 'b');
    const std::string c = std::string(250, 'c');
};

TEST_F(KeptContextsTest, AChatThatWasLeftIsGoneOnWith)
{
    start(1000);
    EXPECT_EQ(computed(a), 202);
    EXPECT_EQ(computed(b), 302);
    EXPECT_EQ(computed(a + "ok, and?"), 8); // six letters and the answer
    EXPECT_EQ(computed(b + "ok"), 3);       // the last one, for its logits
    EXPECT_EQ(session->sizeBytes(), 210U);
}

TEST_F(KeptContextsTest, NothingIsKeptWithoutMemoryForIt)
{
    start(0);
    computed(a);
    computed(b);
    EXPECT_EQ(computed(a), 202);
    EXPECT_EQ(session->sizeBytes(), 0U);
}

TEST_F(KeptContextsTest, TheOneLeftLongestAgoIsForgottenFirst)
{
    start(510);
    computed(a);
    computed(b);
    computed(c); // 202 and 302 are kept
    EXPECT_EQ(computed(b), 3);
    EXPECT_EQ(computed(a), 3); // 252 and 302 would be too many
    EXPECT_EQ(computed(c), 252);
}

TEST_F(KeptContextsTest, ABranchBeginsWithACopyAndLeavesTheOther)
{
    start(1000);
    computed(a + b);
    EXPECT_EQ(computed(a + c), 252);
    EXPECT_EQ(computed(a + b), 3);
}

TEST_F(KeptContextsTest, AnAnswerThatIsWrittenAgainKeepsNothing)
{
    start(1000);
    computed(a);
    EXPECT_EQ(computed(a), 3);
    EXPECT_EQ(computed(a + "!"), 3);
    EXPECT_EQ(session->sizeBytes(), 0U);
}

TEST_F(KeptContextsTest, AModelThatCannotRewindGoesOnFromBeforeTheReply)
{
    model->pass.rewindable = false;
    start(0);
    const std::string question = a + "assistant: <think>";
    EXPECT_EQ(computed(question), 220);
    EXPECT_EQ(computed(question), 18); // 16 before the reply, and the reply
    // The thought is left out of the chat, so that the prompts agree on 211 tokens.
    EXPECT_EQ(computed(a + "assistant: ok. " + c), 467 - 202);
}

TEST_F(KeptContextsTest, AFewTokensAreNotWorthKeeping)
{
    start(1000);
    computed("tea");
    computed(a);
    EXPECT_EQ(session->sizeBytes(), 0U);
    computed("tea");
    EXPECT_EQ(session->sizeBytes(), 202U);
    EXPECT_EQ(computed(a), 3);
    EXPECT_EQ(session->sizeBytes(), 0U);
}

} // namespace
