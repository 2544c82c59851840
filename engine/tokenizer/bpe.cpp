#include "engine/tokenizer/bpe.h"

#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/merge_workspace.h"
#include "engine/tokenizer/sentencepiece.h"
#include "engine/tokenizer/unicode.h"

#include <format>
#include <map>
#include <utility>

namespace engine {

namespace {

constexpr std::string_view kMergesKey = "tokenizer.ggml.merges";

std::unexpected<Error> badMerges(std::string message, std::size_t expected = 0,
                                 std::size_t found = 0)
{
    return fail(ErrorCode::BadMetadata, std::format("{}: {}", kMergesKey, message),
                std::string(kMergesKey), expected, found);
}

} // namespace

/// Gives every text that merges can make a symbol: tokens their ids, other texts the numbers after
/// them.
class BpeEncoder::Builder {
public:
    Builder(const Vocabulary& vocabulary, bool rawText)
        : m_rawText(rawText)
        , m_joints(rawText ? JointFilter::Unit::Character : JointFilter::Unit::Byte)
    {
        m_ends.reserve(static_cast<std::size_t>(vocabulary.size()) + 1);
        for (TokenId id = 0; id < vocabulary.size(); ++id) {
            appendBytes(vocabulary.text(id), m_texts);
            m_ends.push_back(m_texts.size());
        }
        m_trie = TokenTrie(entries());
    }

    Result<MergeTable> readMerges(const std::vector<std::string>& lines)
    {
        if (lines.size() > kMaxMerges)
            return badMerges(
                std::format("expected at most {} merges, found {}", kMaxMerges, lines.size()),
                kMaxMerges, lines.size());
        std::vector<MergeTable::Merge> merges;
        merges.reserve(lines.size());
        for (std::size_t rank = 0; rank < lines.size(); ++rank)
            TRY(readMerge(lines[rank], rank, merges));
        if (!m_others.empty()) m_trie = TokenTrie(entries());
        return MergeTable(std::move(merges), symbolCount());
    }

    TokenTrie takeTrie() { return std::move(m_trie); }
    JointFilter takeJoints() { return std::move(m_joints); }

private:
    std::size_t symbolCount() const { return m_ends.size() - 1 + m_others.size(); }

    /// Appends the bytes a stored text stands for; false, and nothing appended, where no text
    /// encodes to it.
    bool appendBytes(std::string_view stored, std::string& out) const
    {
        if (!m_rawText) return byte_level::append(stored, out);
        out += stored;
        return true;
    }

    std::vector<TokenTrie::Entry> entries() const
    {
        std::vector<TokenTrie::Entry> entries;
        entries.reserve(symbolCount());
        for (std::size_t i = 0; i + 1 < m_ends.size(); ++i)
            if (m_ends[i + 1] > m_ends[i])
                entries.push_back(
                    {std::string_view(m_texts).substr(m_ends[i], m_ends[i + 1] - m_ends[i]),
                     static_cast<TokenId>(i)});
        for (const auto& [text, symbol] : m_others)
            entries.push_back({text, static_cast<TokenId>(symbol)});
        return entries;
    }

    /// The symbol of `text`, whose node in the trie is known.
    std::uint32_t symbolOf(TokenTrie::Node node, std::string_view text)
    {
        const TokenId token = node == TokenTrie::kNoNode ? kNoToken : m_trie.token(node);
        if (token != kNoToken) return static_cast<std::uint32_t>(token);
        const auto next = static_cast<std::uint32_t>(symbolCount());
        return m_others.emplace(text, next).first->second;
    }

    Result<void> readMerge(std::string_view line, std::size_t rank,
                           std::vector<MergeTable::Merge>& merges)
    {
        const std::size_t space = line.find(' ', 1);
        if (line.empty() || space == std::string_view::npos || space + 1 == line.size() ||
            line.find(' ', space + 1) != std::string_view::npos)
            return badMerges(std::format("merge {}: expected two parts with a space between, found "
                                         "\"{}\"",
                                         rank, line.substr(0, 80)));
        m_both.clear();
        // Some parts no text encodes to, and no token is so long.
        if (!appendBytes(line.substr(0, space), m_both)) return {};
        const std::size_t leftBytes = m_both.size();
        if (!appendBytes(line.substr(space + 1), m_both) || m_both.size() > TokenTrie::kMaxBytes)
            return {};
        const std::string_view left = std::string_view(m_both).substr(0, leftBytes);
        const std::string_view right = std::string_view(m_both).substr(leftBytes);
        const TokenTrie::Node leftNode = m_trie.walk(TokenTrie::kRoot, left);
        const std::uint32_t leftSymbol = symbolOf(leftNode, left);
        const std::uint32_t rightSymbol = symbolOf(m_trie.walk(TokenTrie::kRoot, right), right);
        const TokenTrie::Node bothNode =
            leftNode == TokenTrie::kNoNode ? leftNode : m_trie.walk(leftNode, right);
        m_joints.add(m_both);
        merges.push_back({leftSymbol, rightSymbol, static_cast<std::uint32_t>(rank),
                          symbolOf(bothNode, m_both)});
        return {};
    }

