#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/safetensors_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/huggingface/model_folder.h"
#include "engine/model/vocabulary_file.h"

#include <gtest/gtest.h>

namespace {

using engine::ErrorCode;

void writeModel(const test::TempFolder& folder)
{
    const std::vector<float> rows(32, 0.5F);
    folder.write("config.json", R"({"architectures":["LlamaForCausalLM"],"hidden_size":8,
        "num_hidden_layers":1,"num_attention_heads":2,"vocab_size":4})");
    folder.write(
        "model.safetensors",
        test::SafetensorsBuilder().tensor("model.embed_tokens.weight", {4, 8}, rows).bytes());
    test::writeTinyTokenizer(folder.path());
}

std::size_t tokensOf(const engine::Result<engine::ModelFile>& model)
{
    if (!model) {
        ADD_FAILURE() << model.error().message;
        return 0;
    }
    const auto* tokens = model->metadata().strings("tokenizer.ggml.tokens");
    return tokens ? tokens->size() : 0;
}

TEST(ModelFolderTest, AFileInTheFolderOpensIt)
{
    const test::TempFolder folder;
    writeModel(folder);
    for (const char* name : {"", "config.json", "model.safetensors", "tokenizer.json"}) {
        const auto model = engine::ModelFile::open(folder.path() / name);
        ASSERT_TRUE(model) << name << ": " << model.error().message;
        EXPECT_NE(model->find("token_embd.weight"), nullptr);
        EXPECT_EQ(model->metadata().stringOr("general.name", ""),
                  folder.path().filename().string());
    }
    EXPECT_EQ(engine::ModelFile::open(folder.path() / "tokenizer_config.txt").error().code,
              ErrorCode::FileNotFound);
    EXPECT_EQ(engine::ModelFile::open(folder.path() / "none.safetensors").error().code,
              ErrorCode::FileNotFound);
}

TEST(ModelFolderTest, AHubCachesFolderIsCalledAfterItsModel)
{
    EXPECT_EQ(engine::modelFolderName("/models/Some-Model"), "Some-Model");
    EXPECT_EQ(engine::modelFolderName("/hub/models--someone--Some-Model/snapshots/0123abcd"),
              "Some-Model");
}

TEST(ModelFolderTest, AFolderWithOneGgufModelIsThatModel)
{
    const test::TempFolder folder;
    const auto build = [&](const char* name) {
        test::buildTinyLlama({.layers = 1}).write(folder.path() / name);
    };
    build("tiny.gguf");
    folder.write("mmproj-tiny.gguf", "");
    EXPECT_TRUE(engine::ModelFile::open(folder.path()));
    EXPECT_TRUE(engine::openVocabularyFile(folder.path()));
    build("other.gguf");
    EXPECT_EQ(engine::ModelFile::open(folder.path()).error().code, ErrorCode::NotAModelFile);
}

TEST(ModelFolderTest, LaterPartsOfASetAreNoModels)
{
    const test::TempFolder folder;
    folder.write("m-00001-of-00002.gguf", "");
    folder.write("m-00002-of-00002.gguf", "");
    EXPECT_EQ(engine::onlyGgufIn(folder.path()), folder.path() / "m-00001-of-00002.gguf");
}

TEST(ModelFolderTest, ATokenizerNeedsNoWeights)
{
    const test::TempFolder folder;
    test::writeTinyTokenizer(folder.path());
    EXPECT_EQ(tokensOf(engine::openVocabularyFile(folder.path())), 4U);
    folder.write("config.json", R"({"vocab_size":9})");
    EXPECT_EQ(tokensOf(engine::openVocabularyFile(folder.path())), 9U);
    // The embedding has the last word.
    const std::vector<float> rows(48, 0.5F);
    folder.write("config.json", R"({"architectures":["LlamaForCausalLM"],"vocab_size":9})");
    folder.write(
        "model.safetensors",
        test::SafetensorsBuilder().tensor("model.embed_tokens.weight", {6, 8}, rows).bytes());
    EXPECT_EQ(tokensOf(engine::openVocabularyFile(folder.path())), 6U);
    EXPECT_FALSE(engine::ModelFile::open(folder.path()));
}

} // namespace
