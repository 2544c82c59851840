// Vocabularies no honest file has: each is refused with the key that is wrong, or does no harm.

#include "tests/engine/tokenizer/small_vocabulary.h"

#include "engine/tokenizer/bpe.h"
#include "engine/tokenizer/vocabulary.h"

#include <algorithm>
#include <limits>

using namespace engine;
using test::SmallVocabulary;
using test::TokenType;

namespace {

SmallVocabulary llama()
{
    return SmallVocabulary("llama").addAll({"<unk>", "<s>", "</s>", "a"});
}

SmallVocabulary gpt2()
{
    return SmallVocabulary("gpt2", "gpt-2").addAll({"a", "b", "ab"}).merge("a b");
}

void expectRefused(const SmallVocabulary& vocabulary, ErrorCode code, std::string_view subject)
{
    const auto tokenizer = Tokenizer::create(vocabulary.metadata());
    ASSERT_FALSE(tokenizer) << subject;
    EXPECT_EQ(tokenizer.error().code, code) << tokenizer.error().message;
    EXPECT_EQ(tokenizer.error().subject, subject);
    EXPECT_NE(tokenizer.error().message.find(subject), std::string::npos)
        << tokenizer.error().message;
}

void expectBad(const SmallVocabulary& vocabulary, std::string_view key)
{
    expectRefused(vocabulary, ErrorCode::BadMetadata, key);
}

template <typename T>
MetadataValue arrayOf(std::size_t count, T value)
{
    return std::vector<T>(count, value);
}

} // namespace

TEST(HostileMetadata, ModelAndPretokenizerMustBeKnown)
{
    expectRefused(SmallVocabulary("made-up").add("a"), ErrorCode::UnsupportedTokenizer, "made-up");
    expectRefused(SmallVocabulary("none").add("a"), ErrorCode::UnsupportedTokenizer, "none");
    expectRefused(SmallVocabulary("gpt2", "made-up").add("a"), ErrorCode::UnsupportedTokenizer,
                  "made-up");
    Metadata metadata;
    metadata.set("tokenizer.ggml.tokens", std::vector<std::string>{"a"});
    const auto tokenizer = Tokenizer::create(metadata);
    ASSERT_FALSE(tokenizer);
    EXPECT_EQ(tokenizer.error().code, ErrorCode::MissingMetadata);
    EXPECT_FALSE(Tokenizer::create(Metadata{}));
}

