#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"
#include "tests/support/engine/trace_recorder.h"

#include "engine/model/fast_forward_pass.h"
#include "engine/model/reference_forward_pass.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

namespace {

using engine::DType;
using engine::ForwardInput;
using engine::ForwardPass;
using engine::KvType;
using engine::TokenId;

constexpr int kVocabulary = 384;

test::TinyLlama tinyLlama(DType type)
{
    test::TinyLlama model;
    model.embeddingLength = 256; // whole super-blocks
    model.headCount = 8;
    model.headCountKv = 4;
    model.feedForwardLength = 512;
    model.vocabularySize = kVocabulary;
    model.matrixType = type;
    return model;
}

std::vector<TokenId> tokens(int count)
{
    std::vector<TokenId> ids(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        ids[static_cast<std::size_t>(i)] = (i * 37 + 5) % kVocabulary;
    return ids;
}

class FastForwardPassTest : public testing::TestWithParam<DType> {
protected:
    void SetUp() override { write(tinyLlama(GetParam())); }

    void write(const test::TinyLlama& model)
    {
        test::buildTinyLlama(model).write(path());
        file = std::make_shared<const engine::ModelFile>(engine::ModelFile::open(path()).value());
    }

    std::filesystem::path path() const { return folder.path() / "model.gguf"; }

    std::unique_ptr<ForwardPass> fast(int threads) const
    {
        engine::ForwardPassOptions options;
        options.threads = threads;
        return engine::createFastForwardPass(file, options).value();
    }

    /// Logits after each of the last `rows` of `ids`, computed `batch` at a time.
    static std::vector<float> logits(ForwardPass& pass, engine::SequenceState& state,
                                     const std::vector<TokenId>& ids, std::size_t rows,
                                     std::size_t batch)
    {
        std::vector<float> all(rows * kVocabulary);
        std::size_t done = 0;
        const std::size_t first = ids.size() - rows;
        for (std::size_t at = 0; at < ids.size(); at += batch) {
            const std::size_t size = std::min(batch, ids.size() - at);
            const std::size_t wanted = at + size > first ? at + size - std::max(at, first) : 0;
            const ForwardInput input{&state, std::span(ids).subspan(at, size),
                                     static_cast<int>(wanted)};
            const auto outcome = pass.compute({&input, 1}, std::span(all).subspan(done));
            EXPECT_TRUE(outcome) << outcome.error().message;
            done += wanted * kVocabulary;
        }
        return all;
    }

    test::TempFolder folder;
    std::shared_ptr<const engine::ModelFile> file;
};

void expectSameBits(const std::vector<float>& a, const std::vector<float>& b,
                    const std::string& what)
{
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0) << what;
}

bool isExact(DType type)
{
    return type == DType::F32 || type == DType::F16 || type == DType::BF16;
}

TEST_P(FastForwardPassTest, AgreesWithTheReferenceLayerByLayer)
{
    const std::vector<TokenId> ids = tokens(70);
    test::TraceRecorder expected;
    test::TraceRecorder actual;
    const auto run = [&](ForwardPass& pass, test::TraceRecorder& recorder) {
        const auto state = pass.createState(128, KvType::F32).value();
        pass.setObserver(&recorder);
        const std::vector<float> result = logits(pass, *state, ids, 70, 70);
        pass.setObserver(nullptr);
        return result;
    };
    const auto reference = engine::createReferenceForwardPass(file).value();
    run(*reference, expected);
    run(*fast(2), actual);
    ASSERT_GT(actual.entries.size(), 20U);
    EXPECT_EQ(test::firstDifference(expected, actual, isExact(GetParam()) ? 2e-5 : 0.06), "");
}

TEST_P(FastForwardPassTest, TheSameBitsHoweverTheTokensAreDivided)
{
    struct Division {
        int threads;
        std::size_t batch;
    };
    const std::vector<TokenId> ids = tokens(90);
    for (const KvType kv : {KvType::F16, KvType::F32, KvType::BF16, KvType::Q8_0}) {
        const auto alone = fast(1);
        const auto expected = logits(*alone, *alone->createState(96, kv).value(), ids, 40, 1);
        for (const auto [threads, batch] : {Division{1, 90}, {2, 7}, {2, 64}, {3, 90}}) {
            const auto pass = fast(threads);
            const auto state = pass->createState(96, kv).value();
            expectSameBits(logits(*pass, *state, ids, 40, batch), expected,
                           std::format("{} threads, {} at a time", threads, batch));
        }
        if (!isExact(GetParam())) break; // the cache does not know what the weights were
    }
}

TEST_P(FastForwardPassTest, TheSameBitsWhetherAPrefixIsKeptOrComputedAgain)
{
    const std::vector<TokenId> ids = tokens(100);
    const auto pass = fast(2);
    const auto fresh = logits(*pass, *pass->createState(256, KvType::F16).value(), ids, 10, 100);
    const auto state = pass->createState(256, KvType::F16).value();
    std::vector<TokenId> other = ids;
    std::iota(other.begin() + 60, other.end(), 1);
    logits(*pass, *state, other, 1, 33);
    ASSERT_EQ(state->truncate(60), 60);
    const std::vector<TokenId> rest(ids.begin() + 60, ids.end());
    expectSameBits(logits(*pass, *state, rest, 10, 13), fresh, "after rewinding");
}

TEST_P(FastForwardPassTest, TheSameBitsBesideOtherSequences)
{
    const std::vector<TokenId> a = tokens(50);
    const std::vector<TokenId> b(a.rbegin(), a.rend());
    const auto pass = fast(2);
    const auto alone = logits(*pass, *pass->createState(64, KvType::F16).value(), b, 1, 50);
    const auto stateA = pass->createState(64, KvType::F16).value();
    const auto stateB = pass->createState(64, KvType::F16).value();
    std::vector<float> both(2 * kVocabulary);
    const ForwardInput inputs[] = {{stateA.get(), a, 1}, {stateB.get(), b, 1}};
    ASSERT_TRUE(pass->compute(inputs, both));
    expectSameBits({both.begin() + kVocabulary, both.end()}, alone, "beside another");
}

INSTANTIATE_TEST_SUITE_P(Types, FastForwardPassTest,
                         testing::Values(DType::F32, DType::F16, DType::BF16, DType::Q8_0,
                                         DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1,
                                         DType::Q4_K, DType::Q5_K, DType::Q6_K),
                         [](const auto& row) {
                             return std::string(engine::dtypeInfo(row.param).name);
                         });

TEST(FastForwardPassErrorsTest, SaysWhatIsWrongAndChangesNothing)
{
    const test::TempFolder folder;
    const auto path = test::buildTinyLlama({}).write(folder.path() / "model.gguf");
    const auto file =
        std::make_shared<const engine::ModelFile>(engine::ModelFile::open(path).value());
    const auto pass = engine::createFastForwardPass(file, {}).value();
    const auto state = pass->createState(8, KvType::F16).value();
    std::vector<float> logits(static_cast<std::size_t>(pass->vocabularySize()));
    const auto compute = [&](std::vector<TokenId> ids) {
        const ForwardInput input{state.get(), ids, 1};
        return pass->compute({&input, 1}, logits);
    };
    EXPECT_EQ(compute({1, 2, 3, 4, 5, 6, 7, 8, 9}).error().code, engine::ErrorCode::ContextFull);
    EXPECT_EQ(compute({1, -1}).error().code, engine::ErrorCode::InvalidArgument);
    EXPECT_EQ(compute({1, 1 << 30}).error().code, engine::ErrorCode::InvalidArgument);
    EXPECT_EQ(compute({}).error().code, engine::ErrorCode::InvalidArgument);
    EXPECT_EQ(state->length(), 0);
    EXPECT_TRUE(compute({1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(FastForwardPassErrorsTest, LoadingCanBeCancelled)
{
    const test::TempFolder folder;
    const auto path = test::buildTinyLlama({}).write(folder.path() / "model.gguf");
    const auto file =
        std::make_shared<const engine::ModelFile>(engine::ModelFile::open(path).value());
    std::stop_source stop;
    engine::ForwardPassOptions options;
    options.stop = stop.get_token();
    options.progress = [&](double) { stop.request_stop(); };
    const auto pass = engine::createFastForwardPass(file, options);
    ASSERT_FALSE(pass);
    EXPECT_EQ(pass.error().code, engine::ErrorCode::Cancelled);
}

} // namespace
