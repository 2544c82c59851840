#include "engine/tokenizer/steps/word_cutter.h"

#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/steps/foreign_splitter.h"
#include "engine/tokenizer/steps/step_list.h"
#include "engine/tokenizer/steps/words.h"
#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <array>
#include <format>
#include <span>

namespace engine {

namespace {

using Step = WordCutter::Step;
using Steps = Result<std::vector<Step>>;

constexpr std::string_view kGpt2Words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
// \w as the reader of this step has it, which takes joiners for parts of words too.
constexpr std::string_view kWordsAndMarks =
    R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D}\s]+)";

Step cutBy(PatternFinder find, SplitBehavior behavior, bool invert = false)
{
    return [find = std::move(find), behavior, invert](WordList& list) {
        std::vector<WordList::Word> cut;
        cut.reserve(list.words.size());
        const PartFinder parts = find();
        for (std::size_t i = 0; i < list.words.size(); ++i) {
            const std::size_t begin = list.words[i].begin;
            for (const PatternPart& part : split(parts(list[i]), behavior, invert))
                cut.push_back({begin + part.begin, part.end - part.begin});
        }
        // Whether the first is still the very first: only if nothing before it was dropped.
        if (!cut.empty() && !list.words.empty() && cut.front().begin != list.words.front().begin)
            list.atStart = false;
        list.words = std::move(cut);
    };
}

/// Writes every word anew: `change(word, isFirst)`.
template <typename Change>
Step rewrite(const Change& change)
{
    return [change](WordList& list) {
        std::string text;
        text.reserve(list.text.size() + list.text.size() / 4);
        for (std::size_t i = 0; i < list.words.size(); ++i) {
            const std::size_t begin = text.size();
            text += change(list[i], list.atStart && i == 0);
            list.words[i] = {begin, text.size() - begin};
        }
        list.text = std::move(text);
    };
}

Steps makeByteLevel(const JsonView& json)
{
    std::vector<Step> steps;
    if (json["add_prefix_space"].boolean().value_or(false))
        steps.push_back(rewrite([](std::string_view word, bool) {
            return word.starts_with(' ') ? std::string(word) : ' ' + std::string(word);
        }));
    if (json["use_regex"].boolean().value_or(true)) {
        TRY_ASSIGN(PatternFinder find, findPattern(kGpt2Words));
        steps.push_back(cutBy(std::move(find), SplitBehavior::Isolated));
    }
    steps.push_back(rewrite([](std::string_view word, bool) { return byte_level::encode(word); }));
    return steps;
}

std::string replacedSpaces(std::string_view text, std::string_view mark)
{
    std::string out;
    out.reserve(text.size() + text.size() / 2);
    for (const char c : text) {
        if (c == ' ')
            out += mark;
        else
            out += c;
    }
    return out;
}

Steps makeMetaspace(const JsonView& json)
{
    const std::string mark = json["replacement"].stringOr("\u2581");
    std::string scheme = json["prepend_scheme"].stringOr("always");
    if (!json["add_prefix_space"].boolean().value_or(true)) scheme = "never";
    std::vector<Step> steps;
    steps.push_back(rewrite([mark, scheme](std::string_view word, bool isFirst) {
        const std::string changed = replacedSpaces(word, mark);
        const bool prepends = scheme == "always" || (scheme == "first" && isFirst);
        return prepends && !changed.starts_with(mark) ? mark + changed : changed;
    }));
    if (json["split"].boolean().value_or(true)) {
        const nlohmann::json pattern = {{"String", mark}};
        TRY_ASSIGN(PatternFinder find, findPattern(JsonView(pattern)));
        steps.push_back(cutBy(std::move(find), SplitBehavior::MergedWithNext));
    }
    return steps;
}

Steps makeSplit(const JsonView& json)
{
    TRY_ASSIGN(PatternFinder find, findPattern(json["pattern"]));
    TRY_ASSIGN(const SplitBehavior behavior, splitBehavior(json["behavior"].stringOr("Isolated")));
    return std::vector{cutBy(std::move(find), behavior, json["invert"].boolean().value_or(false))};
}

Steps makeDigits(const JsonView& json)
{
    const bool each = json["individual_digits"].boolean().value_or(false);
    return std::vector{cutBy(findCharacters(words::isNumeric),
                             each ? SplitBehavior::Isolated : SplitBehavior::Contiguous)};
}

