#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace engine {

/// How one step of a pre-tokenizer cuts the pieces the step before left.
enum class PretokenizerStep : std::uint8_t {
    Classes,          ///< a pattern over character classes (see Pretokenizer)
    ClassesWithHan,   ///< the same, Han characters being classes of their own
    Characters,       ///< a pattern over the characters themselves
    NumbersFromRight, ///< threes from the end of every run of numbers; what is before the first
                      ///< three stays with the first group
    DigitsFromRight,  ///< before every ASCII digit that 3, 6, 9... digits end a run with
};

struct PretokenizerStage {
    PretokenizerStep step = PretokenizerStep::Classes;
    std::string_view pattern; ///< every match becomes a piece, and so does what is between matches

    bool operator==(const PretokenizerStage&) const = default;
};

/// What a pre-tokenizer's name says beside how to cut.
enum PretokenizerFlag : std::uint8_t {
    kIgnoreMerges = 1,    ///< a word that is a token as a whole is not merged together
    kAddBos = 2,          ///< BOS unless the model says otherwise
    kForceBos = 4,        ///< BOS even where the model says otherwise
    kCleanSpaces = 8,     ///< detokenizing removes the spaces before punctuation
    kRawText = 16,        ///< tokens are UTF-8 with U+2581 for a space, not byte-level encoded
    kWholeNewlines = 32,  ///< a word of newlines that is a token is not merged together
    kMergesOptional = 64, ///< the vocabulary may come without merges
};

struct PretokenizerInfo {
    std::string_view name; ///< tokenizer.ggml.pre
    std::span<const PretokenizerStage> stages;
    std::uint8_t flags = 0;

    bool has(PretokenizerFlag flag) const { return (flags & flag) != 0; }
};

/// By the name in tokenizer.ggml.pre; an empty name means "default". Null: unknown.
const PretokenizerInfo* findPretokenizer(std::string_view name);
std::span<const PretokenizerInfo> pretokenizers();

} // namespace engine
