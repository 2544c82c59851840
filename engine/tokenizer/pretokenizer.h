#pragma once

#include "engine/base/result.h"
#include "engine/tokenizer/pretokenizer_table.h"
#include "engine/tokenizer/regex.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// Cuts a text into the words that byte-pair merging never crosses. Immutable.
///
/// Most patterns run over a text in which every character is one byte, its class: ASCII stands for
/// itself, and each category of other characters for one byte above. Ids so depend on the
/// repository's Unicode tables alone, never on those of the system's PCRE2. In these patterns
/// `\p{N}`, `\p{L}`, `\p{P}`, `\p{M}`, `\p{S}` mean the categories, `\p{LX}` the letters outside
/// ASCII, `\p{Han}` and `\p{HanL}` Han characters and those of them that are letters (which are not
/// in `\p{L}` there).
class Pretokenizer {
public:
    /// REQUIRES: the patterns are right (they are the program's own). Errors: InvalidArgument.
    static Result<Pretokenizer> create(const PretokenizerInfo& info);

    /// The words' lengths in bytes, in order; they sum up to the text's. `text` must be clean
    /// (unicode::isClean). Never fails: where a search takes too long the rest is one word.
    std::vector<std::size_t> split(std::string_view text) const;

private:
    struct Stage {
        PretokenizerStep step;
        std::optional<Regex> regex;
    };
    std::vector<Stage> m_stages;
};

} // namespace engine
