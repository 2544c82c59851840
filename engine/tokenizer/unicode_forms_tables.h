#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace engine::unicode {

/// What a character fully decomposes into: `length` characters of decomposedTexts() from `begin`.
struct Decomposition {
    char32_t character;
    std::uint8_t compatible; ///< 1: by compatibility only; a canonical one, if any, stands before
    std::uint16_t begin;
    std::uint16_t length;
};

struct Composition {
    char32_t first;
    char32_t second;
    char32_t composed;
};

/// Characters `first` to `last` have that value; those in no row have 0.
struct CharacterClass {
    char32_t first;
    char32_t last;
    std::uint8_t value;
};

std::u32string_view decomposedTexts();
std::span<const Decomposition> decompositions();    ///< ascending
std::span<const Composition> compositions();        ///< ascending
std::span<const CharacterClass> combiningClasses(); ///< ascending
std::span<const CharacterClass> nonspacingMarks();  ///< ascending; category Mn
} // namespace engine::unicode
