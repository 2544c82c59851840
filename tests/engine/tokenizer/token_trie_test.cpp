#include "tests/support/engine/gguf_builder.h"

#include "engine/tokenizer/token_trie.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace engine;

namespace {

std::string randomText(test::RandomNumbers& random, std::size_t most)
{
    std::string text(1 + random.next() % most, '\0');
    for (char& c : text)
        c = "ab\xFF\0"[random.next() % 4];
    return text;
}

} // namespace

TEST(TokenTrie, AgreesWithAMap)
{
    test::RandomNumbers random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> texts;
        std::map<std::string, TokenId> map;
        std::vector<TokenTrie::Entry> entries;
        for (std::size_t i = 0, n = random.next() % 60; i < n; ++i)
            texts.push_back(randomText(random, 10));
        for (std::size_t i = 0; i < texts.size(); ++i) {
            map.emplace(texts[i], static_cast<TokenId>(i)); // the first of equal texts stays
            entries.push_back({texts[i], static_cast<TokenId>(i)});
        }
        const TokenTrie trie(std::move(entries));
        for (int i = 0; i < 100; ++i) {
            const std::string text = randomText(random, 12);
            const auto found = map.find(text);
            ASSERT_EQ(trie.find(text), found == map.end() ? -1 : found->second);
            TokenTrie::Match longest;
            for (std::size_t n = 1; n <= text.size(); ++n)
                if (const auto prefix = map.find(text.substr(0, n)); prefix != map.end())
                    longest = {prefix->second, n};
            ASSERT_EQ(trie.longestPrefix(text).id, longest.id);
            ASSERT_EQ(trie.longestPrefix(text).bytes, longest.bytes);
        }
    }
}

TEST(TokenTrie, EmptyOneFindsNothing)
{
    const TokenTrie trie;
    EXPECT_EQ(trie.find(""), -1);
    EXPECT_EQ(trie.find("a"), -1);
    EXPECT_EQ(trie.longestPrefix("a").id, -1);
}

TEST(TokenTrie, LeavesOutWhatIsTooLong)
{
    const std::string fits(TokenTrie::kMaxBytes, 'a');
    const std::string tooLong(TokenTrie::kMaxBytes + 1, 'a');
    const TokenTrie trie({{fits, 1}, {tooLong, 2}});
    EXPECT_EQ(trie.find(fits), 1);
    EXPECT_EQ(trie.find(tooLong), -1);
}
