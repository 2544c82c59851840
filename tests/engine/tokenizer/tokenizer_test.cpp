#include "tests/engine/tokenizer/small_vocabulary.h"

#include "engine/tokenizer/tokenizer.h"

#include <cmath>
#include <limits>

using namespace engine;
using test::SmallVocabulary;
using test::TokenType;

namespace {

using Ids = std::vector<TokenId>;

Ids encode(const Tokenizer& tokenizer, std::string_view text, bool parseSpecial = false)
{
    return tokenizer.encode(text, {.addSpecial = false, .parseSpecial = parseSpecial});
}

std::string decode(const Tokenizer& tokenizer, const Ids& ids)
{
    return tokenizer.decode(ids, {.removeSpecial = false, .unparseSpecial = true});
}

/// <unk> <s> </s>, the bytes from 3 on, then the texts with falling scores.
SmallVocabulary sentencePiece(const std::vector<std::string>& texts)
{
    SmallVocabulary vocabulary("llama");
    vocabulary.add("<unk>", TokenType::Unknown)
        .add("<s>", TokenType::Control)
        .add("</s>", TokenType::Control)
        .addBytes();
    double score = 0;
    for (const std::string& text : texts)
        vocabulary.add(text, TokenType::Normal, --score);
    return vocabulary;
}

constexpr TokenId kFirstText = 3 + 256;

TokenId byteToken(unsigned char byte)
{
    return 3 + byte;
}

} // namespace

TEST(SentencePiece, MergesTheBestScoreFirstAndFallsBackToBytes)
{
    const auto tokenizer = sentencePiece({"▁", "a", "b", "▁a", "ab", "▁ab"}).create();
    ASSERT_TRUE(tokenizer);
    // "▁a" beats "ab", and "▁ab" is made of it.
    EXPECT_EQ(encode(*tokenizer, "ab"), (Ids{kFirstText + 5}));
    EXPECT_EQ(encode(*tokenizer, "ba"), (Ids{kFirstText, kFirstText + 2, kFirstText + 1}));
    EXPECT_EQ(encode(*tokenizer, "a\xC3\xA9"),
              (Ids{kFirstText + 3, byteToken(0xC3), byteToken(0xA9)}));
    EXPECT_EQ(encode(*tokenizer, ""), Ids{});
    EXPECT_EQ(tokenizer->encode("", {}), (Ids{1}));
    EXPECT_EQ(tokenizer->encode("ab", {}), (Ids{1, kFirstText + 5}));
}

TEST(SentencePiece, PutsASpaceBeforeTextAtTheStartAndAfterSpecialTokens)
{
    auto vocabulary = sentencePiece({"▁", "a", "▁a"});
    const auto tokenizer = vocabulary.create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(encode(*tokenizer, "a</s>a", true), (Ids{kFirstText + 2, 2, kFirstText + 2}));
    vocabulary.set("tokenizer.ggml.add_space_prefix", false);
    EXPECT_EQ(encode(*vocabulary.create(), "a</s>a", true),
              (Ids{kFirstText + 1, 2, kFirstText + 1}));
}

TEST(SentencePiece, TokensWithSpacesInsideAreFound)
{
    const auto tokenizer = sentencePiece({"▁", "a", "b", "a▁", "a▁b"})
                               .set("tokenizer.ggml.add_space_prefix", false)
                               .create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(encode(*tokenizer, "a b"), (Ids{kFirstText + 4}));
}

TEST(SentencePiece, WithoutByteTokensWhatIsLeftIsUnknown)
{
    const auto tokenizer = SmallVocabulary("llama")
                               .add("<unk>", TokenType::Unknown)
                               .add("<s>", TokenType::Control)
                               .add("</s>", TokenType::Control)
                               .addAll({"▁", "a"})
                               .create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(encode(*tokenizer, "a\xC3\xA9"), (Ids{3, 4, 0, 0}));
}

TEST(SentencePiece, DecodingTakesTheFirstSpaceAway)
{
    const auto tokenizer = sentencePiece({"▁", "a", "▁a"}).create();
    ASSERT_TRUE(tokenizer);
    const Ids ids{1, kFirstText + 2, kFirstText + 2, 2};
    EXPECT_EQ(decode(*tokenizer, {kFirstText + 2, kFirstText + 2}), "a a");
    EXPECT_EQ(decode(*tokenizer, ids), "<s> a a</s>");
    EXPECT_EQ(tokenizer->decode(ids, {.removeSpecial = true}), " a a");
    EXPECT_EQ(tokenizer->piece(kFirstText + 2, false), " a");
    EXPECT_EQ(tokenizer->piece(byteToken(0xC3), false), "\xC3");
    EXPECT_EQ(tokenizer->piece(1, false), "");
    EXPECT_EQ(tokenizer->piece(1, true), "<s>");
    EXPECT_EQ(decode(*tokenizer, {-1, 1'000'000}), ""); // no tokens at all
}

