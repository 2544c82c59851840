// str.translate and the tables it takes.

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/unicode.h"

#include <array>
#include <format>

namespace engine::jinja {

namespace {

constexpr std::int64_t kLastCharacter = 0x10FFFF;

/// What a table has for a character; nothing where it has nothing.
Outcome<std::optional<Value>> entryOf(Runtime& runtime, Value table, char32_t character)
{
    const auto place = static_cast<std::size_t>(character);
    switch (table.kind()) {
    case Kind::Dict: {
        std::string buffer;
        TRY_ASSIGN(const DictKey key,
                   runtime.keyOf(Value::integer(static_cast<std::int64_t>(character)), buffer));
        const Value* const found = table.dict().find(key);
        return found ? std::optional(*found) : std::nullopt;
    }
    case Kind::List:
    case Kind::Tuple:
        return place < table.sequence().size() ? std::optional(table.sequence().items()[place])
                                               : std::nullopt;
    case Kind::Range:
        return place < table.range().size() ? std::optional(Value::integer(table.range().at(place)))
                                            : std::nullopt;
    case Kind::Text: {
        const Text& text = table.text();
        if (place >= text.length()) return std::nullopt;
        TRY(runtime.spendBytes(text.utf8().size()));
        const std::size_t at = unicode::offsetOf(text.utf8(), place);
        return runtime.heap().text(text.utf8().substr(at, unicode::decode(text.utf8(), at).bytes));
    }
    default:
        return failure(std::format("'{}' object is not subscriptable", typeName(table)));
    }
}

Outcome<void> appendEntry(TextBuilder& out, Value entry)
{
    if (entry.is(Kind::None)) return {};
    if (const Text* text = entry.ifText()) {
        out.append(text->utf8());
        return {};
    }
    const auto code = asInteger(entry);
    if (!code) return failure("character mapping must return integer, None or str");
    if (*code < 0 || *code > kLastCharacter)
        return failure("character mapping must be in range(0x110000)");
    out.append(static_cast<char32_t>(*code));
    return {};
}

Outcome<Value> translate(Runtime& runtime, Value subject, const Bound& arguments)
{
    const std::string& text = subject.text().utf8();
    TextBuilder out(runtime);
    for (std::size_t i = 0; i < text.size() && !out.isFull();) {
        TRY(runtime.spend());
        const unicode::Decoded character = unicode::decode(text, i);
        TRY_ASSIGN(const std::optional<Value> entry,
                   entryOf(runtime, *arguments[0], character.character));
        if (entry)
            TRY(appendEntry(out, *entry));
        else
            out.append(std::string_view(text).substr(i, character.bytes));
        i += character.bytes;
    }
    return out.finish(subject.text().isMarkup());
}

Outcome<Value> tableOfDict(Runtime& runtime, Value given)
{
    if (!given.is(Kind::Dict))
        return failure("if you give only one argument to maketrans it must be a dict");
    auto* const table = runtime.heap().make<Dict>();
    for (const Dict::Entry& entry : given.dict().entries()) {
        TRY(runtime.spend());
        Value key = entry.key;
        if (const Text* text = key.ifText()) {
            if (text->length() != 1)
                return failure("string keys in translate table must be of length 1");
            key = Value::integer(unicode::decode(text->utf8(), 0).character);
        } else if (!asInteger(key)) {
            return failure("keys in translate table must be strings or integers");
        }
        TRY(runtime.insert(*table, key, entry.value));
    }
    return Value::of(table);
}

Outcome<Value> makeTable(Runtime& runtime, Value, const Bound& arguments)
{
    if (!isGiven(arguments, 1)) return tableOfDict(runtime, *arguments[0]);
    TRY_ASSIGN(const Text* from, textArgument(arguments, 0));
    TRY_ASSIGN(const Text* to, textArgument(arguments, 1));
    if (from->length() != to->length())
        return failure("the first two maketrans arguments must have equal length");
    auto* const table = runtime.heap().make<Dict>();
    const auto keyAt = [](std::string_view text, std::size_t& at) {
        const unicode::Decoded character = unicode::decode(text, at);
        at += character.bytes;
        return Value::integer(character.character);
    };
    for (std::size_t i = 0, j = 0; i < from->utf8().size();) {
        TRY(runtime.spend());
        const Value key = keyAt(from->utf8(), i);
        TRY(runtime.insert(*table, key, keyAt(to->utf8(), j)));
    }
    if (!isGiven(arguments, 2)) return Value::of(table);
    TRY_ASSIGN(const Text* removed, textArgument(arguments, 2));
    for (std::size_t i = 0; i < removed->utf8().size();) {
        TRY(runtime.spend());
        TRY(runtime.insert(*table, keyAt(removed->utf8(), i), Value::none()));
    }
    return Value::of(table);
}

constexpr std::array kTextTranslations = {
    Builtin{"translate", &translate, {"/table"}, 1},
    Builtin{"maketrans", &makeTable, {"/x", "/y", "/z"}, 1},
};

} // namespace

std::span<const Builtin> textTranslations()
{
    return kTextTranslations;
}

} // namespace engine::jinja
