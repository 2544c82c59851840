#include "engine/tokenizer/steps/foreign_splitter.h"

#include "engine/tokenizer/regex.h"
#include "engine/tokenizer/steps/foreign_pattern.h"
#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <array>
#include <format>
#include <memory>
#include <string>

namespace engine {

namespace {

using Parts = std::vector<PatternPart>;

std::unexpected<Error> unsupported(std::string message, std::string_view subject)
{
    return fail(ErrorCode::UnsupportedTokenizer, "tokenizer.json: " + std::move(message),
                std::string(subject.substr(0, 200)));
}

Parts findMatches(Regex::Scanner& scanner, std::string_view text)
{
    Parts parts;
    if (text.empty()) return parts;
    scanner.start(text);
    std::size_t done = 0;
    std::size_t from = 0;
    bool afterMatch = false;
    while (from <= text.size()) {
        const auto match = scanner.find(from);
        if (!match) break;
        const bool empty = match->begin == match->end;
        // None right behind another match, so that every search gets on.
        const bool counts = !empty || !afterMatch || match->begin > done;
        if (counts) {
            if (match->begin > done) parts.push_back({done, match->begin, false});
            parts.push_back({match->begin, match->end, true});
            done = match->end;
            afterMatch = true;
        }
        from = match->end;
        if (empty) from += from < text.size() ? unicode::characterLength(text, from) : 1;
    }
    if (done < text.size()) parts.push_back({done, text.size(), false});
    return parts;
}

PatternFinder findLiteral(std::string literal)
{
    PartFinder find = [literal = std::move(literal)](std::string_view text) {
        Parts parts;
        std::size_t done = 0;
        for (std::size_t at = text.find(literal); at != std::string_view::npos;
             at = text.find(literal, done)) {
            if (at > done) parts.push_back({done, at, false});
            done = at + literal.size();
            parts.push_back({at, done, true});
        }
        if (done < text.size()) parts.push_back({done, text.size(), false});
        return parts;
    };
    return [find = std::move(find)] { return find; };
}

void mergeContiguous(const Parts& parts, Parts& out)
{
    for (const PatternPart& part : parts) {
        if (!out.empty() && out.back().isMatch == part.isMatch)
            out.back().end = part.end;
        else
            out.push_back(part);
    }
}

void mergeWithPrevious(const Parts& parts, Parts& out)
{
    bool afterMatch = false;
    for (const PatternPart& part : parts) {
        if (part.isMatch && !afterMatch && !out.empty())
            out.back().end = part.end;
        else
            out.push_back(part);
        afterMatch = part.isMatch;
    }
}

void mergeWithNext(const Parts& parts, Parts& out)
{
    bool beforeMatch = false;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (part->isMatch && !beforeMatch && !out.empty())
            out.back().begin = part->begin;
        else
            out.push_back(*part);
        beforeMatch = part->isMatch;
    }
    std::ranges::reverse(out);
}

} // namespace

PatternFinder findCharacters(std::function<bool(char32_t)> predicate)
{
    PartFinder find = [predicate = std::move(predicate)](std::string_view text) {
        Parts parts;
        std::size_t done = 0;
        for (std::size_t i = 0; i < text.size();) {
            const unicode::Decoded c = unicode::decode(text, i);
            if (predicate(c.value)) {
                if (i > done) parts.push_back({done, i, false});
                parts.push_back({i, i + c.bytes, true});
                done = i + c.bytes;
            }
            i += c.bytes;
        }
        if (done < text.size()) parts.push_back({done, text.size(), false});
        return parts;
    };
    return [find = std::move(find)] { return find; };
}

Result<PatternFinder> findPattern(std::string_view pattern)
{
    auto regex = Regex::compileForScanner(translatedPattern(pattern));
    if (!regex)
        return unsupported(
            std::format("{}, in \"{}\"", regex.error().message, pattern.substr(0, 200)), pattern);
    return [shared = std::make_shared<const Regex>(std::move(*regex))]() -> PartFinder {
        return [shared, scanner = std::make_shared<Regex::Scanner>(*shared)](
                   std::string_view text) { return findMatches(*scanner, text); };
    };
}

Result<PatternFinder> findPattern(const JsonView& pattern)
{
    if (const std::string* regex = pattern["Regex"].string()) return findPattern(*regex);
    const std::string* text = pattern["String"].string();
    if (text == nullptr) text = pattern.string();
    // An empty text is found between any two characters, as an empty pattern is.
    if (text != nullptr) return text->empty() ? findPattern("") : findLiteral(*text);
    return unsupported("expected a pattern with Regex or String", "pattern");
}

Result<SplitBehavior> splitBehavior(std::string_view name)
{
    constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> kNames = {{
        {"Removed", SplitBehavior::Removed},
        {"Isolated", SplitBehavior::Isolated},
        {"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
        {"MergedWithNext", SplitBehavior::MergedWithNext},
        {"Contiguous", SplitBehavior::Contiguous},
    }};
    const auto* const found =
        std::ranges::find(kNames, name, [](const auto& row) { return row.first; });
    if (found != kNames.end()) return found->second;
    return unsupported(
        std::format("the behavior \"{}\" of a split is not known", name.substr(0, 80)), name);
}

std::vector<PatternPart> split(std::vector<PatternPart> parts, SplitBehavior behavior, bool invert)
{
    for (PatternPart& part : parts)
        part.isMatch = part.isMatch != invert;
    Parts out;
    out.reserve(parts.size());
    switch (behavior) {
    case SplitBehavior::Removed:
        std::ranges::copy_if(parts, std::back_inserter(out),
                             [](const PatternPart& part) { return !part.isMatch; });
        break;
    case SplitBehavior::Isolated:
        out = std::move(parts);
        break;
    case SplitBehavior::MergedWithPrevious:
        mergeWithPrevious(parts, out);
        break;
    case SplitBehavior::MergedWithNext:
        mergeWithNext(parts, out);
        break;
    case SplitBehavior::Contiguous:
        mergeContiguous(parts, out);
        break;
    }
    std::erase_if(out, [](const PatternPart& part) { return part.begin == part.end; });
    return out;
}

} // namespace engine
