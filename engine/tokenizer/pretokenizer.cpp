#include "engine/tokenizer/pretokenizer.h"

#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

namespace engine {

namespace {

using Lengths = std::vector<std::size_t>;

// The bytes that stand for characters outside ASCII.
constexpr char kOtherClass = '\xD0';
constexpr char kNumberClass = '\xD1';
constexpr char kLetterClass = '\xD2';
constexpr char kPunctuationClass = '\xD3';
constexpr char kMarkClass = '\xD4';
constexpr char kSymbolClass = '\xD5';
constexpr char kHanLetterClass = '\xD6';
constexpr char kHanOtherClass = '\xD7';
constexpr char kSpaceClass = '\v';

struct Replacement {
    std::string_view from;
    std::string_view to; ///< as it stands inside brackets
};

constexpr Replacement kClassNames[] = {
    {R"(\p{N})", R"(0-9\xD1)"},    {R"(\p{L})", R"(A-Za-z\xD2)"},
    {R"(\p{LX})", R"(\xD2)"},      {R"(\p{P})", R"(!-#%-*,-\/:;?@\[-\]_{}\xD3)"},
    {R"(\p{M})", R"(\xD4)"},       {R"(\p{S})", R"($+<->\^`|~\xD5)"},
    {R"(\p{Han})", R"(\xD6\xD7)"}, {R"(\p{HanL})", R"(\xD6)"},
};

/// In text matched by characters every white space outside ASCII is one of these two, by its
/// length, so that it is in no other set; PCRE2 takes no surrogates.
constexpr char32_t kTwoByteSpace = 0x85;
constexpr char32_t kThreeByteSpace = 0xFDD0; // no character; where a text has it, the next one
constexpr char32_t kSurrogateStandIn = 0xE000;
constexpr Replacement kSpaceName[] = {{R"(\s)", R"(\t-\r \x{85}\x{FDD0})"}};

bool startsBracket(char c)
{
    return c == '[';
}

/// Replaces the names in a pattern by what they stand for, putting brackets around where it has
/// none.
std::string expanded(std::string_view pattern, std::span<const Replacement> names)
{
    std::string out;
    bool inside = false;
    for (std::size_t i = 0; i < pattern.size();) {
        const std::string_view rest = pattern.substr(i);
        const auto name = std::ranges::find_if(
            names, [&](const Replacement& r) { return rest.starts_with(r.from); });
        if (name != names.end()) {
            out += inside ? std::string(name->to) : '[' + std::string(name->to) + ']';
            i += name->from.size();
            continue;
        }
        const std::size_t length = pattern[i] == '\\' ? 2 : 1;
        if (startsBracket(pattern[i])) inside = true;
        if (pattern[i] == ']') inside = false;
        out += rest.substr(0, length);
        i += length;
    }
    return out;
}

/// The ranges the reference reader of vocabularies takes for Han.
bool isHan(char32_t c)
{
    constexpr std::pair<char32_t, char32_t> kRanges[] = {
        {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},   {0x20000, 0x2A6DF},
        {0x2A700, 0x2B73F}, {0x2B740, 0x2EBEF}, {0x2F800, 0x2FA1F},
    };
    return std::ranges::any_of(kRanges,
                               [c](auto range) { return c >= range.first && c <= range.second; });
}

char classOf(char32_t c)
{
    constexpr std::array<char, 8> kByCategory{kOtherClass,  kNumberClass, kLetterClass,
                                              kOtherClass,  kMarkClass,   kPunctuationClass,
                                              kSymbolClass, kOtherClass};
    if (c < 0x80) return static_cast<char>(c);
    if (unicode::isWhitespace(c)) return kSpaceClass;
    return kByCategory[static_cast<std::size_t>(unicode::category(c))];
}

/// One byte a character; see Pretokenizer.
std::string classesOf(std::string_view text, bool han)
{
    std::string classes;
    classes.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const unicode::Decoded c = unicode::decode(text, i);
        i += c.bytes;
        char byte = classOf(c.value);
        if (han && isHan(c.value)) byte = byte == kLetterClass ? kHanLetterClass : kHanOtherClass;
        classes.push_back(byte);
    }
    return classes;
}

/// The text as patterns over characters see it: every character as long as before.
std::string charactersOf(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const unicode::Decoded c = unicode::decode(text, i);
        i += c.bytes;
        if (c.bytes > 1 && c.bytes < 4 && unicode::isWhitespace(c.value))
            unicode::append(out, c.bytes == 2 ? kTwoByteSpace : kThreeByteSpace);
        else if (c.value == kThreeByteSpace)
            unicode::append(out, kThreeByteSpace + 1);
        else if (c.value >= 0xD800 && c.value < 0xE000)
            unicode::append(out, kSurrogateStandIn);
        else
            out.append(text, i - c.bytes, c.bytes);
    }
    return out;
}

