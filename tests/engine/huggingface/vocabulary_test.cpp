#include "tests/support/engine/temp_folder.h"

#include "engine/huggingface/model_config.h"
#include "engine/huggingface/vocabulary.h"
#include "engine/tokenizer/tokenizer.h"

#include <gtest/gtest.h>

namespace {

using engine::ErrorCode;
using nlohmann::json;

/// The keys that come of a tokenizer.json and the files beside it.
struct Written {
    engine::Result<void> result;
    engine::Metadata metadata;
};

Written write(const json& tokenizer, const json& config = json::object(), std::int64_t tokens = 8,
              const json& generation = json())
{
    engine::TokenizerFiles files;
    files.tokenizer = tokenizer;
    files.tokenizerConfig = config;
    files.generation = generation;
    Written written;
    written.result = engine::writeVocabulary(files, engine::ModelConfig::fromJson(json::object()),
                                             tokens, written.metadata);
    return written;
}

json byteLevel(const json& preTokenizer = {{"type", "ByteLevel"}})
{
    return {{"added_tokens",
             {{{"id", 4}, {"content", "<s>"}, {"special", true}},
              {{"id", 5}, {"content", "<|x|>"}, {"special", false}},
              {{"id", 6}, {"content", "word"}, {"special", false}}}},
            {"pre_tokenizer", preTokenizer},
            {"decoder", {{"type", "ByteLevel"}}},
            {"model",
             {{"type", "BPE"},
              {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}, {"\u0120a", 3}}},
              {"merges",
               json::array({json::array({"a", "b"}), "\u0120 a", json::array({" ", "a"})})}}}};
}

TEST(VocabularyTest, ByteLevelPairs)
{
    const Written w = write(byteLevel());
    ASSERT_TRUE(w.result) << w.result.error().message;
    EXPECT_EQ(w.metadata.stringOr("tokenizer.ggml.model", ""), "gpt2");
    EXPECT_EQ(w.metadata.stringOr("tokenizer.ggml.pre", ""), "gpt-2");
    EXPECT_EQ(
        *w.metadata.strings("tokenizer.ggml.tokens"),
        (std::vector<std::string>{"a", "b", "ab", "\u0120a", "<s>", "<|x|>", "word", "[PAD7]"}));
    EXPECT_EQ(w.metadata.integers("tokenizer.ggml.token_type"),
              (std::vector<std::int64_t>{1, 1, 1, 1, 3, 3, 4, 5}));
    EXPECT_EQ(*w.metadata.strings("tokenizer.ggml.merges"),
              (std::vector<std::string>{"a b", "\u0120 a", "\u0120 a"}));
    EXPECT_FALSE(w.metadata.booleanOr("tokenizer.ggml.add_bos_token", true));
}

TEST(VocabularyTest, PreTokenizersAreKnownByTheirPatterns)
{
    const auto split = [](const char* regex) -> json {
        return {{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}};
    };
    const auto sequence = [](std::vector<json> steps) -> json {
        steps.push_back({{"type", "ByteLevel"}, {"use_regex", false}});
        return {{"type", "Sequence"}, {"pretokenizers", steps}};
    };
    const char* llama3 =
        R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    const char* qwen2 =
        R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    const auto name = [](json tokenizer, bool clean) {
        const Written w = write(tokenizer, {{"clean_up_tokenization_spaces", clean}});
        return w.result ? w.metadata.stringOr("tokenizer.ggml.pre", "") : w.result.error().message;
    };
    EXPECT_EQ(name(byteLevel(sequence({split(qwen2)})), false), "qwen2");
    EXPECT_EQ(name(byteLevel(sequence({split(qwen2)})), true), "stablelm2");
    EXPECT_EQ(name(byteLevel(sequence({split(llama3)})), true), "dbrx");
    json whole = byteLevel(sequence({split(llama3)}));
    whole["model"]["ignore_merges"] = true;
    EXPECT_EQ(name(whole, true), "llama-bpe");
    const json digits = {{"type", "Sequence"},
                         {"pretokenizers",
                          {{{"type", "Digits"}, {"individual_digits", true}},
                           {{"type", "ByteLevel"}, {"use_regex", true}}}}};
    EXPECT_EQ(name(byteLevel(digits), false), "smollm");
    EXPECT_EQ(name(byteLevel(digits), true), "starcoder");
    // A line break in a pattern, not its escape.
    EXPECT_EQ(name(byteLevel(sequence({split("[\r\n]"),
                                       split("\\s?\\p{L}+"),
                                       split("\\s?\\p{P}+"),
                                       split("[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+"),
                                       {{"type", "Digits"}, {"individual_digits", true}}})),
                   true),
              "deepseek-coder");
    // What nobody has a name for is followed step by step.
    EXPECT_EQ(name(byteLevel(sequence({split("x+")})), true), "default");
    json prefixed = byteLevel();
    prefixed["pre_tokenizer"]["add_prefix_space"] = true;
    EXPECT_EQ(name(prefixed, true), "default");
    // Only as far as it is known what to do.
    const Written strange = write(byteLevel(sequence({{{"type", "Guess"}}})));
    ASSERT_TRUE(strange.result);
    const auto refused = engine::Tokenizer::create(strange.metadata);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::UnsupportedTokenizer);
    EXPECT_EQ(refused.error().subject, "Guess");
    const Written broken = write(byteLevel(sequence({split("x(")})));
    const auto noPattern = engine::Tokenizer::create(broken.metadata);
    ASSERT_FALSE(noPattern);
    EXPECT_EQ(noPattern.error().subject, "x(");
}

