// Filters that write or read HTML and addresses.

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/escape.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"
#include "engine/chat/jinja/text_operations.h"
#include "engine/chat/jinja/unicode.h"
#include "engine/chat/jinja/urlize.h"

#include <array>
#include <format>
#include <set>

namespace engine::jinja {

namespace {

Outcome<Value> escape(Runtime& runtime, Value subject, const Bound&)
{
    TRY_ASSIGN(std::string html, toEscapedText(runtime, subject));
    return runtime.text(std::move(html), true);
}

Outcome<Value> forceEscape(Runtime& runtime, Value subject, const Bound&)
{
    TRY_ASSIGN(const std::string text, toText(runtime, subject));
    return runtime.text(escapeHtml(text), true);
}

Outcome<Value> safe(Runtime& runtime, Value subject, const Bound&)
{
    if (subject.is(Kind::Text) && subject.text().isMarkup()) return subject;
    TRY_ASSIGN(std::string text, toText(runtime, subject));
    return runtime.text(std::move(text), true);
}

bool isUnreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || c == '~';
}

std::string percentEncoded(std::string_view text, bool inQuery)
{
    std::string out;
    for (const char c : text) {
        if (isUnreserved(c) || (c == '/' && !inQuery))
            out += c;
        else if (c == ' ' && inQuery)
            out += '+';
        else
            out += std::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

Outcome<Value> urlEncode(Runtime& runtime, Value subject, const Bound&)
{
    if (subject.is(Kind::Text) || !isIterable(subject)) {
        TRY_ASSIGN(const std::string text, toText(runtime, subject));
        return runtime.text(percentEncoded(text, false));
    }
    const Value pairs =
        subject.is(Kind::Dict)
            ? Value::of(runtime.heap().make<DictView>(subject.dict(), DictView::Part::Items))
            : subject;
    TRY_ASSIGN(const std::vector<Value> items, collect(runtime, pairs));
    TextBuilder out(runtime);
    for (std::size_t i = 0; i < items.size() && !out.isFull(); ++i) {
        TRY_ASSIGN(const std::vector<Value> pair, collect(runtime, items[i]));
        if (pair.size() != 2) return failure("urlencode needs pairs of a name and a value");
        TRY_ASSIGN(const std::string key, toText(runtime, pair[0]));
        TRY_ASSIGN(const std::string value, toText(runtime, pair[1]));
        if (i > 0) out.append("&");
        out.append(percentEncoded(key, true));
        out.append("=");
        out.append(percentEncoded(value, true));
    }
    return out.finish();
}

Outcome<Value> xmlAttributes(Runtime& runtime, Value subject, const Bound& arguments)
{
    if (subject.isUndefined()) return undefinedFailure(subject);
    if (!subject.is(Kind::Dict))
        return failure(std::format("'{}' object has no attribute 'items'", typeName(subject)));
    const bool leadingSpace = flagArgument(arguments, 0, true);
    TextBuilder out(runtime);
    for (const Dict::Entry& entry : subject.dict().entries()) {
        if (entry.value.isNone() || entry.value.isUndefined()) continue;
        if (!entry.key.is(Kind::Text))
            return failure(
                std::format("expected a text as attribute name, got '{}'", typeName(entry.key)));
        const std::string& key = entry.key.text().utf8();
        if (key.find_first_of(" \t\n\r\f\v/>=") != std::string::npos)
            return failure(
                std::format("Invalid character in attribute name: {}", pythonQuoted(key)));
        TRY_ASSIGN(const std::string name, toEscapedText(runtime, entry.key));
        TRY_ASSIGN(const std::string value, toEscapedText(runtime, entry.value));
        if (leadingSpace || out.bytes() > 0) out.append(" ");
        out.append(name);
        out.append("=\"");
        out.append(value);
        out.append("\"");
    }
    return out.finish(runtime.escapes());
}

/// Without everything between `open` and the next `close`.
std::string without(std::string_view text, std::string_view open, std::string_view close)
{
    std::string out;
    while (!text.empty()) {
        const std::size_t begin = text.find(open);
        const std::size_t end =
            begin == std::string_view::npos ? begin : text.find(close, begin + open.size());
        if (end == std::string_view::npos) break;
        out += text.substr(0, begin);
        text.remove_prefix(end + close.size());
    }
    out += text;
    return out;
}

struct Entity {
    std::string_view name;
    std::string_view means;
};
constexpr std::array<Entity, 6> kEntities = {
    {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"nbsp", "\u00A0"}}};

/// What `&name;` means; nothing where it is no entity.
std::string entityText(std::string_view name)
{
    for (const Entity& entity : kEntities)
        if (entity.name == name) return std::string(entity.means);
    if (name.size() < 2 || name[0] != '#') return {};
    const bool hex = (name[1] | 0x20) == 'x';
    std::uint32_t code = 0;
    const std::string_view digits = name.substr(hex ? 2 : 1);
    if (digits.empty() || digits.size() > 7) return {};
    for (const char c : digits) {
        const auto value = static_cast<std::uint32_t>(
            c >= '0' && c <= '9'                              ? c - '0'
            : (hex && (c | 0x20) >= 'a' && (c | 0x20) <= 'f') ? (c | 0x20) - 'a' + 10
                                                              : 99);
        if (value == 99) return {};
        code = code * (hex ? 16 : 10) + value;
    }
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return "\uFFFD";
    std::string text;
    unicode::append(text, static_cast<char32_t>(code));
    return text;
}

std::string withoutEntities(std::string_view text)
{
    constexpr std::size_t kLongest = 12;
    std::string out;
    while (!text.empty()) {
        const std::size_t ampersand = std::min(text.find('&'), text.size());
        out += text.substr(0, ampersand);
        text.remove_prefix(ampersand);
        if (text.empty()) break;
        const std::size_t end = text.substr(0, kLongest).find(';');
        const std::string means =
            end == std::string_view::npos ? std::string() : entityText(text.substr(1, end - 1));
        if (means.empty()) {
            out += '&';
            text.remove_prefix(1);
        } else {
            out += means;
            text.remove_prefix(end + 1);
        }
    }
    return out;
}

Outcome<Value> stripTags(Runtime& runtime, Value subject, const Bound&)
{
    TRY_ASSIGN(std::string text, toText(runtime, subject));
    text = without(without(text, "<!--", "-->"), "<", ">");
    TextBuilder out(runtime);
    bool first = true;
    for (const std::string_view word : splitSpace(text, text.size())) {
        if (!first) out.append(" ");
        first = false;
        out.append(word);
    }
    TRY_ASSIGN(const std::string plain, out.take());
    return runtime.text(withoutEntities(plain));
}

Outcome<Value> urlizeFilter(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const Value text, toTextValue(runtime, subject));
    UrlizeStyle style;
    if (isGiven(arguments, 0)) {
        TRY_ASSIGN(style.shownLength, integerArgument(arguments, 0, 0));
    }
    if (isGiven(arguments, 2)) {
        TRY_ASSIGN(style.target, toText(runtime, *arguments[2]));
    }
    std::string rel;
    if (isGiven(arguments, 3)) {
        TRY_ASSIGN(const Text* given, textArgument(arguments, 3));
        rel = given->utf8();
    }
    rel += flagArgument(arguments, 1) ? " nofollow noopener" : " noopener";
    const std::vector<std::string_view> words = splitSpace(rel, rel.size());
    for (const std::string_view word : std::set(words.begin(), words.end()))
        style.rel += (style.rel.empty() ? "" : " ") + std::string(word);
    if (isGiven(arguments, 4)) {
        TRY_ASSIGN(const std::vector<Value> schemes, collect(runtime, *arguments[4]));
        for (const Value scheme : schemes) {
            const Text* name = scheme.ifText();
            if (!name || !isUriScheme(name->utf8())) {
                TRY_ASSIGN(const std::string shown, represent(runtime, scheme));
                return failure(std::format("{} is not a valid URI scheme prefix.", shown));
            }
            style.schemes.push_back(name->utf8());
        }
    }
    return runtime.text(urlize(escaped(text.text()), style), runtime.escapes());
}

constexpr std::array kHtmlFilters = {
    Builtin{"e", &escape},
    Builtin{"escape", &escape},
    Builtin{"forceescape", &forceEscape},
    Builtin{"safe", &safe},
    Builtin{"striptags", &stripTags},
    Builtin{"urlencode", &urlEncode},
    Builtin{
        "urlize", &urlizeFilter, {"trim_url_limit", "nofollow", "target", "rel", "extra_schemes"}},
    Builtin{"xmlattr", &xmlAttributes, {"autospace"}},
};

} // namespace

std::span<const Builtin> htmlFilters()
{
    return kHtmlFilters;
}

} // namespace engine::jinja
