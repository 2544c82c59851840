#include "engine/tokenizer/vocabulary_tokenizer.h"

#include "engine/tokenizer/bpe.h"
#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/plamo.h"
#include "engine/tokenizer/rwkv.h"
#include "engine/tokenizer/sentencepiece.h"
#include "engine/tokenizer/space_cleaner.h"
#include "engine/tokenizer/special_tokens.h"
#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/unigram.h"
#include "engine/tokenizer/wordpiece.h"

#include <algorithm>
#include <utility>

namespace engine {

Result<std::unique_ptr<const Tokenizer>> Tokenizer::create(const Metadata& metadata)
{
    return VocabularyTokenizer::create(metadata);
}

Result<std::unique_ptr<const Tokenizer>> VocabularyTokenizer::create(const Metadata& metadata)
{
    TRY_ASSIGN(Vocabulary vocabulary, Vocabulary::read(metadata));
    TRY_ASSIGN(TokenizerSettings settings, TokenizerSettings::read(metadata, vocabulary));
    std::unique_ptr<VocabularyTokenizer> tokenizer(
        new VocabularyTokenizer(std::move(vocabulary), std::move(settings)));
    // Encoders look at the kinds of tokens as the file gives them.
    TRY(tokenizer->createEncoder(metadata));
    tokenizer->m_eog =
        resolveSpecialTokens(metadata, tokenizer->m_vocabulary, tokenizer->m_settings);
    tokenizer->m_splitter = std::make_unique<SpecialTokenSplitter>(tokenizer->m_vocabulary);
    tokenizer->m_added =
        AddedTokens::read(metadata, tokenizer->m_vocabulary, tokenizer->m_normalizer);
    tokenizer->storePieces();
    return tokenizer;
}

VocabularyTokenizer::VocabularyTokenizer(Vocabulary vocabulary, TokenizerSettings settings)
    : m_vocabulary(std::move(vocabulary))
    , m_settings(std::move(settings))
{
}

Result<void> VocabularyTokenizer::createEncoder(const Metadata& metadata)
{
    TRY_ASSIGN(TokenizerSteps steps, TokenizerSteps::read(metadata, m_vocabulary));
    m_normalizer = std::move(steps.normalizer);
    m_decoder = std::move(steps.decoder);
    m_encoder = std::move(steps.encoder);
    if (m_encoder) return {};
    switch (m_settings.kind) {
    case TokenizerKind::SentencePiece: {
        TRY_ASSIGN(m_encoder, SentencePieceEncoder::create(m_vocabulary, m_settings));
        return {};
    }
    case TokenizerKind::Bpe: {
        TRY_ASSIGN(m_encoder, BpeEncoder::create(metadata, m_vocabulary, m_settings));
        return {};
    }
    case TokenizerKind::WordPiece:
        m_encoder = std::make_unique<WordPieceEncoder>(m_vocabulary, m_settings);
        return {};
    case TokenizerKind::Unigram: {
        TRY_ASSIGN(m_encoder, UnigramEncoder::create(metadata, m_vocabulary, m_settings));
        return {};
    }
    case TokenizerKind::Rwkv:
        m_encoder = std::make_unique<RwkvEncoder>(m_vocabulary, m_settings);
        return {};
    case TokenizerKind::Plamo:
        m_encoder = std::make_unique<PlamoEncoder>(m_vocabulary);
        return {};
    }
    std::unreachable();
}

std::vector<TokenId> VocabularyTokenizer::encode(std::string_view text, EncodeOptions options) const
{
    const Surroundings around = options.addSpecial ? tokensAround() : Surroundings{};
    std::vector<TokenId> ids = around.before;
    TextPlace place;
    const auto fragments = m_added
                               ? m_added->split(text, options.parseSpecial, options.literals)
                               : m_splitter->split(text, options.parseSpecial, options.literals);
    for (const TextFragment& fragment : fragments) {
        place.atStart = fragment.text.data() == text.data();
        if (fragment.token != kNoToken)
            ids.push_back(fragment.token);
        else if (m_added)
            encodeText(fragment.text, place, options, ids);
        else
            m_encoder->encode(fragment.text, place, ids);
        place.afterSpecial = fragment.token != kNoToken;
    }
    ids.insert(ids.end(), around.behind.begin(), around.behind.end());
    return ids;
}

/// A run of text between the tokens that are found before it is normalized: those that are found
/// afterwards, and what is between them.
void VocabularyTokenizer::encodeText(std::string_view text, TextPlace place,
                                     const EncodeOptions& options, std::vector<TokenId>& ids) const
{
    const std::string normalized = m_normalizer.apply(unicode::wellFormed(text));
    place.atStart = place.atStart && !m_normalizer.cutsStartOf(text);
    for (const TextFragment& fragment :
         m_added->splitNormalized(normalized, options.parseSpecial, options.literals)) {
        if (fragment.token != kNoToken)
            ids.push_back(fragment.token);
        else
            m_encoder->encode(fragment.text, place, ids);
        place = {fragment.token != kNoToken, false};
    }
}

/// WordPiece models always have both, whatever the file says of BOS and EOS, RWKV none.
VocabularyTokenizer::Surroundings VocabularyTokenizer::tokensAround() const
{
    if (!m_settings.before.empty() || !m_settings.behind.empty())
        return {m_settings.before, m_settings.behind};
    Surroundings around;
    const auto add = [](TokenId id, bool wanted, std::vector<TokenId>& to) {
        if (wanted && id != kNoToken) to.push_back(id);
    };
    if (m_settings.kind == TokenizerKind::Rwkv) return around;
    const bool isWordPiece = m_settings.kind == TokenizerKind::WordPiece;
    add(m_settings.bos, isWordPiece || m_settings.addBos, around.before);
    if (isWordPiece)
        add(m_settings.separator, true, around.behind);
    else
        add(m_settings.eos, m_settings.addEos, around.behind);
    return around;
}

std::string VocabularyTokenizer::decode(std::span<const TokenId> ids, DecodeOptions options) const
{
    bool dropSpace = m_settings.addSpacePrefix;
    if (options.removeSpecial && addsBos() && !ids.empty() && ids.front() == m_settings.bos) {
        dropSpace = false;
        ids = ids.subspan(1);
    }
    if (options.removeSpecial && addsEos() && !ids.empty() && ids.back() == m_settings.eos)
        ids = ids.first(ids.size() - 1);
    if (m_decoder) return decodeBySteps(ids, options.unparseSpecial);
    std::string text;
    for (const TokenId id : ids) {
        std::string_view bytes =
            m_vocabulary.contains(id) ? bytesOf(id, options.unparseSpecial) : std::string_view();
        if (dropSpace && bytes.starts_with(' ')) bytes.remove_prefix(1);
        dropSpace = false;
        text += bytes;
    }
    return m_settings.cleanSpaces ? cleanedSpaces(text) : text;
}

std::string VocabularyTokenizer::decodeBySteps(std::span<const TokenId> ids,
                                               bool unparseSpecial) const
{
    std::vector<std::string> tokens;
    tokens.reserve(ids.size());
    for (const TokenId id : ids) {
        const bool isSilent = !m_vocabulary.contains(id) ||
                              m_vocabulary.is(id, TokenAttribute::Unused) ||
                              (!unparseSpecial && m_vocabulary.isSpecial(id));
        if (!isSilent) tokens.push_back(storedText(id));
    }
    return m_decoder->text(std::move(tokens));
}

/// A token as the steps of decoding begin with it.
std::string VocabularyTokenizer::storedText(TokenId id) const
{
    const std::string_view text = m_vocabulary.text(id);
    return m_added ? m_added->decoded(id, text) : std::string(text);
}

std::string VocabularyTokenizer::piece(TokenId id, bool unparseSpecial) const
{
    return std::string(bytesOf(id, unparseSpecial));
}

bool VocabularyTokenizer::isEndOfGeneration(TokenId id) const
{
    return std::ranges::binary_search(m_eog, id);
}

bool VocabularyTokenizer::isControl(TokenId id) const
{
    return m_vocabulary.contains(id) && m_vocabulary.is(id, TokenAttribute::Control);
}

void VocabularyTokenizer::storePieces()
{
    m_pieceEnds.reserve(static_cast<std::size_t>(m_vocabulary.size()) + 1);
    for (TokenId id = 0; id < m_vocabulary.size(); ++id) {
        m_pieces += pieceOf(id);
        m_pieceEnds.push_back(static_cast<std::uint32_t>(m_pieces.size()));
    }
    m_pieces.shrink_to_fit();
}

/// Tokens of no kind, unused ones among them, have no text.
std::string VocabularyTokenizer::pieceOf(TokenId id) const
{
    const std::string_view text = m_vocabulary.text(id);
    if (m_settings.kind == TokenizerKind::Rwkv) return unescapeRwkv(text);
    if (m_decoder && !m_vocabulary.is(id, TokenAttribute::Unused)) {
        const int byte = m_decoder->readsBytes() ? m_vocabulary.byteOf(id) : -1;
        if (byte >= 0) return {static_cast<char>(byte)};
        return m_decoder->piece(storedText(id));
    }
    if (m_vocabulary.isSpecial(id) || m_vocabulary.is(id, TokenAttribute::UserDefined))
        return storedText(id);
    if (m_vocabulary.is(id, TokenAttribute::Normal) && m_settings.kind == TokenizerKind::Plamo)
        return std::string(text);
    if (m_vocabulary.is(id, TokenAttribute::Normal))
        return m_settings.escapeWhitespaces ? unescapeSpaces(text) : byte_level::decode(text);
    if (m_vocabulary.is(id, TokenAttribute::Byte))
        return std::string(1, static_cast<char>(m_vocabulary.byteOf(id)));
    return {};
}

std::string_view VocabularyTokenizer::bytesOf(TokenId id, bool unparseSpecial) const
{
    if (!unparseSpecial && m_vocabulary.isSpecial(id)) return {};
    const auto i = static_cast<std::size_t>(id);
    return std::string_view(m_pieces).substr(m_pieceEnds[i], m_pieceEnds[i + 1] - m_pieceEnds[i]);
}

} // namespace engine
