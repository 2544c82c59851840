#pragma once

#include "engine/tokenizer/added_tokens.h"
#include "engine/tokenizer/special_token_splitter.h"
#include "engine/tokenizer/steps/stepwise_tokenizer.h"
#include "engine/tokenizer/text_encoder.h"
#include "engine/tokenizer/tokenizer_settings.h"
#include "engine/tokenizer/vocabulary.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace engine {

/// What all kinds of tokenizers share: the vocabulary, the special tokens around and inside the
/// text, the way back. The encoder does what differs.
class VocabularyTokenizer final : public Tokenizer {
public:
    static Result<std::unique_ptr<const Tokenizer>> create(const Metadata& metadata);

    std::vector<TokenId> encode(std::string_view text, EncodeOptions options) const override;
    std::string decode(std::span<const TokenId> ids, DecodeOptions options) const override;
    std::string piece(TokenId id, bool unparseSpecial) const override;

    int size() const override { return m_vocabulary.size(); }
    std::string_view model() const override { return m_settings.model; }
    std::string_view preTokenizer() const override { return m_settings.preTokenizerName; }
    TokenId bos() const override { return m_settings.bos; }
    TokenId eos() const override { return m_settings.eos; }
    TokenId eot() const override { return m_settings.eot; }
    bool addsBos() const override { return m_settings.addBos && m_settings.bos != kNoToken; }
    bool addsEos() const override { return m_settings.addEos && m_settings.eos != kNoToken; }
    bool isEndOfGeneration(TokenId id) const override;
    bool isControl(TokenId id) const override;
    std::vector<TokenId> endOfGenerationTokens() const override { return m_eog; }

private:
    VocabularyTokenizer(Vocabulary vocabulary, TokenizerSettings settings);
    Result<void> createEncoder(const Metadata& metadata);
    /// What stands before and behind every text.
    struct Surroundings {
        std::vector<TokenId> before;
        std::vector<TokenId> behind;
    };
    Surroundings tokensAround() const;
    void encodeText(std::string_view text, TextPlace place, const EncodeOptions& options,
                    std::vector<TokenId>& ids) const;
    std::string decodeBySteps(std::span<const TokenId> ids, bool unparseSpecial) const;
    std::string storedText(TokenId id) const;
    void storePieces();
    std::string pieceOf(TokenId id) const;
    /// The token's bytes; nothing for a special token that is not asked for.
    std::string_view bytesOf(TokenId id, bool unparseSpecial) const;

    Vocabulary m_vocabulary;
    TokenizerSettings m_settings;
    std::vector<TokenId> m_eog; // ascending
    std::string m_pieces;       // every token's bytes, one after the other
    std::vector<std::uint32_t> m_pieceEnds{0};
    std::unique_ptr<const SpecialTokenSplitter> m_splitter; // both refer to m_vocabulary
    std::unique_ptr<const TextEncoder> m_encoder;
    Normalizer m_normalizer;
    std::optional<AddedTokens> m_added;    // of a folder, in place of m_splitter
    std::optional<PieceDecoder> m_decoder; // of a folder whose steps are followed one by one
};

} // namespace engine
