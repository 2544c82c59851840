#pragma once

#include "engine/base/json_view.h"
#include "engine/base/result.h"

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace engine {

/// A part of a text: what a pattern matches, or what lies between two matches.
struct PatternPart {
    std::size_t begin = 0;
    std::size_t end = 0; ///< may be `begin` for a match
    bool isMatch = false;
};

/// Cuts a text into parts that cover it. One thread owns it. Linear.
using PartFinder = std::function<std::vector<PatternPart>(std::string_view text)>;
/// Makes one, for as many texts as come. Immutable; any thread may call.
using PatternFinder = std::function<PartFinder()>;

/// What becomes of the matches.
enum class SplitBehavior : unsigned char {
    Removed,
    Isolated,
    MergedWithPrevious,
    MergedWithNext,
    Contiguous,
};

/// By a character that satisfies the predicate; every one is a match of its own.
PatternFinder findCharacters(std::function<bool(char32_t)> predicate);
/// Errors: UnsupportedTokenizer where it is no pattern.
Result<PatternFinder> findPattern(std::string_view pattern);
/// {"Regex": ...} or {"String": ...}. Errors: UnsupportedTokenizer.
Result<PatternFinder> findPattern(const JsonView& pattern);

/// The name as tokenizer.json writes it. Errors: UnsupportedTokenizer.
Result<SplitBehavior> splitBehavior(std::string_view name);
/// The parts of the text that are left, none of them empty.
std::vector<PatternPart> split(std::vector<PatternPart> parts, SplitBehavior behavior, bool invert);

} // namespace engine
