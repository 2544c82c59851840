#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"
#include "tests/support/engine/tiny_models.h"

#include "engine/model/weights.h"

#include <gtest/gtest.h>

using namespace engine;
using namespace test;

namespace {

class WeightsTest : public testing::Test {
protected:
    /// Opens `builder` as a file and resolves its weights.
    Result<Weights> resolve(const GgufBuilder& builder)
    {
        m_file = std::make_unique<ModelFile>(
            ModelFile::open(builder.write(m_folder.path() / "model.gguf")).value());
        TRY_ASSIGN(m_model, Hyperparameters::read(*m_file));
        return Weights::resolve(*m_file, m_model);
    }

    Error failure(const GgufBuilder& builder)
    {
        const auto weights = resolve(builder);
        return weights ? Error{} : weights.error();
    }

    TempFolder m_folder;
    std::unique_ptr<ModelFile> m_file;
    Hyperparameters m_model;
    RandomNumbers m_random{1};
};

TEST_F(WeightsTest, FindsEveryTensorOfALlama)
{
    const auto weights = resolve(buildTinyLlama());
    ASSERT_TRUE(weights) << weights.error().message;
    ASSERT_EQ(weights->layers.size(), 2U);
    EXPECT_EQ(weights->layers[1].attnK.weight.name, "blk.1.attn_k.weight");
    EXPECT_EQ(weights->layers[1].attnK.outputs(), 32);
    EXPECT_FALSE(weights->layers[1].hasExperts());
    EXPECT_EQ(weights->layers[0].attnQ.bias.data, nullptr);
    EXPECT_EQ(m_model.vocabularySize, 384);
}

TEST_F(WeightsTest, TiedOutputIsTheEmbedding)
{
    TinyLlama tiny;
    tiny.tiedOutput = true;
    const auto weights = resolve(buildTinyLlama(tiny));
    ASSERT_TRUE(weights) << weights.error().message;
    EXPECT_EQ(weights->output.weight.data, weights->tokenEmbd.data);
}

TEST_F(WeightsTest, NamesAMissingTensor)
{
    for (const char* name : {"blk.1.ffn_down.weight", "blk.0.attn_norm.weight", "token_embd.weight",
                             "output_norm.weight"}) {
        const Error error = failure(buildTinyLlama().eraseTensor(name));
        EXPECT_EQ(error.code, ErrorCode::MissingTensor) << name;
        EXPECT_EQ(error.subject, name);
    }
}

TEST_F(WeightsTest, SaysWhatShapeWasExpected)
{
    GgufBuilder builder = buildTinyLlama();
    builder.randomTensor("blk.1.attn_k.weight", {64, 64}, DType::F32, m_random, 0.1);
    const Error error = failure(builder);
    EXPECT_EQ(error.code, ErrorCode::BadTensor);
    EXPECT_EQ(error.subject, "blk.1.attn_k.weight");
    EXPECT_EQ(error.message,
              "tensor `blk.1.attn_k.weight` has the shape [64, 64]; expected [64, 32]");
}

TEST_F(WeightsTest, FindsTheNormsBeforeTheLastMatrices)
{
    GgufBuilder builder = buildTinyLlama();
    builder.randomTensor("blk.1.attn_sub_norm.weight", {64}, DType::F32, m_random, 0.1);
    builder.randomTensor("blk.1.ffn_sub_norm.weight", {96}, DType::F32, m_random, 0.1);
    const auto weights = resolve(builder);
    ASSERT_TRUE(weights) << weights.error().message;
    EXPECT_FALSE(weights->layers[0].attnSubNorm || weights->layers[0].ffnSubNorm);
    EXPECT_TRUE(weights->layers[1].attnSubNorm && weights->layers[1].ffnSubNorm);
}

TEST_F(WeightsTest, RefusesAQuantizedBias)
{
    GgufBuilder builder = buildTinyLlama();
    builder.randomTensor("blk.0.attn_q.bias", {64}, DType::Q8_0, m_random, 0.1);
    EXPECT_EQ(failure(builder).code, ErrorCode::UnsupportedType);
}

TEST_F(WeightsTest, FusedProjectionsAreRangesOfRows)
{
    GgufBuilder builder = buildTinyLlama();
    for (const char* name : {"attn_q", "attn_k", "attn_v"})
        builder.eraseTensor(std::string("blk.0.") + name + ".weight");
    std::vector<float> values(64 * 128);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i / 64); // the row's number
    builder.tensor("blk.0.attn_qkv.weight", {64, 128}, DType::F32, values);
    std::vector<float> bias(128);
    for (std::size_t i = 0; i < bias.size(); ++i)
        bias[i] = static_cast<float>(i);
    builder.tensor("blk.0.attn_qkv.bias", {128}, DType::F32, bias);
    const auto weights = resolve(builder);
    ASSERT_TRUE(weights) << weights.error().message;
    const LayerWeights& layer = weights->layers[0];
    EXPECT_EQ(layer.attnQ.outputs(), 64);
    EXPECT_EQ(readVector(layer.attnK.weight).front(), 64);
    EXPECT_EQ(readVector(layer.attnV.weight).back(), 127);
    EXPECT_EQ(readVector(layer.attnV.bias).front(), 96);
    EXPECT_EQ(readVector(layer.attnV.bias).size(), 32U);
}

