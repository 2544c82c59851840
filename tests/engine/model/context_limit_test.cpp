#include "tests/support/engine/temp_folder.h"
#include "tests/support/engine/tiny_models.h"

#include "engine/model/context_limit.h"
#include "engine/model/reference_forward_pass.h"
#include "engine/model_info.h"

#include <gtest/gtest.h>

using namespace engine;
using namespace test;

namespace {

TEST(ContextLimit, IsWhatAnIndexerChooses)
{
    Metadata metadata;
    metadata.set("general.architecture", std::string("minimax-m3"));
    metadata.set("minimax-m3.attention.indexer.top_k", std::uint64_t{16});
    metadata.set("minimax-m3.attention.indexer.block_size", std::uint64_t{128});
    EXPECT_EQ(contextLimit(metadata), 2048);
    metadata.set("minimax-m3.attention.indexer.top_k", std::uint64_t{1} << 40U);
    EXPECT_EQ(contextLimit(metadata), 1 << 24);
    metadata.set("general.architecture", std::string("llama"));
    metadata.set("llama.attention.indexer.top_k", std::uint64_t{16});
    EXPECT_EQ(contextLimit(metadata), 0);
    EXPECT_EQ(contextLimit(Metadata()), 0);
}

TEST(ContextLimit, HoldsForWhatIsSaidAndWhatIsAskedFor)
{
    const TempFolder folder;
    GgufBuilder builder = buildTinyModel({.name = "glm-dsa", .architecture = "glm-dsa"});
    builder.set("glm-dsa.attention.indexer.top_k", std::uint64_t{24});
    builder.set("glm-dsa.attention.indexer.block_size", std::uint64_t{2});
    const auto path = builder.write(folder.path() / "tiny.gguf");
    const auto info = inspectModel(path);
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->contextLength, 48);
    Result<ModelFile> file = ModelFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    const auto pass =
        createReferenceForwardPass(std::make_shared<const ModelFile>(std::move(*file)));
    ASSERT_TRUE(pass) << pass.error().message;
    EXPECT_TRUE((*pass)->createState(48, KvType::F32));
    const auto longer = (*pass)->createState(49, KvType::F32);
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error().message, "expected a context of 1 to 48 positions, 49 were asked for");
}

} // namespace
