#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// SentencePiece's precompiled normalization: strings and what replaces them, the strings as a
/// double-array trie. Hostile until looked at: every step stays inside. Immutable.
class Charsmap {
public:
    /// Longest replacement; Unicode's own are at most 33 bytes.
    static constexpr std::size_t kMaxReplacement = 64;

    struct Match {
        std::size_t bytes = 0; ///< of the text; 0: nothing is replaced
        std::string_view replacement;
    };

    /// tokenizer.ggml.precompiled_charsmap; empty where the key is absent. Errors: BadMetadata.
    static Result<Charsmap> read(const Metadata& metadata);

    /// The longest string `text` begins with that is replaced.
    Match match(std::string_view text) const;

private:
    std::vector<std::uint32_t> m_units;
    std::string m_replacements; // each ends with a NUL
};

} // namespace engine
