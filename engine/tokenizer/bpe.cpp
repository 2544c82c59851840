#include "engine/tokenizer/bpe.h"

#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/sentencepiece.h"
#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <format>
#include <map>
#include <optional>
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
        : m_vocabulary(vocabulary)
        , m_rawText(rawText)
    {
        readTokens();
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

private:
    std::size_t symbolCount() const
    {
        return static_cast<std::size_t>(m_vocabulary.size()) + m_others.size();
    }

    /// The bytes a stored text stands for; nothing where no text encodes to it.
    std::optional<std::string> bytesOf(std::string_view stored) const
    {
        return m_rawText ? std::string(stored) : byte_level::decode(stored);
    }

    void readTokens()
    {
        m_ends.reserve(static_cast<std::size_t>(m_vocabulary.size()) + 1);
        for (TokenId id = 0; id < m_vocabulary.size(); ++id) {
            m_texts += bytesOf(m_vocabulary.text(id)).value_or("");
            m_ends.push_back(m_texts.size());
        }
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

    std::uint32_t symbolOf(const std::string& bytes)
    {
        const TokenId token = m_trie.find(bytes);
        if (token != kNoToken) return static_cast<std::uint32_t>(token);
        const auto next = static_cast<std::uint32_t>(symbolCount());
        return m_others.emplace(bytes, next).first->second;
    }

    Result<void> readMerge(const std::string& line, std::size_t rank,
                           std::vector<MergeTable::Merge>& merges)
    {
        const std::size_t space = line.find(' ', 1);
        if (line.empty() || space == std::string::npos || space + 1 == line.size() ||
            line.find(' ', space + 1) != std::string::npos)
            return badMerges(std::format("merge {}: expected two parts with a space between, found "
                                         "\"{}\"",
                                         rank, line.substr(0, 80)));
        const std::optional<std::string> left = bytesOf(std::string_view(line).substr(0, space));
        const std::optional<std::string> right = bytesOf(std::string_view(line).substr(space + 1));
        // No text has such a part, or none so long a token.
        if (!left || !right || left->size() + right->size() > TokenTrie::kMaxBytes) return {};
        const std::uint32_t leftSymbol = symbolOf(*left);
        const std::uint32_t rightSymbol = symbolOf(*right);
        merges.push_back(
            {leftSymbol, rightSymbol, static_cast<std::uint32_t>(rank), symbolOf(*left + *right)});
        return {};
    }

    const Vocabulary& m_vocabulary;
    bool m_rawText;
    std::string m_texts; // of the tokens, one after the other, in bytes
    std::vector<std::size_t> m_ends{0};
    TokenTrie m_trie;
    std::map<std::string, std::uint32_t> m_others;
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
    encoder->m_tokenCount = static_cast<std::uint32_t>(vocabulary.size());
    encoder->readByteTokens(vocabulary);
    return encoder;
}

/// A byte of no token becomes "<0x0A>", or in byte-level vocabularies the ASCII character it is.
void BpeEncoder::readByteTokens(const Vocabulary& vocabulary)
{
    m_byteTokens.fill(kNoToken);
    if (m_info.has(kRawText)) {
        for (unsigned byte = 0; byte < 256; ++byte)
            m_byteTokens[byte] = vocabulary.find(std::format("<0x{:02X}>", byte));
        return;
    }
    for (char c = '!'; c <= '~'; ++c)
        m_byteTokens[static_cast<unsigned char>(c)] = vocabulary.find(std::string(1, c));
}

void BpeEncoder::encode(std::string_view text, bool, std::vector<TokenId>& out) const
{
    std::string changed;
    if (m_info.has(kRawText)) text = changed = escapeSpaces(text);
    if (!unicode::isClean(text)) text = changed = unicode::cleaned(text);
    PairMerger merger;
    std::size_t offset = 0;
    for (const std::size_t length : m_pretokenizer.split(text)) {
        encodeWord(text.substr(offset, length), merger, out);
        offset += length;
    }
}

/// The token a word becomes without looking at the merges.
TokenId BpeEncoder::wholeWord(std::string_view word) const
{
    const bool whole = m_info.has(kIgnoreMerges) ||
                       (m_info.has(kWholeNewlines) && word.find_first_not_of('\n') == word.npos);
    if (!whole) return kNoToken;
    const TokenId symbol = m_symbols.find(word);
    return symbol != kNoToken && isToken(static_cast<std::uint32_t>(symbol)) ? symbol : kNoToken;
}

void BpeEncoder::encodeWord(std::string_view word, PairMerger& merger,
                            std::vector<TokenId>& out) const
{
    if (const TokenId token = wholeWord(word); token != kNoToken) {
        out.push_back(token);
        return;
    }
    merger.clear();
    for (std::size_t i = 0; i < word.size();) {
        const std::size_t length = m_info.has(kRawText) ? unicode::characterLength(word, i) : 1;
        merger.append(i, length,
                      static_cast<std::uint32_t>(m_symbols.find(word.substr(i, length))));
        i += length;
    }
    merger.merge([this](const MergeSymbol& left, const MergeSymbol& right) {
        return m_merges.find(left.state, right.state);
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
