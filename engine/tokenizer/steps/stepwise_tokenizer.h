#pragma once

#include "engine/gguf/metadata.h"
#include "engine/tokenizer/steps/normalizer.h"
#include "engine/tokenizer/steps/piece_decoder.h"
#include "engine/tokenizer/text_encoder.h"
#include "engine/tokenizer/vocabulary.h"

#include <memory>
#include <optional>
#include <string_view>

namespace engine {

/// What a tokenizer.json says to do with a text, beside its vocabulary.
struct TokenizerSteps {
    /// The file's `normalizer`, and unless a known tokenizer does the same faster its
    /// `pre_tokenizer`, `model` and `decoder`, as one JSON text.
    static constexpr std::string_view kKey = "inglenook.tokenizer.steps";

    Normalizer normalizer;
    std::unique_ptr<const TextEncoder> encoder; ///< null: that of tokenizer.ggml.model
    std::optional<PieceDecoder> decoder;        ///< as `encoder`

    /// Nothing to do where the key is absent. `vocabulary` must outlive it. Errors: BadMetadata,
    /// UnsupportedTokenizer.
    static Result<TokenizerSteps> read(const Metadata& metadata, const Vocabulary& vocabulary);
};

} // namespace engine