namespace {

SmallVocabulary bytePairs(const std::string& pre)
{
    SmallVocabulary vocabulary("gpt2", pre);
    return vocabulary.addAll({"a", "b", "c", "Ġ", "ab", "bc", "Ġa", "abc", "Ċ", "ÿ", "!"})
        .add("<|im_end|>", TokenType::Control)
        .add("<tool>", TokenType::UserDefined)
        .merge("b c")
        .merge("a b")
        .merge("Ġ a");
}

} // namespace

TEST(Bpe, MergesByRankInsideWords)
{
    const auto tokenizer = bytePairs("gpt-2").create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(encode(*tokenizer, "abc"), (Ids{0, 5})); // "b c" first, and no merge makes "abc"
    EXPECT_EQ(encode(*tokenizer, "ab abc"), (Ids{4, 6, 5}));
    EXPECT_EQ(encode(*tokenizer, "\n\xFF"), (Ids{8})); // U+FFFD has no tokens here
    EXPECT_EQ(encode(*tokenizer, "a<|im_end|>", true), (Ids{0, 11}));
    EXPECT_EQ(encode(*tokenizer, "a<tool>c"), (Ids{0, 12, 2}));
    EXPECT_EQ(tokenizer->piece(6, false), " a");
    EXPECT_EQ(tokenizer->piece(9, false), "\xFF");
}

TEST(Bpe, WholeWordsGoBeforeMergesWhereThePretokenizerSaysSo)
{
    const auto tokenizer = bytePairs("llama-bpe").create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(encode(*tokenizer, "abc"), (Ids{7}));
}

TEST(Bpe, MergedTextThatIsNoTokenFallsApartIntoBytes)
{
    const auto tokenizer = SmallVocabulary("gpt2", "gpt-2")
                               .addAll({"a", "b", "Ġ"})
                               .merge("a b")
                               .merge("Ġ ab")
                               .merge("x y")
                               .create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(encode(*tokenizer, "ab"), (Ids{0, 1}));
    EXPECT_EQ(encode(*tokenizer, " ab"),
              (Ids{0, 1})); // and a space that stands for itself does not
    EXPECT_EQ(encode(*tokenizer, "xy"), Ids{});
}

TEST(Bpe, OverCharactersWithUnderscoresForSpaces)
{
    const auto tokenizer =
        SmallVocabulary("gemma4")
            .addAll({"<bos>", "▁", "a", "▁a", "\n", "\n\n", "é", "<0xC3>"})
            .set("tokenizer.ggml.bos_token_id", std::uint64_t{0})
            .set("tokenizer.ggml.add_bos_token", false)
            .set("tokenizer.ggml.merges", std::vector<std::string>{"▁ a", "▁a a"})
            .create();
    ASSERT_TRUE(tokenizer);
    EXPECT_TRUE(tokenizer->addsBos()); // whatever the file says
    EXPECT_EQ(tokenizer->encode(" a", {}), (Ids{0, 3}));
    EXPECT_EQ(encode(*tokenizer, "\n\né"), (Ids{5, 6}));
    EXPECT_EQ(encode(*tokenizer, "\n\n\n"), (Ids{4, 4, 4}));
    EXPECT_EQ(encode(*tokenizer, "Ã"), (Ids{7})); // the bytes C3 83, of which one is a token
    EXPECT_EQ(tokenizer->piece(3, false), " a");
}

TEST(Bpe, NamesNoBosTheModelDoesNotName)
{
    const auto tokenizer = bytePairs("llama-bpe").create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->bos(), -1);
    EXPECT_FALSE(tokenizer->addsBos());
    EXPECT_EQ(tokenizer->encode("a", {}), (Ids{0}));
}

TEST(SpecialTokens, FindsWhatEndsAReplyByName)
{
    const auto tokenizer =
        bytePairs("qwen2").set("tokenizer.ggml.eos_token_id", std::uint64_t{4}).create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->eot(), 11);
    EXPECT_EQ(tokenizer->eos(), 4);
    EXPECT_EQ(tokenizer->endOfGenerationTokens(), (Ids{4, 11}));
    EXPECT_TRUE(tokenizer->isEndOfGeneration(11));
    EXPECT_FALSE(tokenizer->isEndOfGeneration(12));
    EXPECT_FALSE(tokenizer->isEndOfGeneration(-1));
    EXPECT_TRUE(tokenizer->isControl(11));
    EXPECT_FALSE(tokenizer->isControl(12));
    EXPECT_FALSE(tokenizer->isControl(-1));
}

TEST(SpecialTokens, NormalTokensWithTellingNamesBecomeControlTokens)
{
    const auto tokenizer = SmallVocabulary("gpt2", "qwen2")
                               .addAll({"a", "<|im_end|>", "<|fim_pad|>", "<PRE>"})
                               .create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->endOfGenerationTokens(), (Ids{1, 2}));
    EXPECT_TRUE(tokenizer->isControl(1) && tokenizer->isControl(2) && tokenizer->isControl(3));
    EXPECT_EQ(tokenizer->decode(Ids{0, 1}, {}), "a");
}

