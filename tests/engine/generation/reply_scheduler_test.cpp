// Replies written together are the ones their sessions write alone.

#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/generation/local_model.h"
#include "engine/generation/reply_scheduler.h"
#include "engine/tensor/dtype.h"

#include <gtest/gtest.h>

namespace {

using engine::GenerationResult;
using engine::LocalSession;
using engine::ReplyScheduler;
using engine::Result;
using engine::StopReason;
using engine::TokenId;

class ReplySchedulerTest : public testing::TestWithParam<engine::DType> {
protected:
    void SetUp() override
    {
        test::TinyLlama parameters;
        parameters.matrixType = GetParam();
        parameters.embeddingLength = 256;
        parameters.feedForwardLength = 256;
        auto opened = engine::LocalModel::open(
            test::buildTinyLlama(parameters).write(folder.path() / "model.gguf"), {});
        ASSERT_TRUE(opened) << opened.error().message;
        model = *opened;
    }

    std::unique_ptr<LocalSession> session() const
    {
        return LocalSession::create(model, {.contextLength = 200, .prefillChunk = 16}).value();
    }

    /// The `index`-th of the replies asked for: other prompts, seeds and lengths.
    static std::vector<TokenId> prompt(int index)
    {
        std::vector<TokenId> ids;
        for (int i = 0; i < 3 + (index * 23) % 90; ++i)
            ids.push_back(5 + (i * 31 + index * 7) % 300);
        return ids;
    }
    static engine::ReplyRequest request(int index, std::stop_token stop = {})
    {
        engine::SamplingSettings settings;
        settings.temperature = index % 3 == 0 ? 0 : 0.9F;
        settings.seed = static_cast<std::uint64_t>(index);
        settings.maxTokens = 10 + (index * 17) % 60;
        engine::ReplyRequest request;
        request.callbacks.settings = [settings] { return settings; };
        request.stop = std::move(stop);
        return request;
    }
    std::vector<TokenId> alone(int index) const
    {
        const engine::ReplyRequest asked = request(index);
        const auto result = session()->generate(prompt(index), asked.options, asked.callbacks, {});
        return result ? result->ids : std::vector<TokenId>{-1};
    }

    test::TempFolder folder;
    std::shared_ptr<engine::LocalModel> model;
};

TEST_P(ReplySchedulerTest, WritesWhatEachSessionWritesAlone)
{
    constexpr int kReplies = 7;
    ReplyScheduler scheduler(*model, 24);
    std::vector<std::unique_ptr<LocalSession>> sessions;
    std::vector<std::vector<TokenId>> written(kReplies);
    int begun = 0, most = 0;
    const auto begin = [&] {
        const int index = begun++;
        sessions.push_back(session());
        const auto added = scheduler.add(*sessions.back(), prompt(index), request(index),
                                         [&written, index](Result<GenerationResult> result) {
                                             ASSERT_TRUE(result) << result.error().message;
                                             written[static_cast<std::size_t>(index)] = result->ids;
                                         });
        ASSERT_TRUE(added) << added.error().message;
    };
    begin();
    // One joins every third step, while others read, write and end.
    for (int steps = 1; scheduler.step() || begun < kReplies; ++steps) {
        most = std::max(most, static_cast<int>(scheduler.size()));
        if (steps % 3 == 0 && begun < kReplies) begin();
    }
    EXPECT_GT(most, 3);
    for (int i = 0; i < kReplies; ++i)
        EXPECT_EQ(written[static_cast<std::size_t>(i)], alone(i)) << i;
}

TEST_P(ReplySchedulerTest, APassServesAllReplies)
{
    ReplyScheduler scheduler(*model);
    std::vector<std::unique_ptr<LocalSession>> sessions;
    int tokens = 0;
    for (int i = 0; i < 4; ++i) {
        sessions.push_back(session());
        engine::ReplyRequest asked = request(1); // the same length of each
        asked.callbacks.token = [&tokens](const engine::TokenEvent&) { ++tokens; };
        ASSERT_TRUE(scheduler.add(*sessions.back(), prompt(1), std::move(asked), {}));
    }
    int steps = 0;
    while (scheduler.step())
        ++steps;
    EXPECT_EQ(tokens, 4 * 27);
    EXPECT_LE(steps, 27 + 4);
}

TEST_P(ReplySchedulerTest, OneThatIsStoppedOrDoneMakesRoomForTheNext)
{
    ReplyScheduler scheduler(*model);
    std::vector<std::unique_ptr<LocalSession>> sessions;
    for (int i = 0; i < 3; ++i)
        sessions.push_back(session());
    std::stop_source stop;
    std::optional<GenerationResult> stopped, next;
    ASSERT_TRUE(scheduler.add(*sessions[0], prompt(1), request(1, stop.get_token()),
                              [&](Result<GenerationResult> result) {
                                  stopped = std::move(*result);
                                  // From within, and with the session that has just become free.
                                  ASSERT_TRUE(scheduler.add(*sessions[0], prompt(2), request(2),
                                                            [&](Result<GenerationResult> second) {
                                                                next = std::move(*second);
                                                            }));
                              }));
    ASSERT_TRUE(scheduler.add(*sessions[1], prompt(4), request(4), {}));
    for (int i = 0; i < 5; ++i)
        ASSERT_TRUE(scheduler.step());
    stop.request_stop();
    while (scheduler.step()) {
    }
    ASSERT_TRUE(stopped && next);
    EXPECT_EQ(stopped->stopReason, StopReason::Cancelled);
    EXPECT_FALSE(stopped->ids.empty());
    EXPECT_EQ(next->ids, alone(2));
    const auto refused = scheduler.add(*sessions[2], std::vector<TokenId>(500, 5), request(0), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, engine::ErrorCode::ContextFull);
    EXPECT_FALSE(scheduler.step());
}

TEST_P(ReplySchedulerTest, AnErrorEndsTheReplyItBelongsTo)
{
    ReplyScheduler scheduler(*model);
    const auto good = session(), bad = session();
    std::optional<Result<GenerationResult>> failed, written, again;
    const auto into = [](std::optional<Result<GenerationResult>>& place) {
        return [&place](Result<GenerationResult> result) { place = std::move(result); };
    };
    const std::vector<TokenId> outside{5, 100'000};
    ASSERT_TRUE(scheduler.add(*good, prompt(1), request(1), into(written)));
    ASSERT_TRUE(scheduler.step());
    ASSERT_TRUE(scheduler.add(*bad, outside, request(0), into(failed)));
    while (scheduler.step()) {
    }
    ASSERT_TRUE(failed && written && *written);
    EXPECT_FALSE(*failed);
    EXPECT_EQ((*written)->ids, alone(1));
    // The session of the failed one can be used again.
    ASSERT_TRUE(scheduler.add(*bad, prompt(2), request(2), into(again)));
    while (scheduler.step()) {
    }
    ASSERT_TRUE(again && *again);
    EXPECT_EQ((*again)->ids, alone(2));
}

INSTANTIATE_TEST_SUITE_P(Types, ReplySchedulerTest,
                         testing::Values(engine::DType::F32, engine::DType::Q4_0,
                                         engine::DType::Q6_K),
                         [](const auto& tested) {
                             return std::string(engine::dtypeInfo(tested.param).name);
                         });

} // namespace
