#include "engine/tokenizer/unigram.h"

#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace engine {

namespace {

constexpr std::string_view kEscapedSpace = "\xE2\x96\x81"; // U+2581
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr double kUnknownPenalty = 10;

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
    : m_charsmap(std::move(charsmap))
    , m_space(settings.escapeWhitespaces ? kEscapedSpace : std::string_view(" "))
    , m_prependSpace(settings.addSpacePrefix)
    , m_mergeSpaces(settings.removeExtraWhitespaces)
{
    std::vector<TokenTrie::Entry> all;
    std::vector<TokenTrie::Entry> userDefined;
    std::vector<double> scores(static_cast<std::size_t>(vocabulary.size()));
    float least = std::numeric_limits<float>::max();
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
        const TokenTrie::Entry entry{vocabulary.text(id), id};
        const bool normal = vocabulary.is(id, TokenAttribute::Normal);
        const bool defined = vocabulary.is(id, TokenAttribute::UserDefined);
        if (normal) least = std::min(least, vocabulary.score(id));
        if (normal || defined || vocabulary.is(id, TokenAttribute::Unused)) all.push_back(entry);
        if (defined) userDefined.push_back(entry);
        scores[static_cast<std::size_t>(id)] =
            defined ? 0.0 : static_cast<double>(vocabulary.score(id));
    }
    m_search = UnigramSearch(TokenTrie(std::move(all)), std::move(scores), settings.unknown,
                             static_cast<double>(least) - kUnknownPenalty);
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

void UnigramEncoder::encode(std::string_view text, TextPlace, std::vector<TokenId>& out) const
{
    m_search.search(normalized(text), [&out](std::string_view, TokenId id) {
        if (id != kNoToken) out.push_back(id);
    });
}

} // namespace engine
