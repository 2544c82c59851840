#include "engine/tokenizer/unigram_search.h"

#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <limits>

namespace engine {

/// The best segmentation of the text up to some byte: its last token and where that begins.
struct UnigramSearch::Best {
    double score = std::numeric_limits<double>::lowest();
    std::size_t begin = 0;
    TokenId id = TokenTrie::kNoToken;

    void improve(double newScore, std::size_t newBegin, TokenId newId)
    {
        if (newScore > score) *this = {newScore, newBegin, newId};
    }
};

std::vector<UnigramSearch::Best> UnigramSearch::bestUpTo(std::string_view text) const
{
    std::vector<Best> best(text.size() + 1);
    best[0] = {0, 0, m_unknown};
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t character = unicode::characterLength(text, begin);
        const double score = best[begin].score;
        bool isToken = false; // the character alone
        TokenTrie::Node node = TokenTrie::kRoot;
        for (std::size_t end = begin; end < text.size();) {
            node = m_tokens.child(node, text[end++]);
            if (node == TokenTrie::kNoNode) break;
            const TokenId id = m_tokens.token(node);
            if (id == TokenTrie::kNoToken) continue;
            isToken = isToken || end - begin == character;
            best[end].improve(score + m_scores[static_cast<std::size_t>(id)], begin, id);
        }
        if (!isToken) best[begin + character].improve(score + m_unknownScore, begin, m_unknown);
        begin += character;
    }
    return best;
}

void UnigramSearch::search(std::string_view text,
                           const std::function<void(std::string_view text, TokenId id)>& take) const
{
    if (text.empty()) return;
    const std::vector<Best> best = bestUpTo(text);
    struct Part {
        std::size_t begin;
        std::size_t end;
        TokenId id;
    };
    std::vector<Part> parts; // from right to left
    for (std::size_t end = text.size(); end > 0; end = best[end].begin) {
        const Part part{best[end].begin, end, best[end].id};
        if (!parts.empty() && part.id == m_unknown && parts.back().id == m_unknown)
            parts.back().begin = part.begin;
        else
            parts.push_back(part);
    }
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
        take(text.substr(part->begin, part->end - part->begin), part->id);
}

} // namespace engine