TEST(VocabularyTest, SentencePieceScoresFollowTheMerges)
{
    const json tokenizer = {
        {"added_tokens",
         {{{"id", 0}, {"content", "<unk>"}, {"special", true}},
          {{"id", 1}, {"content", "<s>"}, {"special", true}}}},
        {"normalizer", {{"type", "Prepend"}, {"prepend", "\u2581"}}},
        {"post_processor",
         {{"type", "TemplateProcessing"},
          {"single", {{{"SpecialToken", {{"id", "<s>"}}}}, {{"Sequence", {{"id", "A"}}}}}}}},
        {"model",
         {{"type", "BPE"},
          {"byte_fallback", true},
          {"unk_token", "<unk>"},
          {"vocab",
           {{"<unk>", 0},
            {"<s>", 1},
            {"<0x0A>", 2},
            {"\u2581", 3},
            {"a", 4},
            {"\u2581a", 5},
            {"aa", 6}}},
          {"merges", {"a a", "\u2581 a", "a a"}}}}};
    const Written w = write(tokenizer, {{"bos_token", {{"content", "<s>"}}}}, 7);
    ASSERT_TRUE(w.result) << w.result.error().message;
    EXPECT_EQ(w.metadata.stringOr("tokenizer.ggml.model", ""), "llama");
    EXPECT_EQ(w.metadata.integers("tokenizer.ggml.token_type"),
              (std::vector<std::int64_t>{2, 3, 6, 1, 1, 1, 1}));
    const auto scores = w.metadata.numbers("tokenizer.ggml.scores");
    EXPECT_EQ((*scores)[6], -1);
    EXPECT_EQ((*scores)[5], -2);
    EXPECT_EQ(w.metadata.integerOr("tokenizer.ggml.bos_token_id", -1), 1);
    EXPECT_TRUE(w.metadata.booleanOr("tokenizer.ggml.add_bos_token", false));
    // What the configuration says counts more than the template.
    const Written not_added = write(tokenizer, {{"add_bos_token", false}}, 7);
    EXPECT_FALSE(not_added.metadata.booleanOr("tokenizer.ggml.add_bos_token", true));
}

json template_(const std::vector<json>& single, json tokens = json::object())
{
    return {
        {"type", "TemplateProcessing"}, {"single", single}, {"special_tokens", std::move(tokens)}};
}

