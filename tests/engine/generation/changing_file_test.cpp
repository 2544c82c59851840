// A model's file that is cut, written to, replaced or deleted while it is in use: a sentence or the
// model as it was, and the program lives (reliability G165 to G169).

#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/generation/local_model.h"
#include "engine/generation/local_session.h"

#include <fstream>
#include <gtest/gtest.h>

#ifndef _WIN32 // there a file that is open is nobody else's to change

namespace {

using engine::LocalModel;
using engine::TokenId;

class ChangingFileTest : public testing::Test {
protected:
    void SetUp() override
    {
        test::TinyLlama parameters;
        parameters.embeddingLength = 256;
        parameters.feedForwardLength = 256;
        path = test::buildTinyLlama(parameters).write(folder.path() / "model.gguf");
        size = std::filesystem::file_size(path);
        ASSERT_GT(size, 1'000'000U);
    }

    /// Opens the model; `change` happens once, when some of the weights are read.
    engine::Result<std::shared_ptr<LocalModel>> openWhile(const std::function<void()>& change)
    {
        engine::LoadOptions options;
        bool changed = false;
        options.progress = [&](double share) {
            if (share > 0.1 && !std::exchange(changed, true)) change();
        };
        return LocalModel::open(path, options);
    }

    static std::vector<TokenId> reply(const std::shared_ptr<LocalModel>& model)
    {
        auto session = engine::LocalSession::create(model, {.contextLength = 64}).value();
        engine::SamplingSettings settings;
        settings.temperature = 0;
        settings.maxTokens = 16;
        engine::GenerationCallbacks callbacks;
        callbacks.settings = [settings] { return settings; };
        const auto result = session->generate(std::vector<TokenId>{5, 6, 7}, {}, callbacks, {});
        return result ? result->ids : std::vector<TokenId>{};
    }

    void overwrite() const
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(size) - 5000);
        file << std::string(4000, '\x7f');
    }

    test::TempFolder folder;
    std::filesystem::path path;
    std::uintmax_t size = 0;
};

TEST_F(ChangingFileTest, CutOrWrittenToWhileItLoadsIsAnError)
{
    const std::function<void()> changes[] = {[&] { std::filesystem::resize_file(path, 5000); },
                                             [&] { overwrite(); }};
    for (const auto& change : changes) {
        SetUp();
        const auto opened = openWhile(change);
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().code, engine::ErrorCode::FileCorrupt);
        EXPECT_NE(opened.error().message.find("changed"), std::string::npos)
            << opened.error().message;
    }
}

TEST_F(ChangingFileTest, WhatHappensToItOnceItIsLoadedCostsNoReply)
{
    const std::function<void()> changes[] = {[&] { std::filesystem::resize_file(path, 5000); },
                                             [&] { overwrite(); },
                                             [&] { std::filesystem::remove(path); },
                                             [&] {
                                                 const auto other = folder.write("other", "tea");
                                                 std::filesystem::rename(other, path);
                                             }};
    for (const auto& change : changes) {
        SetUp();
        const auto opened = LocalModel::open(path, {});
        ASSERT_TRUE(opened) << opened.error().message;
        const std::vector<TokenId> before = reply(*opened);
        ASSERT_FALSE(before.empty());
        change();
        EXPECT_EQ(reply(*opened), before);
    }
}

TEST_F(ChangingFileTest, DeletedOrReplacedWhileItLoadsItIsTheOldOneStill)
{
    const auto whole = LocalModel::open(path, {});
    ASSERT_TRUE(whole);
    const std::vector<TokenId> expected = reply(*whole);
    const auto replaced = openWhile([&] {
        const auto other = folder.write("other", "tea");
        std::filesystem::rename(other, path);
    });
    ASSERT_TRUE(replaced) << replaced.error().message;
    EXPECT_EQ(reply(*replaced), expected);
    SetUp();
    const auto deleted = openWhile([&] { std::filesystem::remove(path); });
    ASSERT_TRUE(deleted) << deleted.error().message;
    EXPECT_EQ(reply(*deleted), expected);
}

} // namespace

#endif
