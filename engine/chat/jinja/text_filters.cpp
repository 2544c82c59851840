// Filters that make texts of their subject.

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/escape.h"
#include "engine/chat/jinja/json_writer.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/percent_format.h"
#include "engine/chat/jinja/representation.h"
#include "engine/chat/jinja/text_operations.h"
#include "engine/chat/jinja/text_wrap.h"
#include "engine/chat/jinja/unicode.h"

#include <array>
#include <format>
#include <limits>

namespace engine::jinja {

namespace {

/// The subject as a text first, whatever it is.
Outcome<Value> asMethod(Runtime& runtime, std::string_view method, Value subject,
                        const Arguments& arguments)
{
    TRY_ASSIGN(const Value text, toTextValue(runtime, subject));
    return invoke(runtime, *findMethod(text, method), text, arguments);
}

Outcome<Value> upper(Runtime& runtime, Value subject, const Bound&)
{
    return asMethod(runtime, "upper", subject, {});
}

Outcome<Value> lower(Runtime& runtime, Value subject, const Bound&)
{
    return asMethod(runtime, "lower", subject, {});
}

Outcome<Value> capitalize(Runtime& runtime, Value subject, const Bound&)
{
    return asMethod(runtime, "capitalize", subject, {});
}

Outcome<Value> trim(Runtime& runtime, Value subject, const Bound& arguments)
{
    return asMethod(runtime, "strip", subject, {{arguments.valueOr(0, Value::none())}, {}});
}

Outcome<Value> center(Runtime& runtime, Value subject, const Bound& arguments)
{
    return asMethod(runtime, "center", subject, {{arguments.valueOr(0, Value::integer(80))}, {}});
}

Outcome<Value> string(Runtime& runtime, Value subject, const Bound&)
{
    return toTextValue(runtime, subject);
}

bool beginsWord(char32_t character)
{
    return unicode::isSpace(character) || character == U'-' || character == U'(' ||
           character == U'{' || character == U'[' || character == U'<';
}

/// Unlike str.title, apostrophes do not begin a word.
Outcome<Value> title(Runtime& runtime, Value subject, const Bound&)
{
    TRY_ASSIGN(const Value value, toTextValue(runtime, subject));
    const std::string& text = value.text().utf8();
    TextBuilder out(runtime);
    std::size_t begin = 0;
    const auto finishWord = [&](std::size_t end) {
        if (begin == end) return;
        const std::string_view word = std::string_view(text).substr(begin, end - begin);
        const std::size_t first = unicode::decode(word, 0).bytes;
        out.append(unicode::upper(word.substr(0, first)));
        out.append(unicode::lower(word.substr(first)));
    };
    for (std::size_t at = 0; at < text.size();) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        if (beginsWord(decoded.character)) {
            finishWord(at);
            out.append(std::string_view(text).substr(at, decoded.bytes));
            begin = at + decoded.bytes;
        }
        at += decoded.bytes;
    }
    finishWord(text.size());
    return out.finish();
}

Outcome<Value> replace(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const Value text, toTextValue(runtime, subject));
    TRY_ASSIGN(const Value from, toTextValue(runtime, *arguments[0]));
    TRY_ASSIGN(const Value to, toTextValue(runtime, *arguments[1]));
    TRY_ASSIGN(const std::int64_t most,
               integerArgument(arguments, isGiven(arguments, 2) ? 2 : 3, -1));
    const bool markup = text.text().isMarkup() ||
                        (runtime.escapes() && (from.text().isMarkup() || to.text().isMarkup()));
    TextBuilder out(runtime);
    const auto part = [&](const Text& piece) { return markup ? escaped(piece) : piece.utf8(); };
    replaceInto(out, part(text.text()), part(from.text()), part(to.text()),
                most < 0 ? std::numeric_limits<std::size_t>::max()
                         : static_cast<std::size_t>(most));
    return out.finish(markup);
}

/// For filters that turn nothing into a text.
Outcome<Value> onlyText(Value subject)
{
    if (subject.is(Kind::Text)) return subject;
    if (subject.isUndefined()) return undefinedFailure(subject);
    return failure(std::format("expected a text, not '{}'", typeName(subject)));
}

Outcome<Value> indent(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const Value value, onlyText(subject));
    TextBuilder prefix(runtime);
    if (arguments[0] && arguments[0]->is(Kind::Text)) {
        prefix.append(arguments[0]->text().utf8());
    } else {
        TRY_ASSIGN(const std::int64_t width, integerArgument(arguments, 0, 4));
        if (width > 0) prefix.repeat(" ", static_cast<std::size_t>(width));
    }
    TRY_ASSIGN(const std::string indentation, prefix.take());
    const bool first = flagArgument(arguments, 1);
    const bool blank = flagArgument(arguments, 2);
    // A line end after the last line makes it count as one more, empty line.
    const std::string text = value.text().utf8() + "\n";
    const std::vector<std::string_view> lines = splitLines(text, false);
    TextBuilder out(runtime);
    for (std::size_t i = 0; i < lines.size() && !out.isFull(); ++i) {
        if (i > 0) out.append("\n");
        if (i == 0 ? first : blank || !lines[i].empty()) out.append(indentation);
        out.append(lines[i]);
    }
    return out.finish(value.text().isMarkup());
}

