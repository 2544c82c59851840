#include "tests/support/engine/temp_folder.h"

#include "engine/base/mapped_file.h"

#include <gtest/gtest.h>
#include <string>

namespace {

TEST(MappedFileTest, MapsTheBytes)
{
    const test::TempFolder folder;
    const auto file = engine::MappedFile::open(folder.write("a", "hearth"));
    ASSERT_TRUE(file);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(file->bytes().data()), 6), "hearth");
}

TEST(MappedFileTest, AnEmptyFileHasNoBytes)
{
    const test::TempFolder folder;
    const auto file = engine::MappedFile::open(folder.write("a", ""));
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->bytes().empty());
}

TEST(MappedFileTest, SaysWhatIsWrong)
{
    const test::TempFolder folder;
    EXPECT_EQ(engine::MappedFile::open(folder.path() / "none").error().code,
              engine::ErrorCode::FileNotFound);
    EXPECT_EQ(engine::MappedFile::open(folder.path()).error().code,
              engine::ErrorCode::FileUnreadable);
    EXPECT_EQ(engine::MappedFile::open("/dev/zero").error().code,
              engine::ErrorCode::FileUnreadable);
}

TEST(MappedFileTest, DroppedPagesReadTheSame)
{
    const test::TempFolder folder;
    const std::string text(100'000, 'x');
    const auto file = engine::MappedFile::open(folder.write("a", text));
    ASSERT_TRUE(file);
    file->drop(file->bytes());
    EXPECT_EQ(file->bytes()[99'999], std::byte{'x'});
}

#ifndef _WIN32
TEST(MappedFileTest, WhatWasCutReadsAsZeros)
{
    const test::TempFolder folder;
    const auto path = folder.write("a", std::string(1'000'000, 'x'));
    auto opened = engine::MappedFile::open(path);
    ASSERT_TRUE(opened);
    const engine::MappedFile file = std::move(*opened);
    EXPECT_FALSE(file.hasChanged());
    std::filesystem::resize_file(path, 10'000);
    EXPECT_EQ(file.bytes()[9'999], std::byte{'x'});
    EXPECT_EQ(file.bytes()[500'000], std::byte{0});
    EXPECT_EQ(file.bytes()[999'999], std::byte{0});
    EXPECT_TRUE(file.hasChanged());
}
#endif

TEST(MappedFileTest, AReplacedFileIsTheOldOneStill)
{
    const test::TempFolder folder;
    const auto path = folder.write("a", "hearth");
    const auto file = engine::MappedFile::open(path);
    ASSERT_TRUE(file);
    std::filesystem::remove(path);
    folder.write("a", "ashes");
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(file->bytes().data()), 6), "hearth");
}

} // namespace
