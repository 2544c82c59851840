// Every row of the architecture table as a tiny random model: both forward passes agree, and each
// gives the same bits however its tokens are divided.

#include "tests/support/engine/temp_folder.h"
#include "tests/support/engine/tiny_models.h"
#include "tests/support/engine/trace_recorder.h"

#include "engine/model/embedding.h"
#include "engine/model/fast_forward_pass.h"
#include "engine/model/forward_pass_factory.h"
#include "engine/model/reference_forward_pass.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace engine;
using namespace test;

namespace {

constexpr std::size_t kVocabulary = 512;

std::vector<TokenId> tokens()
{
    std::vector<TokenId> ids;
    for (int i = 0; i < 21; ++i)
        ids.push_back((i * 37 + 5) % static_cast<int>(kVocabulary));
    return ids;
}

class EveryArchitecture : public testing::TestWithParam<TinyModel> {
protected:
    void SetUp() override
    {
        const auto path = buildTinyModel(GetParam()).write(m_folder.path() / "tiny.gguf");
        Result<ModelFile> file = ModelFile::open(path);
        ASSERT_TRUE(file) << file.error().message;
        m_file = std::make_shared<const ModelFile>(std::move(*file));
    }

    bool causal() const { return findArchitecture(GetParam().architecture)->causal; }

    /// The logits of every token, fed in pieces of `piece`.
    static std::vector<float> run(ForwardPass& pass, std::size_t piece)
    {
        const auto state = pass.createState(64, KvType::F32).value();
        const std::vector<TokenId> ids = tokens();
        std::vector<float> logits(ids.size() * kVocabulary);
        for (std::size_t begin = 0; begin < ids.size(); begin += piece) {
            const std::size_t count = std::min(piece, ids.size() - begin);
            const ForwardInput input{state.get(), std::span(ids).subspan(begin, count),
                                     static_cast<int>(count)};
            const auto done =
                pass.compute({&input, 1}, std::span(logits).subspan(begin * kVocabulary));
            EXPECT_TRUE(done) << done.error().message;
        }
        return logits;
    }

