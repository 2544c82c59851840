#include "tests/support/engine/gguf_builder.h"

#include "engine/tokenizer/merge_table.h"
#include "engine/tokenizer/pair_cache.h"
#include "engine/tokenizer/pair_merger.h"
#include "engine/tokenizer/word_cache.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace engine;

namespace {

using Pairs = std::map<std::pair<std::uint32_t, std::uint32_t>, MergeRule>;

/// From the definition: looks at all pairs before each merge.
std::vector<std::uint32_t> mergedNaively(std::vector<std::uint32_t> word, const Pairs& pairs)
{
    for (;;) {
        std::size_t best = word.size();
        for (std::size_t i = 0; i + 1 < word.size(); ++i) {
            const auto found = pairs.find({word[i], word[i + 1]});
            if (found == pairs.end()) continue;
            if (best == word.size() ||
                found->second.rank < pairs.at({word[best], word[best + 1]}).rank)
                best = i;
        }
        if (best == word.size()) return word;
        word[best] = pairs.at({word[best], word[best + 1]}).state;
        word.erase(word.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
}

std::vector<std::uint32_t> merged(const std::vector<std::uint32_t>& word, PairMerger& merger,
                                  const MergeTable& table)
{
    merger.clear();
    for (std::size_t i = 0; i < word.size(); ++i)
        merger.append(i, 1, word[i]);
    merger.merge([&](const MergeSymbol& left, const MergeSymbol& right) {
        return table.find(left.state, right.state);
    });
    std::vector<std::uint32_t> out;
    std::size_t covered = 0;
    for (const MergeSymbol& symbol : merger.symbols()) {
        if (symbol.bytes == 0) continue;
        EXPECT_EQ(symbol.begin, covered);
        covered += symbol.bytes;
        out.push_back(symbol.state);
    }
    EXPECT_EQ(covered, word.size());
    return out;
}

} // namespace

/// Symbols 0 to 3 are letters; every merge makes one of any number, the same twice now and then,
/// and several merges may have one rank.
std::vector<MergeTable::Merge> randomMerges(test::RandomNumbers& random, Pairs& pairs)
{
    std::vector<MergeTable::Merge> merges;
    for (std::uint32_t i = 0; i < 40; ++i) {
        const std::uint32_t known = 4 + i / 2;
        const MergeTable::Merge merge{static_cast<std::uint32_t>(random.next() % known),
                                      static_cast<std::uint32_t>(random.next() % known),
                                      static_cast<std::uint32_t>(random.next() % 20),
                                      4 + static_cast<std::uint32_t>(random.next() % 20)};
        const auto key = std::pair(merge.left, merge.right);
        const auto before = pairs.find(key);
        if (before != pairs.end() && before->second.rank == merge.rank) continue;
        merges.push_back(merge);
        if (before == pairs.end() || before->second.rank > merge.rank)
            pairs[key] = {merge.rank, merge.result};
    }
    return merges;
}

/// Long words go another way than short ones.
void expectTheDefinition(std::size_t rounds, std::size_t words, std::size_t least, std::size_t most)
{
    test::RandomNumbers random(3);
    PairMerger merger;
    for (std::size_t round = 0; round < rounds; ++round) {
        Pairs pairs;
        const MergeTable table(randomMerges(random, pairs), 24);
        for (std::size_t i = 0; i < words; ++i) {
            std::vector<std::uint32_t> word(least + random.next() % (most - least));
            for (std::uint32_t& symbol : word)
                symbol = static_cast<std::uint32_t>(random.next() % 4);
            ASSERT_EQ(merged(word, merger, table), mergedNaively(word, pairs));
        }
    }
}

TEST(PairMerger, AgreesWithTheDefinition)
{
    expectTheDefinition(300, 30, 0, 40);
}

TEST(PairMerger, AgreesWithTheDefinitionOnLongWords)
{
    expectTheDefinition(60, 2, 500, 700);
}

// What it costs is counted, not timed: a look-up for every pair of the word, and two for every
// merge.
TEST(PairMerger, LooksUpNoPairTwiceWithoutNeed)
{
    constexpr std::size_t kLength = 100'000;
    struct Shape {
        const char* what;
        std::uint32_t (*rank)(const MergeSymbol& left, const MergeSymbol& right);
    };
    const Shape shapes[] = {
        {"all alike", [](const MergeSymbol&, const MergeSymbol&) { return 1U; }},
        {"from the left", [](const MergeSymbol& left, const MergeSymbol&) { return left.begin; }},
        {"from the right",
         [](const MergeSymbol& left, const MergeSymbol&) {
             return static_cast<std::uint32_t>(kLength) - left.begin;
         }},
        {"the longest first",
         [](const MergeSymbol& left, const MergeSymbol& right) {
             return static_cast<std::uint32_t>(kLength) - left.bytes - right.bytes;
         }},
    };
    PairMerger merger;
    for (const Shape& shape : shapes) {
        merger.clear();
        for (std::size_t i = 0; i < kLength; ++i)
            merger.append(i, 1, 0);
        std::size_t lookUps = 0;
        merger.merge(
            [&](const MergeSymbol& left, const MergeSymbol& right) -> std::optional<MergeRule> {
                ++lookUps;
                return MergeRule{shape.rank(left, right), 0};
            });
        EXPECT_LE(lookUps, 3 * kLength) << shape.what;
        EXPECT_EQ(merger.symbols().front().bytes, kLength) << shape.what;
    }
}

TEST(MergeTable, FindsNothingOutsideItsSymbols)
{
    const MergeTable table({{0, 1, 5, 2}, {0, 1, 3, 3}}, 4);
    ASSERT_TRUE(table.find(0, 1));
    EXPECT_EQ(table.find(0, 1)->state, 3U); // the lower rank
    EXPECT_FALSE(table.find(1, 0));
    EXPECT_FALSE(table.find(3, 3));
    EXPECT_FALSE(table.find(4, 0));
    EXPECT_FALSE(table.find(UINT32_MAX, UINT32_MAX));
    EXPECT_FALSE(MergeTable().find(0, 0));
}

TEST(MergeQueue, GivesTheSmallestRankAndOfEqualOnesTheFirstPlace)
{
    test::RandomNumbers random(8);
    MergeQueue queue;
    for (const std::size_t places : {100U, 5000U}) {
        queue.start(places);
        std::multiset<std::pair<std::uint32_t, std::uint32_t>> expected;
        const auto pop = [&] {
            const MergeQueue::Pair pair = queue.pop();
            ASSERT_EQ(std::pair(pair.rank, pair.place), *expected.begin());
            expected.erase(expected.begin());
        };
        // Mostly from left to right, as merges come, and now and then out of turn.
        for (std::uint32_t i = 0; i < 20'000; ++i) {
            const auto rank = static_cast<std::uint32_t>(random.next() % 30);
            const auto place = static_cast<std::uint32_t>(
                random.next() % 8 == 0 ? random.next() % places : i % places);
            queue.push({rank, place});
            expected.emplace(rank, place);
            if (random.next() % 3 == 0) pop();
        }
        while (!queue.isEmpty())
            pop();
        EXPECT_TRUE(expected.empty());
    }
}

TEST(PairCache, GivesWhatWasFoundAndAsksOnce)
{
    test::RandomNumbers random(4);
    PairCache cache(1U << 20U);
    std::size_t asked = 0;
    const auto find = [&](const MergeSymbol& left,
                          const MergeSymbol& right) -> std::optional<MergeRule> {
        ++asked;
        if ((left.state + right.state) % 3 == 0) return std::nullopt;
        return MergeRule{left.state * 1000 + right.state, right.begin};
    };
    const auto symbol = [](std::uint32_t state) {
        MergeSymbol made;
        made.state = state;
        made.begin = state + 7;
        return made;
    };
    for (int i = 0; i < 100'000; ++i) {
        const MergeSymbol left = symbol(static_cast<std::uint32_t>(random.next() % 300));
        const MergeSymbol right = symbol(static_cast<std::uint32_t>(random.next() % 300));
        const auto cached = cache.find(left, right, find);
        const auto found = find(left, right);
        ASSERT_EQ(cached.has_value(), found.has_value());
        if (!found) continue;
        ASSERT_EQ(cached->rank, found->rank);
        ASSERT_EQ(cached->state, found->state);
    }
    asked = 0;
    for (int i = 0; i < 100; ++i)
        cache.find(symbol(1), symbol(1), find);
    EXPECT_LE(asked, 1U);
    // An unknown state says nothing of the text behind it.
    for (int i = 0; i < 100; ++i)
        cache.find(symbol(1), symbol(UINT32_MAX), find);
    EXPECT_GE(asked, 100U);
}

TEST(WordCache, GivesAWordTheSameTokensAgain)
{
    test::RandomNumbers random(6);
    std::string text;
    std::vector<std::size_t> ends;
    while (text.size() < 100'000) {
        text.append(1 + random.next() % 70, static_cast<char>('a' + random.next() % 8));
        ends.push_back(text.size());
    }
    WordCache cache(text.size());
    std::vector<TokenId> out{99};
    std::vector<TokenId> expected{99};
    std::size_t encoded = 0;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        const std::string_view word = std::string_view(text).substr(begin, end - begin);
        begin = end;
        const auto encode = [word](std::vector<TokenId>& to) {
            for (std::size_t i = 0; i < word.size(); i += 3)
                to.push_back(word[i] + static_cast<TokenId>(word.size()));
        };
        encode(expected);
        cache.encode(word, out, [&] {
            encode(out);
            ++encoded;
        });
    }
    EXPECT_EQ(out, expected);
    EXPECT_LT(encoded, ends.size() / 2);
}
