#include "tests/support/engine/gguf_builder.h"

#include "engine/tokenizer/stream_decoder.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>

using namespace engine;

namespace {

constexpr std::string_view kReplacement = "\uFFFD";

/// How many bytes a character has that `text` begins with, by trying all there are of that length;
/// nothing where it begins with none.
std::optional<std::size_t> wholeCharacter(std::string_view text)
{
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto tail = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) < 0xC0; };
    if (byte(0) < 0x80) return 1;
    if (byte(0) >= 0xC2 && byte(0) < 0xE0 && tail(1)) return 2;
    if (byte(0) >= 0xE0 && byte(0) < 0xF0 && tail(1) && tail(2)) {
        const unsigned value = (byte(0) & 0xFU) << 12U | (byte(1) & 0x3FU) << 6U;
        if (value >= 0x800 && (value < 0xD800 || value >= 0xE000)) return 3;
    }
    if (byte(0) >= 0xF0 && byte(0) < 0xF8 && tail(1) && tail(2) && tail(3)) {
        const unsigned value = (byte(0) & 7U) << 18U | (byte(1) & 0x3FU) << 12U;
        if (value >= 0x10000 && value < 0x110000) return 4;
    }
    return std::nullopt;
}

/// True if some bytes behind `text` would make it one character.
bool canBecomeCharacter(std::string_view text)
{
    for (const std::string_view behind :
         {"\x80", "\xBF", "\x80\x80", "\xBF\xBF", "\x80\x80\x80", "\xBF\xBF\xBF", "\xA0\x80",
          "\x90\x80\x80", "\x8F\xBF\xBF"}) {
        const std::string whole = std::string(text) + std::string(behind);
        if (wholeCharacter(whole) == whole.size()) return true;
    }
    return false;
}

/// What a decoder that was given `bytes` one by one must have released, from the definition.
std::string releasedOf(std::string_view bytes, bool atEnd)
{
    std::string out;
    while (!bytes.empty()) {
        if (const auto length = wholeCharacter(bytes)) {
            out += bytes.substr(0, *length);
            bytes.remove_prefix(*length);
            continue;
        }
        std::size_t start = bytes.size() < 3 ? bytes.size() : 3;
        while (start > 1 && !canBecomeCharacter(bytes.substr(0, start)))
            --start;
        if (start == bytes.size() && canBecomeCharacter(bytes)) return atEnd ? out + "\uFFFD" : out;
        out += kReplacement;
        bytes.remove_prefix(start);
    }
    return out;
}

constexpr std::string_view kTexts[] = {
    "plain",
    "é中🚀e\u0301",
    "\xF0\x9F\x98",
    "\xF0\x9F\x98x",
    "\x80\x81\x82",
    "\xC0\xAF\xED\xA0\x80\xF4\x90\x80\x80\xF8\xFF",
    "a\xE2\x82\xE2\x82\xAC\xC3\xC3\xA9",
    "\xE0\x80\x80\xF0\x80\x80\x80\xED\x9F\xBF\xF4\x8F\xBF\xBF",
};

} // namespace

TEST(StreamDecoder, ReleasesEveryCharacterWithItsLastByte)
{
    for (const std::string_view text : kTexts) {
        StreamDecoder decoder;
        std::string out;
        for (std::size_t i = 0; i < text.size(); ++i) {
            out += decoder.push(text.substr(i, 1));
            ASSERT_EQ(out, releasedOf(text.substr(0, i + 1), false)) << text << " byte " << i;
        }
        EXPECT_EQ(out + decoder.finish(), releasedOf(text, true));
        EXPECT_EQ(decoder.finish(), "");
    }
}

TEST(StreamDecoder, EverySplitGivesTheSame)
{
    for (const std::string_view text : kTexts)
        for (std::size_t a = 0; a <= text.size(); ++a)
            for (std::size_t b = a; b <= text.size(); ++b) {
                StreamDecoder decoder;
                std::string out = decoder.push(text.substr(0, a));
                out += decoder.push(text.substr(a, b - a));
                out += decoder.push(text.substr(b));
                ASSERT_EQ(out + decoder.finish(), releasedOf(text, true)) << text;
            }
}

TEST(StreamDecoder, RandomBytesInRandomPieces)
{
    test::RandomNumbers random(1);
    constexpr unsigned char kBytes[] = {'a',  0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF,
                                        0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF, 0x00};
    for (int round = 0; round < 20'000; ++round) {
        std::string text(random.next() % 12, '\0');
        for (char& c : text)
            c = static_cast<char>(kBytes[random.next() % std::size(kBytes)]);
        StreamDecoder decoder;
        std::string out;
        for (std::size_t i = 0; i < text.size();) {
            const std::size_t length = 1 + random.next() % 4;
            out += decoder.push(std::string_view(text).substr(i, length));
            i += length;
        }
        ASSERT_EQ(out + decoder.finish(), releasedOf(text, true));
    }
}