Steps makePunctuation(const JsonView& json)
{
    TRY_ASSIGN(const SplitBehavior behavior, splitBehavior(json["behavior"].stringOr("Isolated")));
    return std::vector{cutBy(findCharacters(words::isPunctuation), behavior)};
}

Step cutAtSpace()
{
    return cutBy(findCharacters(unicode::isWhitespace), SplitBehavior::Removed);
}

Steps makeWhitespaceSplit(const JsonView&)
{
    return std::vector{cutAtSpace()};
}

Steps makeBert(const JsonView&)
{
    return std::vector{cutAtSpace(),
                       cutBy(findCharacters(words::isPunctuation), SplitBehavior::Isolated)};
}

Steps makeWhitespace(const JsonView&)
{
    TRY_ASSIGN(PatternFinder find, findPattern(kWordsAndMarks));
    return std::vector{cutBy(std::move(find), SplitBehavior::Removed, true)};
}

Steps makeDelimiter(const JsonView& json)
{
    const std::string delimiter = json["delimiter"].stringOr(" ");
    const char32_t wanted = delimiter.empty() ? U' ' : unicode::decode(delimiter, 0).value;
    return std::vector{cutBy(findCharacters([wanted](char32_t c) { return c == wanted; }),
                             SplitBehavior::Removed)};
}

Steps makeFixedLength(const JsonView& json)
{
    const auto length =
        static_cast<std::size_t>(std::max<std::int64_t>(1, json["length"].integer().value_or(5)));
    PartFinder find = [length](std::string_view text) {
        std::vector<PatternPart> parts;
        for (std::size_t i = 0; i < text.size();) {
            const std::size_t begin = i;
            for (std::size_t n = 0; n < length && i < text.size(); ++n)
                i += unicode::characterLength(text, i);
            parts.push_back({begin, i, true});
        }
        return parts;
    };
    return std::vector{cutBy([find = std::move(find)] { return find; }, SplitBehavior::Isolated)};
}

/// Unicode's names of scripts but Han, Hiragana and Katakana.
constexpr std::string_view kScripts[] = {"Common",
                                         "Latin",
                                         "Cyrillic",
                                         "Greek",
                                         "Arabic",
                                         "Hebrew",
                                         "Devanagari",
                                         "Hangul",
                                         "Thai",
                                         "Inherited",
                                         "Adlam",
                                         "Ahom",
                                         "Anatolian_Hieroglyphs",
                                         "Armenian",
                                         "Avestan",
                                         "Balinese",
                                         "Bamum",
                                         "Bassa_Vah",
                                         "Batak",
                                         "Bengali",
                                         "Bhaiksuki",
                                         "Bopomofo",
                                         "Brahmi",
                                         "Braille",
                                         "Buginese",
                                         "Buhid",
                                         "Canadian_Aboriginal",
                                         "Carian",
                                         "Caucasian_Albanian",
                                         "Chakma",
                                         "Cham",
                                         "Cherokee",
                                         "Coptic",
                                         "Cuneiform",
                                         "Cypriot",
                                         "Deseret",
                                         "Duployan",
                                         "Egyptian_Hieroglyphs",
                                         "Elbasan",
                                         "Ethiopic",
                                         "Georgian",
                                         "Glagolitic",
                                         "Gothic",
                                         "Grantha",
                                         "Gujarati",
                                         "Gurmukhi",
                                         "Hanunoo",
                                         "Hatran",
                                         "Imperial_Aramaic",
                                         "Inscriptional_Pahlavi",
                                         "Inscriptional_Parthian",
                                         "Javanese",
                                         "Kaithi",
                                         "Kannada",
                                         "Kayah_Li",
                                         "Kharoshthi",
                                         "Khmer",
                                         "Khojki",
                                         "Khudawadi",
                                         "Lao",
                                         "Lepcha",
                                         "Limbu",
                                         "Linear_A",
                                         "Linear_B",
                                         "Lisu",
                                         "Lycian",
                                         "Lydian",
                                         "Mahajani",
                                         "Malayalam",
                                         "Mandaic",
                                         "Manichaean",
                                         "Marchen",
                                         "Meetei_Mayek",
                                         "Mende_Kikakui",
                                         "Meroitic_Cursive",
                                         "Meroitic_Hieroglyphs",
                                         "Miao",
                                         "Modi",
                                         "Mongolian",
                                         "Mro",
                                         "Multani",
                                         "Myanmar",
                                         "Nabataean",
                                         "New_Tai_Lue",
                                         "Newa",
                                         "Nko",
                                         "Ogham",
                                         "Ol_Chiki",
                                         "Old_Hungarian",
                                         "Old_Italic",
                                         "Old_North_Arabian",
                                         "Old_Permic",
                                         "Old_Persian",
                                         "Old_South_Arabian",
                                         "Old_Turkic",
                                         "Oriya",
                                         "Osage",
                                         "Osmanya",
                                         "Pahawh_Hmong",
                                         "Palmyrene",
                                         "Pau_Cin_Hau",
                                         "Phags_Pa",
                                         "Phoenician",
                                         "Psalter_Pahlavi",
                                         "Rejang",
                                         "Runic",
                                         "Samaritan",
                                         "Saurashtra",
                                         "Sharada",
                                         "Shavian",
                                         "Siddham",
                                         "SignWriting",
                                         "Sinhala",
                                         "Sora_Sompeng",
                                         "Sundanese",
                                         "Syloti_Nagri",
                                         "Syriac",
                                         "Tagalog",
                                         "Tagbanwa",
                                         "Tai_Le",
                                         "Tai_Tham",
                                         "Tai_Viet",
                                         "Takri",
                                         "Tamil",
                                         "Tangut",
                                         "Telugu",
                                         "Thaana",
                                         "Tibetan",
                                         "Tifinagh",
                                         "Tirhuta",
                                         "Ugaritic",
                                         "Vai",
                                         "Warang_Citi",
                                         "Yi"};

