#pragma once

#include "engine/tokenizer/tokenizer.h"

#include <string_view>
#include <vector>

namespace engine {

/// What is particular to a kind of tokenizer: a run of text without special tokens to ids, and a
/// token's bytes. Immutable; any thread may call.
class TextEncoder {
public:
    virtual ~TextEncoder() = default;

    /// Appends the tokens of `text`. `afterSpecial`: it begins the text or follows a special token.
    virtual void encode(std::string_view text, bool afterSpecial,
                        std::vector<TokenId>& out) const = 0;
};

} // namespace engine
