#include "engine/tokenizer/special_token_splitter.h"

#include "engine/tokenizer/merge_queue.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <utility>

namespace engine {

namespace {

bool isSpace(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

} // namespace

/// The tokens taken so far, with the white space they swallow.
class SpecialTokenSplitter::Cover {
public:
    Cover(const Vocabulary& vocabulary, std::string_view text)
        : m_vocabulary(vocabulary)
        , m_text(text)
        , m_covered(text.size() / kWord + 2)
    {
    }

    bool covers(std::size_t offset) const
    {
        return (m_covered[offset / kWord] >> (offset % kWord) & 1U) != 0;
    }

    /// Bytes from `offset` to what is covered next, at most `most`.
    std::size_t freeFrom(std::size_t offset, std::size_t most) const
    {
        std::size_t free = 0;
        while (free < most) {
            const std::size_t word = (offset + free) / kWord;
            const std::size_t bit = (offset + free) % kWord;
            const std::uint64_t next = m_covered[word] >> bit;
            if (next != 0)
                return std::min(most, free + static_cast<unsigned>(std::countr_zero(next)));
            free += kWord - bit;
        }
        return most;
    }

    /// REQUIRES: the token's bytes are free.
    void take(TokenId id, std::size_t tokenBegin)
    {
        const std::size_t tokenEnd = tokenBegin + m_vocabulary.text(id).size();
        std::size_t begin = tokenBegin;
        std::size_t end = tokenEnd;
        if (m_vocabulary.is(id, TokenAttribute::StripLeft))
            while (begin > 0 && !covers(begin - 1) && isSpace(m_text[begin - 1]))
                --begin;
        if (m_vocabulary.is(id, TokenAttribute::StripRight))
            while (end < m_text.size() && !covers(end) && isSpace(m_text[end]))
                ++end;
        for (std::size_t i = begin; i < end; ++i)
            m_covered[i / kWord] |= std::uint64_t{1} << (i % kWord);
        m_taken.push_back({begin, end, {id, m_text.substr(tokenBegin, tokenEnd - tokenBegin)}});
    }

    void appendFragments(std::vector<TextFragment>& out)
    {
        std::ranges::sort(m_taken, {}, &Taken::begin);
        std::size_t done = 0;
        for (const Taken& taken : m_taken) {
            if (taken.begin > done)
                out.push_back({kNoToken, m_text.substr(done, taken.begin - done)});
            out.push_back(taken.token);
            done = taken.end;
        }
        if (done < m_text.size()) out.push_back({kNoToken, m_text.substr(done)});
    }

private:
    static constexpr std::size_t kWord = 64;

    struct Taken {
        std::size_t begin; // of what is covered
        std::size_t end;
        TextFragment token;
    };

    const Vocabulary& m_vocabulary;
    std::string_view m_text;
    std::vector<std::uint64_t> m_covered; // a bit a byte
    std::vector<Taken> m_taken;
};

SpecialTokenSplitter::SpecialTokenSplitter(const Vocabulary& vocabulary)
    : m_vocabulary(vocabulary)
    , m_byRank(vocabulary.withAny(
          {TokenAttribute::Control, TokenAttribute::UserDefined, TokenAttribute::Unknown}))
{
    std::ranges::stable_sort(m_byRank, std::greater(),
                             [&](TokenId id) { return vocabulary.text(id).size(); });
    std::vector<TokenTrie::Entry> all;
    std::vector<TokenTrie::Entry> plain;
    for (std::size_t rank = 0; rank < m_byRank.size(); ++rank) {
        const TokenId id = m_byRank[rank];
        all.push_back({vocabulary.text(id), static_cast<TokenId>(rank)});
        if (!vocabulary.isSpecial(id)) plain.push_back(all.back());
        m_startsToken[static_cast<unsigned char>(vocabulary.text(id).front())] = true;
    }
    m_all = TokenTrie(std::move(all));
    m_plain = TokenTrie(std::move(plain));
}

std::vector<TextFragment> SpecialTokenSplitter::split(std::string_view text, bool parseSpecial,
                                                      std::span<const std::size_t> literals) const
{
    std::vector<TextFragment> out;
    for (std::size_t i = 0; i < text.size(); i += kMaxFragmentBytes)
        splitBlock(text.substr(i, kMaxFragmentBytes), parseSpecial, literals, i, out);
    return out;
}

void SpecialTokenSplitter::splitBlock(std::string_view text, bool parseSpecial,
                                      std::span<const std::size_t> literals, std::size_t offset,
                                      std::vector<TextFragment>& out) const
{
    const TokenTrie& trie = parseSpecial ? m_all : m_plain;
    MergeQueue queue; // of the longest token at each place
    queue.start(text.size());
    const auto consider = [&](std::size_t begin, std::size_t limit) {
        const TokenTrie::Match match = trie.longestPrefix(text.substr(begin, limit));
        if (match.id != TokenTrie::kNoToken)
            queue.push({static_cast<std::uint32_t>(match.id), static_cast<std::uint32_t>(begin)});
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!m_startsToken[static_cast<unsigned char>(text[i])]) continue;
        if (!std::ranges::binary_search(literals, offset + i)) consider(i, text.size());
    }
    if (queue.isEmpty()) {
        out.push_back({kNoToken, text});
        return;
    }
    Cover cover(m_vocabulary, text);
    while (!queue.isEmpty()) {
        const auto [rank, begin] = queue.pop();
        if (cover.covers(begin)) continue;
        const TokenId id = m_byRank[rank];
        const std::size_t bytes = m_vocabulary.text(id).size();
        const std::size_t free = cover.freeFrom(begin, bytes);
        if (free == bytes)
            cover.take(id, begin);
        else
            consider(begin, free);
    }
    cover.appendFragments(out);
}

} // namespace engine
