#include "engine/tokenizer/unicode_forms.h"

#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/unicode_forms_tables.h"

#include <algorithm>
#include <tuple>

namespace engine::unicode {

namespace {

// Hangul syllables are numbered by their parts (The Unicode Standard, 3.12).
constexpr char32_t kSyllables = 0xAC00;
constexpr char32_t kLeads = 0x1100;
constexpr char32_t kVowels = 0x1161;
constexpr char32_t kTrails = 0x11A7; // one before the first: a syllable may have none
constexpr char32_t kLeadCount = 19;
constexpr char32_t kVowelCount = 21;
constexpr char32_t kTrailCount = 28;
constexpr char32_t kSyllableCount = kLeadCount * kVowelCount * kTrailCount;

std::uint8_t valueIn(std::span<const CharacterClass> rows, char32_t c)
{
    const auto found = std::ranges::lower_bound(rows, c, {}, &CharacterClass::last);
    return found != rows.end() && found->first <= c ? found->value : std::uint8_t{0};
}

std::uint8_t combiningClass(char32_t c)
{
    return c < 0x300 ? std::uint8_t{0} : valueIn(combiningClasses(), c);
}

void appendDecomposed(char32_t c, bool compatible, std::u32string& out)
{
    if (c < 0xA0) {
        out.push_back(c);
        return;
    }
    if (c >= kSyllables && c < kSyllables + kSyllableCount) {
        const char32_t index = c - kSyllables;
        out.push_back(kLeads + index / (kVowelCount * kTrailCount));
        out.push_back(kVowels + index % (kVowelCount * kTrailCount) / kTrailCount);
        if (index % kTrailCount != 0) out.push_back(kTrails + index % kTrailCount);
        return;
    }
    const auto rows = std::ranges::equal_range(decompositions(), c, {}, &Decomposition::character);
    const Decomposition* best = nullptr;
    for (const Decomposition& row : rows)
        if (row.compatible == 0 || compatible) best = &row;
    if (best)
        out += decomposedTexts().substr(best->begin, best->length);
    else
        out.push_back(c);
}

/// Sorts every run of marks by their classes, leaving those of one class as they are.
void orderMarks(std::u32string& text)
{
    for (std::size_t i = 0; i < text.size();) {
        if (combiningClass(text[i]) == 0) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && combiningClass(text[end]) != 0)
            ++end;
        std::stable_sort(
            text.begin() + static_cast<std::ptrdiff_t>(i),
            text.begin() + static_cast<std::ptrdiff_t>(end),
            [](char32_t a, char32_t b) { return combiningClass(a) < combiningClass(b); });
        i = end;
    }
}

/// 0 where the two make no character.
char32_t composed(char32_t first, char32_t second)
{
    if (first >= kLeads && first < kLeads + kLeadCount && second >= kVowels &&
        second < kVowels + kVowelCount)
        return kSyllables + ((first - kLeads) * kVowelCount + (second - kVowels)) * kTrailCount;
    if (first >= kSyllables && first < kSyllables + kSyllableCount &&
        (first - kSyllables) % kTrailCount == 0 && second > kTrails &&
        second < kTrails + kTrailCount)
        return first + (second - kTrails);
    const auto rows = compositions();
    const auto found =
        std::ranges::lower_bound(rows, std::pair(first, second), {},
                                 [](const auto& row) { return std::pair(row.first, row.second); });
    return found != rows.end() && found->first == first && found->second == second ? found->composed
                                                                                   : 0;
}

void compose(std::u32string& text)
{
    std::size_t starter = std::u32string::npos; // where in the result the last class-0 character is
    std::uint8_t lastClass = 0;
    std::size_t size = 0;
    for (const char32_t c : std::u32string(text)) {
        const std::uint8_t current = combiningClass(c);
        const bool adjacent = starter != std::u32string::npos && size == starter + 1;
        const bool blocked = !adjacent && lastClass >= current;
        const char32_t both =
            starter != std::u32string::npos && !blocked ? composed(text[starter], c) : 0;
        if (both != 0) {
            text[starter] = both;
            continue;
        }
        if (current == 0) starter = size;
        lastClass = current;
        text[size++] = c;
    }
    text.resize(size);
}

} // namespace

bool isNonspacingMark(char32_t c)
{
    return c >= 0x300 && valueIn(nonspacingMarks(), c) != 0;
}

std::string normalized(std::string_view text, Form form)
{
    const bool ascii =
        std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (ascii) return std::string(text);
    const bool compatible = form == Form::Nfkc || form == Form::Nfkd;
    std::u32string characters;
    characters.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const Decoded c = decode(text, i);
        i += c.bytes;
        appendDecomposed(c.value, compatible, characters);
    }
    orderMarks(characters);
    if (form == Form::Nfc || form == Form::Nfkc) compose(characters);
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (const char32_t c : characters)
        append(out, c);
    return out;
}

} // namespace engine::unicode