/// Runs of one script; a space belongs to any, and is dropped before the first run. Kana and the
/// mark that lengthens them count as Han.
Steps makeScripts(const JsonView&)
{
    constexpr std::string_view kRuns =
        R"([\p{sc:Han}\p{sc:Hiragana}\p{sc:Katakana}\x{30FC}][\p{sc:Han}\p{sc:Hiragana}\p{sc:Katakana}\x{30FC} ]*)";
    std::string pattern(kRuns);
    for (const std::string_view script : kScripts)
        pattern += std::format(R"(|(?! )\p{{sc:{0}}}[\p{{sc:{0}}} ]*)", script);
    TRY_ASSIGN(PatternFinder runs, findPattern(pattern));
    std::vector<Step> steps;
    steps.push_back([](WordList& list) {
        for (WordList::Word& word : list.words) {
            while (word.bytes > 0 && list.text[word.begin] == ' ') {
                ++word.begin;
                --word.bytes;
            }
        }
        std::erase_if(list.words, [](const WordList::Word& word) { return word.bytes == 0; });
    });
    steps.push_back(cutBy(std::move(runs), SplitBehavior::Isolated));
    return steps;
}

struct Maker {
    std::string_view type;
    Steps (*make)(const JsonView& json);
};

constexpr std::array<Maker, 11> kMakers = {{
    {"ByteLevel", makeByteLevel},
    {"Split", makeSplit},
    {"Metaspace", makeMetaspace},
    {"Digits", makeDigits},
    {"Punctuation", makePunctuation},
    {"Whitespace", makeWhitespace},
    {"WhitespaceSplit", makeWhitespaceSplit},
    {"BertPreTokenizer", makeBert},
    {"CharDelimiterSplit", makeDelimiter},
    {"FixedLength", makeFixedLength},
    {"UnicodeScripts", makeScripts},
}};

} // namespace

Result<WordCutter> WordCutter::create(const JsonView& json)
{
    constexpr StepKind kKind{"pre-tokenizer", "pretokenizers"};
    WordCutter cutter;
    TRY_ASSIGN(const std::vector<JsonView> steps, listSteps(json, kKind));
    for (const JsonView& step : steps) {
        TRY_ASSIGN(const Maker* maker, findMaker(kMakers, step, kKind));
        TRY_ASSIGN(std::vector<Step> made, maker->make(step));
        std::ranges::move(made, std::back_inserter(cutter.m_steps));
    }
    return cutter;
}

WordList WordCutter::cut(std::string text, bool atStart) const
{
    WordList list{std::move(text), {}, atStart};
    if (!list.text.empty()) list.words.push_back({0, list.text.size()});
    const std::size_t most = kMostGrowth * (list.text.size() + 4096);
    for (const Step& step : m_steps)
        if (list.text.size() <= most) step(list);
    return list;
}

} // namespace engine
