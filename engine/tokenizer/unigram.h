#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"
#include "engine/tokenizer/charsmap.h"
#include "engine/tokenizer/text_encoder.h"
#include "engine/tokenizer/tokenizer_settings.h"
#include "engine/tokenizer/unigram_search.h"
#include "engine/tokenizer/vocabulary.h"

#include <memory>
#include <string>

namespace engine {

/// SentencePiece unigram ("t5"): the segmentation of the normalized text with the largest sum of
/// scores (Viterbi). What is no token is unknown, a run of it one token.
class UnigramEncoder final : public TextEncoder {
public:
    /// Errors: BadMetadata.
    static Result<std::unique_ptr<const TextEncoder>> create(const Metadata& metadata,
                                                             const Vocabulary& vocabulary,
                                                             const TokenizerSettings& settings);

    void encode(std::string_view text, TextPlace place, std::vector<TokenId>& out) const override;

private:
    UnigramEncoder(const Vocabulary& vocabulary, const TokenizerSettings& settings,
                   Charsmap charsmap);

    std::string normalized(std::string_view text) const;
    /// Bytes of the text that normalization takes next, and what they become.
    Charsmap::Match normalizeNext(std::string_view text) const;

    Charsmap m_charsmap;
    UnigramSearch
        m_search; // for normal, user-defined and unused tokens; user-defined ones are free
    TokenTrie m_userDefined; // left as they are by normalization
    std::string_view m_space;
    bool m_prependSpace;
    bool m_mergeSpaces;
};

} // namespace engine
