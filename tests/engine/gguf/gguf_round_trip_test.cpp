#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/gguf/gguf_reader.h"
#include "engine/gguf/gguf_writer.h"
#include "engine/model/model_file.h"

#include <cstring>
#include <gtest/gtest.h>

namespace {

using engine::DType;

std::span<const std::byte> asBytes(const std::string& file)
{
    return std::as_bytes(std::span(file));
}

TEST(GgufRoundTripTest, EveryKindOfValueComesBack)
{
    test::GgufBuilder builder;
    builder.set("u", 7)
        .set("wide", std::uint64_t{1} << 40U)
        .set("i", -7)
        .set("f", 0.5)
        .set("b", engine::MetadataValue(true))
        .set("s", "hearth")
        .set("us", std::vector<std::uint64_t>{1, std::uint64_t{1} << 40U})
        .set("is", std::vector<std::int64_t>{-1, 2})
        .set("fs", std::vector<double>{0.25, -1})
        .set("bs", std::vector<bool>{true, false, true})
        .set("ss", std::vector<std::string>{"", "a", std::string("\0b", 2)})
        .set("empty", std::vector<std::string>{});
    const std::string file = builder.bytes();
    const auto header = engine::readGgufHeader(asBytes(file));
    ASSERT_TRUE(header) << header.error().message;
    EXPECT_EQ(header->metadata.entries(), builder.metadata().entries());
    EXPECT_EQ(header->version, 3U);
}

TEST(GgufRoundTripTest, TensorsKeepShapeTypeAndBytes)
{
    test::RandomNumbers random(1);
    test::GgufBuilder builder;
    builder.set("general.alignment", 64);
    builder.randomTensor("a", {3}, DType::F32, random, 1);
    builder.randomTensor("b", {32, 5}, DType::Q4_0, random, 1);
    builder.randomTensor("c", {256, 2, 3, 2}, DType::IQ2_S, random, 1);
    const test::TempFolder folder;
    const auto model = engine::ModelFile::open(builder.write(folder.path() / "m.gguf"));
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_EQ(model->tensors().size(), 3U);
    for (const engine::TensorView& expected : builder.tensors()) {
        const engine::TensorView* found = model->find(expected.name);
        ASSERT_NE(found, nullptr) << expected.name;
        EXPECT_EQ(found->dtype, expected.dtype);
        EXPECT_EQ(found->shape, expected.shape);
        EXPECT_EQ(found->rank, expected.rank);
        ASSERT_EQ(found->sizeBytes, expected.sizeBytes);
        EXPECT_EQ(std::memcmp(found->data, expected.data, expected.sizeBytes), 0);
        model->drop(*found);
        EXPECT_EQ(std::memcmp(found->data, expected.data, expected.sizeBytes), 0);
    }
    EXPECT_EQ(model->find("d"), nullptr);
    EXPECT_EQ(model->tensorBytes(), 12U + 90U + 12U * 82U);
    EXPECT_EQ(model->fileBytes(), std::filesystem::file_size(folder.path() / "m.gguf"));
}

TEST(GgufRoundTripTest, TheWriterChecksSizes)
{
    engine::TensorView tensor{.name = "a", .shape = {4, 1, 1, 1}, .rank = 1, .sizeBytes = 3};
    const test::TempFolder folder;
    const auto written = engine::writeGguf(folder.path() / "m.gguf", {}, {&tensor, 1});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, engine::ErrorCode::InvalidArgument);
    EXPECT_EQ(written.error().expected, 16U);
}

TEST(GgufRoundTripTest, TheTinyLlamaIsAWholeModelAndTheSameEveryTime)
{
    const std::string file = test::buildTinyLlama().bytes();
    EXPECT_EQ(file, test::buildTinyLlama().bytes());
    EXPECT_NE(file, test::buildTinyLlama({.seed = 2}).bytes());
    const auto header = engine::readGgufHeader(asBytes(file));
    ASSERT_TRUE(header) << header.error().message;
    EXPECT_EQ(header->tensors.size(), 1U + 2U * 9U + 2U);
    EXPECT_EQ(header->metadata.strings("tokenizer.ggml.tokens")->size(), 384U);

    const auto bytePairs = engine::readGgufHeader(
        asBytes(test::buildTinyLlama({.embeddingLength = 256,
                                      .feedForwardLength = 256,
                                      .vocabulary = test::Vocabulary::BytePairs,
                                      .matrixType = DType::Q4_K,
                                      .tiedOutput = true,
                                      .ropeFactors = true})
                    .bytes()));
    ASSERT_TRUE(bytePairs) << bytePairs.error().message;
    EXPECT_EQ(bytePairs->tensors.size(), 1U + 2U * 9U + 2U);
    EXPECT_EQ(bytePairs->metadata.strings("tokenizer.ggml.tokens")->size(), 384U);
    EXPECT_EQ(bytePairs->metadata.strings("tokenizer.ggml.merges")->size(), 384U - 256U - 3U);
}

} // namespace
