#pragma once

#include "engine/tokenizer/text_encoder.h"
#include "engine/tokenizer/tokenizer_settings.h"
#include "engine/tokenizer/vocabulary.h"

#include <string>

namespace engine {

/// RWKV's "world" tokenizer: always the longest token next. Tokens are stored with escapes.
class RwkvEncoder final : public TextEncoder {
public:
    RwkvEncoder(const Vocabulary& vocabulary, const TokenizerSettings& settings);

    void encode(std::string_view text, TextPlace place, std::vector<TokenId>& out) const override;

private:
    TokenTrie m_trie;
    TokenId m_unknown;
};

/// The bytes a stored token stands for: \t, \n, \r, \xHH and a backslash before any other byte.
std::string unescapeRwkv(std::string_view stored);

} // namespace engine
