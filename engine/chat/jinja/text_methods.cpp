// The methods of str, over UTF-8.

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/escape.h"
#include "engine/chat/jinja/format.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/text_operations.h"
#include "engine/chat/jinja/text_search.h"
#include "engine/chat/jinja/unicode.h"

#include <algorithm>
#include <array>
#include <format>
#include <limits>

namespace engine::jinja {

namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

/// Every text made from markup is markup.
Outcome<Value> like(Runtime& runtime, Value subject, std::string text)
{
    return runtime.text(std::move(text), subject.text().isMarkup());
}

/// An argument that goes into the text: escaped where the text is markup.
std::string inserted(Value subject, const Text& argument)
{
    return subject.text().isMarkup() ? escaped(argument) : argument.utf8();
}

template <std::string (*Map)(std::string_view)>
Outcome<Value> mapped(Runtime& runtime, Value subject, const Bound&)
{
    return like(runtime, subject, Map(subject.text().utf8()));
}

template <bool Left, bool Right>
Outcome<Value> strip(Runtime& runtime, Value subject, const Bound& arguments)
{
    std::string_view text = subject.text().utf8();
    if (isGiven(arguments, 0)) {
        TRY_ASSIGN(const Text* characters, textArgument(arguments, 0));
        return like(
            runtime, subject,
            std::string(stripCharacters(text, inserted(subject, *characters), Left, Right)));
    }
    if constexpr (Left) text = unicode::stripLeft(text);
    if constexpr (Right) text = unicode::stripRight(text);
    return like(runtime, subject, std::string(text));
}

Outcome<Value> toList(Runtime& runtime, Value subject, const std::vector<std::string_view>& parts)
{
    TRY(runtime.spend(parts.size()));
    TRY(runtime.reserve(parts.size() * (sizeof(Value) + sizeof(Text))));
    std::vector<Value> items;
    items.reserve(parts.size());
    for (const std::string_view part : parts)
        items.push_back(runtime.heap().text(std::string(part), subject.text().isMarkup()));
    return runtime.heap().list(std::move(items));
}

template <bool FromRight>
Outcome<Value> split(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const std::int64_t most, integerArgument(arguments, 1, -1));
    const std::size_t splits = most < 0 ? kAll : static_cast<std::size_t>(most);
    const std::string& text = subject.text().utf8();
    if (!isGiven(arguments, 0)) {
        const auto parts = FromRight ? splitSpaceRight(text, splits) : splitSpace(text, splits);
        return toList(runtime, subject, parts);
    }
    TRY_ASSIGN(const Text* separator, textArgument(arguments, 0));
    if (separator->utf8().empty()) return failure("empty separator");
    const auto parts = FromRight ? splitRight(text, separator->utf8(), splits)
                                 : jinja::split(text, separator->utf8(), splits);
    return toList(runtime, subject, parts);
}

Outcome<Value> splitLines(Runtime& runtime, Value subject, const Bound& arguments)
{
    return toList(runtime, subject,
                  jinja::splitLines(subject.text().utf8(), flagArgument(arguments, 0)));
}

Outcome<Value> join(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const IteratorPtr items, iterate(runtime, *arguments[0]));
    TextBuilder out(runtime);
    for (std::size_t i = 0;; ++i) {
        TRY_ASSIGN(const std::optional<Value> item, items->next(runtime));
        if (!item) return out.finish(subject.text().isMarkup());
        const Text* text = item->ifText();
        if (!text)
            return failure(std::format("sequence item {}: expected str instance, {} found", i,
                                       typeName(*item)));
        if (i > 0) out.append(subject.text().utf8());
        out.append(inserted(subject, *text));
        if (out.isFull()) return out.finish();
    }
}

Outcome<Value> replace(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const Text* from, textArgument(arguments, 0));
    TRY_ASSIGN(const Text* to, textArgument(arguments, 1));
    TRY_ASSIGN(const std::int64_t most, integerArgument(arguments, 2, -1));
    TextBuilder out(runtime);
    replaceInto(out, subject.text().utf8(), inserted(subject, *from), inserted(subject, *to),
                most < 0 ? kAll : static_cast<std::size_t>(most));
    return out.finish(subject.text().isMarkup());
}

/// The part of the text that `start` and `end` name, as byte offsets.
struct Window {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool isValid = true; ///< start is not behind the end
};

Outcome<Window> windowOf(const Text& text, const Bound& arguments, std::size_t index)
{
    const auto length = static_cast<std::int64_t>(text.length());
    const auto bound = [&](std::size_t at, std::int64_t fallback) -> Outcome<std::int64_t> {
        if (!isGiven(arguments, at)) return fallback;
        TRY_ASSIGN(const std::int64_t value, integerArgument(arguments, at, fallback));
        return value < 0 ? std::max<std::int64_t>(value + length, 0) : value;
    };
    TRY_ASSIGN(const std::int64_t start, bound(index, 0));
    TRY_ASSIGN(std::int64_t end, bound(index + 1, length));
    end = std::min(end, length);
    if (start > end) return Window{0, 0, false};
    const auto offset = [&](std::int64_t at) {
        const auto place = static_cast<std::size_t>(at);
        return text.isAscii() ? place : unicode::offsetOf(text.utf8(), place);
    };
    return Window{offset(start), offset(end), true};
}

