#include "engine/tokenizer/sentencepiece.h"

#include "engine/tokenizer/merge_workspace.h"
#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <format>
#include <functional>
#include <string>

namespace engine {

namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81"; // U+2581

/// By token, how many better scores there are.
std::vector<std::uint32_t> ranksOf(const Vocabulary& vocabulary)
{
    std::vector<float> scores;
    scores.reserve(static_cast<std::size_t>(vocabulary.size()));
    for (TokenId id = 0; id < vocabulary.size(); ++id)
        scores.push_back(vocabulary.score(id));
    std::ranges::sort(scores, std::greater());
    scores.erase(std::ranges::unique(scores).begin(), scores.end());
    std::vector<std::uint32_t> ranks;
    ranks.reserve(static_cast<std::size_t>(vocabulary.size()));
    for (TokenId id = 0; id < vocabulary.size(); ++id)
        ranks.push_back(static_cast<std::uint32_t>(
            std::ranges::lower_bound(scores, vocabulary.score(id), std::greater()) -
            scores.begin()));
    return ranks;
}

} // namespace

std::string escapeSpaces(std::string_view text)
{
    std::string out;
    out.reserve(text.size() + text.size() / 2);
    for (const char c : text) {
        if (c == ' ')
            out += kSpace;
        else
            out.push_back(c);
    }
    return out;
}

std::string unescapeSpaces(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(kSpace), text.size());
        out += text.substr(0, end);
        if (end == text.size()) break;
        out.push_back(' ');
        text.remove_prefix(end + kSpace.size());
    }
    return out;
}

SentencePieceEncoder::SentencePieceEncoder(const Vocabulary& vocabulary,
                                           const TokenizerSettings& settings)
    : m_trie(vocabulary.makeTrie())
    , m_ranks(ranksOf(vocabulary))
    , m_unknown(settings.unknown)
    , m_addSpacePrefix(settings.addSpacePrefix)
{
    for (TokenId id = 0; id < vocabulary.size(); ++id)
        m_joints.add(vocabulary.text(id));
}

Result<std::unique_ptr<const TextEncoder>>
SentencePieceEncoder::create(const Vocabulary& vocabulary, const TokenizerSettings& settings)
{
    std::unique_ptr<SentencePieceEncoder> encoder(new SentencePieceEncoder(vocabulary, settings));
    TRY(encoder->readByteTokens());
    return encoder;
}

/// A byte's token is "<0x0A>", or the byte itself.
Result<void> SentencePieceEncoder::readByteTokens()
{
    int named = 0;
    int missing = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
        TokenId& id = m_byteTokens[byte];
        id = m_trie.find(std::format("<0x{:02X}>", byte));
        named += id != kNoToken ? 1 : 0;
        if (id == kNoToken) id = m_trie.find(std::string(1, static_cast<char>(byte)));
        missing += id == kNoToken ? 1 : 0;
    }
    if (named == 0 || missing == 0) return {};
    return fail(ErrorCode::BadMetadata,
                std::format("tokenizer.ggml.tokens: expected a token for each of the 256 bytes or "
                            "for none, found {} without",
                            missing),
                "tokenizer.ggml.tokens", 256, static_cast<std::uint64_t>(256 - missing));
}

void SentencePieceEncoder::encode(std::string_view text, TextPlace place,
                                  std::vector<TokenId>& out) const
{
    std::string escaped =
        m_addSpacePrefix && place.afterSpecial ? std::string(kSpace) : std::string();
    escaped += escapeSpaces(text);
    MergeWorkspace workspace(escaped.size());
    const std::string_view rest = escaped;
    for (std::size_t i = 0; i < rest.size();) {
        const std::size_t end = m_joints.partEnd(rest, i);
        const std::string_view word = rest.substr(i, end - i);
        workspace.words.encode(word, out, [&] { encodeWord(word, workspace, out); });
        i = end;
    }
}

void SentencePieceEncoder::encodeWord(std::string_view word, MergeWorkspace& workspace,
                                      std::vector<TokenId>& out) const
{
    PairMerger& merger = workspace.merger;
    merger.clear();
    for (std::size_t i = 0; i < word.size();) {
        const std::size_t length = unicode::characterLength(word, i);
        merger.append(i, length, m_trie.walk(TokenTrie::kRoot, word.substr(i, length)));
        i += length;
    }
    const auto find = [&](const MergeSymbol& left,
                          const MergeSymbol& right) -> std::optional<MergeRule> {
        if (left.state == TokenTrie::kNoNode) return std::nullopt;
        const TokenTrie::Node node = m_trie.walk(left.state, word.substr(right.begin, right.bytes));
        if (node == TokenTrie::kNoNode || m_trie.token(node) == kNoToken) return std::nullopt;
        return MergeRule{m_ranks[static_cast<std::size_t>(m_trie.token(node))], node};
    };
    merger.merge([&](const MergeSymbol& left, const MergeSymbol& right) {
        return workspace.pairs.find(left, right, find);
    });
    for (const MergeSymbol& symbol : merger.symbols()) {
        if (symbol.bytes == 0) continue;
        const TokenId id =
            symbol.state == TokenTrie::kNoNode ? kNoToken : m_trie.token(symbol.state);
        if (id != kNoToken) {
            out.push_back(id);
            continue;
        }
        for (const char c : word.substr(symbol.begin, symbol.bytes)) {
            const TokenId byte = m_byteTokens[static_cast<unsigned char>(c)];
            const TokenId found = byte != kNoToken ? byte : m_unknown;
            if (found != kNoToken) out.push_back(found);
        }
    }
}

} // namespace engine