Outcome<Value> truncate(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const std::int64_t length, integerArgument(arguments, 0, 255));
    const bool killWords = flagArgument(arguments, 1);
    std::string end = "...";
    if (arguments[2]) {
        TRY_ASSIGN(end, toText(runtime, *arguments[2]));
    }
    const auto endLength = static_cast<std::int64_t>(unicode::count(end));
    TRY_ASSIGN(const std::int64_t leeway,
               integerArgument(arguments, isGiven(arguments, 3) ? 3 : 4, 5));
    if (length < endLength)
        return failure(std::format("expected length >= {}, got {}", endLength, length));
    if (leeway < 0) return failure(std::format("expected leeway >= 0, got {}", leeway));
    TRY_ASSIGN(const std::size_t size, jinja::length(runtime, subject));
    const auto characters = static_cast<std::int64_t>(size);
    if (characters <= length || characters - length <= leeway) return subject;
    TRY_ASSIGN(const Value value, onlyText(subject));
    const Text& text = value.text();
    std::string_view kept =
        std::string_view(text.utf8())
            .substr(0,
                    unicode::offsetOf(text.utf8(), static_cast<std::size_t>(length - endLength)));
    if (!killWords) kept = kept.substr(0, kept.rfind(' '));
    TextBuilder out(runtime);
    out.append(kept);
    out.append(end);
    return out.finish(text.isMarkup());
}

Outcome<Value> wordCount(Runtime& runtime, Value subject, const Bound&)
{
    TRY_ASSIGN(const std::string text, toText(runtime, subject));
    TRY(runtime.spendBytes(text.size()));
    std::size_t words = 0;
    bool inWord = false;
    for (std::size_t at = 0; at < text.size();) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        const bool word = unicode::isWord(decoded.character);
        if (word && !inWord) ++words;
        inWord = word;
        at += decoded.bytes;
    }
    return Value::size(words);
}

Outcome<Value> wordWrap(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const Value value, onlyText(subject));
    WrapStyle style;
    TRY_ASSIGN(style.width, integerArgument(arguments, 0, 79));
    style.breakLongWords = flagArgument(arguments, 1, true);
    style.breakOnHyphens = flagArgument(arguments, 3, true);
    std::string separator = "\n";
    if (isGiven(arguments, 2)) {
        TRY_ASSIGN(separator, toText(runtime, *arguments[2]));
    }
    if (style.width <= 0) return failure("invalid width (must be > 0)");
    TextBuilder out(runtime);
    bool first = true;
    for (const std::string_view line : splitLines(value.text().utf8(), false)) {
        // So many parts at most, before they are made.
        const std::size_t parts = line.size() / static_cast<std::size_t>(style.width);
        TRY(runtime.spend(1 + parts));
        std::vector<std::string> wrapped = wrapLine(line, style);
        if (wrapped.empty()) wrapped.emplace_back(); // an empty line stays one
        for (const std::string& part : wrapped) {
            if (!first) out.append(separator);
            first = false;
            out.append(part);
        }
    }
    return out.finish();
}

Outcome<Value> format(Runtime& runtime, Value subject, const Bound& arguments)
{
    const Arguments& all = arguments.all();
    if (!all.positional.empty() && !all.named.empty())
        return failure("can't handle positional and keyword arguments at the same time");
    TRY_ASSIGN(const Value text, toTextValue(runtime, subject));
    if (all.named.empty())
        return percentFormat(runtime, text.text(), runtime.heap().tuple(all.positional));
    auto* named = runtime.heap().make<Dict>();
    for (const auto& [name, value] : all.named)
        runtime.insert(*named, name, value);
    return percentFormat(runtime, text.text(), Value::of(named));
}

Outcome<Value> toJsonFilter(Runtime& runtime, Value subject, const Bound& arguments)
{
    JsonStyle style;
    style.ascii = flagArgument(arguments, 0);
    style.sortKeys = flagArgument(arguments, 3);
    if (isGiven(arguments, 1)) {
        style.itemSeparator = ",";
        style.indent.emplace();
        if (arguments[1]->is(Kind::Text)) {
            style.indent = arguments[1]->text().utf8();
        } else {
            TRY_ASSIGN(const std::int64_t width, integerArgument(arguments, 1, 0));
            if (width > 1000) return overLimit("an indentation is too wide");
            if (width > 0) style.indent->assign(static_cast<std::size_t>(width), ' ');
        }
    }
    if (isGiven(arguments, 2)) {
        TRY_ASSIGN(const std::vector<Value> pair, collect(runtime, *arguments[2]));
        if (pair.size() != 2 || !pair[0].is(Kind::Text) || !pair[1].is(Kind::Text))
            return failure("separators must be two texts");
        style.itemSeparator = pair[0].text().utf8();
        style.keySeparator = pair[1].text().utf8();
    }
    TRY_ASSIGN(std::string json, toJson(runtime, subject, style));
    return runtime.text(std::move(json));
}

constexpr std::array kTextFilters = {
    Builtin{"tojson", &toJsonFilter, {"ensure_ascii", "indent", "separators", "sort_keys"}},
    Builtin{"trim", &trim, {"chars"}},
    Builtin{"upper", &upper},
    Builtin{"lower", &lower},
    Builtin{"capitalize", &capitalize},
    Builtin{"title", &title},
    Builtin{"string", &string},
    Builtin{"replace", &replace, {"old", "new", "count"}, 2},
    Builtin{"indent", &indent, {"width", "first", "blank"}},
    Builtin{"center", &center, {"width"}},
    Builtin{"truncate", &truncate, {"length", "killwords", "end", "leeway"}},
    Builtin{"wordcount", &wordCount},
    Builtin{"wordwrap", &wordWrap, {"width", "break_long_words", "wrapstring", "break_on_hyphens"}},
    Builtin{.name = "format", .function = &format, .variadic = true},
};

} // namespace

std::span<const Builtin> textFilters()
{
    return kTextFilters;
}

} // namespace engine::jinja