TEST_F(WeightsTest, FusedGateAndUpAreHalves)
{
    GgufBuilder builder = buildTinyLlama();
    builder.eraseTensor("blk.0.ffn_gate.weight");
    builder.randomTensor("blk.0.ffn_up.weight", {64, 192}, DType::F32, m_random, 0.1);
    const auto weights = resolve(builder);
    ASSERT_TRUE(weights) << weights.error().message;
    const LayerWeights& layer = weights->layers[0];
    EXPECT_EQ(layer.ffnGate.outputs(), 96);
    EXPECT_EQ(layer.ffnUp.weight.data, layer.ffnGate.weight.data + 96 * 64 * sizeof(float));
}

TEST_F(WeightsTest, TheChoiceOfExpertsMayHaveABiasWithoutASuffix)
{
    GgufBuilder builder =
        buildTinyModel({.name = "hy_v3", .architecture = "hy_v3", .experts = true});
    builder.randomTensor("blk.1.exp_probs_b", {8}, DType::F32, m_random, 0.1);
    const auto weights = resolve(builder);
    ASSERT_TRUE(weights) << weights.error().message;
    EXPECT_EQ(weights->layers[1].expProbsB.name, "blk.1.exp_probs_b");
    EXPECT_EQ(weights->layers[2].expProbsB.data, nullptr);
}

TEST_F(WeightsTest, AVocabularyMaySayThatExpertsAreGatedByTheSigmoid)
{
    for (const int vocabulary : {512, 154880}) {
        ModelFile file;
        const GgufBuilder model =
            buildTinyModel({.name = "deepseek2", .architecture = "deepseek2", .experts = true});
        file.mutableMetadata() = model.metadata();
        TensorView embedding;
        embedding.name = "token_embd.weight";
        embedding.rank = 2;
        embedding.shape = {64, vocabulary, 1, 1};
        file.add(embedding);
        const auto read = Hyperparameters::read(file);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->experts.gating,
                  vocabulary == 512 ? ExpertGating::Softmax : ExpertGating::Sigmoid);
    }
}

TEST_F(WeightsTest, RopeFactorsMayCoverWhatWindowedLayersTurn)
{
    GgufBuilder builder = buildTinyModel({.name = "step35", .architecture = "step35"});
    builder.randomTensor("rope_freqs.weight", {4}, DType::F32, m_random, 0.1);
    const auto weights = resolve(builder);
    ASSERT_TRUE(weights) << weights.error().message;
    EXPECT_EQ(m_model.rope.dimensionCount, 4);
    EXPECT_EQ(m_model.ropeSliding.dimensionCount, 8);
    EXPECT_EQ(ropeFactors(*weights, m_model, 64).size(), 4U);
}

TEST_F(WeightsTest, RopeFactorsMustFitTheRotation)
{
    GgufBuilder builder = buildTinyLlama();
    builder.randomTensor("rope_freqs.weight", {7}, DType::F32, m_random, 0.1);
    EXPECT_EQ(failure(builder).subject, "rope_freqs.weight");
}

} // namespace