template <std::size_t (*Search)(std::string_view, std::string_view)>
Outcome<std::int64_t> place(Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const Text* needle, textArgument(arguments, 0));
    const Text& text = subject.text();
    TRY_ASSIGN(const Window window, windowOf(text, arguments, 1));
    if (!window.isValid) return -1;
    const std::string_view part =
        std::string_view(text.utf8()).substr(window.begin, window.end - window.begin);
    const std::size_t found = Search(part, needle->utf8());
    if (found == std::string_view::npos) return -1;
    const std::size_t at = window.begin + found;
    return static_cast<std::int64_t>(
        text.isAscii() ? at : unicode::count(std::string_view(text.utf8()).substr(0, at)));
}

template <std::size_t (*Search)(std::string_view, std::string_view), bool MustBeThere>
Outcome<Value> findMethod(Runtime&, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const std::int64_t at, place<Search>(subject, arguments));
    if (MustBeThere && at < 0) return failure("substring not found");
    return Value::integer(at);
}

Outcome<Value> count(Runtime&, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const Text* needle, textArgument(arguments, 0));
    TRY_ASSIGN(const Window window, windowOf(subject.text(), arguments, 1));
    if (!window.isValid) return Value::integer(0);
    const std::string_view part =
        std::string_view(subject.text().utf8()).substr(window.begin, window.end - window.begin);
    if (needle->utf8().empty()) return Value::size(unicode::count(part) + 1);
    return Value::size(findAll(part, needle->utf8(), kAll).size());
}

bool affixMatches(std::string_view part, const Text& affix, bool atEnd)
{
    return atEnd ? part.ends_with(affix.utf8()) : part.starts_with(affix.utf8());
}

template <bool AtEnd>
Outcome<Value> hasAffix(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const Window window, windowOf(subject.text(), arguments, 1));
    const std::string_view part =
        std::string_view(subject.text().utf8()).substr(window.begin, window.end - window.begin);
    const Value affix = *arguments[0];
    if (const Text* text = affix.ifText())
        return Value::boolean(window.isValid && affixMatches(part, *text, AtEnd));
    if (!affix.is(Kind::Tuple))
        return failure(std::format("{} first arg must be str or a tuple of str, not {}",
                                   AtEnd ? "endswith" : "startswith", typeName(affix)));
    for (const Value item : affix.sequence().items()) {
        TRY(runtime.spend());
        const Text* text = item.ifText();
        if (!text) return failure("tuple for startswith must only contain str");
        if (window.isValid && affixMatches(part, *text, AtEnd)) return Value::boolean(true);
    }
    return Value::boolean(false);
}

template <bool AtEnd>
Outcome<Value> removeAffix(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const Text* affix, textArgument(arguments, 0));
    std::string_view text = subject.text().utf8();
    const std::string removed = inserted(subject, *affix);
    if (!(AtEnd ? text.ends_with(removed) : text.starts_with(removed))) return subject;
    if constexpr (AtEnd)
        text.remove_suffix(removed.size());
    else
        text.remove_prefix(removed.size());
    return like(runtime, subject, std::string(text));
}

template <bool FromRight>
Outcome<Value> partition(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const Text* given, textArgument(arguments, 0));
    const std::string separator = inserted(subject, *given);
    if (separator.empty()) return failure("empty separator");
    const std::string& text = subject.text().utf8();
    const bool markup = subject.text().isMarkup();
    const std::size_t at = FromRight ? findLast(text, separator) : find(text, separator);
    Heap& heap = runtime.heap();
    if (at == std::string::npos) {
        const Value empty = heap.text({}, markup);
        return FromRight ? heap.tuple({empty, empty, subject})
                         : heap.tuple({subject, empty, empty});
    }
    return heap.tuple({heap.text(text.substr(0, at), markup), heap.text(separator, markup),
                       heap.text(text.substr(at + separator.size()), markup)});
}

template <Alignment Align>
Outcome<Value> justify(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const std::int64_t width, integerArgument(arguments, 0, 0));
    std::string fill = " ";
    if (arguments[1]) {
        TRY_ASSIGN(const Text* given, textArgument(arguments, 1));
        fill = inserted(subject, *given);
        if (unicode::count(fill) != 1)
            return failure("The fill character must be exactly one character long");
    }
    TextBuilder out(runtime);
    padInto(out, subject.text(), width, fill, Align);
    return out.finish(subject.text().isMarkup());
}

Outcome<Value> zeroFill(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const std::int64_t width, integerArgument(arguments, 0, 0));
    const std::string& text = subject.text().utf8();
    const auto length = static_cast<std::int64_t>(subject.text().length());
    const bool hasSign = !text.empty() && (text.front() == '-' || text.front() == '+');
    TextBuilder out(runtime);
    if (hasSign) out.append(std::string_view(text).substr(0, 1));
    if (width > length) out.repeat("0", static_cast<std::size_t>(width - length));
    out.append(std::string_view(text).substr(hasSign ? 1 : 0));
    return out.finish(subject.text().isMarkup());
}

