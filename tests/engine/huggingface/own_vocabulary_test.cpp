// Vocabularies in the forms that came with families' code, where a folder has no tokenizer.json.

#include "tests/support/engine/processor_time.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/huggingface/model_config.h"
#include "engine/huggingface/vocabulary.h"
#include "engine/tokenizer/tokenizer.h"

#include <array>
#include <format>
#include <gtest/gtest.h>
#include <random>

namespace {

using engine::ErrorCode;
using nlohmann::json;
using Ids = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

struct Written {
    engine::Result<void> result;
    engine::Metadata metadata;
};

Written write(std::string_view file, std::string_view bytes, std::int64_t tokens,
              const json& config = json::object())
{
    const test::TempFolder folder;
    folder.write(file, bytes);
    folder.write("tokenizer_config.json", config.dump());
    Written written;
    written.result = engine::writeVocabulary(
        folder.path(), engine::ModelConfig::fromJson(json::object()), tokens, written.metadata);
    return written;
}

std::string encoded(const engine::Metadata& metadata, std::string_view text)
{
    const auto tokenizer = engine::Tokenizer::create(metadata);
    if (!tokenizer) return tokenizer.error().message;
    std::string ids;
    for (const engine::TokenId id : (*tokenizer)->encode(text, {}))
        ids += std::to_string(id) + " ";
    return ids;
}

// a b c " a" ab abc cb, and one that no pairs lead to: bca, whose parts "bc" and "ca" are none.
constexpr std::string_view kRanks =
    "YQ== 0\nYg== 1\nYw== 2\nIA== 3\nIGE= 4\nYWI= 5\r\nYWJj 6\nY2I= 7\nYmNh 8\n";

TEST(OwnVocabularyTest, TiktokensRanksBecomeMerges)
{
    const json config = {
        {"added_tokens_decoder", {{"9", {{"content", "[BOS]"}, {"special", true}}}}},
        {"bos_token", "[BOS]"}};
    const Written w = write("tiktoken.model", kRanks, 11, config);
    ASSERT_TRUE(w.result) << w.result.error().message;
    EXPECT_EQ(w.metadata.stringOr("tokenizer.ggml.model", ""), "gpt2");
    EXPECT_EQ(w.metadata.stringOr("tokenizer.ggml.pre", ""), "kimi-k2");
    EXPECT_EQ(
        *w.metadata.strings("tokenizer.ggml.tokens"),
        (Texts{"a", "b", "c", "\u0120", "\u0120a", "ab", "abc", "cb", "bca", "[BOS]", "[PAD10]"}));
    EXPECT_EQ(*w.metadata.strings("tokenizer.ggml.merges"),
              (Texts{"\u0120 a", "a b", "ab c", "c b"}));
    EXPECT_EQ(w.metadata.integerOr("tokenizer.ggml.bos_token_id", -1), 9);
    EXPECT_FALSE(w.metadata.booleanOr("tokenizer.ggml.add_bos_token", true));
    EXPECT_FALSE(w.metadata.booleanOr("tokenizer.ggml.add_eos_token", true));
    EXPECT_EQ(encoded(w.metadata, "abcb ab"), "6 1 4 1 ");
}

// Long tokens of parts that are joined again and again, and then lead nowhere.
TEST(OwnVocabularyTest, HostileRanksAreReadSoon)
{
    constexpr int kTokens = 4000;
    std::string file = "YQ== 0\nYg== 1\nYWE= 2\nYWI= 3\nYmE= 4\nYmI= 5\n"; // a b aa ab ba bb
    constexpr std::array kParts = {"YWFh", "YWFi", "YWJh", "YmFi"};        // aaa aab aba bab
    std::minstd_rand random;
    for (int i = 0; i < kTokens; ++i) {
        for (int part = 0; part < 84; ++part)
            file += kParts[random() / 7 % kParts.size()];
        file += std::format(" {}\n", i + 6);
    }
    const test::ProcessorTime time;
    const Written w = write("tiktoken.model", file, kTokens + 6);
    EXPECT_TRUE(w.result) << w.result.error().message;
    EXPECT_LT(time.seconds(), 1);
}

TEST(OwnVocabularyTest, QwensOtherTokensAreBehindThoseOfItsFile)
{
    const Written w = write("qwen.tiktoken", kRanks, 14);
    ASSERT_TRUE(w.result) << w.result.error().message;
    EXPECT_EQ(w.metadata.stringOr("tokenizer.ggml.pre", ""), "qwen2");
    const Texts& tokens = *w.metadata.strings("tokenizer.ggml.tokens");
    EXPECT_EQ(Texts(tokens.begin() + 9, tokens.end()),
              (Texts{"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|extra_0|>", "<|extra_1|>"}));
    EXPECT_EQ(w.metadata.integers("tokenizer.ggml.token_type"),
              (Ids{1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3}));
}

TEST(OwnVocabularyTest, RwkvsLiteralsAreTextOrBytes)
{
    const Written w =
        write("rwkv_vocab_v20230424.txt",
              "1 'a' 1\n2 \"it's\" 4\n3 b'\\xe4\\xb8' 2\n4 '\\u4e2d' 3\n5 '\\n \\\\' 3\n"
              "6 '\u4e2d' 3\n7 ' b' 2\n",
              8);
    ASSERT_TRUE(w.result) << w.result.error().message;
    EXPECT_EQ(w.metadata.stringOr("tokenizer.ggml.model", ""), "rwkv");
    EXPECT_EQ(*w.metadata.strings("tokenizer.ggml.tokens"),
              (Texts{"<s>", "a", "it's", "\\xe4\\xb8", "\\xe4\\xb8\\xad", "\\x0a \\\\",
                     "\\xe4\\xb8\\xad", " b"}));
    EXPECT_EQ(encoded(w.metadata, "a b\n \\it's"), "1 7 5 2 ");
}

TEST(OwnVocabularyTest, PlamosLinesHaveScoresAndTypes)
{
    const Written w = write("tokenizer.jsonl",
                            "[\"<|plamo:unk|>\", 0.0, \"UNKNOWN\", null]\n"
                            "[\"<|plamo:bos|>\", 0.0, \"CONTROL\"]\n[\"a\\n\", -1.5, \"NORMAL\"]\n"
                            "[\"<0x0A>\", 0.0, \"BYTE\"]\n[\"<|plamo:op|>\", 0.0, \"NORMAL\"]\n",
                            6, {{"bos_token", "<|plamo:bos|>"}});
    ASSERT_TRUE(w.result) << w.result.error().message;
    EXPECT_EQ(w.metadata.stringOr("tokenizer.ggml.model", ""), "plamo2");
    EXPECT_EQ(w.metadata.integers("tokenizer.ggml.token_type"), (Ids{2, 3, 1, 6, 3, 5}));
    EXPECT_EQ(w.metadata.numbers("tokenizer.ggml.scores").value_or(std::vector<double>{})[2], -1.5);
    EXPECT_EQ(w.metadata.integerOr("tokenizer.ggml.bos_token_id", -1), 1);
    EXPECT_EQ(w.metadata.integerOr("tokenizer.ggml.eot_token_id", -1), 4);
    EXPECT_EQ(encoded(w.metadata, "a\n\n"), "2 3 ");
}

TEST(OwnVocabularyTest, WhatCannotBeRightIsRefused)
{
    struct Row {
        const char* file;
        const char* bytes;
        const char* message;
    };
    constexpr const char* kRank = "the vocabulary: line 1: expected a token in base64 and its rank";
    constexpr const char* kText = "the vocabulary: line 2: expected an id, a text and its length";
    const Row rows[] = {
        {"tiktoken.model", "YQ==", kRank},
        {"tiktoken.model", "YQ== x", kRank},
        {"tiktoken.model", "YQ== -1", kRank},
        {"tiktoken.model", "YQ== 99999999999", kRank},
        {"tiktoken.model", " 1", kRank},
        {"tiktoken.model", "YQ== 1\nYQ== 2", "the vocabulary: line 2: expected every token once"},
        {"rwkv_vocab_v20230424.txt", "1 'a' 1\n2", kText},
        {"rwkv_vocab_v20230424.txt", "1 'a' 1\n2 'b' 2", kText},
        {"rwkv_vocab_v20230424.txt", "1 'a' 1\n2 'b 1", kText},
        {"rwkv_vocab_v20230424.txt", "1 'a' 1\n2 '\\x1' 1", kText},
        {"rwkv_vocab_v20230424.txt", "1 'a' 1\n2 '\\U00110000' 4", kText},
        {"rwkv_vocab_v20230424.txt", "1 'a' 1\n2 '\\' 1", kText},
        {"tokenizer.jsonl", "7", "the vocabulary: line 1: expected a text and its score"},
        {"tokenizer.jsonl", "[\"a\"", "the vocabulary: line 1: expected a text and its score"},
        {"tokenizer.jsonl", "[\"a\", \"b\"]",
         "the vocabulary: line 1: expected a text and its score"},
    };
    for (const Row& row : rows) {
        const Written w = write(row.file, row.bytes, 4);
        ASSERT_FALSE(w.result) << row.bytes;
        EXPECT_EQ(w.result.error().code, ErrorCode::FileCorrupt) << row.bytes;
        EXPECT_EQ(w.result.error().message, row.message) << row.bytes;
    }
}

} // namespace
