#include "engine/chat/jinja/text_operations.h"

#include "engine/chat/jinja/text_search.h"
#include "engine/chat/jinja/unicode.h"

#include <algorithm>
#include <unordered_set>

namespace engine::jinja {

namespace {

bool isLineEnd(char32_t character)
{
    return (character >= 0x0A && character <= 0x0D) || (character >= 0x1C && character <= 0x1E) ||
           character == 0x85 || character == 0x2028 || character == 0x2029;
}

std::size_t skipSpace(std::string_view text, std::size_t at)
{
    return text.size() - unicode::stripLeft(text.substr(at)).size();
}

std::size_t skipWord(std::string_view text, std::size_t at)
{
    while (at < text.size()) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        if (unicode::isSpace(decoded.character)) break;
        at += decoded.bytes;
    }
    return at;
}

std::size_t skipWordBack(std::string_view text, std::size_t end)
{
    while (end > 0) {
        const std::size_t at = unicode::previous(text, end);
        if (unicode::isSpace(unicode::decode(text, at).character)) break;
        end = at;
    }
    return end;
}

} // namespace

std::vector<std::string_view> split(std::string_view text, std::string_view separator,
                                    std::size_t splits)
{
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    for (const std::size_t at : findAll(text, separator, splits)) {
        parts.push_back(text.substr(begin, at - begin));
        begin = at + separator.size();
    }
    parts.push_back(text.substr(begin));
    return parts;
}

std::vector<std::string_view> splitRight(std::string_view text, std::string_view separator,
                                         std::size_t splits)
{
    // Occurrences from the right may overlap those from the left: "aaa" by "aa".
    const std::string backwards(text.rbegin(), text.rend());
    const std::string reversed(separator.rbegin(), separator.rend());
    std::vector<std::string_view> parts;
    std::size_t end = text.size();
    for (const std::size_t at : findAll(backwards, reversed, splits)) {
        const std::size_t begin = text.size() - at;
        parts.push_back(text.substr(begin, end - begin));
        end = begin - separator.size();
    }
    parts.push_back(text.substr(0, end));
    std::ranges::reverse(parts);
    return parts;
}

std::vector<std::string_view> splitSpace(std::string_view text, std::size_t splits)
{
    std::vector<std::string_view> parts;
    for (std::size_t at = skipSpace(text, 0); at < text.size();) {
        if (parts.size() == splits) {
            parts.push_back(text.substr(at));
            break;
        }
        const std::size_t end = skipWord(text, at);
        parts.push_back(text.substr(at, end - at));
        at = skipSpace(text, end);
    }
    return parts;
}

std::vector<std::string_view> splitSpaceRight(std::string_view text, std::size_t splits)
{
    std::vector<std::string_view> parts;
    for (std::size_t end = unicode::stripRight(text).size(); end > 0;) {
        if (parts.size() == splits) {
            parts.push_back(text.substr(0, end));
            break;
        }
        const std::size_t begin = skipWordBack(text, end);
        parts.push_back(text.substr(begin, end - begin));
        end = unicode::stripRight(text.substr(0, begin)).size();
    }
    std::ranges::reverse(parts);
    return parts;
}

std::vector<std::string_view> splitLines(std::string_view text, bool keepEnds)
{
    std::vector<std::string_view> lines;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        const std::size_t end = at;
        at += decoded.bytes;
        if (!isLineEnd(decoded.character)) continue;
        if (decoded.character == U'\r' && text.substr(at).starts_with('\n')) ++at;
        lines.push_back(text.substr(begin, (keepEnds ? at : end) - begin));
        begin = at;
    }
    if (begin < text.size()) lines.push_back(text.substr(begin));
    return lines;
}

std::string_view stripCharacters(std::string_view text, std::string_view characters, bool left,
                                 bool right)
{
    std::unordered_set<char32_t> wanted;
    for (std::size_t at = 0; at < characters.size();) {
        const unicode::Decoded decoded = unicode::decode(characters, at);
        wanted.insert(decoded.character);
        at += decoded.bytes;
    }
    while (left && !text.empty()) {
        const unicode::Decoded decoded = unicode::decode(text, 0);
        if (!wanted.contains(decoded.character)) break;
        text.remove_prefix(decoded.bytes);
    }
    while (right && !text.empty()) {
        const std::size_t at = unicode::previous(text, text.size());
        if (!wanted.contains(unicode::decode(text, at).character)) break;
        text = text.substr(0, at);
    }
    return text;
}

void replaceInto(TextBuilder& out, std::string_view text, std::string_view from,
                 std::string_view to, std::size_t most)
{
    std::size_t begin = 0;
    if (from.empty()) {
        while (most > 0 && !out.isFull()) {
            --most;
            out.append(to);
            if (begin == text.size()) return;
            const std::size_t bytes = unicode::decode(text, begin).bytes;
            out.append(text.substr(begin, bytes));
            begin += bytes;
        }
    } else {
        for (const std::size_t at : findAll(text, from, most)) {
            out.append(text.substr(begin, at - begin));
            out.append(to);
            if (out.isFull()) return;
            begin = at + from.size();
        }
    }
    out.append(text.substr(begin));
}

void padInto(TextBuilder& out, const Text& text, std::int64_t width, std::string_view fill,
             Alignment alignment)
{
    const auto length = static_cast<std::int64_t>(text.length());
    const std::int64_t missing = width > length ? width - length : 0;
    std::int64_t before = 0;
    if (alignment == Alignment::Right) before = missing;
    // Python's str.center puts the odd one to the left where the width is odd.
    if (alignment == Alignment::Center) before = missing / 2 + (missing & width & 1);
    out.repeat(fill, static_cast<std::size_t>(before));
    out.append(text.utf8());
    out.repeat(fill, static_cast<std::size_t>(missing - before));
}

} // namespace engine::jinja
