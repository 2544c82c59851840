#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"

#include <cstddef>
#include <cstdint>
#include <span>
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
    /// The bytes of one; empty where there are none. Errors: BadMetadata.
    static Result<Charsmap> parse(std::span<const std::byte> bytes);

    /// The longest string `text` begins with that is replaced.
    Match match(std::string_view text) const { return match(text, false); }
    Match shortestMatch(std::string_view text) const { return match(text, true); }

private:
    static Result<Charsmap> parseText(const std::string& bytes);
    Match match(std::string_view text, bool shortest) const;

    std::vector<std::uint32_t> m_units;
    std::string m_replacements; // each ends with a NUL
};

} // namespace engine
