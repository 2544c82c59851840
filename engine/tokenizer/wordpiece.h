#pragma once

#include "engine/tokenizer/text_encoder.h"
#include "engine/tokenizer/tokenizer_settings.h"
#include "engine/tokenizer/vocabulary.h"

#include <string>

namespace engine {

/// WordPiece ("bert"): words of a text without case and accents, each cut greedily into the longest
/// tokens; a word that cannot be is one unknown token. A word's start is written U+2581.
class WordPieceEncoder final : public TextEncoder {
public:
    WordPieceEncoder(const Vocabulary& vocabulary, const TokenizerSettings& settings);

    void encode(std::string_view text, TextPlace place, std::vector<TokenId>& out) const override;

private:
    void encodeWord(std::string_view word, std::vector<TokenId>& out) const;

    TokenTrie m_trie;
    TokenId m_unknown;
    bool m_lowercase;
    bool m_stripAccents;
};

} // namespace engine
