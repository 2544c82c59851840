#include "tests/engine/tokenizer/small_vocabulary.h"
#include "tests/support/engine/gguf_builder.h"

#include "engine/tokenizer/charsmap.h"

#include <algorithm>
#include <map>
#include <optional>

using namespace engine;
using test::SmallVocabulary;
using test::TokenType;

namespace {

using Ids = std::vector<TokenId>;

/// A precompiled charsmap whose strings are single bytes: a root, a unit for each byte, and behind
/// each a unit that holds where its replacement begins.
std::vector<std::uint64_t> charsmapOf(const std::map<char, std::string>& replacements)
{
    constexpr std::uint32_t kBase = 256; // of the root's children
    std::vector<std::uint32_t> units(3 * 256, 0);
    units[0] = kBase << 10U;
    std::string texts;
    for (const auto& [byte, text] : replacements) {
        const auto label = static_cast<unsigned char>(byte);
        const std::uint32_t node = kBase ^ label;
        const std::uint32_t value = node ^ 768U; // 512 + label
        units[node] = label | 1U << 8U | (node ^ value) << 10U;
        units[value] = 1U << 31U | static_cast<std::uint32_t>(texts.size());
        texts += text + '\0';
    }
    std::vector<std::uint64_t> bytes;
    const auto append = [&](std::uint32_t unit) {
        for (unsigned i = 0; i < 4; ++i)
            bytes.push_back(unit >> (8 * i) & 0xFFU);
    };
    append(static_cast<std::uint32_t>(units.size() * 4));
    std::ranges::for_each(units, append);
    for (const char c : texts)
        bytes.push_back(static_cast<unsigned char>(c));
    return bytes;
}

SmallVocabulary unigram(const std::vector<std::pair<std::string, double>>& tokens)
{
    SmallVocabulary vocabulary("t5");
    vocabulary.add("<pad>", TokenType::Control)
        .add("</s>", TokenType::Control)
        .add("<unk>", TokenType::Unknown);
    for (const auto& [text, score] : tokens)
        vocabulary.add(text, TokenType::Normal, score);
    return vocabulary;
}

/// The best sum of scores over all segmentations, one by one.
double bestNaively(std::string_view text, const std::map<std::string, double>& scores,
                   double unknown)
{
    if (text.empty()) return 0;
    double best = -1e30;
    for (std::size_t n = 1; n <= text.size(); ++n) {
        const auto found = scores.find(std::string(text.substr(0, n)));
        if (found != scores.end())
            best = std::max(best, found->second + bestNaively(text.substr(n), scores, unknown));
    }
    if (!scores.contains(std::string(text.substr(0, 1))))
        best = std::max(best, unknown + bestNaively(text.substr(1), scores, unknown));
    return best;
}

} // namespace

TEST(Unigram, TakesTheBestSegmentation)
{
    const auto tokenizer =
        unigram({{"a", -1}, {"b", -1}, {"ab", -1.5}, {"abc", -9}, {"c", -2}}).create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->encode("abc", {}), (Ids{5, 7, 1}));
    EXPECT_EQ(tokenizer->encode("axyb", {.addSpecial = false}), (Ids{3, 2, 4})); // one unknown
    EXPECT_EQ(tokenizer->encode("", {}), (Ids{1}));
}

TEST(Unigram, AgreesWithTryingAllSegmentations)
{
    test::RandomNumbers random(9);
    for (int round = 0; round < 100; ++round) {
        std::map<std::string, double> scores;
        double least = 0;
        for (int i = 0; i < 8; ++i) {
            std::string text(1 + random.next() % 3, 'a');
            for (char& c : text)
                c = "abc"[random.next() % 3];
            // Sums of these are exact.
            scores[text] = -static_cast<double>(1 + random.next() % 64) / 8;
        }
        std::vector<std::pair<std::string, double>> tokens(scores.begin(), scores.end());
        for (const auto& token : tokens)
            least = std::min(least, token.second);
        const auto tokenizer = unigram(tokens).create();
        ASSERT_TRUE(tokenizer);
        for (int i = 0; i < 20; ++i) {
            std::string text(random.next() % 9, 'a');
            for (char& c : text)
                c = "abc"[random.next() % 3];
            const Ids ids = tokenizer->encode(text, {.addSpecial = false});
            // A run of unknown characters is one token: count them by what is not covered.
            double sum = 0;
            std::size_t covered = 0;
            for (const TokenId id : ids) {
                if (id == 2) continue;
                const auto& [token, score] = tokens[static_cast<std::size_t>(id) - 3];
                sum += score;
                covered += token.size();
            }
            sum += static_cast<double>(text.size() - covered) * (least - 10);
            ASSERT_EQ(sum, bestNaively(text, scores, least - 10)) << text;
        }
    }
}

