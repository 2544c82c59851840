#pragma once

#include <cstdint>
#include <span>

namespace engine::unicode {

struct CharacterPair {
    char32_t from;
    char32_t to;
};

/// Characters `first` to `last`, whose canonical decompositions begin with `base`.
struct BaseRange {
    char32_t first;
    char32_t last;
    char32_t base;
};

/// First character of a run << 4 | its category; ascending, from character 0 on.
std::span<const std::uint32_t> categoryRanges();
/// Ascending by `from`; characters that are their own lower case are left out.
std::span<const CharacterPair> lowerCasePairs();
/// Ascending; characters that are their own base are left out.
std::span<const BaseRange> baseRanges();

} // namespace engine::unicode
