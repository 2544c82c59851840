#pragma once

#include "engine/tokenizer/steps/word_model.h"

#include <array>

namespace engine {

/// The tokens that stand for single bytes; kNoToken for a byte that has none.
struct ByteTokens {
    ByteTokens() { ids.fill(kNoToken); }

    /// Appends the tokens of all bytes; false, and nothing appended, where one has none.
    bool appendAll(std::string_view text, std::vector<TokenId>& out) const;

    std::array<TokenId, 256> ids{};
};

ByteTokens byteTokens(const Vocabulary& vocabulary);

/// Byte-pair encoding over characters. Errors: BadMetadata.
Result<std::unique_ptr<const WordModel>>
makePairModel(const JsonView& json, const Metadata& metadata, const Vocabulary& vocabulary);

} // namespace engine
