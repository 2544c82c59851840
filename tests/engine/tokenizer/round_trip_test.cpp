// Properties of whole tokenizers over random bytes.

#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/processor_time.h"

#include "engine/tokenizer/stream_decoder.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/unicode.h"

#include <gtest/gtest.h>

using namespace engine;

namespace {

std::unique_ptr<const Tokenizer> tokenizerOf(test::Vocabulary kind, int size)
{
    test::GgufBuilder builder;
    test::addVocabulary(builder, kind, size, 5);
    auto tokenizer = Tokenizer::create(builder.metadata());
    EXPECT_TRUE(tokenizer) << tokenizer.error().message;
    return std::move(*tokenizer);
}

std::string randomBytes(test::RandomNumbers& random)
{
    std::string text(random.next() % 80, '\0');
    const bool ascii = random.next() % 2 == 0;
    for (char& c : text)
        c = ascii ? static_cast<char>(' ' + random.next() % 90) : static_cast<char>(random.next());
    return text;
}

std::string joined(const Tokenizer& tokenizer, const std::vector<TokenId>& ids)
{
    std::string text;
    for (const TokenId id : ids)
        text += tokenizer.piece(id, true);
    return text;
}

/// The first byte of a broken character may take the mark that a space was turned to with it, as it
/// does in the vocabularies' reference reader; then the mark's bytes come back.
std::string withSpaces(std::string text)
{
    constexpr std::string_view kMark = "\xE2\x96\x81";
    for (std::size_t at = text.find(kMark); at != text.npos; at = text.find(kMark, at))
        text.replace(at, kMark.size(), " ");
    return text;
}

} // namespace

TEST(RoundTrip, SentencePieceGivesEveryByteBack)
{
    const auto tokenizer = tokenizerOf(test::Vocabulary::SentencePiece, 600);
    test::RandomNumbers random(1);
    for (int round = 0; round < 5000; ++round) {
        const std::string text = randomBytes(random);
        const std::vector<TokenId> ids = tokenizer->encode(text, {.addSpecial = false});
        for (const TokenId id : ids)
            ASSERT_TRUE(id >= 0 && id < tokenizer->size());
        ASSERT_EQ(withSpaces(tokenizer->decode(ids, {})), withSpaces(text));
        ASSERT_EQ(withSpaces(joined(*tokenizer, ids)), text.empty() ? "" : ' ' + withSpaces(text));
    }
}

TEST(RoundTrip, BytePairsGiveEveryCharacterBack)
{
    const auto tokenizer = tokenizerOf(test::Vocabulary::BytePairs, 600);
    test::RandomNumbers random(2);
    for (int round = 0; round < 5000; ++round) {
        const std::string text = randomBytes(random);
        const std::vector<TokenId> ids = tokenizer->encode(text, {.addSpecial = false});
        for (const TokenId id : ids)
            ASSERT_TRUE(id >= 0 && id < tokenizer->size());
        ASSERT_EQ(joined(*tokenizer, ids), unicode::cleaned(text)); // the text itself where valid
    }
}

TEST(RoundTrip, StreamedPiecesAreTheDecodedText)
{
    const auto tokenizer = tokenizerOf(test::Vocabulary::BytePairs, 400);
    const std::string text = "Grüße, 世界! 🚀🚀 e\u0301";
    StreamDecoder decoder;
    std::string streamed;
    for (const TokenId id : tokenizer->encode(text, {.addSpecial = false}))
        streamed += decoder.push(tokenizer->piece(id, false));
    EXPECT_EQ(streamed + decoder.finish(), text);
}

TEST(RoundTrip, NoTextTakesLong)
{
    constexpr std::size_t kLength = 200'000;
    for (const test::Vocabulary kind :
         {test::Vocabulary::SentencePiece, test::Vocabulary::BytePairs}) {
        const auto tokenizer = tokenizerOf(kind, 800);
        for (const std::string_view part :
             {"a", " ", "7", "\n", "\xF0", "é", "<", "\xE2\x96\x81"}) {
            std::string text;
            while (text.size() < kLength)
                text += part;
            const test::ProcessorTime time;
            const auto ids = tokenizer->encode(text, {.addSpecial = false});
            EXPECT_LT(time.seconds(), 1) << part;
            EXPECT_FALSE(ids.empty());
        }
    }
}