TEST(SpecialTokens, TheEndOfAMessageIsNotTheEndOfAReplyForGptOss)
{
    SmallVocabulary vocabulary("gpt2", "gpt-4o");
    for (const char* const name : {"<|return|>", "<|call|>", "<|end|>", "<|channel|>"})
        vocabulary.add(name, TokenType::Control);
    const auto tokenizer = vocabulary.create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->endOfGenerationTokens(), (Ids{0, 1}));
    EXPECT_EQ(tokenizer->decode(Ids{3, 2, 0}, {}), "<|channel|><|end|>");
    EXPECT_EQ(encode(*tokenizer, "<|end|><|return|>"), (Ids{2})); // its letters have no tokens here
}

TEST(SpecialTokens, Phi3SwallowsWhiteSpaceBehindThem)
{
    auto vocabulary = sentencePiece({"▁", "a", "▁a"}).add("<|end|>", TokenType::Control);
    const TokenId end = kFirstText + 3;
    EXPECT_EQ(encode(*vocabulary.create(), "<|end|> \n a", true),
              (Ids{end, kFirstText, kFirstText, byteToken('\n'), kFirstText + 2}));
    vocabulary.set("general.name", std::string("Phi-3 mini"));
    EXPECT_EQ(encode(*vocabulary.create(), "<|end|> \n a", true), (Ids{end, kFirstText + 2}));
}

TEST(WordPiece, LongestTokensOfWordsWithoutCaseAndAccents)
{
    const auto tokenizer = SmallVocabulary("bert")
                               .add("[PAD]", TokenType::Control)
                               .add("[UNK]", TokenType::Unknown)
                               .add("[CLS]", TokenType::Control)
                               .add("[SEP]", TokenType::Control)
                               .addAll({"▁he", "▁hello", "llo", "▁!", "▁中", "▁a", "a"})
                               .set("tokenizer.ggml.bos_token_id", std::uint64_t{2})
                               .set("tokenizer.ggml.unknown_token_id", std::uint64_t{1})
                               .set("tokenizer.ggml.seperator_token_id", std::uint64_t{3})
                               .create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->encode("Héllo!a中", {}), (Ids{2, 5, 7, 9, 8, 3}));
    EXPECT_EQ(encode(*tokenizer, "hea\u0301 a\u200B aaz"), (Ids{4, 10, 9, 1}));
    EXPECT_EQ(encode(*tokenizer, std::string_view("a\0a", 3)), (Ids{9, 10}));
    EXPECT_EQ(encode(*tokenizer, " \u3000\n"), Ids{});
    EXPECT_EQ(decode(*tokenizer, {5, 7, 9}), " hello! a");
}

TEST(Rwkv, TakesTheLongestTokenAndUnescapes)
{
    const auto tokenizer = SmallVocabulary("rwkv")
                               .addAll({"<s>", "a", "ab", "abcd", "\\n", "\\x00", "\\\\", "\\xe4"})
                               .set("tokenizer.ggml.unknown_token_id", std::uint64_t{0})
                               .create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(encode(*tokenizer, std::string_view("abc\n\0\\\xE4", 7)), (Ids{2, 0, 4, 5, 6, 7}));
    EXPECT_EQ(decode(*tokenizer, {2, 4, 5, 6, 7}), std::string("ab\n\0\\\xE4", 6));
}

TEST(Plamo, TakesTheBestSumOfScoresFromTheEnd)
{
    const auto tokenizer = SmallVocabulary("plamo2")
                               .add("<|plamo:unk|>", TokenType::Unknown)
                               .add("<|plamo:bos|>", TokenType::Control)
                               .add("a", TokenType::Normal, -1)
                               .add("b", TokenType::Normal, -1)
                               .add("ab", TokenType::Normal, -3)
                               .add("ba", TokenType::Normal, -1.5)
                               .add(" \u2581", TokenType::Normal, -2)
                               .add("aa", TokenType::Normal, -2)
                               .addBytes()
                               .create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(encode(*tokenizer, "ab"), (Ids{2, 3}));
    EXPECT_EQ(encode(*tokenizer, "aba"), (Ids{2, 5}));
    EXPECT_EQ(encode(*tokenizer, "aaa"), (Ids{7, 2})); // of equal sums the longer token first
    EXPECT_EQ(encode(*tokenizer, "a\u00E4 \u2581\xFF"), (Ids{2, 8 + 0xC3, 8 + 0xA4, 6, 8 + 0xFF}));
    EXPECT_EQ(encode(*tokenizer, "<"), (Ids{8 + '<'}));
    EXPECT_EQ(decode(*tokenizer, {2, 8 + 0xC3, 8 + 0xA4, 6, 8 + 0xFF}), "a\u00E4 \u2581\xFF");
    EXPECT_EQ(encode(*tokenizer, ""), Ids{});
}

TEST(Plamo, ScoresThatAreNoNumbersAreWorseThanBytes)
{
    const double inf = std::numeric_limits<double>::infinity();
    const auto tokenizer = SmallVocabulary("plamo2")
                               .add("<|plamo:unk|>", TokenType::Unknown)
                               .add("a", TokenType::Normal, -inf)
                               .add("b", TokenType::Normal, 1e30)
                               .add("c", TokenType::Normal, std::nan(""))
                               .addBytes()
                               .create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(encode(*tokenizer, "abc"), (Ids{4 + 'a', 2, 4 + 'c'}));
}
