#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/model_info.h"

#include <gtest/gtest.h>

namespace {

using engine::DType;

engine::ModelInfo inspect(const test::GgufBuilder& builder)
{
    const test::TempFolder folder;
    const auto info = engine::inspectModel(builder.write(folder.path() / "stem.gguf"));
    EXPECT_TRUE(info) << info.error().message;
    return info.value_or(engine::ModelInfo{});
}

// embedding 64, 4 heads of 16, 2 KV heads, ffn 96, vocabulary 384, 2 layers.
constexpr std::uint64_t kLayerMatrices = 64 * 64 * 2 + 64 * 32 * 2 + 64 * 96 * 3;
constexpr std::uint64_t kHead = 64 * 384;

TEST(ModelInfoTest, CountsALlama)
{
    const engine::ModelInfo info = inspect(test::buildTinyLlama());
    EXPECT_EQ(info.name, "Tiny llama 1");
    EXPECT_EQ(info.architecture, "llama");
    EXPECT_EQ(info.contextLength, 512);
    EXPECT_EQ(info.vocabularySize, 384);
    EXPECT_EQ(info.tokenizer, "llama");
    EXPECT_EQ(info.preTokenizer, "default");
    EXPECT_TRUE(info.hasChatTemplate);
    EXPECT_EQ(info.parameters, 2 * kHead + 2 * (kLayerMatrices + 128) + 64);
    EXPECT_EQ(info.tensorBytes, 4 * info.parameters);
    EXPECT_EQ(info.kvBytesPerToken, 2U * 2 * (16 + 16) * 2);
    EXPECT_EQ(info.multiplyAddsPerToken, 2 * kLayerMatrices + kHead);
    EXPECT_EQ(info.weightBytesPerToken, 4 * (info.parameters - kHead + 64));
    EXPECT_EQ(info.quantization, "F32");
    ASSERT_EQ(info.dtypes.size(), 1U);
    EXPECT_EQ(info.dtypes[0], (std::pair<std::string, std::uint64_t>("F32", 21)));
}

TEST(ModelInfoTest, ATiedHeadIsReadWhole)
{
    const engine::ModelInfo info = inspect(test::buildTinyLlama({.tiedOutput = true}));
    EXPECT_EQ(info.multiplyAddsPerToken, 2 * kLayerMatrices + kHead);
    EXPECT_EQ(info.weightBytesPerToken, 4 * info.parameters);
}

TEST(ModelInfoTest, TheQuantizationIsWhatTheFileSaysOrTheMostFrequentType)
{
    test::GgufBuilder builder = test::buildTinyLlama({.matrixType = DType::Q8_0});
    EXPECT_EQ(inspect(builder).quantization, "Q8_0");
    EXPECT_EQ(inspect(builder.set("general.file_type", 15)).quantization, "Q4_K_M");
    EXPECT_EQ(inspect(builder.set("general.file_type", 1024)).quantization, "Q8_0");
}

TEST(ModelInfoTest, OnlyTheExpertsUsedAreRead)
{
    test::RandomNumbers random(1);
    test::GgufBuilder builder = test::buildTinyLlama({.layers = 1});
    builder.set("llama.expert_count", 8).set("llama.expert_used_count", 2);
    for (const char* name : {"ffn_gate", "ffn_up", "ffn_down"})
        builder.eraseTensor("blk.0." + std::string(name) + ".weight");
    builder.randomTensor("blk.0.ffn_gate_inp.weight", {64, 8}, DType::F32, random, 1);
    builder.randomTensor("blk.0.ffn_gate_exps.weight", {64, 96, 8}, DType::F32, random, 1);
    builder.randomTensor("blk.0.ffn_up_exps.weight", {64, 96, 8}, DType::F32, random, 1);
    builder.randomTensor("blk.0.ffn_down_exps.weight", {96, 64, 8}, DType::F32, random, 1);
    const engine::ModelInfo info = inspect(builder);
    const std::uint64_t attention = 64 * 64 * 2 + 64 * 32 * 2;
    const std::uint64_t experts = std::uint64_t{64} * 96 * 3;
    EXPECT_EQ(info.multiplyAddsPerToken, attention + 64U * 8 + 2 * experts + kHead);
    EXPECT_EQ(info.weightBytesPerToken,
              4 * (attention + 64U * 8 + 2 * experts + kHead + 64 + 3 * 64));
}

TEST(ModelInfoTest, KvHeadsMayDifferByLayer)
{
    test::GgufBuilder builder = test::buildTinyLlama();
    builder.set("llama.attention.head_count_kv", std::vector<std::uint64_t>{2, 0});
    builder.set("llama.attention.key_length", 24).set("llama.attention.value_length", 8);
    EXPECT_EQ(inspect(builder).kvBytesPerToken, 2U * (24 + 8) * 2);
}

TEST(ModelInfoTest, LatentAttentionKeepsOneKey)
{
    test::RandomNumbers random(1);
    test::GgufBuilder builder;
    builder.set("general.architecture", "deepseek2")
        .set("deepseek2.block_count", 1)
        .set("deepseek2.attention.head_count", 4)
        .set("deepseek2.attention.head_count_kv", 1)
        .set("deepseek2.attention.key_length", 40)
        .set("deepseek2.attention.value_length", 32)
        .set("deepseek2.attention.key_length_mla", 24)
        .randomTensor("blk.0.attn_kv_a_mqa.weight", {64, 40}, DType::F32, random, 1);
    EXPECT_EQ(inspect(builder).kvBytesPerToken, 40U * 2);
}

TEST(ModelInfoTest, AnUnknownArchitectureCanBeInspected)
{
    test::GgufBuilder builder;
    builder.set("general.architecture", "foo9").set("foo9.context_length", std::uint64_t{1} << 40U);
    const engine::ModelInfo info = inspect(builder);
    EXPECT_EQ(info.architecture, "foo9");
    EXPECT_EQ(info.name, "stem");
    EXPECT_EQ(info.contextLength, std::numeric_limits<int>::max());
    EXPECT_EQ(info.parameters, 0U);
    EXPECT_EQ(info.quantization, "");
}

TEST(ModelInfoTest, WithoutAnArchitectureItIsNoModel)
{
    const test::TempFolder folder;
    const auto info = engine::inspectModel(test::GgufBuilder().write(folder.path() / "m.gguf"));
    ASSERT_FALSE(info);
    EXPECT_EQ(info.error().code, engine::ErrorCode::MissingMetadata);
    EXPECT_EQ(info.error().subject, "general.architecture");
}

} // namespace
