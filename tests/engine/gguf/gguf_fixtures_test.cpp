#include "tests/support/engine/fixtures.h"

#include "engine/model/model_file.h"

#include <cstring>

namespace {

std::vector<std::filesystem::path> ggufFiles(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() == ".gguf") files.push_back(entry.path());
    }
    return files;
}

TEST(GgufFixturesTest, EveryFileOpens)
{
    REQUIRE_FIXTURES();
    const auto files = ggufFiles(test::fixturesFolder());
    EXPECT_GE(files.size(), 80U);
    for (const auto& path : files) {
        const auto model = engine::ModelFile::open(path);
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_TRUE(model->metadata().string("general.architecture")) << path;
        EXPECT_LE(model->tensorBytes(), model->fileBytes());
    }
}

TEST(GgufFixturesTest, ASplitSetIsTheWholeFile)
{
    REQUIRE_FIXTURES();
    const auto arch = test::fixturesFolder() / "arch";
    const auto whole = engine::ModelFile::open(arch / "models" / "llama-gqa.gguf");
    ASSERT_TRUE(whole) << whole.error().message;
    for (const char* part : {"00001", "00002", "00003"}) {
        const auto name = std::string("llama-gqa-") + part + "-of-00003.gguf";
        const auto split = engine::ModelFile::open(arch / "split" / name);
        ASSERT_TRUE(split) << split.error().message;
        ASSERT_EQ(split->tensors().size(), whole->tensors().size());
        for (const engine::TensorView& tensor : whole->tensors()) {
            const engine::TensorView* found = split->find(tensor.name);
            ASSERT_NE(found, nullptr) << tensor.name;
            ASSERT_EQ(found->shape, tensor.shape);
            ASSERT_EQ(std::memcmp(found->data, tensor.data, tensor.sizeBytes), 0) << tensor.name;
        }
        EXPECT_EQ(split->metadata().integer("llama.block_count"),
                  whole->metadata().integer("llama.block_count").value());
    }
}

} // namespace