Outcome<Value> expandTabs(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const std::int64_t width, integerArgument(arguments, 0, 8));
    TextBuilder out(runtime);
    std::size_t column = 0;
    const std::string& text = subject.text().utf8();
    for (std::size_t at = 0; at < text.size() && !out.isFull();) {
        const std::size_t bytes = unicode::decode(text, at).bytes;
        const char c = text[at];
        if (c == '\t') {
            if (width > 0) {
                const std::size_t spaces =
                    static_cast<std::size_t>(width) - column % static_cast<std::size_t>(width);
                out.repeat(" ", spaces);
                column += spaces;
            }
        } else {
            out.append(std::string_view(text).substr(at, bytes));
            column = c == '\n' || c == '\r' ? 0 : column + 1;
        }
        at += bytes;
    }
    return out.finish(subject.text().isMarkup());
}

Outcome<Value> encode(Runtime& runtime, Value subject, const Bound& arguments)
{
    if (arguments[0]) {
        TRY_ASSIGN(const Text* encoding, textArgument(arguments, 0));
        std::string name = unicode::lower(encoding->utf8());
        std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
        const bool ascii = name == "ascii" && subject.text().isAscii();
        if (name != "utf8" && !ascii)
            return failure(std::format("'{}' codec can't encode the text", encoding->utf8()));
    }
    TRY(runtime.reserve(subject.text().utf8().size()));
    runtime.heap().charge(subject.text().utf8().size());
    return Value::of(runtime.heap().make<Text>(Text::kBytes, subject.text().utf8()));
}

Outcome<Value> formatMethod(Runtime& runtime, Value subject, const Bound& arguments)
{
    return formatText(runtime, subject.text(), arguments.all());
}

Outcome<Value> formatMap(Runtime& runtime, Value subject, const Bound& arguments)
{
    Arguments named;
    if (!arguments[0]->is(Kind::Dict)) return failure("format_map() takes a mapping");
    for (const Dict::Entry& entry : arguments[0]->dict().entries())
        if (const Text* key = entry.key.ifText())
            named.named.emplace_back(key->utf8(), entry.value);
    return formatText(runtime, subject.text(), named);
}

constexpr std::array kTextMethods = {
    Builtin{"upper", &mapped<unicode::upper>},
    Builtin{"lower", &mapped<unicode::lower>},
    Builtin{"title", &mapped<unicode::title>},
    Builtin{"capitalize", &mapped<unicode::capitalize>},
    Builtin{"casefold", &mapped<unicode::foldCase>},
    Builtin{"swapcase", &mapped<unicode::swapCase>},
    Builtin{"strip", &strip<true, true>, {"/chars"}},
    Builtin{"lstrip", &strip<true, false>, {"/chars"}},
    Builtin{"rstrip", &strip<false, true>, {"/chars"}},
    Builtin{"split", &split<false>, {"sep", "maxsplit"}},
    Builtin{"rsplit", &split<true>, {"sep", "maxsplit"}},
    Builtin{"splitlines", &splitLines, {"keepends"}},
    Builtin{"join", &join, {"/iterable"}, 1},
    Builtin{"replace", &replace, {"/old", "/new", "count"}, 2},
    Builtin{"find", &findMethod<find, false>, {"/sub", "/start", "/end"}, 1},
    Builtin{"rfind", &findMethod<findLast, false>, {"/sub", "/start", "/end"}, 1},
    Builtin{"index", &findMethod<find, true>, {"/sub", "/start", "/end"}, 1},
    Builtin{"rindex", &findMethod<findLast, true>, {"/sub", "/start", "/end"}, 1},
    Builtin{"count", &count, {"/sub", "/start", "/end"}, 1},
    Builtin{"startswith", &hasAffix<false>, {"/prefix", "/start", "/end"}, 1},
    Builtin{"endswith", &hasAffix<true>, {"/suffix", "/start", "/end"}, 1},
    Builtin{"removeprefix", &removeAffix<false>, {"/prefix"}, 1},
    Builtin{"removesuffix", &removeAffix<true>, {"/suffix"}, 1},
    Builtin{"partition", &partition<false>, {"/sep"}, 1},
    Builtin{"rpartition", &partition<true>, {"/sep"}, 1},
    Builtin{"center", &justify<Alignment::Center>, {"/width", "/fillchar"}, 1},
    Builtin{"ljust", &justify<Alignment::Left>, {"/width", "/fillchar"}, 1},
    Builtin{"rjust", &justify<Alignment::Right>, {"/width", "/fillchar"}, 1},
    Builtin{"zfill", &zeroFill, {"/width"}, 1},
    Builtin{"expandtabs", &expandTabs, {"tabsize"}},
    Builtin{"encode", &encode, {"encoding", "errors"}},
    Builtin{.name = "format", .function = &formatMethod, .variadic = true},
    Builtin{"format_map", &formatMap, {"/mapping"}, 1},
};

} // namespace

std::span<const Builtin> textMethods()
{
    return kTextMethods;
}

} // namespace engine::jinja
