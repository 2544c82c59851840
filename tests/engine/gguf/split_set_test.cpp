#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/model/model_file.h"

#include <format>
#include <functional>
#include <gtest/gtest.h>

namespace {

using engine::ErrorCode;

class SplitSetTest : public ::testing::Test {
protected:
    /// Three parts of one tensor each, as they should be.
    test::GgufBuilder part(int number) const
    {
        test::RandomNumbers random(static_cast<std::uint64_t>(number));
        test::GgufBuilder builder;
        if (number == 0) builder.set("general.architecture", "llama");
        builder.set("split.no", number).set("split.count", 3).set("split.tensors.count", 3);
        builder.randomTensor(std::format("t{}", number), {8}, engine::DType::F32, random, 1);
        return builder;
    }

    std::filesystem::path path(int number) const
    {
        return m_folder.path() / std::format("model-{:05}-of-00003.gguf", number + 1);
    }

    void write(int number, const std::function<void(test::GgufBuilder&)>& change = {})
    {
        test::GgufBuilder builder = part(number);
        if (change) change(builder);
        builder.write(path(number));
    }

    void writeAll()
    {
        for (int i = 0; i < 3; ++i)
            write(i);
    }

    void expectFailure(ErrorCode code, std::string_view word, int opened = 0) const
    {
        const auto model = engine::ModelFile::open(path(opened));
        ASSERT_FALSE(model);
        EXPECT_EQ(model.error().code, code) << model.error().message;
        EXPECT_TRUE(model.error().message.contains(word)) << model.error().message;
    }

    test::TempFolder m_folder;
};

TEST_F(SplitSetTest, AnyPartOpensAll) // G147
{
    writeAll();
    for (int i = 0; i < 3; ++i) {
        const auto model = engine::ModelFile::open(path(i));
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ(model->tensors().size(), 3U);
        EXPECT_EQ(model->metadata().stringOr("general.architecture", ""), "llama");
        EXPECT_NE(model->find("t2"), nullptr);
    }
}

TEST_F(SplitSetTest, AMissingPartIsNamed) // G148
{
    writeAll();
    std::filesystem::remove(path(1));
    expectFailure(ErrorCode::FileNotFound, "part 2 of 3 is missing: model-00002-of-00003.gguf");
}

TEST_F(SplitSetTest, CountsThatCannotBeRight) // G149, G150
{
    writeAll();
    write(0, [](test::GgufBuilder& b) { b.set("split.count", 0); });
    expectFailure(ErrorCode::FileCorrupt, "split.count");
    write(0, [](test::GgufBuilder& b) { b.set("split.count", 65'535); });
    expectFailure(ErrorCode::FileCorrupt, "split.count");
    write(0, [](test::GgufBuilder& b) { b.set("split.count", "three"); });
    expectFailure(ErrorCode::BadMetadata, "split.count");
}

TEST_F(SplitSetTest, NumbersThatCannotBeRight) // G151, G152
{
    writeAll();
    write(1, [](test::GgufBuilder& b) { b.set("split.no", 3); });
    expectFailure(ErrorCode::FileCorrupt, "expected part 2 of 3");
    write(1, [](test::GgufBuilder& b) { b.set("split.no", 0); });
    expectFailure(ErrorCode::FileCorrupt, "expected part 2 of 3");
}

TEST_F(SplitSetTest, PartsOfTwoModels) // G153
{
    writeAll();
    write(2, [](test::GgufBuilder& b) { b.set("general.architecture", "qwen2"); });
    expectFailure(ErrorCode::FileCorrupt, "qwen2");
    write(2, [](test::GgufBuilder& b) { b.set("split.count", 4); });
    expectFailure(ErrorCode::FileCorrupt, "expected part 3 of 3");
}

TEST_F(SplitSetTest, ANameThatIsNoPartsName) // G154
{
    const auto other = part(0).write(m_folder.path() / "renamed.gguf");
    const auto model = engine::ModelFile::open(other);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, ErrorCode::FileCorrupt);
    EXPECT_TRUE(model.error().message.contains("-00001-of-00003.gguf")) << model.error().message;
}

TEST_F(SplitSetTest, ALinkToAnotherPart) // G155
{
    writeAll();
    std::filesystem::remove(path(1));
    std::filesystem::create_symlink(path(0), path(1));
    expectFailure(ErrorCode::FileCorrupt, "expected part 2 of 3");
}

TEST_F(SplitSetTest, ATensorInTwoParts) // G156
{
    writeAll();
    write(2, [](test::GgufBuilder& b) {
        test::RandomNumbers random(9);
        b.eraseTensor("t2").randomTensor("t0", {8}, engine::DType::F32, random, 1);
    });
    expectFailure(ErrorCode::FileCorrupt, "tensor t0 is in another part too");
}

TEST_F(SplitSetTest, AWrongNumberOfTensors) // G157
{
    writeAll();
    write(0, [](test::GgufBuilder& b) { b.set("split.tensors.count", 4); });
    expectFailure(ErrorCode::FileCorrupt, "expected 4 tensors in all parts, found 3");
}

TEST_F(SplitSetTest, AnErrorInAPartNamesItsFile)
{
    writeAll();
    std::filesystem::resize_file(path(2), 40);
    expectFailure(ErrorCode::FileTruncated, "model-00003-of-00003.gguf");
}

} // namespace
