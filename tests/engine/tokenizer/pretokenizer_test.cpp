#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/processor_time.h"

#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

using namespace engine;

namespace {

using Words = std::vector<std::string>;

Pretokenizer pretokenizer(std::string_view name)
{
    const PretokenizerInfo* const info = findPretokenizer(name);
    EXPECT_TRUE(info) << name;
    auto created = Pretokenizer::create(*info);
    EXPECT_TRUE(created) << name << ": " << created.error().message;
    return std::move(*created);
}

Words wordsOf(const Pretokenizer& pretokenizer, std::string_view text)
{
    Words words;
    for (const std::size_t length : pretokenizer.split(text)) {
        words.emplace_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    EXPECT_TRUE(text.empty());
    return words;
}

/// A pattern as models give it, over the characters themselves.
Words splitDirectly(const std::string& pattern, const Words& words)
{
    auto regex = Regex::compile(pattern, RegexMode::Utf8);
    EXPECT_TRUE(regex) << regex.error().message;
    Words out;
    for (const std::string& word : words) {
        Regex::Searcher searcher(*regex);
        std::size_t done = 0;
        while (const auto match = searcher.find(word, done)) {
            if (match->begin > done) out.push_back(word.substr(done, match->begin - done));
            out.push_back(word.substr(match->begin, match->end - match->begin));
            done = match->end;
        }
        if (done < word.size()) out.push_back(word.substr(done));
    }
    return out;
}

std::string randomText(test::RandomNumbers& random, std::size_t most)
{
    constexpr std::string_view kParts[] = {
        "a",   "b",  "Z",  "Q",    "é",  "中",  "e\u0301", "7", "12", "Ⅷ", " ", " ",  " ",
        "   ", "\t", "\n", "\r\n", "'s", "'LL", "'",       "!", "+",  "/", "_", "🚀", "x"};
    std::string text;
    for (std::size_t i = 0, n = random.next() % most; i < n; ++i)
        text += kParts[random.next() % std::size(kParts)];
    return text;
}

/// Names whose patterns are written in another way than the models write them, with the models'
/// own.
struct Rewritten {
    std::string_view name;
    std::vector<std::string> patterns;
};

const std::string kContraction = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";
const std::string kRest = R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

const Rewritten kRewritten[] = {
    {"jais-2",
     {kContraction +
      R"(|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S))"
      R"(|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S))"
      R"(|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})"}},
    {"tekken",
     {R"([^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))*((?=[\p{L}])([^A-Z]))+)"
      R"(|[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))+((?=[\p{L}])([^A-Z]))*|\p{N})" +
      kRest}},
    {"gpt-4o",
     {R"([^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))*((?=[\p{L}])([^A-Z]))+)" + kContraction +
      R"(?|[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))+((?=[\p{L}])([^A-Z]))*)" + kContraction +
      R"(?|\p{N}{1,3})" + kRest}},
    {"granite-embed-multi-97m",
     {R"([^\r\n\p{L}\p{N}]?((?=[\p{L}\p{M}])([^a-z]))*((?=[\p{L}\p{M}])([^A-Z]))+)" + kContraction +
      R"(?|[^\r\n\p{L}\p{N}]?((?=[\p{L}\p{M}])([^a-z]))+((?=[\p{L}\p{M}])([^A-Z]))*)" +
      kContraction + R"(?|\p{N}{1,3})" + kRest}},
    {"exaone-moe",
     {kContraction + R"(|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N})"
                     R"(| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)"}},
    {"youtu",
     {"[\\x{4E00}-\\x{9FA5}]+", // the only characters above of the first stage
      R"([^\r\n\p{L}\p{N}]?[\p{L}\p{M}]*[\p{L}\p{M}]+)" + kContraction +
          R"(?|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+[\p{L}\p{M}]*)" + kContraction + R"(?|\p{N})" +
          kRest}},
    {"bailingmoe",
     {R"('(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
      R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"}},
    {"kimi-k2",
     {R"([\x{4E00}-\x{9FFF}]+)"
      R"(|[^\r\n\p{L}\p{N}]?(?:(?![\x{4E00}-\x{9FFF}])\p{L})+)" +
      kContraction + R"(?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}},
};

} // namespace

TEST(Pretokenizer, EveryNameIsThereOnceAndCompiles)
{
    for (const PretokenizerInfo& info : pretokenizers()) {
        EXPECT_EQ(findPretokenizer(info.name), &info);
        const auto created = Pretokenizer::create(info);
        EXPECT_TRUE(created) << info.name << ": " << created.error().message;
    }
    EXPECT_EQ(findPretokenizer(""), findPretokenizer("default"));
    EXPECT_EQ(findPretokenizer("no such name"), nullptr);
}

TEST(Pretokenizer, RewrittenPatternsSplitAsTheModelsOwn)
{
    for (const Rewritten& row : kRewritten) {
        const Pretokenizer ours = pretokenizer(row.name);
        test::RandomNumbers random(11);
        for (int round = 0; round < 400; ++round) {
            const std::string text = randomText(random, 30);
            Words expected = text.empty() ? Words{} : Words{text};
            for (const std::string& pattern : row.patterns)
                expected = splitDirectly(pattern, expected);
            ASSERT_EQ(wordsOf(ours, text), expected) << row.name;
        }
    }
}

TEST(Pretokenizer, WhiteSpaceOfJais2IsCutIntoPowersOfTwo)
{
    const Pretokenizer ours = pretokenizer("jais-2");
    for (std::size_t n = 1; n < 1100; n += n < 70 ? 1 : 37)
        for (const std::string_view tail : {"", "x", "7", "\n", "\n  y"}) {
            const std::string text = std::string(n, ' ') + std::string(tail);
            ASSERT_EQ(wordsOf(ours, text), splitDirectly(kRewritten[0].patterns[0], {text})) << n;
        }
}

TEST(Pretokenizer, TrailingWhiteSpaceOfDeepSeekStaysTogether)
{
    const Pretokenizer ours = pretokenizer("deepseek-llm");
    EXPECT_EQ(wordsOf(ours, "7   "), (Words{"7", "   "}));
    EXPECT_EQ(wordsOf(ours, "+   7"), (Words{"+", "   ", "7"}));
    EXPECT_EQ(wordsOf(ours, "a \u3000中"), (Words{"a", " \u3000", "中"}));
    EXPECT_EQ(wordsOf(ours, "\u00A0a\u2003b"), (Words{"\u00A0a", "\u2003b"}));
}

TEST(Pretokenizer, DigitsOfSuperBpeAreCutFromTheRight)
{
    const Pretokenizer ours = pretokenizer("superbpe");
    EXPECT_EQ(wordsOf(ours, "a1234567b12c123d"),
              (Words{"a", "1", "234", "567", "b", "12", "c", "123", "d"}));
    EXPECT_EQ(wordsOf(ours, "ⅧⅧ1234"), (Words{"ⅧⅧ1", "234"}));
}

TEST(Pretokenizer, NumbersFromTheRightKeepWhatIsBeforeThem)
{
    // The first stage of "tiny_aya" and "afmoe"; the stages after it cut the letters off again.
    constexpr PretokenizerStage kStage[] = {{PretokenizerStep::NumbersFromRight, {}}};
    const auto ours = Pretokenizer::create({"", kStage, 0});
    ASSERT_TRUE(ours);
    EXPECT_EQ(wordsOf(*ours, "ab1234567cd123e"), (Words{"ab1", "234", "567", "cd123", "e"}));
    EXPECT_EQ(wordsOf(*ours, "ab"), (Words{"ab"}));
}

TEST(Pretokenizer, BrokenCharactersAndNulsLoseNothing)
{
    test::RandomNumbers random(5);
    std::vector<const PretokenizerInfo*> rows;
    for (const PretokenizerInfo& info : pretokenizers())
        if (std::ranges::none_of(
                rows, [&](auto* row) { return row->stages.data() == info.stages.data(); }))
            rows.push_back(&info);
    for (const PretokenizerInfo* const info : rows) {
        const Pretokenizer ours = pretokenizer(info->name);
        for (int round = 0; round < 30; ++round) {
            std::string text(random.next() % 60, '\0');
            for (char& c : text)
                c = static_cast<char>(random.next());
            text = unicode::cleaned(text + "\xED\xA0\x80\uFDD0\u3000");
            ASSERT_FALSE(wordsOf(ours, text).empty()); // checks that nothing is left over
        }
    }
}

TEST(Pretokenizer, NoTextTakesLong)
{
    constexpr std::size_t kLength = 150'000;
    std::vector<std::string> texts;
    for (const std::string_view part :
         {"a", "A", "aB", " ", "7", "!", "\n", "\u0301", "é", "中", "'s", " \n", "a ", "\u3000"}) {
        std::string text;
        while (text.size() < kLength)
            text += part;
        texts.push_back(text);
        texts.push_back(text + "1");
    }
    std::vector<const PretokenizerStage*> seen;
    for (const PretokenizerInfo& info : pretokenizers()) {
        if (std::ranges::contains(seen, info.stages.data())) continue;
        seen.push_back(info.stages.data());
        const Pretokenizer ours = pretokenizer(info.name);
        for (const std::string& text : texts) {
            const test::ProcessorTime time;
            const auto lengths = ours.split(text);
            EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), text.size());
            EXPECT_LT(time.seconds(), 1.0) << info.name << " " << text.substr(0, 4);
        }
    }
}

TEST(Regex, SaysWhereAPatternIsWrong)
{
    const auto regex = Regex::compile("ab(", RegexMode::Bytes);
    ASSERT_FALSE(regex);
    EXPECT_EQ(regex.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(regex.error().message.find("column 4"), std::string::npos) << regex.error().message;
}

TEST(Regex, GivesUpOnAPatternGoneAstray)
{
    const auto regex = Regex::compile("(?:a+)+b", RegexMode::Bytes);
    ASSERT_TRUE(regex);
    Regex::Searcher searcher(*regex);
    EXPECT_FALSE(searcher.find(std::string(5000, 'a').append("c"), 0));
    EXPECT_TRUE(searcher.find("xaab", 0));
}
