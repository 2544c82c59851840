// What becomes of the hidden states of a text: pooled, normalized, through the matrices a file has
// for it, ranked.

#include "tests/support/engine/temp_folder.h"
#include "tests/support/engine/tiny_models.h"

#include "engine/model/embedding.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace engine;
using namespace test;

namespace {

constexpr std::size_t kWidth = 64;
const std::vector<TokenId> kTokens{7, 300, 12, 45, 9};

class EmbeddingTest : public testing::Test {
protected:
    std::unique_ptr<EmbeddingModel> open(const GgufBuilder& builder, bool reference = true)
    {
        Result<ModelFile> file = ModelFile::open(builder.write(m_folder.path() / "tiny.gguf"));
        EXPECT_TRUE(file) << file.error().message;
        ForwardPassOptions options;
        options.reference = reference;
        auto model =
            EmbeddingModel::create(std::make_shared<const ModelFile>(std::move(*file)), options);
        EXPECT_TRUE(model) << model.error().message;
        return model ? std::move(*model) : nullptr;
    }

    static GgufBuilder bert() { return buildTinyModel({.name = "bert", .architecture = "bert"}); }

    /// W x, W of (64, rows) being in a file a row after the other.
    static std::vector<float> product(const std::vector<float>& matrix, std::span<const float> x)
    {
        std::vector<float> y;
        for (std::size_t row = 0; row < matrix.size() / x.size(); ++row)
            y.push_back(static_cast<float>(std::inner_product(
                x.begin(), x.end(), matrix.begin() + static_cast<std::ptrdiff_t>(row * x.size()),
                0.0)));
        return y;
    }

    static void expectNear(std::span<const float> found, std::span<const float> expected)
    {
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
    }

    TempFolder m_folder;
    RandomNumbers m_random{3};
};

TEST_F(EmbeddingTest, PoolingTakesTheMeanTheFirstOrTheLast)
{
    const std::vector<float> states{1, 2, 3, 4, 8, 9};
    EXPECT_EQ(pool(states, 2, PoolingType::Mean), (std::vector<float>{4, 5}));
    EXPECT_EQ(pool(states, 2, PoolingType::Cls), (std::vector<float>{1, 2}));
    EXPECT_EQ(pool(states, 2, PoolingType::Last), (std::vector<float>{8, 9}));
}

TEST_F(EmbeddingTest, TheFileSaysHowToPoolUnlessTheCallerDoes)
{
    GgufBuilder builder = bert();
    builder.set("bert.pooling_type", 2);
    const auto model = open(builder);
    const std::vector<float> states = model->hiddenStates(kTokens).value();
    EXPECT_EQ(model->embed(kTokens, {}).value(), pool(states, kWidth, PoolingType::Cls));
    EXPECT_EQ(model->embed(kTokens, {.pooling = PoolingType::Last}).value(),
              pool(states, kWidth, PoolingType::Last));
}

TEST_F(EmbeddingTest, NormalizedIsOfLengthOne)
{
    const auto model = open(bert());
    const std::vector<float> vector = model->embed(kTokens, {.normalize = true}).value();
    EXPECT_NEAR(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0), 1, 1e-6);
    std::vector<float> zeros(4);
    normalizeEmbedding(zeros);
    EXPECT_EQ(zeros, std::vector<float>(4));
}

TEST_F(EmbeddingTest, MatricesOfTheFileFollowThePooling)
{
    GgufBuilder builder = bert();
    const std::vector<float> wide = m_random.normals(kWidth * 96, 0.1);
    const std::vector<float> narrow = m_random.normals(96 * 32, 0.1);
    builder.tensor("dense_2.weight", {64, 96}, DType::F32, wide);
    builder.tensor("dense_3.weight", {96, 32}, DType::F32, narrow);
    const auto model = open(builder);
    const std::vector<float> states = model->hiddenStates(kTokens).value();
    const std::vector<float> pooled = pool(states, kWidth, PoolingType::Mean);
    expectNear(model->embed(kTokens, {}).value(), product(narrow, product(wide, pooled)));
}