// Whichever tokens a folder puts around a text, and not those that play the part.
TEST(VocabularyTest, APostProcessorsTokensAreThoseItNames)
{
    const json text = {{"Sequence", {{"id", "A"}}}};
    const auto special = [](const char* name) { return json{{"SpecialToken", {{"id", name}}}}; };
    const json twice = {{"two", {{"id", "two"}, {"ids", {3, 4}}}}};
    const json pair = {{"type", "RobertaProcessing"},
                       {"cls", json::array({"a", 0})},
                       {"sep", json::array({"<s>", 4})}};
    using Ids = std::vector<engine::TokenId>;
    struct Case {
        json processor;
        Ids ids;
    };
    const json config = {{"bos_token", "<s>"}, {"eos_token", "<s>"}};
    for (const auto& [processor, ids] : {
             Case{template_({special("<s>"), text}), {4, 1}},
             Case{template_({special("a"), text}), {0, 1}},
             Case{template_({text, special("a")}), {1, 0}},
             Case{template_({special("<s>"), text, special("a")}), {4, 1, 0}},
             Case{template_({special("two"), text, special("two")}, twice), {3, 4, 1, 3, 4}},
             Case{template_({text}), {1}},
             Case{pair, {0, 1, 4}},
         }) {
        SCOPED_TRACE(processor.dump());
        json tokenizer = byteLevel();
        tokenizer["post_processor"] = processor;
        const Written w = write(tokenizer, config);
        ASSERT_TRUE(w.result) << w.result.error().message;
        const auto made = engine::Tokenizer::create(w.metadata);
        ASSERT_TRUE(made);
        EXPECT_EQ((*made)->encode("b", {.addSpecial = true}), ids);
    }
    for (const json& processor : {
             template_({special("nothing"), text}),
             template_({special("<s>")}),
             template_({text, text}),
             template_({special("a"), text}, {{"a", {{"ids", {99}}}}}),
             json{{"type", "BertProcessing"}, {"cls", 5}, {"sep", "x"}},
         }) {
        SCOPED_TRACE(processor.dump());
        json tokenizer = byteLevel();
        tokenizer["post_processor"] = processor;
        const Written w = write(tokenizer, config);
        ASSERT_FALSE(w.result);
        EXPECT_EQ(w.result.error().code, ErrorCode::BadMetadata);
        EXPECT_EQ(w.result.error().subject, "post_processor");
    }
}

TEST(VocabularyTest, Unigram)
{
    const json tokenizer = {
        {"normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "AQID"}}},
        {"pre_tokenizer",
         {{"type", "Sequence"},
          {"pretokenizers",
           {{{"type", "WhitespaceSplit"}},
            {{"type", "Metaspace"}, {"prepend_scheme", "always"}}}}}},
        {"model",
         {{"type", "Unigram"},
          {"unk_id", 0},
          {"vocab", json::array({json::array({"<unk>", 0.0}), json::array({"\u2581a", -2.5})})}}}};
    const Written w = write(tokenizer, json::object(), 2);
    ASSERT_TRUE(w.result) << w.result.error().message;
    EXPECT_EQ(w.metadata.stringOr("tokenizer.ggml.model", ""), "t5");
    EXPECT_EQ((*w.metadata.numbers("tokenizer.ggml.scores"))[1], -2.5);
    // A table of characters that cannot be one.
    const auto refused = engine::Tokenizer::create(w.metadata);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::BadMetadata);
}

TEST(VocabularyTest, WordPiece)
{
    const json tokenizer = {{"added_tokens",
                             {{{"id", 0}, {"content", "[CLS]"}, {"special", true}},
                              {{"id", 1}, {"content", "[SEP]"}, {"special", true}}}},
                            {"normalizer", {{"type", "BertNormalizer"}, {"lowercase", false}}},
                            {"post_processor",
                             {{"type", "BertProcessing"},
                              {"sep", json::array({"[SEP]", 1})},
                              {"cls", json::array({"[CLS]", 0})}}},
                            {"model",
                             {{"type", "WordPiece"},
                              {"vocab", {{"[CLS]", 0}, {"[SEP]", 1}, {"play", 2}, {"##ing", 3}}}}}};
    const Written w = write(tokenizer, {{"cls_token", "[CLS]"}, {"sep_token", "[SEP]"}}, 4);
    ASSERT_TRUE(w.result) << w.result.error().message;
    EXPECT_EQ(w.metadata.stringOr("tokenizer.ggml.model", ""), "bert");
    EXPECT_EQ(*w.metadata.strings("tokenizer.ggml.tokens"),
              (std::vector<std::string>{"[CLS]", "[SEP]", "play", "##ing"}));
    EXPECT_EQ(w.metadata.integerOr("tokenizer.ggml.bos_token_id", -1), 0);
    EXPECT_EQ(w.metadata.integerOr("tokenizer.ggml.seperator_token_id", -1), 1);
    EXPECT_TRUE(w.metadata.booleanOr("tokenizer.ggml.add_eos_token", false));
    // The tokenizer alone names them too.
    json alone = tokenizer;
    alone["model"]["unk_token"] = "play";
    const Written without = write(alone, json::object(), 4);
    EXPECT_EQ(without.metadata.integerOr("tokenizer.ggml.bos_token_id", -1), 0);
    EXPECT_EQ(without.metadata.integerOr("tokenizer.ggml.seperator_token_id", -1), 1);
    EXPECT_EQ(without.metadata.integerOr("tokenizer.ggml.unknown_token_id", -1), 2);
}

