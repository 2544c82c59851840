#include "tests/support/engine/gguf_builder.h"

#include "engine/tokenizer/merge_table.h"
#include "engine/tokenizer/pair_merger.h"

#include <gtest/gtest.h>
#include <map>
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
                found->second.cost < pairs.at({word[best], word[best + 1]}).cost)
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

TEST(PairMerger, AgreesWithTheDefinition)
{
    test::RandomNumbers random(3);
    PairMerger merger;
    for (int round = 0; round < 300; ++round) {
        // Symbols 0 to 3 are letters; every merge makes one of any number, the same twice now and
        // then, and several merges may have one rank.
        std::vector<MergeTable::Merge> merges;
        Pairs pairs;
        for (std::uint32_t i = 0; i < 40; ++i) {
            const std::uint32_t known = 4 + i / 2;
            const MergeTable::Merge merge{static_cast<std::uint32_t>(random.next() % known),
                                          static_cast<std::uint32_t>(random.next() % known),
                                          static_cast<std::uint32_t>(random.next() % 20),
                                          4 + static_cast<std::uint32_t>(random.next() % 20)};
            const auto key = std::pair(merge.left, merge.right);
            const bool better =
                !pairs.contains(key) || pairs[key].cost > static_cast<float>(merge.rank);
            const bool tie =
                pairs.contains(key) && pairs[key].cost == static_cast<float>(merge.rank);
            if (tie) continue;
            merges.push_back(merge);
            if (better) pairs[key] = {static_cast<float>(merge.rank), merge.result};
        }
        const MergeTable table(merges, 24);
        for (int i = 0; i < 30; ++i) {
            std::vector<std::uint32_t> word(random.next() % 40);
            for (std::uint32_t& symbol : word)
                symbol = static_cast<std::uint32_t>(random.next() % 4);
            ASSERT_EQ(merged(word, merger, table), mergedNaively(word, pairs));
        }
    }
}

TEST(PairMerger, NegativeCostsGoFirst)
{
    const Pairs pairs{
        {{0, 0}, {-1.5f, 1}}, {{0, 2}, {-2.0f, 3}}, {{1, 2}, {-0.0f, 4}}, {{2, 2}, {0.0f, 5}}};
    PairMerger merger;
    const auto run = [&](const std::vector<std::uint32_t>& word) {
        merger.clear();
        for (std::size_t i = 0; i < word.size(); ++i)
            merger.append(i, 1, word[i]);
        merger.merge([&](const MergeSymbol& left, const MergeSymbol& right) {
            const auto found = pairs.find({left.state, right.state});
            return found == pairs.end() ? std::nullopt : std::optional(found->second);
        });
        std::vector<std::uint32_t> out;
        for (const MergeSymbol& symbol : merger.symbols())
            if (symbol.bytes > 0) out.push_back(symbol.state);
        return out;
    };
    EXPECT_EQ(run({0, 0, 2}), (std::vector<std::uint32_t>{0, 3}));
    EXPECT_EQ(run({0, 0, 0, 2, 2}), mergedNaively({0, 0, 0, 2, 2}, pairs));
    EXPECT_EQ(run({}), std::vector<std::uint32_t>{});
}

// What it costs is counted, not timed: a look-up for every pair of the word, and two for every
// merge.
TEST(PairMerger, LooksUpNoPairTwiceWithoutNeed)
{
    constexpr std::size_t kLength = 100'000;
    struct Shape {
        const char* what;
        float (*cost)(const MergeSymbol& left, const MergeSymbol& right);
    };
    const Shape shapes[] = {
        {"all alike", [](const MergeSymbol&, const MergeSymbol&) { return 1.0f; }},
        {"from the left", [](const MergeSymbol& left,
                             const MergeSymbol&) { return static_cast<float>(left.begin); }},
        {"from the right", [](const MergeSymbol& left,
                              const MergeSymbol&) { return -static_cast<float>(left.begin); }},
        {"the longest first",
         [](const MergeSymbol& left, const MergeSymbol& right) {
             return -static_cast<float>(left.bytes + right.bytes);
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
                return MergeRule{shape.cost(left, right), 0};
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
