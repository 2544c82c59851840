#include "engine/chat/jinja/urlize.h"

#include "engine/chat/jinja/escape.h"
#include "engine/chat/jinja/text_search.h"
#include "engine/chat/jinja/unicode.h"

#include <algorithm>
#include <array>
#include <format>

namespace engine::jinja {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
char lowered(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}
bool isLetter(char c)
{
    return lowered(c) >= 'a' && lowered(c) <= 'z';
}

bool startsWithoutCase(std::string_view text, std::string_view prefix)
{
    return text.size() >= prefix.size() &&
           std::ranges::equal(text.substr(0, prefix.size()), prefix, {}, lowered);
}

/// Bytes of `[\w%-]` characters (`[\w%]` without hyphens), and how many characters they are.
struct Label {
    std::size_t bytes = 0;
    std::size_t characters = 0;
};

Label labelAt(std::string_view text, bool hyphens)
{
    Label label;
    while (label.bytes < text.size()) {
        const unicode::Decoded decoded = unicode::decode(text, label.bytes);
        const char32_t c = decoded.character;
        if (!unicode::isWord(c) && c != U'%' && !(hyphens && c == U'-')) break;
        label.bytes += decoded.bytes;
        ++label.characters;
    }
    return label;
}

/// The end of an address behind its host: a port, then a path, query or fragment.
bool endsAddress(std::string_view rest)
{
    if (rest.starts_with(':')) {
        std::size_t digits = 1;
        while (digits < rest.size() && isDigit(rest[digits]))
            ++digits;
        if (digits < 2 || digits > 6) return false;
        rest.remove_prefix(digits);
    }
    return rest.empty() || rest[0] == '/' || rest[0] == '?' || rest[0] == '#';
}

/// A host's last part: letters, or xn-- and more.
bool endsWithTopLevel(std::string_view text)
{
    std::size_t letters = 0;
    while (letters < text.size() && isLetter(text[letters]))
        ++letters;
    if (letters >= 2 && letters <= 63 && endsAddress(text.substr(letters))) return true;
    if (!startsWithoutCase(text, "xn--")) return false;
    const Label label = labelAt(text.substr(4), false);
    return label.characters >= 2 && label.characters <= 59 &&
           endsAddress(text.substr(4 + label.bytes));
}

/// label.label. ... top-level
bool isHost(std::string_view text)
{
    for (;;) {
        if (endsWithTopLevel(text)) return true;
        const Label label = labelAt(text, true);
        if (label.bytes == 0 || text.substr(label.bytes, 1) != ".") return false;
        text.remove_prefix(label.bytes + 1);
    }
}

/// label.label. ... com, and a few more, without any scheme.
bool isWellKnownHost(std::string_view text)
{
    static constexpr std::array<std::string_view, 8> kTopLevels = {"com", "net", "int",  "edu",
                                                                   "gov", "org", "info", "mil"};
    bool any = false;
    for (;;) {
        if (any)
            for (const std::string_view top : kTopLevels)
                if (startsWithoutCase(text, top) && endsAddress(text.substr(top.size())))
                    return true;
        const Label label = labelAt(text, true);
        if (label.characters < 2 || label.characters > 63) return false;
        if (text.substr(label.bytes, 1) != ".") return false;
        text.remove_prefix(label.bytes + 1);
        any = true;
    }
}

bool isIpv4(std::string_view text)
{
    for (int part = 0; part < 4; ++part) {
        if (part > 0) {
            if (!text.starts_with('.')) return false;
            text.remove_prefix(1);
        }
        std::size_t digits = 0;
        while (digits < text.size() && isDigit(text[digits]))
            ++digits;
        if (digits < 1 || digits > 3) return false;
        text.remove_prefix(digits);
    }
    return endsAddress(text);
}

bool isIpv6(std::string_view text)
{
    const std::size_t end = text.find(']');
    if (!text.starts_with('[') || end == kNone || !endsAddress(text.substr(end + 1))) return false;
    int groups = 0;
    std::size_t digits = 0;
    for (const char c : text.substr(1, end - 1)) {
        if (c == ':') {
            ++groups;
            digits = 0;
            continue;
        }
        const bool isHex = isDigit(c) || (lowered(c) >= 'a' && lowered(c) <= 'f');
        if (!isHex || ++digits > 4) return false;
    }
    return groups >= 2 && groups <= 8;
}

bool isWebAddress(std::string_view text)
{
    for (const std::string_view scheme : {"https://", "http://", "www."}) {
        if (!startsWithoutCase(text, scheme)) continue;
        const std::string_view rest = text.substr(scheme.size());
        if (isHost(rest)) return true;
        if (scheme != "www." && (isIpv4(rest) || isIpv6(rest))) return true;
    }
    return isWellKnownHost(text);
}

/// something@word.more.word
bool isMailAddress(std::string_view text)
{
    const std::size_t at = text.rfind('@');
    if (at == kNone || at == 0) return false;
    const std::string_view host = text.substr(at + 1);
    const std::size_t dot = host.rfind('.');
    if (dot == kNone || dot == 0) return false;
    const auto isWords = [](std::string_view part, bool first) {
        for (std::size_t i = 0; i < part.size();) {
            const unicode::Decoded decoded = unicode::decode(part, i);
            const bool word = unicode::isWord(decoded.character);
            const bool mark = decoded.character == U'.' || decoded.character == U'-';
            if (!word && !(mark && first && i > 0)) return false;
            i += decoded.bytes;
        }
        return !part.empty();
    };
    return isWords(host.substr(0, dot), true) && isWords(host.substr(dot + 1), false);
}

std::size_t countOf(std::string_view text, std::string_view part)
{
    return findAll(text, part, text.size() + 1).size();
}

/// A word with the punctuation around it set apart.
struct Word {
    std::string head;
    std::string middle;
    std::string tail;
};

Word takeApart(std::string_view text)
{
    Word word;
    for (bool more = true; more;) {
        more = false;
        for (const std::string_view open : {"(", "<", "&lt;"}) {
            if (!text.starts_with(open)) continue;
            word.head += open;
            text.remove_prefix(open.size());
            more = true;
        }
    }
    std::size_t end = text.size();
    for (bool more = true; more;) {
        more = false;
        for (const std::string_view close : {")", ">", ".", ",", "\n", "&gt;"}) {
            if (!text.substr(0, end).ends_with(close)) continue;
            end -= close.size();
            more = true;
        }
    }
    word.middle = text.substr(0, end);
    word.tail = text.substr(end);
    return word;
}

/// Brackets that close what an address opened belong to the address.
void balance(Word& word)
{
    using Pair = std::array<std::string_view, 2>;
    for (const auto& [open, close] : {Pair{"(", ")"}, Pair{"<", ">"}, Pair{"&lt;", "&gt;"}}) {
        const std::size_t opened = countOf(word.middle, open);
        if (opened <= countOf(word.middle, close)) continue;
        const std::vector<std::size_t> closing = findAll(word.tail, close, opened);
        if (closing.empty()) continue;
        const std::size_t end = closing.back() + close.size();
        word.middle += word.tail.substr(0, end);
        word.tail.erase(0, end);
    }
}

std::string shown(const std::string& address, const UrlizeStyle& style)
{
    if (!style.shownLength || *style.shownLength < 0) return address;
    const auto length = static_cast<std::size_t>(*style.shownLength);
    if (unicode::count(address) <= length) return address;
    return address.substr(0, unicode::offsetOf(address, length)) + "...";
}

std::string linked(const std::string& text, const UrlizeStyle& style)
{
    const std::string attributes =
        (style.rel.empty() ? "" : std::format(" rel=\"{}\"", escapeHtml(style.rel))) +
        (style.target.empty() ? "" : std::format(" target=\"{}\"", escapeHtml(style.target)));
    if (isWebAddress(text)) {
        const bool hasScheme = text.starts_with("https://") || text.starts_with("http://");
        return std::format("<a href=\"{}{}\"{}>{}</a>", hasScheme ? "" : "https://", text,
                           attributes, shown(text, style));
    }
    if (text.starts_with("mailto:") && isMailAddress(std::string_view(text).substr(7)))
        return std::format("<a href=\"{}\">{}</a>", text, text.substr(7));
    if (text.find('@') != kNone && !text.starts_with("www.") && text.find(':') == kNone &&
        isMailAddress(text))
        return std::format("<a href=\"mailto:{0}\">{0}</a>", text);
    for (const std::string& scheme : style.schemes)
        if (text != scheme && text.starts_with(scheme))
            return std::format("<a href=\"{0}\"{1}>{0}</a>", text, attributes);
    return text;
}

} // namespace