TEST(VocabularyTest, EveryEndOfATurnIsKept)
{
    const Written w = write(byteLevel(), {{"eos_token", "<s>"}}, 8,
                            {{"eos_token_id", {4, 5, 6, 99}}, {"temperature", 0.6}, {"top_k", 20}});
    EXPECT_EQ(w.metadata.integerOr("tokenizer.ggml.eos_token_id", -1), 4);
    EXPECT_EQ(w.metadata.integerOr("tokenizer.ggml.eot_token_id", -1), 5);
    EXPECT_EQ(w.metadata.integerOr("tokenizer.ggml.eom_token_id", -1), 6);
    EXPECT_EQ(w.metadata.numberOr("general.sampling.temp", 0), 0.6);
    EXPECT_EQ(w.metadata.integerOr("general.sampling.top_k", 0), 20);
}

TEST(VocabularyTest, ChatTemplates)
{
    const test::TempFolder folder;
    folder.write("tokenizer.json", byteLevel().dump());
    const auto templates = [&](std::string_view config) {
        folder.write("tokenizer_config.json", config);
        engine::Metadata metadata;
        EXPECT_TRUE(engine::writeVocabulary(
            folder.path(), engine::ModelConfig::fromJson(json::object()), 8, metadata));
        return std::pair(metadata.stringOr("tokenizer.chat_template", "none"),
                         metadata.stringOr("tokenizer.chat_template.tool_use", "none"));
    };
    EXPECT_EQ(templates("{}").first, "none");
    EXPECT_EQ(templates(R"({"chat_template":"A"})").first, "A");
    const auto both = templates(
        R"({"chat_template":[{"name":"default","template":"B"},{"name":"tool_use","template":"C"}]})");
    EXPECT_EQ(both.first, "B");
    EXPECT_EQ(both.second, "C");
    folder.write("chat_template.json", R"({"chat_template":"D"})");
    EXPECT_EQ(templates("{}").first, "D");
    folder.write("chat_template.jinja", "E\n");
    EXPECT_EQ(templates(R"({"chat_template":"A"})").first, "E\n");
}

// A protocol buffer's field that is a number, or bytes.
std::string field(int number, int value)
{
    return {static_cast<char>(number * 8), static_cast<char>(value)};
}

std::string field(int number, std::string_view value)
{
    return std::string{static_cast<char>(number * 8 + 2), static_cast<char>(value.size())} +
           std::string(value);
}

Written writeAlone(const std::string& sentencePiece)
{
    const test::TempFolder folder;
    folder.write("tokenizer.model", sentencePiece);
    Written written;
    written.result = engine::writeVocabulary(
        folder.path(), engine::ModelConfig::fromJson(json::object()), 3, written.metadata);
    return written;
}

TEST(VocabularyTest, TokenizerModelsOfBothKinds)
{
    const std::string tokens = field(1, field(1, "<unk>") + field(3, 2)) + field(1, field(1, "a")) +
                               field(1, field(1, "</s>") + field(3, 3));
    const std::string normalizer = field(3, field(2, "map") + field(4, 0));
    const Written unigram = writeAlone(tokens + field(2, field(3, 1)) + normalizer);
    ASSERT_TRUE(unigram.result) << unigram.result.error().message;
    EXPECT_EQ(unigram.metadata.stringOr("tokenizer.ggml.model", ""), "t5");
    EXPECT_EQ(unigram.metadata.integers("tokenizer.ggml.precompiled_charsmap"),
              (std::vector<std::int64_t>{'m', 'a', 'p'}));
    EXPECT_FALSE(unigram.metadata.booleanOr("tokenizer.ggml.remove_extra_whitespaces", true));
    EXPECT_FALSE(unigram.metadata.booleanOr("tokenizer.ggml.add_bos_token", true));
    EXPECT_TRUE(unigram.metadata.booleanOr("tokenizer.ggml.add_eos_token", false));
    EXPECT_EQ(unigram.metadata.integerOr("tokenizer.ggml.unknown_token_id", -1), 0);
    EXPECT_EQ(unigram.metadata.integerOr("tokenizer.ggml.eos_token_id", -1), 2);
    EXPECT_FALSE(unigram.metadata.contains("tokenizer.ggml.padding_token_id"));

    const Written pairs = writeAlone(tokens + field(2, field(3, 2)) + normalizer);
    ASSERT_TRUE(pairs.result) << pairs.result.error().message;
    EXPECT_EQ(pairs.metadata.stringOr("tokenizer.ggml.model", ""), "llama");
    EXPECT_TRUE(pairs.metadata.booleanOr("tokenizer.ggml.add_bos_token", false));
    EXPECT_FALSE(pairs.metadata.booleanOr("tokenizer.ggml.add_eos_token", true));
}