/// Every match becomes a piece and so does what lies between, inside each of the pieces so far.
Lengths splitByRegex(const Regex& regex, std::string_view subject, const Lengths& pieces)
{
    Regex::Searcher searcher(regex);
    Lengths out;
    out.reserve(pieces.size());
    std::size_t start = 0;
    for (const std::size_t length : pieces) {
        const std::string_view piece = subject.substr(start, length);
        start += length;
        if (length == 1) { // whether it matches or not; texts of newlines have many
            out.push_back(length);
            continue;
        }
        std::size_t done = 0;
        while (done < length) {
            const std::optional<Regex::Match> match = searcher.find(piece, done);
            if (!match) break;
            if (match->begin > done) out.push_back(match->begin - done);
            out.push_back(match->end - match->begin);
            done = match->end;
        }
        if (done < length) out.push_back(length - done);
    }
    return out;
}

bool isNumberClass(char c)
{
    return c == kNumberClass || (c >= '0' && c <= '9');
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// See PretokenizerStep::NumbersFromRight.
void cutNumbersFromRight(std::string_view piece, Lengths& out)
{
    std::size_t done = 0;
    const auto cutAt = [&](std::size_t end) {
        out.push_back(end - done);
        done = end;
    };
    for (std::size_t i = 0; i < piece.size();) {
        if (!isNumberClass(piece[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < piece.size() && isNumberClass(piece[end]))
            ++end;
        if ((end - i) % 3 != 0) cutAt(i += (end - i) % 3);
        while (i < end)
            cutAt(i += 3);
    }
    if (done < piece.size()) cutAt(piece.size());
}

/// See PretokenizerStep::DigitsFromRight.
void cutDigitsFromRight(std::string_view piece, Lengths& out)
{
    std::size_t done = 0;
    for (std::size_t i = 0; i < piece.size();) {
        std::size_t end = i;
        while (end < piece.size() && isDigit(piece[end]))
            ++end;
        for (std::size_t cut = i + (end - i) % 3; cut < end; cut += 3) {
            if (cut > done) out.push_back(cut - done);
            done = cut;
        }
        i = end + 1;
    }
    if (done < piece.size()) out.push_back(piece.size() - done);
}

template <typename Cut>
Lengths splitBy(Cut cut, std::string_view classes, const Lengths& pieces)
{
    Lengths out;
    out.reserve(pieces.size());
    std::size_t start = 0;
    for (const std::size_t length : pieces) {
        cut(classes.substr(start, length), out);
        start += length;
    }
    return out;
}

/// Lengths in characters to lengths in bytes.
Lengths toBytes(std::string_view text, const Lengths& pieces)
{
    Lengths out;
    out.reserve(pieces.size());
    std::size_t offset = 0;
    for (std::size_t characters : pieces) {
        const std::size_t begin = offset;
        for (; characters > 0; --characters)
            offset += unicode::lengthByLead(text[offset]);
        out.push_back(offset - begin);
    }
    return out;
}

/// Lengths in bytes to lengths in characters.
Lengths toCharacters(std::string_view text, const Lengths& pieces)
{
    Lengths out;
    out.reserve(pieces.size());
    std::size_t offset = 0;
    for (const std::size_t bytes : pieces) {
        const std::string_view piece = text.substr(offset, bytes);
        out.push_back(static_cast<std::size_t>(std::ranges::count_if(
            piece, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; })));
        offset += bytes;
    }
    return out;
}

} // namespace

Result<Pretokenizer> Pretokenizer::create(const PretokenizerInfo& info)
{
    Pretokenizer pretokenizer;
    for (const PretokenizerStage& stage : info.stages) {
        Stage built{stage.step, std::nullopt};
        const bool characters = stage.step == PretokenizerStep::Characters;
        if (!stage.pattern.empty()) {
            const std::string pattern = characters ? expanded(stage.pattern, kSpaceName)
                                                   : expanded(stage.pattern, kClassNames);
            TRY_ASSIGN(built.regex,
                       Regex::compile(pattern, characters ? RegexMode::Utf8 : RegexMode::Bytes));
        }
        pretokenizer.m_stages.push_back(std::move(built));
    }
    return pretokenizer;
}

std::vector<std::size_t> Pretokenizer::split(std::string_view text) const
{
    if (text.empty()) return {};
    const bool han =
        std::ranges::contains(m_stages, PretokenizerStep::ClassesWithHan, &Stage::step);
    const std::string classes = classesOf(text, han);
    std::string characters;         // made when the first stage wants it
    Lengths pieces{classes.size()}; // in characters
    for (const Stage& stage : m_stages) {
        switch (stage.step) {
        case PretokenizerStep::Classes:
        case PretokenizerStep::ClassesWithHan:
            pieces = splitByRegex(*stage.regex, classes, pieces);
            break;
        case PretokenizerStep::Characters:
            if (characters.empty()) characters = charactersOf(text);
            pieces =
                toCharacters(text, splitByRegex(*stage.regex, characters, toBytes(text, pieces)));
            break;
        case PretokenizerStep::NumbersFromRight:
            pieces = splitBy(cutNumbersFromRight, classes, pieces);
            break;
        case PretokenizerStep::DigitsFromRight:
            pieces = splitBy(cutDigitsFromRight, classes, pieces);
            break;
        }
    }
    return toBytes(text, pieces);
}

} // namespace engine
