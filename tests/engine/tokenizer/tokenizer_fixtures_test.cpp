#include "tests/support/engine/base64.h"
#include "tests/support/engine/fixtures.h"

#include "engine/model/model_file.h"
#include "engine/tokenizer/pretokenizer_table.h"
#include "engine/tokenizer/tokenizer.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace engine;
using nlohmann::json;

namespace {

std::filesystem::path folder()
{
    return test::fixturesFolder() / "tokenizer";
}

json readJson(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return json::parse(file);
}

std::vector<std::filesystem::path> goldenFiles()
{
    std::vector<std::filesystem::path> files;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(folder() / "golden", absent))
        files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

std::unique_ptr<const Tokenizer> open(const std::string& vocabulary)
{
    auto file = ModelFile::open(folder() / "vocab" / vocabulary);
    if (!file) {
        ADD_FAILURE() << vocabulary << ": " << file.error().message;
        return nullptr;
    }
    auto tokenizer = Tokenizer::create(file->metadata());
    if (!tokenizer) {
        ADD_FAILURE() << vocabulary << ": " << tokenizer.error().message;
        return nullptr;
    }
    return std::move(*tokenizer);
}

std::string decoded(const json& base64)
{
    return test::decodeBase64(base64.get<std::string>());
}

std::string quoted(const std::string& bytes)
{
    return json(bytes).dump(-1, ' ', true, json::error_handler_t::replace).substr(0, 300);
}

/// Compares one text; says the first differing id.
void expectIds(const Tokenizer& tokenizer, const std::string& text, EncodeOptions options,
               const std::vector<TokenId>& expected, const std::string& where)
{
    const std::vector<TokenId> ids = tokenizer.encode(text, options);
    if (ids == expected) return;
    const auto [ours, theirs] = std::ranges::mismatch(ids, expected);
    ADD_FAILURE() << where << ": " << quoted(text) << " parse_special " << options.parseSpecial
                  << ": " << ids.size() << " ids for " << expected.size() << ", differ from "
                  << ours - ids.begin() << " on: " << (ours == ids.end() ? -1 : *ours) << " for "
                  << (theirs == expected.end() ? -1 : *theirs);
}

void checkCase(const Tokenizer& tokenizer, const json& test, const std::string& where)
{
    const std::string text = decoded(test["text_b64"]);
    const EncodeOptions options{.addSpecial = test["add_special"],
                                .parseSpecial = test["parse_special"]};
    if (test.contains("llama_cpp_throws")) {
        tokenizer.encode(text, options); // any outcome will do
        return;
    }
    const std::vector<TokenId> ids = test["ids"];
    expectIds(tokenizer, text, options, ids, where);
    const auto expectText = [&](const char* key, DecodeOptions decode) {
        const std::string expected = test.contains(key) ? decoded(test[key]) : text;
        const std::string found = tokenizer.decode(ids, decode);
        EXPECT_TRUE(found == expected) << where << " " << key << ": " << quoted(text) << " gives "
                                       << quoted(found) << " for " << quoted(expected);
    };
    expectText("detok_b64", {.removeSpecial = false, .unparseSpecial = true});
    expectText("detok_plain_b64", {.removeSpecial = true, .unparseSpecial = false});
}

void checkGroup(const Tokenizer& tokenizer, const json& texts, const json& group,
                const std::string& name)
{
    EXPECT_EQ(tokenizer.addsBos(), group["add_bos"] == 1) << name;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::string text = decoded(texts[i]);
        if (group["ids"][i].is_null())
            tokenizer.encode(text, {}); // any outcome will do
        else
            expectIds(tokenizer, text, {}, group["ids"][i], name);
    }
}

class GoldenVocabulary : public testing::TestWithParam<std::filesystem::path> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GoldenVocabulary);

} // namespace

TEST_P(GoldenVocabulary, EveryCaseIsExact)
{
    REQUIRE_FIXTURES();
    const json golden = readJson(GetParam());
    const auto tokenizer = open(golden["vocab"]);
    ASSERT_TRUE(tokenizer);
    ASSERT_FALSE(golden["cases"].empty());
    for (const json& test : golden["cases"])
        checkCase(*tokenizer, test, test["group"]);
}

