#include "engine/tokenizer/unigram.h"

#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace engine {

namespace {

constexpr std::string_view kEscapedSpace = "\xE2\x96\x81"; // U+2581
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr float kUnknownPenalty = 10.0f;

/// The best segmentation of the text up to some byte: its last token and where that begins.
struct Best {
    double score = std::numeric_limits<double>::lowest();
    std::size_t begin = 0;
    TokenId id = kNoToken;

    void improve(double newScore, std::size_t newBegin, TokenId newId)
    {
        if (newScore > score) *this = {newScore, newBegin, newId};
    }
};

} // namespace

Result<std::unique_ptr<const TextEncoder>> UnigramEncoder::create(const Metadata& metadata,
                                                                  const Vocabulary& vocabulary,
                                                                  const TokenizerSettings& settings)
{
    TRY_ASSIGN(Charsmap charsmap, Charsmap::read(metadata));
    return std::unique_ptr<const TextEncoder>(
        new UnigramEncoder(vocabulary, settings, std::move(charsmap)));
}

UnigramEncoder::UnigramEncoder(const Vocabulary& vocabulary, const TokenizerSettings& settings,
                               Charsmap charsmap)
    : m_vocabulary(vocabulary)
    , m_charsmap(std::move(charsmap))
    , m_unknown(settings.unknown)
    , m_space(settings.escapeWhitespaces ? kEscapedSpace : std::string_view(" "))
    , m_prependSpace(settings.addSpacePrefix)
    , m_mergeSpaces(settings.removeExtraWhitespaces)
{
    std::vector<TokenTrie::Entry> all;
    std::vector<TokenTrie::Entry> userDefined;
    m_scores.resize(static_cast<std::size_t>(vocabulary.size()));
    float least = std::numeric_limits<float>::max();
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
        const TokenTrie::Entry entry{vocabulary.text(id), id};
        const bool normal = vocabulary.is(id, TokenAttribute::Normal);
        const bool defined = vocabulary.is(id, TokenAttribute::UserDefined);
        if (normal) least = std::min(least, vocabulary.score(id));
        if (normal || defined || vocabulary.is(id, TokenAttribute::Unused)) all.push_back(entry);
        if (defined) userDefined.push_back(entry);
        m_scores[static_cast<std::size_t>(id)] = defined ? 0.0f : vocabulary.score(id);
    }
    m_unknownScore = least - kUnknownPenalty;
    m_tokens = TokenTrie(std::move(all));
    m_userDefined = TokenTrie(std::move(userDefined));
}

Charsmap::Match UnigramEncoder::normalizeNext(std::string_view text) const
{
    // As far as the start of a user-defined token reaches, text stays as it is.
    std::size_t reach = 0;
    for (TokenTrie::Node node = TokenTrie::kRoot; reach < text.size(); ++reach) {
        node = m_userDefined.child(node, text[reach]);
        if (node == TokenTrie::kNoNode) break;
    }
    if (reach > 0) return {reach, text.substr(0, reach)};
    const Charsmap::Match match = m_charsmap.match(text);
    if (match.bytes > 0) return match;
    const unicode::Decoded c = unicode::decode(text, 0);
    return {c.bytes, c.valid ? text.substr(0, c.bytes) : kReplacement};
}

std::string UnigramEncoder::normalized(std::string_view text) const
{
    std::string out;
    out.reserve(text.size() + text.size() / 2);
    bool begun = false; // a space was put before the first word
    bool inWord = false;
    while (!text.empty()) {
        const Charsmap::Match next = normalizeNext(text);
        text.remove_prefix(next.bytes);
        for (const char c : next.replacement) {
            if (c == ' ') {
                inWord = false;
                if (!m_mergeSpaces) out += m_space;
                continue;
            }
            if (!inWord && (m_mergeSpaces || (m_prependSpace && !begun))) {
                out += m_space;
                begun = true;
            }
            inWord = true;
            out.push_back(c);
        }
    }
    return out;
}

void UnigramEncoder::encode(std::string_view text, bool, std::vector<TokenId>& out) const
{
    const std::string normal = normalized(text);
    const std::string_view view = normal;
    if (view.empty()) return;
    std::vector<Best> best(view.size() + 1);
    best[0] = {0, 0, m_unknown};
    for (std::size_t begin = 0; begin < view.size();) {
        const std::size_t character = unicode::characterLength(view, begin);
        const double score = best[begin].score;
        bool isToken = false; // the character alone
        TokenTrie::Node node = TokenTrie::kRoot;
        for (std::size_t end = begin; end < view.size();) {
            node = m_tokens.child(node, view[end++]);
            if (node == TokenTrie::kNoNode) break;
            const TokenId id = m_tokens.token(node);
            if (id == kNoToken) continue;
            isToken = isToken || end - begin == character;
            best[end].improve(score + static_cast<double>(m_scores[static_cast<std::size_t>(id)]),
                              begin, id);
        }
        if (!isToken)
            best[begin + character].improve(score + static_cast<double>(m_unknownScore), begin,
                                            m_unknown);
        begin += character;
    }
    const std::size_t before = out.size();
    TokenId previous = kNoToken;
    for (std::size_t end = view.size(); end > 0; end = best[end].begin) {
        const TokenId id = best[end].id;
        if (id != kNoToken && !(id == m_unknown && previous == m_unknown)) out.push_back(id);
        previous = id;
    }
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
}

} // namespace engine
