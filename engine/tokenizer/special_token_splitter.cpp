#include "engine/tokenizer/special_token_splitter.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace engine {

namespace {

bool isSpace(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

void appendText(std::string_view text, std::vector<TextFragment>& out)
{
    constexpr std::size_t kMost = SpecialTokenSplitter::kMaxFragmentBytes;
    for (std::size_t i = 0; i < text.size(); i += kMost)
        out.push_back({kNoToken, text.substr(i, kMost)});
}

} // namespace

/// The tokens taken so far, with the white space they swallow.
class SpecialTokenSplitter::Cover {
public:
    Cover(const Vocabulary& vocabulary, std::string_view text)
        : m_vocabulary(vocabulary)
        , m_text(text)
    {
    }

    bool covers(std::size_t offset) const { return endBefore(offset) > offset; }

    /// Bytes from `offset` to the next token taken.
    std::size_t freeFrom(std::size_t offset) const
    {
        const auto next = m_taken.upper_bound(offset);
        return (next == m_taken.end() ? m_text.size() : next->first) - offset;
    }

    /// REQUIRES: the candidate's bytes are free.
    void take(const Candidate& candidate)
    {
        std::size_t begin = candidate.begin;
        std::size_t end = candidate.begin + candidate.bytes;
        if (m_vocabulary.is(candidate.id, TokenAttribute::StripLeft)) {
            const std::size_t least = endBefore(begin);
            while (begin > least && isSpace(m_text[begin - 1]))
                --begin;
        }
        if (m_vocabulary.is(candidate.id, TokenAttribute::StripRight)) {
            const std::size_t most = end + freeFrom(end - 1) - 1;
            while (end < most && isSpace(m_text[end]))
                ++end;
        }
        m_taken.emplace(begin, Taken{end, candidate});
    }

    std::vector<TextFragment> fragments() const
    {
        std::vector<TextFragment> out;
        std::size_t done = 0;
        for (const auto& [begin, taken] : m_taken) {
            appendText(m_text.substr(done, begin - done), out);
            out.push_back({taken.token.id, m_text.substr(taken.token.begin, taken.token.bytes)});
            done = taken.end;
        }
        appendText(m_text.substr(done), out);
        return out;
    }

private:
    struct Taken {
        std::size_t end;
        Candidate token;
    };

    /// Where the last token that begins at or before `offset` ends; 0 where there is none.
    std::size_t endBefore(std::size_t offset) const
    {
        const auto next = m_taken.upper_bound(offset);
        return next == m_taken.begin() ? 0 : std::prev(next)->second.end;
    }

    const Vocabulary& m_vocabulary;
    std::string_view m_text;
    std::map<std::size_t, Taken> m_taken; // by where they begin to cover
};

SpecialTokenSplitter::SpecialTokenSplitter(const Vocabulary& vocabulary)
    : m_vocabulary(vocabulary)
{
    std::vector<TokenTrie::Entry> all;
    std::vector<TokenTrie::Entry> plain;
    for (const TokenId id : vocabulary.withAny(
             {TokenAttribute::Control, TokenAttribute::UserDefined, TokenAttribute::Unknown})) {
        all.push_back({vocabulary.text(id), id});
        if (!vocabulary.isSpecial(id)) plain.push_back(all.back());
        m_startsToken[static_cast<unsigned char>(vocabulary.text(id).front())] = true;
    }
    m_all = TokenTrie(std::move(all));
    m_plain = TokenTrie(std::move(plain));
}

SpecialTokenSplitter::Candidate SpecialTokenSplitter::longestAt(std::string_view text,
                                                                std::size_t begin,
                                                                std::size_t limit,
                                                                bool parseSpecial) const
{
    Candidate best{0, kNoToken, begin};
    const TokenTrie& trie = parseSpecial ? m_all : m_plain;
    TokenTrie::Node node = TokenTrie::kRoot;
    const std::string_view rest = text.substr(begin, limit);
    for (std::size_t i = 0; i < rest.size(); ++i) {
        node = trie.child(node, rest[i]);
        if (node == TokenTrie::kNoNode) break;
        const TokenId id = trie.token(node);
        if (id != kNoToken) best = {i + 1, id, begin};
    }
    return best;
}

std::vector<TextFragment> SpecialTokenSplitter::split(std::string_view text, bool parseSpecial,
                                                      std::span<const std::size_t> literals) const
{
    const auto later = [](const Candidate& a, const Candidate& b) {
        if (a.bytes != b.bytes) return a.bytes < b.bytes;
        return a.id != b.id ? a.id > b.id : a.begin > b.begin;
    };
    std::vector<Candidate> heap;
    const auto consider = [&](std::size_t begin, std::size_t limit) {
        const Candidate found = longestAt(text, begin, limit, parseSpecial);
        if (found.id != kNoToken) heap.push_back(found);
        return found.id != kNoToken;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!m_startsToken[static_cast<unsigned char>(text[i])]) continue;
        if (!std::ranges::binary_search(literals, i)) consider(i, text.size());
    }
    std::ranges::make_heap(heap, later);

    Cover cover(m_vocabulary, text);
    while (!heap.empty()) {
        std::ranges::pop_heap(heap, later);
        const Candidate best = heap.back();
        heap.pop_back();
        if (cover.covers(best.begin)) continue;
        const std::size_t free = cover.freeFrom(best.begin);
        if (best.bytes <= free)
            cover.take(best);
        else if (consider(best.begin, free))
            std::ranges::push_heap(heap, later);
    }
    return cover.fragments();
}

} // namespace engine
