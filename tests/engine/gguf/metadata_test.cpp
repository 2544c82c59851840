#include "engine/gguf/metadata.h"

#include <gtest/gtest.h>

namespace {

using engine::ErrorCode;

engine::Metadata example()
{
    engine::Metadata metadata;
    metadata.set("unsigned", std::uint64_t{7});
    metadata.set("huge", ~std::uint64_t{0});
    metadata.set("signed", std::int64_t{-7});
    metadata.set("whole", 3.0);
    metadata.set("fraction", 3.5);
    metadata.set("flag", true);
    metadata.set("text", std::string("hearth"));
    metadata.set("flags", std::vector<bool>{true, false});
    metadata.set("floats", std::vector<double>{1.0, 2.5});
    metadata.set("counts", std::vector<std::uint64_t>{1, 2});
    metadata.set("texts", std::vector<std::string>{"a", "b"});
    return metadata;
}

TEST(MetadataTest, ConvertsWhereNothingIsLost)
{
    const engine::Metadata metadata = example();
    EXPECT_EQ(metadata.integer("unsigned"), 7);
    EXPECT_EQ(metadata.integer("signed"), -7);
    EXPECT_EQ(metadata.integer("whole"), 3);
    EXPECT_EQ(metadata.number("signed"), -7.0);
    EXPECT_EQ(metadata.boolean("flag"), true);
    EXPECT_EQ(metadata.string("text"), "hearth");
    EXPECT_EQ(metadata.integers("flags"), (std::vector<std::int64_t>{1, 0}));
    EXPECT_EQ(metadata.numbers("counts"), (std::vector<double>{1, 2}));
    EXPECT_EQ(metadata.strings("texts")->size(), 2U);
}

TEST(MetadataTest, SaysWhatWasExpectedAndFound)
{
    const engine::Metadata metadata = example();
    EXPECT_EQ(metadata.integer("none").error().code, ErrorCode::MissingMetadata);
    EXPECT_EQ(metadata.integer("none").error().subject, "none");
    EXPECT_EQ(metadata.integer("huge").error().code, ErrorCode::BadMetadata);
    EXPECT_EQ(metadata.integer("fraction").error().code, ErrorCode::BadMetadata);
    EXPECT_EQ(metadata.integer("text").error().message,
              "text: expected an integer, found a string");
    EXPECT_EQ(metadata.string("flag").error().code, ErrorCode::BadMetadata);
    EXPECT_EQ(metadata.boolean("unsigned").error().code, ErrorCode::BadMetadata);
    EXPECT_EQ(metadata.number("text").error().code, ErrorCode::BadMetadata);
}

TEST(MetadataTest, FallsBackWhereAbsentOrOfAnotherType)
{
    const engine::Metadata metadata = example();
    EXPECT_EQ(metadata.integerOr("none", 5), 5);
    EXPECT_EQ(metadata.integerOr("text", 5), 5);
    EXPECT_EQ(metadata.stringOr("none", "x"), "x");
    EXPECT_EQ(metadata.numberOr("fraction", 0), 3.5);
    EXPECT_TRUE(metadata.booleanOr("flag", false));
    EXPECT_EQ(metadata.strings("counts"), nullptr);
    EXPECT_EQ(metadata.integers("floats"), std::nullopt);
    EXPECT_EQ(metadata.numbers("texts"), std::nullopt);
}

TEST(MetadataTest, InsertsAKeyOnce)
{
    engine::Metadata metadata;
    EXPECT_TRUE(metadata.insert("a", std::int64_t{1}));
    EXPECT_FALSE(metadata.insert("a", std::int64_t{2}));
    EXPECT_EQ(metadata.integer("a"), 1);
    metadata.set("a", std::int64_t{2});
    EXPECT_EQ(metadata.integer("a"), 2);
}

} // namespace
