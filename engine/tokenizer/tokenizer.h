#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

using TokenId = std::int32_t;

struct EncodeOptions {
    bool addSpecial = true;    ///< BOS/EOS as the vocabulary says
    bool parseSpecial = false; ///< control tokens written in the text become those tokens
    /// Offsets in the text, growing, at which no such token begins: what stands there was written
    /// by someone who may not write control tokens.
    std::span<const std::size_t> literals = {};
};

struct DecodeOptions {
    bool removeSpecial = false;  ///< leave out a leading BOS and a trailing EOS
    bool unparseSpecial = false; ///< write control tokens as their text; otherwise they are silent
};

/// Text to token ids and back, by the rules of the vocabulary in a model's metadata. Immutable;
/// every method may be called from any thread. Any byte string encodes (invalid UTF-8 included);
/// none takes more than linear-logarithmic time.
class Tokenizer {
public:
    /// Errors: MissingMetadata, BadMetadata, UnsupportedTokenizer (with its name).
    static Result<std::unique_ptr<const Tokenizer>> create(const Metadata& metadata);
    virtual ~Tokenizer() = default;

    virtual std::vector<TokenId> encode(std::string_view text, EncodeOptions options) const = 0;
    virtual std::string decode(std::span<const TokenId> ids, DecodeOptions options) const = 0;
    /// The bytes one token adds in the middle of a text (a SentencePiece space is a space); may be
    /// part of a UTF-8 character. Control tokens give nothing unless `unparseSpecial`. REQUIRES: 0
    /// <= id < size().
    virtual std::string piece(TokenId id, bool unparseSpecial) const = 0;

    virtual int size() const = 0;
    virtual std::string_view model() const = 0;        ///< "llama", "gpt2", "bert", "t5", ...
    virtual std::string_view preTokenizer() const = 0; ///< "llama-bpe", "qwen2", ...; may be empty
    virtual TokenId bos() const = 0;                   ///< -1 where there is none
    virtual TokenId eos() const = 0;
    virtual TokenId eot() const = 0;
    virtual bool addsBos() const = 0;
    virtual bool addsEos() const = 0;
    virtual bool isEndOfGeneration(TokenId id) const = 0;
    virtual bool isControl(TokenId id) const = 0;
    virtual std::vector<TokenId> endOfGenerationTokens() const = 0;
};

} // namespace engine
