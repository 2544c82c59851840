#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/processor_time.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/engine.h"
#include "engine/model/model_file.h"

#include <gtest/gtest.h>
#include <tuple>

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
    const test::ProcessorTime time;
    EXPECT_TRUE(engine::ModelFile::open(path));
    EXPECT_LT(time.seconds(), 0.2);
}

TEST(FileKindsTest, TextAndWebPagesAreNamed)
{
    const test::TempFolder folder;
    const auto message = [&](std::string_view text) {
        return engine::ModelFile::open(folder.write("m.gguf", text)).error().message;
    };
    EXPECT_EQ(message("<html><body>404"), "m.gguf: expected a GGUF file, found a web page");
    EXPECT_EQ(message("\xEF\xBB\xBF\r\n <!DOCTYPE html>"),
              "m.gguf: expected a GGUF file, found a web page");
    EXPECT_EQ(message("Invalid username or password."),
              "m.gguf: expected a GGUF file, found a text file");
    EXPECT_EQ(message(" \n"), "m.gguf: expected a GGUF file, found a text file");
    EXPECT_EQ(message(std::string(4096, '\0')),
              "m.gguf: expected a GGUF file, found zeros, as a download leaves them that has not "
              "finished");
    EXPECT_EQ(message("7z\xBC\xAF\x27\x1C\0\4"),
              "m.gguf: expected a GGUF file, found a 7z archive");
    EXPECT_EQ(message("\1\2\3\4\5"), "m.gguf: expected a GGUF file, found something else");
    EXPECT_EQ(message(""), "m.gguf: the file is empty");
    EXPECT_EQ(message("version https://git-lfs.github.com/spec/v1"),
              "m.gguf: expected a GGUF file, found a Git LFS pointer; the file itself was not "
              "downloaded");
}

/// What is in a model's format and is none says what it is, in words for the window too.
TEST(FileKindsTest, PartsOfModelsAreNamed)
{
    const test::TempFolder folder;
    const auto subject = [&](test::GgufBuilder builder) {
        const auto path = builder.write(folder.path() / "m.gguf");
        const auto opened = engine::Model::open(path, {});
        EXPECT_FALSE(opened);
        EXPECT_EQ(opened.error().code, ErrorCode::NotAModelFile);
        EXPECT_TRUE(opened.error().message.starts_with("m.gguf: expected a model, found "))
            << opened.error().message;
        return opened.error().subject;
    };
    test::GgufBuilder vocabulary;
    vocabulary.set("general.architecture", engine::MetadataValue(std::string("llama")));
    test::addVocabulary(vocabulary, test::Vocabulary::SentencePiece, 384, 1);
    EXPECT_EQ(subject(vocabulary), "a vocabulary without weights");
    EXPECT_TRUE(engine::inspectModel(folder.path() / "m.gguf"));
    EXPECT_TRUE(engine::openTokenizer(folder.path() / "m.gguf"));
    EXPECT_EQ(subject(test::GgufBuilder()), "a file without weights");
    for (const auto& [key, value, expected] :
         {std::tuple{"general.type", "adapter", "a LoRA adapter"},
          std::tuple{"general.type", "mmproj", "the part of a model that sees or hears"},
          std::tuple{"general.architecture", "clip", "the part of a model that sees or hears"},
          std::tuple{"general.type", "imatrix", "an importance matrix for quantizing"}}) {
        test::GgufBuilder other = test::buildTinyLlama({.layers = 1});
        other.set(key, engine::MetadataValue(std::string(value)));
        EXPECT_EQ(subject(other), expected);
    }
}

TEST(FileKindsTest, ADownloadThatHasNotFinishedIsNamed)
{
    const test::TempFolder folder;
    const std::string whole = test::buildTinyLlama({.layers = 1}).bytes();
    const auto message = [&](std::string_view name) {
        return engine::ModelFile::open(folder.write(name, whole.substr(0, whole.size() / 2)))
            .error()
            .message;
    };
    EXPECT_NE(message("m.gguf.part").find("its download has not finished"), std::string::npos);
    EXPECT_EQ(message("m.gguf").find("its download has not finished"), std::string::npos);
}

} // namespace
