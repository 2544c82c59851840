#include "engine/huggingface/sentencepiece_model.h"

#include <bit>
#include <gtest/gtest.h>

namespace {

// A protocol buffer, field by field.
std::string varint(std::uint64_t value)
{
    std::string bytes;
    for (; value >= 0x80; value >>= 7U)
        bytes += static_cast<char>((value & 0x7FU) | 0x80U);
    return bytes + static_cast<char>(value);
}

std::string number(unsigned field, std::uint64_t value)
{
    return varint(field << 3U) + varint(value);
}

std::string bytes(unsigned field, std::string_view value)
{
    return varint(field << 3U | 2U) + varint(value.size()) + std::string(value);
}

std::string fixed(unsigned field, float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    std::string text = varint(field << 3U | 5U);
    for (unsigned i = 0; i < 4; ++i)
        text += static_cast<char>(bits >> (8 * i));
    return text;
}

engine::Result<engine::SentencePieceModel> read(const std::string& file)
{
    return engine::readSentencePieceModel(std::as_bytes(std::span(file)));
}

const std::string kModel =
    bytes(1, bytes(1, "<unk>") + number(3, 2)) + bytes(1, bytes(1, "\u2581a") + fixed(2, -1.5F)) +
    bytes(1, bytes(1, "<0x0A>") + number(3, 6)) + bytes(2, number(3, 2)) +
    bytes(3, bytes(2, "map") + number(3, 0) + number(4, 0)) + bytes(99, "something newer");

TEST(SentencePieceModelTest, ReadsTokensAndFlags)
{
    const auto model = read(kModel);
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_EQ(model->tokens.size(), 3U);
    EXPECT_EQ(model->tokens[0].type, engine::TokenType::Unknown);
    EXPECT_EQ(model->tokens[1].text, "\u2581a");
    EXPECT_EQ(model->tokens[1].score, -1.5F);
    EXPECT_EQ(model->tokens[2].type, engine::TokenType::Byte);
    EXPECT_FALSE(model->unigram);
    EXPECT_FALSE(model->addDummyPrefix);
    EXPECT_FALSE(model->removeExtraWhitespaces);
    EXPECT_EQ(model->precompiledCharsmap.size(), 3U);
}

TEST(SentencePieceModelTest, RefusesWhatCannotBeRight)
{
    for (const std::string& file :
         {std::string(), std::string("\x0A\x7F"), std::string(11, '\xFF'), std::string("\x0B"),
          bytes(1, number(3, 7)), bytes(1, bytes(1, "a")).substr(0, 3), std::string("\x0A"),
          varint(1U << 3U | 2U) + varint(~std::uint64_t{0})}) {
        const auto model = read(file);
        ASSERT_FALSE(model);
        EXPECT_EQ(model.error().code, engine::ErrorCode::FileCorrupt);
    }
}

TEST(SentencePieceModelTest, NoTruncationDoesHarm)
{
    for (std::size_t length = 0; length < kModel.size(); ++length)
        read(kModel.substr(0, length));
}

} // namespace
