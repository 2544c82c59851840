#include "engine/tokenizer/plamo.h"

#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace engine {

namespace {

// Scores are compared as whole numbers.
constexpr double kScale = 1e4;
constexpr std::int64_t kUnknownScore = -10'000'000;

// Bounded, so that no text's sum overflows.
std::int64_t wholeScore(float score)
{
    constexpr float kMost = 1e6F;
    if (std::isnan(score)) score = -kMost;
    return std::llround(static_cast<double>(std::clamp(score, -kMost, kMost)) * kScale);
}

} // namespace

/// What is best from some byte of the text on: its first token and the sum of scores.
struct PlamoEncoder::Step {
    std::int64_t score = std::numeric_limits<std::int64_t>::min();
    std::size_t bytes = 0;
    TokenId id = kNoToken; ///< none: the bytes of a character
};

PlamoEncoder::PlamoEncoder(const Vocabulary& vocabulary)
{
    m_bytes.fill(kNoToken);
    std::vector<TokenTrie::Entry> entries;
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
        m_scores.push_back(wholeScore(vocabulary.score(id)));
        const int byte = vocabulary.is(id, TokenAttribute::Byte) ? vocabulary.byteOf(id) : -1;
        if (byte >= 0)
            m_bytes[static_cast<std::size_t>(byte)] = id;
        else if (!vocabulary.isSpecial(id) && !vocabulary.is(id, TokenAttribute::Unused))
            entries.push_back({vocabulary.text(id), id});
    }
    m_tokens = TokenTrie(std::move(entries));
}

std::vector<PlamoEncoder::Step> PlamoEncoder::bestFrom(std::string_view text) const
{
    std::vector<std::size_t> begins;
    for (std::size_t at = 0; at < text.size(); at += unicode::characterLength(text, at))
        begins.push_back(at);
    std::vector<Step> best(text.size() + 1);
    best.back().score = 0;
    for (auto begin = begins.rbegin(); begin != begins.rend(); ++begin) {
        Step& step = best[*begin];
        const std::size_t character = unicode::characterLength(text, *begin);
        step = {best[*begin + character].score + kUnknownScore, character, kNoToken};
        TokenTrie::Node node = TokenTrie::kRoot;
        for (std::size_t end = *begin; end < text.size();) {
            node = m_tokens.child(node, text[end++]);
            if (node == TokenTrie::kNoNode) break;
            const TokenId id = m_tokens.token(node);
            const std::int64_t rest = best[end].score;
            if (id == kNoToken || rest == std::numeric_limits<std::int64_t>::min()) continue;
            const std::int64_t score = rest + m_scores[static_cast<std::size_t>(id)];
            if (score >= step.score) step = {score, end - *begin, id};
        }
    }
    return best;
}

void PlamoEncoder::encode(std::string_view text, TextPlace, std::vector<TokenId>& out) const
{
    const std::vector<Step> best = bestFrom(text);
    for (std::size_t at = 0; at < text.size(); at += best[at].bytes) {
        if (best[at].id != kNoToken) {
            out.push_back(best[at].id);
            continue;
        }
        for (const char c : text.substr(at, best[at].bytes)) {
            const TokenId byte = m_bytes[static_cast<unsigned char>(c)];
            if (byte != kNoToken) out.push_back(byte);
        }
    }
}

} // namespace engine