TEST(HostileMetadata, TokensMustBeStringsAndNotTooMany)
{
    const std::string key = "tokenizer.ggml.tokens";
    expectBad(SmallVocabulary("llama"), key); // none at all
    expectBad(SmallVocabulary("llama").set(key, arrayOf(3, std::uint64_t{1})), key);
    expectBad(SmallVocabulary("llama").set(key, std::string("a")), key);
    expectBad(SmallVocabulary("llama").add(std::string(Vocabulary::kMaxTokenBytes + 1, 'a')), key);
    expectBad(SmallVocabulary("llama").set(
                  key, std::vector<std::string>(Vocabulary::kMaxTokens + 1, "a")),
              key);
    expectBad(
        SmallVocabulary("llama").set(key, std::vector<std::string>(1100, std::string(65'000, 'a'))),
        key);
    Metadata metadata;
    metadata.set("tokenizer.ggml.model", std::string("llama"));
    const auto tokenizer = Tokenizer::create(metadata);
    ASSERT_FALSE(tokenizer);
    EXPECT_EQ(tokenizer.error().code, ErrorCode::MissingMetadata);
}

TEST(HostileMetadata, ScoresAndTypesMustFitTheTokens)
{
    const std::string scores = "tokenizer.ggml.scores";
    const std::string types = "tokenizer.ggml.token_type";
    expectBad(llama().set(scores, arrayOf(3, 0.0)), scores);              // one short
    expectBad(llama().set(scores, arrayOf(4, std::int64_t{-1})), scores); // single bytes
    expectBad(llama().set(scores, arrayOf(4, std::uint64_t{1})), scores);
    expectBad(llama().set(scores, arrayOf(4, true)), scores);
    expectBad(llama().set(scores, arrayOf(4, std::string("1"))), scores);
    expectBad(llama().set(scores, 1.0), scores);
    expectBad(llama().set(types, arrayOf(3, std::int64_t{1})), types);
    expectBad(llama().set(types, arrayOf(4, 1.0)), types);
    expectBad(llama().set(types, arrayOf(4, true)), types);
    expectBad(llama().set(types, std::string("1")), types);
    // Types nobody knows, and scores that are no numbers, are those of no use.
    EXPECT_TRUE(llama().set(types, arrayOf(4, std::int64_t{99})).create());
    EXPECT_TRUE(llama().set(types, arrayOf(4, std::int64_t{-1})).create());
    EXPECT_TRUE(llama().set(scores, arrayOf(4, std::numeric_limits<double>::quiet_NaN())).create());
    EXPECT_TRUE(llama().set(scores, arrayOf(4, std::int64_t{-1000})).create());
    EXPECT_TRUE(llama().set(scores, arrayOf(9, 0.0)).create());
}

TEST(HostileMetadata, SpecialIdsMustBeInTheVocabulary)
{
    for (const std::string key : {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id"}) {
        expectBad(llama().set(key, std::uint64_t{4}), key); // the vocabulary's size
        expectBad(llama().set(key, std::uint64_t{999'999}), key);
        expectBad(llama().set(key, std::uint64_t{0xFFFFFFFF}), key);
        expectBad(llama().set(key, std::int64_t{-1}), key);
        expectBad(llama().set(key, std::string("1")), key);
        EXPECT_TRUE(llama().set(key, std::uint64_t{3}).create());
    }
    // Others count as absent.
    const auto tokenizer = llama()
                               .set("tokenizer.ggml.padding_token_id", std::uint64_t{999})
                               .set("tokenizer.ggml.eot_token_id", std::uint64_t{999})
                               .create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->eot(), -1);
    // The model's usual ids are not in so small a vocabulary.
    const auto tiny = SmallVocabulary("llama").add("a").create();
    ASSERT_TRUE(tiny);
    EXPECT_EQ(tiny->bos(), -1);
    EXPECT_EQ(tiny->encode("a", {}), (std::vector<TokenId>{0, 0, 0, 0})); // id 0 is "unknown"
}

TEST(HostileMetadata, ByteTokensMustNameBytes)
{
    const std::string key = "tokenizer.ggml.tokens";
    for (const char* const text :
         {"<0x-1>", "<0xZZ>", "<0x>", "<0x1>", "<0x100>", "0x41", "<0x 1>", "<0x+1>", "a"})
        expectBad(llama().add(text, TokenType::Byte), key);
    auto oneMissing = SmallVocabulary("llama");
    for (unsigned byte = 0; byte < 255; ++byte)
        oneMissing.add(std::format("<0x{:02X}>", byte), TokenType::Byte);
    expectBad(oneMissing, key);
    EXPECT_TRUE(oneMissing.add("<0xFF>", TokenType::Byte).create());
}

TEST(HostileMetadata, MergesMustBeTwoParts)
{
    const std::string key = "tokenizer.ggml.merges";
    for (const char* const line : {"", " ", "ab", "a ", "a  b", "a b c", " b"})
        expectBad(gpt2().merge(line), key);
    expectBad(gpt2().set(key, arrayOf(1, std::uint64_t{1})), key);
    expectBad(gpt2().set(key, std::vector<std::string>(BpeEncoder::kMaxMerges + 1, "a b")), key);
    // Parts that are no tokens are merges all the same; parts no text has are none.
    const auto tokenizer = gpt2().merge("x y").merge("中 a").merge("a b").create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->encode("ab", {}), (std::vector<TokenId>{2}));
    Metadata metadata;
    metadata.set("tokenizer.ggml.model", std::string("gpt2"));
    metadata.set("tokenizer.ggml.tokens", std::vector<std::string>{"a"});
    const auto without = Tokenizer::create(metadata);
    ASSERT_FALSE(without);
    EXPECT_EQ(without.error().code, ErrorCode::MissingMetadata);
}

TEST(HostileMetadata, OddTokensDoNoHarm)
{
    const auto tokenizer = llama()
                               .addAll({"", "", "a", std::string("\0", 1), "\xFF\xFE", "\xE2\x96"})
                               .add("", TokenType::Control)
                               .add(std::string(60'000, 'a'), TokenType::UserDefined)
                               .create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->piece(4, false), "[EMPTY_4]");
    const std::vector<TokenId> ids = tokenizer->encode(std::string("a\0\xE2\x96", 4), {});
    EXPECT_FALSE(ids.empty());
    EXPECT_EQ(ids.back(), 9);
    EXPECT_EQ(std::ranges::count(ids, 3), 1); // of equal texts the first
    EXPECT_FALSE(tokenizer->encode(std::string(70'000, 'a'), {}).empty());
}