    TempFolder m_folder;
    std::shared_ptr<const ModelFile> m_file;
};

TEST_P(EveryArchitecture, ReferenceDoesNotDependOnTheBatch)
{
    if (!causal()) GTEST_SKIP() << "an encoder";
    const auto pass = createReferenceForwardPass(m_file);
    ASSERT_TRUE(pass) << pass.error().message;
    const std::vector<float> whole = run(**pass, 64);
    EXPECT_TRUE(std::ranges::all_of(whole, [](float x) { return std::isfinite(x); }));
    EXPECT_EQ(whole, run(**pass, 1));
    EXPECT_EQ(whole, run(**pass, 5));
}

TEST_P(EveryArchitecture, FastPassFollowsTheReference)
{
    if (!causal()) GTEST_SKIP() << "an encoder";
    const auto reference = createReferenceForwardPass(m_file);
    ForwardPassOptions options;
    options.threads = 2;
    const auto fast = createForwardPass(m_file, options);
    ASSERT_TRUE(reference) << reference.error().message;
    ASSERT_TRUE(fast) << fast.error().message;
    TraceRecorder expected;
    TraceRecorder actual;
    (*reference)->setObserver(&expected);
    (*fast)->setObserver(&actual);
    const std::vector<float> slow = run(**reference, 64);
    const std::vector<float> quick = run(**fast, 64);
    EXPECT_EQ(firstDifference(expected, actual, 0.05), "");
    (*fast)->setObserver(nullptr);
    EXPECT_EQ(quick, run(**fast, 1));
    EXPECT_EQ(quick, run(**fast, 7));
}

TEST_P(EveryArchitecture, GoesOnFromARememberedPlaceAndInACopy)
{
    if (!causal()) GTEST_SKIP() << "an encoder";
    ForwardPassOptions options;
    options.threads = 1;
    const auto pass = createForwardPass(m_file, options).value();
    const std::vector<TokenId> ids = tokens();
    const auto feed = [&](SequenceState& state, std::size_t begin, std::size_t end) {
        std::vector<float> logits(kVocabulary);
        const ForwardInput input{&state, std::span(ids).subspan(begin, end - begin), 1};
        EXPECT_TRUE(pass->compute({&input, 1}, logits));
        return logits;
    };
    const auto state = pass->createState(64, KvType::F32).value();
    feed(*state, 0, 9);
    state->remember();
    feed(*state, 9, 15);
    const auto twin = state->copy().value();
    const std::vector<float> expected = feed(*state, 15, ids.size());
    EXPECT_EQ(feed(*twin, 15, ids.size()), expected);
    for (SequenceState* each : {state.get(), twin.get()}) {
        ASSERT_EQ(each->truncatedLength(9), 9);
        ASSERT_EQ(each->truncate(9), 9);
        EXPECT_EQ(feed(*each, 9, ids.size()), expected);
    }
}

TEST_P(EveryArchitecture, FastEmbeddingsFollowTheReference)
{
    ForwardPassOptions options;
    options.threads = 2;
    const auto fast = EmbeddingModel::create(m_file, options);
    options.reference = true;
    const auto reference = EmbeddingModel::create(m_file, options);
    ASSERT_TRUE(reference) << reference.error().message;
    ASSERT_TRUE(fast) << fast.error().message;
    const auto expected = (*reference)->hiddenStates(tokens());
    const auto states = (*fast)->hiddenStates(tokens());
    ASSERT_TRUE(expected) << expected.error().message;
    ASSERT_TRUE(states) << states.error().message;
    ASSERT_EQ(expected->size(), states->size());
    const float most = std::ranges::max(*expected, {}, [](float x) { return std::abs(x); });
    for (std::size_t i = 0; i < states->size(); ++i)
        ASSERT_NEAR((*states)[i], (*expected)[i], 1e-3 * std::abs(most)) << i;
    EXPECT_EQ(*states, (*fast)->hiddenStates(tokens()).value());
}

std::string testName(const testing::TestParamInfo<TinyModel>& model)
{
    std::string name = model.param.name;
    std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

TEST_P(EveryArchitecture, WithoutFeedForwardItComputesOrSaysSo)
{
    ModelFile file;
    const GgufBuilder model = buildTinyModel(GetParam());
    file.mutableMetadata() = model.metadata();
    file.mutableMetadata().set(GetParam().architecture + ".feed_forward_length", std::uint64_t{0});
    for (const TensorView& tensor : model.tensors())
        file.add(tensor);
    const auto shared = std::make_shared<const ModelFile>(std::move(file));
    for (const bool reference : {false, true}) {
        ForwardPassOptions options;
        options.reference = reference;
        const auto pass = createForwardPass(shared, options);
        if (pass)
            run(**pass, 7);
        else
            EXPECT_FALSE(pass.error().message.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(Tiny, EveryArchitecture, testing::ValuesIn(tinyModels()), testName);

/// Families whose attention differs in what it does with far keys.
class FarKeys : public EveryArchitecture {
protected:
    /// Logits after each of a few tokens far into a context.
    std::vector<float> runFar(int threads) const
    {
        constexpr int kFar = 1100;
        constexpr int kSteps = 3;
        ForwardPassOptions options;
        options.threads = threads;
        const auto pass = createFastForwardPass(m_file, options).value();
        const auto state = pass->createState(kFar + kSteps, KvType::F16).value();
        std::vector<TokenId> ids(kFar + kSteps);
        for (std::size_t i = 0; i < ids.size(); ++i)
            ids[i] = static_cast<TokenId>((i * 37 + 5) % kVocabulary);
        std::vector<float> logits(kSteps * kVocabulary);
        const ForwardInput prompt{state.get(), std::span(ids).first(kFar), 0};
        EXPECT_TRUE(pass->compute({&prompt, 1}, {}));
        for (std::size_t step = 0; step < kSteps; ++step) {
            const ForwardInput input{state.get(), std::span(ids).subspan(kFar + step, 1), 1};
            EXPECT_TRUE(pass->compute({&input, 1}, std::span(logits).subspan(step * kVocabulary)));
        }
        return logits;
    }
};

TEST_P(FarKeys, AreDividedAmongThreadsToTheSameBits)
{
    const std::vector<float> alone = runFar(1);
    EXPECT_TRUE(std::ranges::all_of(alone, [](float x) { return std::isfinite(x); }));
    EXPECT_EQ(alone, runFar(2));
    EXPECT_EQ(alone, runFar(8));
}

std::vector<TinyModel> modelsWithFarKeys()
{
    std::vector<TinyModel> models = tinyModels();
    std::erase_if(models, [](const TinyModel& model) {
        static const std::set<std::string> kNames = {"llama", "gemma2", "gpt-oss", "deepseek2",
                                                     "mpt",   "falcon", "llama4"};
        return !kNames.contains(model.name);
    });
    return models;
}

INSTANTIATE_TEST_SUITE_P(Tiny, FarKeys, testing::ValuesIn(modelsWithFarKeys()), testName);

} // namespace
