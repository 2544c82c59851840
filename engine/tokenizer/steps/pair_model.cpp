#include "engine/tokenizer/steps/pair_model.h"

#include "engine/tokenizer/joint_filter.h"
#include "engine/tokenizer/merge_table.h"
#include "engine/tokenizer/pair_merger.h"
#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <format>
#include <string>

namespace engine {

namespace {

constexpr std::size_t kMostMerges = 4'194'304;

Result<std::vector<MergeTable::Merge>> readMerges(const Metadata& metadata,
                                                  const Vocabulary& vocabulary)
{
    const auto ids = metadata.integers(WordModel::kMergesKey).value_or(std::vector<std::int64_t>{});
    const bool right =
        ids.size() % 3 == 0 && ids.size() / 3 <= kMostMerges &&
        std::ranges::all_of(ids, [&](std::int64_t id) { return vocabulary.contains(id); });
    if (!right)
        return fail(ErrorCode::BadMetadata,
                    std::format("{}: expected at most {} merges of three tokens each",
                                WordModel::kMergesKey, kMostMerges),
                    std::string(WordModel::kMergesKey), kMostMerges, ids.size() / 3);
    std::vector<MergeTable::Merge> merges;
    merges.reserve(ids.size() / 3);
    for (std::size_t i = 0; i < ids.size(); i += 3)
        merges.push_back({static_cast<std::uint32_t>(ids[i]),
                          static_cast<std::uint32_t>(ids[i + 1]), static_cast<std::uint32_t>(i / 3),
                          static_cast<std::uint32_t>(ids[i + 2])});
    return merges;
}

class PairModel final : public WordModel {
public:
    PairModel(const JsonView& json, const Metadata& metadata, std::vector<MergeTable::Merge> merges,
              const Vocabulary& vocabulary)
        : m_bytes(json["byte_fallback"].boolean().value_or(false) ? byteTokens(vocabulary)
                                                                  : ByteTokens{})
        , m_prefix(json["continuing_subword_prefix"].stringOr(""))
        , m_suffix(json["end_of_word_suffix"].stringOr(""))
        , m_wholeFirst(json["ignore_merges"].boolean().value_or(false))
        , m_fuseUnknown(json["fuse_unk"].boolean().value_or(false))
        , m_tokens(modelTokens(metadata, vocabulary))
    {
        const std::int64_t unknown = json["unk_id"].integer().value_or(kNoToken);
        if (vocabulary.contains(unknown)) m_unknown = static_cast<TokenId>(unknown);
        m_inParts = m_prefix.empty() && m_suffix.empty();
        for (const MergeTable::Merge& merge : merges) {
            m_joints.add(vocabulary.text(static_cast<TokenId>(merge.result)));
            for (const std::uint32_t part : {merge.left, merge.right}) {
                const auto id = static_cast<TokenId>(part);
                if (id == m_unknown || vocabulary.is(id, TokenAttribute::Byte)) m_inParts = false;
            }
        }
        m_merges = MergeTable(std::move(merges), static_cast<std::size_t>(vocabulary.size()));
    }

    void encode(std::string_view word, std::vector<TokenId>& out) const override
    {
        if (m_wholeFirst) {
            if (const TokenId id = m_tokens.find(word); id != kNoToken) {
                out.push_back(id);
                return;
            }
        }
        std::vector<Symbol> symbols;
        symbols.reserve(word.size());
        for (std::size_t i = 0; i < word.size();) {
            const std::size_t length = unicode::characterLength(word, i);
            append(word, i, length, symbols);
            i += length;
        }
        PairMerger merger;
        bool afterUnknown = false;
        for (std::size_t i = 0; i < symbols.size();) {
            i = mergePart(word, symbols, i, merger);
            for (const MergeSymbol& symbol : merger.symbols()) {
                if (symbol.bytes == 0) continue;
                const auto id = static_cast<TokenId>(symbol.state);
                const bool isUnknown = id == m_unknown;
                if (!(isUnknown && afterUnknown && m_fuseUnknown)) out.push_back(id);
                afterUnknown = isUnknown;
            }
        }
    }

private:
    /// What a word begins as; a character without a token is in none.
    struct Symbol {
        std::size_t begin;
        std::size_t bytes;
        TokenId id;

