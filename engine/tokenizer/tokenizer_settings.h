#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"
#include "engine/tokenizer/pretokenizer_table.h"
#include "engine/tokenizer/vocabulary.h"

#include <string>
#include <string_view>
#include <vector>

namespace engine {

enum class TokenizerKind : std::uint8_t { SentencePiece, Bpe, WordPiece, Unigram, Rwkv, Plamo };

/// The rules of a tokenizer beside its vocabulary: the model's defaults, then the pre-tokenizer's,
/// then what the metadata says. Ids are inside the vocabulary or kNoToken.
struct TokenizerSettings {
    TokenizerKind kind = TokenizerKind::SentencePiece;
    std::string model;                              ///< tokenizer.ggml.model
    std::string preTokenizerName;                   ///< tokenizer.ggml.pre
    const PretokenizerInfo* preTokenizer = nullptr; ///< of Bpe

    TokenId bos = kNoToken;
    TokenId eos = kNoToken;
    TokenId unknown = kNoToken;
    TokenId separator = kNoToken;
    TokenId eot = kNoToken; ///< end of turn
    TokenId eom = kNoToken; ///< end of message
    TokenId fimPad = kNoToken;
    TokenId fimRepository = kNoToken;
    TokenId fimSeparator = kNoToken;

    /// Instead of BOS and EOS, where a folder wants more than one.
    std::vector<TokenId> before{};
    std::vector<TokenId> behind{};
    static constexpr std::string_view kBeforeKey = "inglenook.tokens_before";
    static constexpr std::string_view kBehindKey = "inglenook.tokens_behind";

    bool addBos = false;
    bool addEos = false;
    bool addSpacePrefix = false;
    bool removeExtraWhitespaces = false;
    bool escapeWhitespaces = true; ///< tokens hold U+2581 where the text has a space
    bool cleanSpaces = false;      ///< detokenizing removes the spaces before punctuation
    bool lowercase = false;        ///< of WordPiece
    bool stripAccents = false;     ///< of WordPiece

    /// Errors: MissingMetadata, BadMetadata, UnsupportedTokenizer.
    static Result<TokenizerSettings> read(const Metadata& metadata, const Vocabulary& vocabulary);
};

} // namespace engine
