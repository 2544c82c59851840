#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/model/model_file.h"

#include <chrono>
#include <gtest/gtest.h>

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace {

using engine::ErrorCode;

ErrorCode openError(const std::filesystem::path& path)
{
    const auto model = engine::ModelFile::open(path);
    EXPECT_FALSE(model) << path;
    return model ? ErrorCode::InvalidArgument : model.error().code;
}

TEST(FileKindsTest, WhatIsNoFile)
{
    const test::TempFolder folder;
    EXPECT_EQ(openError(folder.path()), ErrorCode::NotAModelFile); // G158
    EXPECT_EQ(openError(folder.path() / "none.gguf"), ErrorCode::FileNotFound);
#ifndef _WIN32
    ASSERT_EQ(::mkfifo((folder.path() / "fifo").c_str(), 0600), 0);
    EXPECT_EQ(openError(folder.path() / "fifo"), ErrorCode::FileUnreadable); // G159
    EXPECT_EQ(openError("/dev/zero"), ErrorCode::FileUnreadable);            // G160
    std::filesystem::create_symlink(folder.path() / "none", folder.path() / "dangling");
    EXPECT_EQ(openError(folder.path() / "dangling"), ErrorCode::FileNotFound); // G162
    const auto locked = folder.write("locked.gguf", "GGUF");
    std::filesystem::permissions(locked, std::filesystem::perms::none);
    if (::geteuid() != 0) {
        EXPECT_EQ(openError(locked), ErrorCode::FileUnreadable); // G161
    }
#endif
}

TEST(FileKindsTest, AnyNameWillDo) // G163
{
    const test::TempFolder folder;
    const std::string longest = std::string(250, 'a').append(".gguf");
    for (const std::string_view name :
         {std::string_view("line\nbreak.gguf"), std::string_view("\U0001F525.gguf"),
          std::string_view(longest), std::string_view("\u202Egguf.exe")}) {
        const auto path = test::buildTinyLlama({.layers = 1}).write(folder.path() / name);
        const auto model = engine::ModelFile::open(path);
        EXPECT_TRUE(model) << model.error().message;
    }
}

TEST(FileKindsTest, ALargeSparseFileOpensAtOnce) // G164
{
    const test::TempFolder folder;
    const auto path = test::buildTinyLlama({.layers = 1}).write(folder.path() / "sparse.gguf");
    std::filesystem::resize_file(path, std::uintmax_t{5} << 30U);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(engine::ModelFile::open(path));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(200));
}

TEST(FileKindsTest, TextAndWebPagesAreNamed)
{
    const test::TempFolder folder;
    const auto message = [&](std::string_view text) {
        return engine::ModelFile::open(folder.write("m.gguf", text)).error().message;
    };
    EXPECT_EQ(message("<html><body>404"), "m.gguf: expected a GGUF file, found a web page");
    EXPECT_EQ(message("hello, world, this is text"),
              "m.gguf: expected a GGUF file, found something else");
    EXPECT_EQ(message("version https://git-lfs.github.com/spec/v1"),
              "m.gguf: expected a GGUF file, found a Git LFS pointer; the file itself was not "
              "downloaded");
}

} // namespace