TEST_F(EmbeddingTest, RankingIsAScoreForEachLabel)
{
    GgufBuilder builder = bert();
    const std::vector<float> inner = m_random.normals(kWidth * kWidth, 0.1);
    const std::vector<float> outer = m_random.normals(kWidth * 2, 0.1);
    builder.tensor("cls.weight", {64, 64}, DType::F32, inner);
    builder.tensor("cls.bias", {64}, DType::F32, std::vector<float>(kWidth, 0.5F));
    builder.tensor("cls.output.weight", {64, 2}, DType::F32, outer);
    builder.tensor("cls.output.bias", {2}, DType::F32, std::vector<float>{1, -1});
    for (const bool reference : {true, false}) {
        const auto model = open(builder, reference);
        const std::vector<float> states = model->hiddenStates(kTokens).value();
        std::vector<float> x = product(inner, std::span(states).first(kWidth));
        for (float& value : x)
            value = std::tanh(value + 0.5F);
        std::vector<float> expected = product(outer, x);
        expected[0] += 1;
        expected[1] -= 1;
        expectNear(model->embed(kTokens, {.pooling = PoolingType::Rank}).value(), expected);
    }
}

TEST_F(EmbeddingTest, ShortConvolutionsLookAheadWhereAttentionDoes)
{
    GgufBuilder builder = buildTinyModel({.name = "lfm2", .architecture = "lfm2"});
    builder.set("lfm2.attention.sliding_window", std::uint64_t{0});
    builder.set("lfm2.attention.causal", false);
    std::vector<TokenId> longer = kTokens;
    longer.push_back(77);
    std::vector<std::vector<float>> all;
    for (const bool reference : {true, false}) {
        const auto model = open(builder, reference);
        all.push_back(model->hiddenStates(kTokens).value());
        // What comes later is seen by the first token, and by one call only.
        EXPECT_GT(std::abs(model->hiddenStates(longer).value()[0] - all.back()[0]), 1e-6);
        EXPECT_EQ(model->hiddenStates(kTokens).value(), all.back());
    }
    expectNear(all[1], all[0]);
}

TEST_F(EmbeddingTest, AHeadThatRanksMaySayWhatItReadsAndHow)
{
    GgufBuilder builder = bert();
    const std::vector<float> inner = m_random.normals(kWidth * kWidth, 0.1);
    const std::vector<float> outer = m_random.normals(kWidth * 2, 0.1);
    builder.tensor("cls.weight", {64, 64}, DType::F32, inner);
    builder.tensor("cls.output.weight", {64, 2}, DType::F32, outer);
    builder.set("bert.classifier.pooling_type", 1);
    builder.set("bert.classifier.activation", MetadataValue(std::string("relu")));
    const auto model = open(builder);
    const std::vector<float> states = model->hiddenStates(kTokens).value();
    std::vector<float> hidden = product(inner, pool(states, kWidth, PoolingType::Mean));
    for (float& value : hidden)
        value = std::max(value, 0.0F);
    expectNear(model->embed(kTokens, {.pooling = PoolingType::Rank}).value(),
               product(outer, hidden));
}

TEST_F(EmbeddingTest, RankingWithoutAHeadIsAnError)
{
    const auto model = open(bert());
    const auto scores = model->embed(kTokens, {.pooling = PoolingType::Rank});
    ASSERT_FALSE(scores);
    EXPECT_EQ(scores.error().code, ErrorCode::InvalidArgument);
}

TEST_F(EmbeddingTest, WhatCannotBeReadIsAnError)
{
    const auto model = open(bert());
    EXPECT_FALSE(model->embed({}, {}));
    EXPECT_FALSE(model->embed(std::vector<TokenId>{512}, {}));
    EXPECT_FALSE(model->embed(std::vector<TokenId>{-1}, {}));
    EXPECT_FALSE(model->embed(std::vector<TokenId>(100'000, 1), {}));
}

} // namespace