bool isUriScheme(std::string_view text)
{
    const std::size_t colon = text.find(':');
    if (colon == kNone) return false;
    const std::string_view rest = text.substr(colon + 1);
    if (!rest.empty() && rest != "/" && rest != "//") return false;
    std::size_t count = 0;
    for (std::size_t at = 0; at < colon; ++count) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        const char32_t c = decoded.character;
        if (!unicode::isWord(c) && c != U'.' && c != U'+' && c != U'-') return false;
        at += decoded.bytes;
    }
    return count >= 2;
}

std::string urlize(std::string_view html, const UrlizeStyle& style)
{
    std::string out;
    for (std::size_t at = 0; at < html.size();) {
        std::size_t end = at;
        bool space = false;
        for (std::size_t next = at; next < html.size(); end = next) {
            const unicode::Decoded decoded = unicode::decode(html, next);
            const bool isSpace = unicode::isSpace(decoded.character);
            if (next == at) space = isSpace;
            if (isSpace != space) break;
            next += decoded.bytes;
        }
        const std::string_view part = html.substr(at, end - at);
        at = end;
        if (space) {
            out += part;
            continue;
        }
        Word word = takeApart(part);
        balance(word);
        out += word.head + linked(word.middle, style) + word.tail;
    }
    return out;
}

} // namespace engine::jinja
