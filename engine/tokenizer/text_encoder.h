#pragma once

#include "engine/tokenizer/tokenizer.h"

#include <string_view>
#include <vector>

namespace engine {

/// Where a run of text without special tokens stands.
struct TextPlace {
    bool afterSpecial = true; ///< it begins what is encoded or follows a special token
    bool atStart = true;      ///< it begins what is encoded
};

/// What is particular to a kind of tokenizer: a run of text without special tokens to ids, and a
/// token's bytes. Immutable; any thread may call.
class TextEncoder {
public:
    virtual ~TextEncoder() = default;

    /// Appends the tokens of `text`.
    virtual void encode(std::string_view text, TextPlace place,
                        std::vector<TokenId>& out) const = 0;
};

} // namespace engine