TEST_P(GoldenVocabulary, InfoIsExact)
{
    REQUIRE_FIXTURES();
    const json golden = readJson(GetParam());
    const auto tokenizer = open(golden["vocab"]);
    ASSERT_TRUE(tokenizer);
    const json& info = golden["info"];
    EXPECT_EQ(tokenizer->size(), info["n_tokens"]);
    EXPECT_EQ(tokenizer->eos(), info["eos"]);
    EXPECT_EQ(tokenizer->addsBos(), info["add_bos"] == 1);
    EXPECT_EQ(tokenizer->addsEos(), info["add_eos"] == 1);
    EXPECT_EQ(tokenizer->endOfGenerationTokens(), std::vector<TokenId>(info["eog"]));
    // Where a byte-level vocabulary names no BOS the reference says 11, whatever that token is.
    if (tokenizer->bos() != -1)
        EXPECT_EQ(tokenizer->bos(), info["bos"]);
    else
        EXPECT_FALSE(tokenizer->addsBos());
    // Where several tokens could end a turn the reference takes the first in its hash table.
    if (info["eot"] == -1)
        EXPECT_EQ(tokenizer->eot(), -1);
    else
        EXPECT_TRUE(tokenizer->isEndOfGeneration(tokenizer->eot()) ||
                    tokenizer->eot() == info["eot"]);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenVocabulary, testing::ValuesIn(goldenFiles()),
                         [](const auto& golden) {
                             std::string name = golden.param.stem().string();
                             std::ranges::replace_if(
                                 name, [](char c) { return !std::isalnum(c); }, '_');
                             return name;
                         });

TEST(TokenizerFixtures, InpOutPairs)
{
    REQUIRE_FIXTURES();
    const std::string separator = "\n__ggml_vocab_test__\n";
    int checked = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder() / "vocab")) {
        if (entry.path().extension() != ".inp") continue;
        const auto tokenizer = open(entry.path().stem().string());
        ASSERT_TRUE(tokenizer);
        std::ifstream input(entry.path(), std::ios::binary);
        std::ifstream output(std::filesystem::path(entry.path()).replace_extension(".out"));
        std::string texts(std::istreambuf_iterator<char>(input), {});
        std::string line;
        while (std::getline(output, line)) {
            const std::size_t end = texts.find(separator);
            std::istringstream numbers(line);
            const std::vector<TokenId> expected(std::istream_iterator<TokenId>(numbers), {});
            expectIds(*tokenizer, texts.substr(0, end), {.addSpecial = false}, expected,
                      entry.path().filename().string());
            ++checked;
            if (end == std::string::npos) break;
            texts.erase(0, end + separator.size());
        }
    }
    EXPECT_GT(checked, 100);
}

TEST(TokenizerFixtures, EveryPretokenizer)
{
    REQUIRE_FIXTURES();
    const json golden = readJson(folder() / "pretokenizers.json");
    auto file = ModelFile::open(folder() / "vocab" / std::string(golden["vocab"]));
    ASSERT_TRUE(file);
    for (const json& group : golden["groups"]) {
        std::vector<const PretokenizerInfo*> checked;
        for (const std::string name : group["pre"]) {
            const PretokenizerInfo* const info = findPretokenizer(name);
            ASSERT_TRUE(info) << name;
            // Rows that differ in nothing that gives ids are checked once.
            const bool same = std::ranges::any_of(checked, [&](const PretokenizerInfo* other) {
                return std::ranges::equal(info->stages, other->stages) &&
                       (info->flags & ~kCleanSpaces) == (other->flags & ~kCleanSpaces);
            });
            if (same) continue;
            checked.push_back(info);
            file->mutableMetadata().set("tokenizer.ggml.pre", name);
            const auto tokenizer = Tokenizer::create(file->metadata());
            ASSERT_TRUE(tokenizer) << tokenizer.error().message;
            checkGroup(**tokenizer, golden["texts_b64"], group, name);
        }
    }
}