TEST(VocabularyTest, AddedTokensSwallowTheWhiteSpaceTheyAskFor)
{
    json tokenizer = byteLevel();
    tokenizer["added_tokens"][0]["rstrip"] = true;
    tokenizer["added_tokens"][2]["lstrip"] = true;
    const Written w = write(tokenizer);
    ASSERT_TRUE(w.result) << w.result.error().message;
    const auto created = engine::Tokenizer::create(w.metadata);
    ASSERT_TRUE(created) << created.error().message;
    const auto encode = [&](std::string_view text) {
        return (*created)->encode(text, {.addSpecial = false, .parseSpecial = true});
    };
    EXPECT_EQ(encode("<s>  a"), (std::vector<engine::TokenId>{4, 0}));
    EXPECT_EQ(encode("a  word"), (std::vector<engine::TokenId>{0, 6}));
    // The other side is left alone.
    EXPECT_EQ(encode("word a"), (std::vector<engine::TokenId>{6, 3}));
}

TEST(VocabularyTest, WhatAUserWroteIsNoControlToken)
{
    json tokenizer = byteLevel();
    tokenizer["normalizer"] = {{"type", "Lowercase"}};
    for (const bool normalized : {false, true}) {
        tokenizer["added_tokens"][0]["normalized"] = normalized;
        const Written w = write(tokenizer);
        const auto created = engine::Tokenizer::create(w.metadata);
        ASSERT_TRUE(created) << created.error().message;
        const auto encode = [&](std::string_view text, std::span<const std::size_t> literals) {
            return (*created)->encode(
                text, {.addSpecial = false, .parseSpecial = true, .literals = literals});
        };
        const std::vector<std::size_t> second = {4};
        using Ids = std::vector<engine::TokenId>;
        EXPECT_EQ(encode("<s>A<s>", {}), (Ids{4, 0, 4}));
        EXPECT_EQ(encode("<s>A<s>", second), (Ids{4, 0}));
    }
}

struct Malformed {
    const char* what;
    json tokenizer;
    ErrorCode code;
};

TEST(VocabularyTest, WhatCannotBeRightIsRefused)
{
    const auto changed = [](const char* path, const json& value) {
        json tokenizer = byteLevel();
        tokenizer[json::json_pointer(path)] = value;
        return tokenizer;
    };
    const Malformed rows[] = {
        {"no object", 7, ErrorCode::UnsupportedTokenizer},
        {"no model", json::object(), ErrorCode::UnsupportedTokenizer},
        {"another kind", changed("/model/type", "Sounds"), ErrorCode::UnsupportedTokenizer},
        {"no vocabulary", changed("/model/vocab", 7), ErrorCode::FileCorrupt},
        {"ids of text", changed("/model/vocab/a", "0"), ErrorCode::FileCorrupt},
        {"an id of 2^40", changed("/model/vocab/a", std::int64_t{1} << 40U),
         ErrorCode::BadMetadata},
        {"a negative id", changed("/model/vocab/a", -1), ErrorCode::BadMetadata},
        {"no merges", changed("/model/merges", 7), ErrorCode::FileCorrupt},
        {"a merge of one part", changed("/model/merges/0", "ab"), ErrorCode::FileCorrupt},
        {"a merge of three", changed("/model/merges/0", {"a", "b", "c"}), ErrorCode::FileCorrupt},
        {"an added token without an id", changed("/added_tokens/0/id", nullptr),
         ErrorCode::FileCorrupt},
        {"an added token without a text", changed("/added_tokens/0/content", 1),
         ErrorCode::FileCorrupt},
    };
    for (const Malformed& row : rows) {
        const Written w = write(row.tokenizer);
        ASSERT_FALSE(w.result) << row.what;
        EXPECT_EQ(w.result.error().code, row.code) << row.what << ": " << w.result.error().message;
    }
}

} // namespace
