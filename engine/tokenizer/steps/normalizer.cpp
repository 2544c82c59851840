#include "engine/tokenizer/steps/normalizer.h"

#include "engine/base/base64.h"
#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/charsmap.h"
#include "engine/tokenizer/regex.h"
#include "engine/tokenizer/steps/foreign_splitter.h"
#include "engine/tokenizer/steps/step_list.h"
#include "engine/tokenizer/steps/words.h"
#include "engine/tokenizer/unicode.h"
#include "engine/tokenizer/unicode_forms.h"

#include <algorithm>
#include <array>
#include <format>
#include <memory>

namespace engine {

namespace {

using Step = Normalizer::Step;
using unicode::Form;

/// Every character anew: `change(c, out)` appends what it becomes.
template <typename Change>
Step eachCharacter(Change change)
{
    return [change](const std::string& text) {
        std::string out;
        out.reserve(text.size());
        for (std::size_t i = 0; i < text.size();) {
            const unicode::Decoded c = unicode::decode(text, i);
            i += c.bytes;
            change(c.value, out);
        }
        return out;
    };
}

template <Form form>
Result<Step> makeForm(const JsonView&)
{
    return [](const std::string& text) { return unicode::normalized(text, form); };
}

void appendLower(char32_t c, std::string& out)
{
    unicode::append(out, unicode::toLower(c));
    if (c == 0x130) unicode::append(out, 0x307); // the one whose lower case is two characters
}

Result<Step> makeLowercase(const JsonView&)
{
    return eachCharacter(appendLower);
}

Result<Step> makeStripAccents(const JsonView&)
{
    return eachCharacter([](char32_t c, std::string& out) {
        if (unicode::category(c) != unicode::Category::Mark) unicode::append(out, c);
    });
}

Result<Step> makePrepend(const JsonView& json)
{
    return [prefix = json["prepend"].stringOr("")](const std::string& text) {
        return text.empty() ? text : prefix + text;
    };
}

Result<Step> makeStrip(const JsonView& json)
{
    const bool left = json["strip_left"].boolean().value_or(true);
    const bool right = json["strip_right"].boolean().value_or(true);
    return [left, right](const std::string& text) {
        std::string_view rest = text;
        if (left) rest = words::withoutLeadingSpace(rest);
        if (right) rest = words::withoutTrailingSpace(rest);
        return std::string(rest);
    };
}

Result<Step> makeReplace(const JsonView& json)
{
    TRY_ASSIGN(PatternFinder find, findPattern(json["pattern"]));
    const std::string content = json["content"].stringOr("");
    return [find = std::move(find), content](const std::string& text) {
        const std::size_t most = Normalizer::kMostGrowth * (text.size() + 4096);
        std::string out;
        out.reserve(text.size());
        for (const PatternPart& part : find()(text)) {
            const std::string_view kept =
                std::string_view(text).substr(part.begin, part.end - part.begin);
            out += part.isMatch && out.size() < most ? std::string_view(content) : kept;
        }
        return out;
    };
}

// SentencePiece's rules as its own training tool names them.
bool isDroppedByNmt(char32_t c)
{
    return (c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F ||
           c == 0x9F;
}

bool isSpaceToNmt(char32_t c)
{
    constexpr std::array<char32_t, 11> kSpaces = {0x9,    0xA,    0xC,    0xD,    0x1680, 0x2028,
                                                  0x2029, 0x2581, 0xFEFF, 0xFFFD, 0x200B};
    return std::ranges::contains(kSpaces, c) || (c >= 0x200B && c <= 0x200F);
}

Result<Step> makeNmt(const JsonView&)
{
    return eachCharacter([](char32_t c, std::string& out) {
        if (!isDroppedByNmt(c)) unicode::append(out, isSpaceToNmt(c) ? U' ' : c);
    });
}

void cleanForBert(char32_t c, std::string& out)
{
    const bool dropped = c == 0 || c == unicode::kReplacement ||
                         (c != '\t' && c != '\n' && c != '\r' && words::isOther(c));
    if (!dropped) unicode::append(out, unicode::isWhitespace(c) ? U' ' : c);
}

void setIdeographApart(char32_t c, std::string& out)
{
    const bool apart = words::isIdeograph(c);
    if (apart) out += ' ';
    unicode::append(out, c);
    if (apart) out += ' ';
}

Result<Step> makeBert(const JsonView& json)
{
    const bool lowercase = json["lowercase"].boolean().value_or(true);
    std::vector<Step> steps;
    if (json["clean_text"].boolean().value_or(true)) steps.push_back(eachCharacter(cleanForBert));
    if (json["handle_chinese_chars"].boolean().value_or(true))
        steps.push_back(eachCharacter(setIdeographApart));
    if (json["strip_accents"].boolean().value_or(lowercase)) {
        steps.emplace_back(
            [](const std::string& text) { return unicode::normalized(text, Form::Nfd); });
        steps.push_back(eachCharacter([](char32_t c, std::string& out) {
            if (!unicode::isNonspacingMark(c)) unicode::append(out, c);
        }));
    }
    if (lowercase) steps.push_back(eachCharacter(appendLower));
    return [steps = std::move(steps)](const std::string& text) {
        std::string changed = text;
        for (const Step& step : steps)
            changed = step(changed);
        return changed;
    };
}

Result<Step> makeByteLevel(const JsonView&)
{
    return [](const std::string& text) { return byte_level::encode(text); };
}

/// The map replaces a whole cluster of up to five bytes by what the shortest text it begins with
/// becomes, longer clusters character by character.
std::string mapped(const Charsmap& map, const Regex& clusters, std::string_view text)
{
    constexpr std::size_t kShort = 6;
    std::string out;
    out.reserve(text.size());
    const auto change = [&](std::string_view part) {
        const Charsmap::Match match = map.shortestMatch(part);
        if (match.bytes > 0) out += match.replacement;
        return match.bytes > 0;
    };
    Regex::Scanner scanner(clusters);
    scanner.start(text);
    for (std::size_t i = 0; i < text.size();) {
        const auto found = scanner.find(i);
        const std::size_t end = found ? found->end : text.size();
        const std::string_view cluster = text.substr(i, end - i);
        i = end;
        if (cluster.size() < kShort && change(cluster)) continue;
        for (std::size_t k = 0; k < cluster.size();) {
            const std::string_view character =
                cluster.substr(k, unicode::characterLength(cluster, k));
            if (!change(character)) out += character;
            k += character.size();
        }
    }
    return out;
}

Result<Step> makePrecompiled(const JsonView& json)
{
    TRY_ASSIGN(Charsmap map,
               Charsmap::parse(decodeBase64(json["precompiled_charsmap"].stringOr(""))));
    TRY_ASSIGN(Regex clusters, Regex::compileForScanner(R"(\X)"));
    return [map = std::make_shared<const Charsmap>(std::move(map)),
            clusters = std::make_shared<const Regex>(std::move(clusters))](
               const std::string& text) { return mapped(*map, *clusters, text); };
}

struct Maker {
    std::string_view type;
    Result<Step> (*make)(const JsonView& json);
};

constexpr std::array<Maker, 14> kMakers = {{
    {"NFC", makeForm<Form::Nfc>},
    {"NFD", makeForm<Form::Nfd>},
    {"NFKC", makeForm<Form::Nfkc>},
    {"NFKD", makeForm<Form::Nfkd>},
    {"Lowercase", makeLowercase},
    {"StripAccents", makeStripAccents},
    {"Prepend", makePrepend},
    {"Strip", makeStrip},
    {"StripNormalizer", makeStrip},
    {"Replace", makeReplace},
    {"Nmt", makeNmt},
    {"BertNormalizer", makeBert},
    {"ByteLevel", makeByteLevel},
    {"Precompiled", makePrecompiled},
}};

} // namespace

Result<Normalizer> Normalizer::create(const JsonView& json)
{
    constexpr StepKind kKind{"normalizer", "normalizers"};
    Normalizer normalizer;
    TRY_ASSIGN(const std::vector<JsonView> steps, listSteps(json, kKind));
    for (const JsonView& step : steps) {
        TRY_ASSIGN(const Maker* maker, findMaker(kMakers, step, kKind));
        TRY_ASSIGN(Step made, maker->make(step));
        normalizer.m_steps.push_back(std::move(made));
        normalizer.m_stripsLeft |=
            maker->make == makeStrip && step["strip_left"].boolean().value_or(false);
    }
    return normalizer;
}

bool Normalizer::cutsStartOf(std::string_view text) const
{
    return m_stripsLeft && words::withoutLeadingSpace(text).size() != text.size();
}

std::string Normalizer::apply(std::string_view text) const
{
    const std::size_t most = kMostGrowth * (text.size() + 4096);
    std::string changed(text);
    for (const Step& step : m_steps) {
        std::string next = step(changed);
        if (next.size() <= most) changed = std::move(next);
    }
    return changed;
}

} // namespace engine