        std::string_view in(std::string_view word) const { return word.substr(begin, bytes); }
    };

    /// Merges the symbols from `begin` on, as far as merges can reach; returns where that ends.
    std::size_t mergePart(std::string_view word, const std::vector<Symbol>& symbols,
                          std::size_t begin, PairMerger& merger) const
    {
        merger.clear();
        std::size_t i = begin;
        do {
            merger.append(symbols[i].begin, symbols[i].bytes,
                          static_cast<std::uint32_t>(symbols[i].id));
            ++i;
        } while (i < symbols.size() &&
                 (!m_inParts || m_joints.mayJoin(symbols[i - 1].in(word), symbols[i].in(word))));
        merger.merge([this](const MergeSymbol& left, const MergeSymbol& right) {
            return m_merges.find(left.state, right.state);
        });
        return i;
    }

    /// One character's symbols: its token, its bytes' tokens, or the unknown one.
    void append(std::string_view word, std::size_t begin, std::size_t length,
                std::vector<Symbol>& symbols) const
    {
        const std::string_view character = word.substr(begin, length);
        TokenTrie::Node node = TokenTrie::kRoot;
        if (begin > 0) node = m_tokens.walk(node, m_prefix);
        if (node != TokenTrie::kNoNode) node = m_tokens.walk(node, character);
        if (node != TokenTrie::kNoNode && begin + length == word.size())
            node = m_tokens.walk(node, m_suffix);
        const TokenId id = node == TokenTrie::kNoNode ? kNoToken : m_tokens.token(node);
        if (id != kNoToken) {
            symbols.push_back({begin, length, id});
            return;
        }
        // The marks of a word's parts fall back with the character.
        std::string marked(character);
        if (begin > 0) marked.insert(0, m_prefix);
        if (begin + length == word.size()) marked += m_suffix;
        std::vector<TokenId> bytes;
        if (m_bytes.appendAll(marked, bytes)) {
            for (std::size_t i = 0; i < bytes.size(); ++i)
                symbols.push_back({begin + std::min(i, length - 1), 1, bytes[i]});
        } else if (m_unknown != kNoToken) {
            symbols.push_back({begin, length, m_unknown});
        }
    }

    ByteTokens m_bytes;
    std::string m_prefix;
    std::string m_suffix;
    bool m_wholeFirst;
    bool m_fuseUnknown;
    TokenId m_unknown = kNoToken;
    TokenTrie m_tokens;
    JointFilter m_joints;
    bool m_inParts = false; ///< what a merge joins has the text that the joints were made of
    MergeTable m_merges;
};

} // namespace

bool ByteTokens::appendAll(std::string_view text, std::vector<TokenId>& out) const
{
    const bool all = std::ranges::all_of(
        text, [&](char c) { return ids[static_cast<unsigned char>(c)] != kNoToken; });
    if (!all || text.empty()) return false;
    for (const char c : text)
        out.push_back(ids[static_cast<unsigned char>(c)]);
    return true;
}

ByteTokens byteTokens(const Vocabulary& vocabulary)
{
    ByteTokens tokens;
    for (TokenId id = vocabulary.size() - 1; id >= 0; --id)
        if (const int byte = vocabulary.byteOf(id); byte >= 0)
            tokens.ids[static_cast<std::size_t>(byte)] = id;
    return tokens;
}

Result<std::unique_ptr<const WordModel>>
makePairModel(const JsonView& json, const Metadata& metadata, const Vocabulary& vocabulary)
{
    TRY_ASSIGN(std::vector<MergeTable::Merge> merges, readMerges(metadata, vocabulary));
    return std::make_unique<const PairModel>(json, metadata, std::move(merges), vocabulary);
}

} // namespace engine
