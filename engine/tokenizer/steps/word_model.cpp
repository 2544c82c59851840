#include "engine/tokenizer/steps/word_model.h"

#include "engine/tokenizer/steps/pair_model.h"
#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/unigram_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <format>
#include <limits>
#include <set>
#include <string>

namespace engine {

namespace {

TokenId unknownOf(const JsonView& json, const Vocabulary& vocabulary)
{
    const std::int64_t id = json["unk_id"].integer().value_or(kNoToken);
    return vocabulary.contains(id) ? static_cast<TokenId>(id) : kNoToken;
}

std::vector<TokenTrie::Entry> modelEntries(const Metadata& metadata, const Vocabulary& vocabulary)
{
    const auto outside =
        metadata.integers(WordModel::kOutsideKey).value_or(std::vector<std::int64_t>{});
    const std::set<std::int64_t> left(outside.begin(), outside.end());
    std::vector<TokenTrie::Entry> entries;
    entries.reserve(static_cast<std::size_t>(vocabulary.size()));
    for (TokenId id = 0; id < vocabulary.size(); ++id)
        if (!vocabulary.isSpecial(id) && !left.contains(id))
            entries.push_back({vocabulary.text(id), id});
    return entries;
}

/// Greedily the longest token from the left; a prefix marks those that go on with a word.
class LongestModel final : public WordModel {
public:
    LongestModel(const JsonView& json, const Metadata& metadata, const Vocabulary& vocabulary)
        : m_tokens(modelTokens(metadata, vocabulary))
        , m_inside(
              m_tokens.walk(TokenTrie::kRoot, json["continuing_subword_prefix"].stringOr("##")))
        , m_unknown(unknownOf(json, vocabulary))
        , m_mostCharacters(json["max_input_chars_per_word"].integer().value_or(100))
    {
    }

    void encode(std::string_view word, std::vector<TokenId>& out) const override
    {
        const std::size_t before = out.size();
        TokenTrie::Node node = TokenTrie::kRoot;
        bool known = isShort(word);
        while (known && !word.empty()) {
            const TokenTrie::Match match = node == TokenTrie::kNoNode
                                               ? TokenTrie::Match{}
                                               : m_tokens.longestPrefix(node, word);
            known = match.id != kNoToken;
            if (!known) break;
            out.push_back(match.id);
            word.remove_prefix(match.bytes);
            node = m_inside;
        }
        if (known) return;
        out.resize(before);
        if (m_unknown != kNoToken) out.push_back(m_unknown);
    }

private:
    bool isShort(std::string_view word) const
    {
        const auto characters = std::ranges::count_if(
            word, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
        return characters <= m_mostCharacters;
    }

    TokenTrie m_tokens;
    TokenTrie::Node m_inside; ///< kNoNode where no token goes on with a word
    TokenId m_unknown;
    std::int64_t m_mostCharacters;
};

/// Every word is a token or none.
class WholeModel final : public WordModel {
public:
    WholeModel(const JsonView& json, const Metadata& metadata, const Vocabulary& vocabulary)
        : m_tokens(modelTokens(metadata, vocabulary))
        , m_unknown(unknownOf(json, vocabulary))
    {
    }

    void encode(std::string_view word, std::vector<TokenId>& out) const override
    {
        const TokenId id = m_tokens.find(word);
        const TokenId found = id != kNoToken ? id : m_unknown;
        if (found != kNoToken) out.push_back(found);
    }

private:
    TokenTrie m_tokens;
    TokenId m_unknown;
};

/// The segmentation with the largest sum of scores.
class ScoreModel final : public WordModel {
public:
    ScoreModel(const JsonView& json, const Metadata& metadata, const Vocabulary& vocabulary)
        : m_bytes(json["byte_fallback"].boolean().value_or(false) ? byteTokens(vocabulary)
                                                                  : ByteTokens{})
    {
        constexpr double kUnknownPenalty = 10;
        // As the file has them: what rounding does to sums decides between equals.
        std::vector<double> scores =
            metadata.numbers("tokenizer.ggml.scores").value_or(std::vector<double>{});
        scores.resize(static_cast<std::size_t>(vocabulary.size()), 0.0);
        double least = std::numeric_limits<double>::max();
        for (TokenId id = 0; id < vocabulary.size(); ++id) {
            double& score = scores[static_cast<std::size_t>(id)];
            if (!std::isfinite(score)) score = std::numeric_limits<float>::lowest();
            if (vocabulary.is(id, TokenAttribute::Normal)) least = std::min(least, score);
        }
        m_search = UnigramSearch(modelTokens(metadata, vocabulary), std::move(scores),
                                 unknownOf(json, vocabulary), least - kUnknownPenalty);
    }

    void encode(std::string_view word, std::vector<TokenId>& out) const override
    {
        m_search.search(word, [&](std::string_view text, TokenId id) {
            if (id != m_search.unknown() || !m_bytes.appendAll(text, out)) {
                if (id != kNoToken) out.push_back(id);
            }
        });
    }

private:
    ByteTokens m_bytes;
    UnigramSearch m_search;
};

template <typename Model>
Result<std::unique_ptr<const WordModel>> make(const JsonView& json, const Metadata& metadata,
                                              const Vocabulary& vocabulary)
{
    return std::make_unique<const Model>(json, metadata, vocabulary);
}

struct Maker {
    std::string_view type;
    Result<std::unique_ptr<const WordModel>> (*make)(const JsonView&, const Metadata&,
                                                     const Vocabulary&);
};

constexpr std::array<Maker, 4> kMakers = {{
    {"BPE", makePairModel},
    {"Unigram", make<ScoreModel>},
    {"WordPiece", make<LongestModel>},
    {"WordLevel", make<WholeModel>},
}};

} // namespace

TokenTrie modelTokens(const Metadata& metadata, const Vocabulary& vocabulary)
{
    return TokenTrie(modelEntries(metadata, vocabulary));
}

Result<std::unique_ptr<const WordModel>>
WordModel::create(const JsonView& json, const Metadata& metadata, const Vocabulary& vocabulary)
{
    const std::string type = json["type"].stringOr("");
    const auto* const maker = std::ranges::find(kMakers, type, &Maker::type);
    if (maker == kMakers.end())
        return fail(
            ErrorCode::UnsupportedTokenizer,
            std::format("tokenizer.json: the model \"{}\" is not known", type.substr(0, 80)),
            type.substr(0, 80));
    return maker->make(json, metadata, vocabulary);
}

} // namespace engine