    bool m_rawText;
    std::string m_texts; // of the tokens, one after the other, in bytes
    std::vector<std::size_t> m_ends{0};
    TokenTrie m_trie;
    std::map<std::string, std::uint32_t, std::less<>> m_others;
    std::string m_both; // the bytes of the merge at hand
    JointFilter m_joints;
};

Result<std::unique_ptr<const TextEncoder>> BpeEncoder::create(const Metadata& metadata,
                                                              const Vocabulary& vocabulary,
                                                              const TokenizerSettings& settings)
{
    static const std::vector<std::string> kNone;
    const PretokenizerInfo& info = *settings.preTokenizer;
    const std::vector<std::string>* merges = metadata.strings(kMergesKey);
    if (!merges && metadata.contains(kMergesKey))
        return badMerges("expected strings, found another type");
    if (!merges && !info.has(kMergesOptional))
        return fail(ErrorCode::MissingMetadata, std::format("{}: the key is absent", kMergesKey),
                    std::string(kMergesKey));
    TRY_ASSIGN(Pretokenizer pretokenizer, Pretokenizer::create(info));
    std::unique_ptr<BpeEncoder> encoder(new BpeEncoder(info, std::move(pretokenizer)));
    Builder builder(vocabulary, info.has(kRawText));
    TRY_ASSIGN(encoder->m_merges, builder.readMerges(merges ? *merges : kNone));
    encoder->m_symbols = builder.takeTrie();
    encoder->m_joints = builder.takeJoints();
    encoder->m_tokenCount = static_cast<std::uint32_t>(vocabulary.size());
    encoder->readByteTokens();
    return encoder;
}

/// A byte of no token becomes "<0x0A>", or in byte-level vocabularies the ASCII character it is.
void BpeEncoder::readByteTokens()
{
    m_byteTokens.fill(kNoToken);
    const auto tokenOf = [this](std::string_view text) {
        const TokenId symbol = m_symbols.find(text);
        return isToken(static_cast<std::uint32_t>(symbol)) ? symbol : kNoToken;
    };
    if (m_info.has(kRawText)) {
        for (unsigned byte = 0; byte < 256; ++byte)
            m_byteTokens[byte] = tokenOf(std::format("<0x{:02X}>", byte));
        return;
    }
    for (char c = '!'; c <= '~'; ++c)
        m_byteTokens[static_cast<unsigned char>(c)] = tokenOf({&c, 1});
}

void BpeEncoder::encode(std::string_view text, TextPlace, std::vector<TokenId>& out) const
{
    std::string changed;
    if (m_info.has(kRawText)) text = changed = escapeSpaces(text);
    if (!unicode::isClean(text)) text = changed = unicode::cleaned(text);
    MergeWorkspace workspace(text.size());
    std::size_t offset = 0;
    for (const std::size_t length : m_pretokenizer.split(text)) {
        const std::string_view word = text.substr(offset, length);
        workspace.words.encode(word, out, [&] { encodeWord(word, workspace, out); });
        offset += length;
    }
}

/// The token a word becomes without looking at the merges.
TokenId BpeEncoder::wholeWord(std::string_view word) const
{
    const bool whole =
        m_info.has(kIgnoreMerges) ||
        (m_info.has(kWholeNewlines) && word.find_first_not_of('\n') == std::string_view::npos);
    if (!whole) return kNoToken;
    const TokenId symbol = m_symbols.find(word);
    return isToken(static_cast<std::uint32_t>(symbol)) ? symbol : kNoToken;
}

void BpeEncoder::encodeWord(std::string_view word, MergeWorkspace& workspace,
                            std::vector<TokenId>& out) const
{
    if (const TokenId token = wholeWord(word); token != kNoToken) {
        out.push_back(token);
        return;
    }
    for (std::size_t i = 0; i < word.size();) {
        const std::size_t end = m_joints.partEnd(word, i);
        encodePart(word.substr(i, end - i), workspace, out);
        i = end;
    }
}

void BpeEncoder::encodePart(std::string_view word, MergeWorkspace& workspace,
                            std::vector<TokenId>& out) const
{
    PairMerger& merger = workspace.merger;
    merger.clear();
    for (std::size_t i = 0; i < word.size();) {
        const std::size_t length = m_info.has(kRawText) ? unicode::characterLength(word, i) : 1;
        merger.append(i, length,
                      static_cast<std::uint32_t>(m_symbols.find(word.substr(i, length))));
        i += length;
    }
    const auto find = [this](const MergeSymbol& left, const MergeSymbol& right) {
        return m_merges.find(left.state, right.state);
    };
    merger.merge([&](const MergeSymbol& left, const MergeSymbol& right) {
        return workspace.pairs.find(left, right, find);
    });
    for (const MergeSymbol& symbol : merger.symbols()) {
        if (symbol.bytes == 0) continue;
        if (isToken(symbol.state)) {
            out.push_back(static_cast<TokenId>(symbol.state));
            continue;
        }
        for (const char c : word.substr(symbol.begin, symbol.bytes))
            if (const TokenId id = m_byteTokens[static_cast<unsigned char>(c)]; id != kNoToken)
                out.push_back(id);
    }
}

} // namespace engine