TEST(Unigram, NormalizesSpaces)
{
    auto vocabulary = unigram({{"▁", -3}, {"a", -2}, {"▁a", -1}});
    const auto plain = vocabulary.create();
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->encode("a  a", {.addSpecial = false}), (Ids{4, 3, 5}));
    vocabulary.set("tokenizer.ggml.add_space_prefix", true);
    EXPECT_EQ(vocabulary.create()->encode("a a", {.addSpecial = false}), (Ids{5, 5}));
    vocabulary.set("tokenizer.ggml.remove_extra_whitespaces", true);
    EXPECT_EQ(vocabulary.create()->encode("  a   a  ", {.addSpecial = false}), (Ids{5, 5}));
}

TEST(Unigram, UserDefinedTokensAreFreeAndNotNormalized)
{
    auto vocabulary = unigram({{"a", -1}, {"b", -1}});
    vocabulary.add("Xa", TokenType::UserDefined, -100)
        .set("tokenizer.ggml.precompiled_charsmap", charsmapOf({{'X', "b"}}));
    const auto tokenizer = vocabulary.create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->encode("aXab", {.addSpecial = false}), (Ids{3, 5, 4}));
}

TEST(Charsmap, ReplacesTheLongestString)
{
    Metadata metadata;
    metadata.set("tokenizer.ggml.precompiled_charsmap",
                 charsmapOf({{'\t', " "}, {'A', "aa"}, {'\xFF', ""}, {'L', std::string(65, 'x')}}));
    const auto map = Charsmap::read(metadata);
    ASSERT_TRUE(map) << map.error().message;
    EXPECT_EQ(map->match("Ab").bytes, 1U);
    EXPECT_EQ(map->match("Ab").replacement, "aa");
    EXPECT_EQ(map->match("\t").replacement, " ");
    EXPECT_EQ(map->match("\xFF").bytes, 1U);
    EXPECT_EQ(map->match("\xFF").replacement, "");
    EXPECT_EQ(map->match("b").bytes, 0U);
    EXPECT_EQ(map->match("").bytes, 0U);
    EXPECT_EQ(map->match("L").bytes, 0U); // no honest replacement is so long

    const auto tokenizer =
        unigram({{"a", -1}})
            .set("tokenizer.ggml.precompiled_charsmap", charsmapOf({{'A', "aa"}}))
            .create();
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->encode("Aa", {.addSpecial = false}), (Ids{3, 3, 3}));
}

TEST(Charsmap, BrokenOnesAreRefusedOrMatchNothing)
{
    const std::string key = "tokenizer.ggml.precompiled_charsmap";
    const auto read = [&](MetadataValue value) {
        Metadata metadata;
        metadata.set(key, std::move(value));
        return Charsmap::read(metadata);
    };
    using Bytes = std::vector<std::uint64_t>;
    EXPECT_TRUE(Charsmap::read(Metadata{}));
    EXPECT_FALSE(read(std::string("abcd")));
    EXPECT_FALSE(read(Bytes{0, 0, 0}));
    EXPECT_FALSE(read(Bytes{0, 0, 0, 0}));                   // no texts
    EXPECT_FALSE(read(Bytes{255, 255, 255, 255, 0}));        // an array beyond the end
    EXPECT_FALSE(read(Bytes{5, 0, 0, 0, 1, 1, 1, 1, 1, 0})); // not whole units
    EXPECT_FALSE(read(Bytes{0, 0, 0, 0, 1}));                // a text without an end
    EXPECT_FALSE(read(Bytes{0, 0, 0, 0, 256}));
    EXPECT_TRUE(read(Bytes{0, 0, 0, 0, 0}));
    // Random units lead anywhere but outside.
    test::RandomNumbers random(4);
    for (int round = 0; round < 2000; ++round) {
        Bytes bytes{64, 0, 0, 0};
        for (int i = 0; i < 64 + 8; ++i)
            bytes.push_back(random.next() % 4 == 0 ? random.next() % 256 : random.next() % 4);
        bytes.push_back(0);
        const auto map = read(bytes);
        ASSERT_TRUE(map);
        for (int i = 0; i < 20; ++i) {
            std::string text(8, '\0');
            for (char& c : text)
                c = static_cast<char>(random.next() % 16);
            ASSERT_LE(map->match(text).bytes, text.size());
        }
    }
}
