#include "engine/chat/jinja/representation.h"

#include "engine/chat/jinja/escape.h"
#include "engine/chat/jinja/instance.h"
#include "engine/chat/jinja/number.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/unicode.h"

#include <format>

namespace engine::jinja {

namespace {

void appendEscape(std::string& out, char32_t character)
{
    const auto code = static_cast<std::uint32_t>(character);
    if (code < 0x100)
        out += std::format("\\x{:02x}", code);
    else if (code < 0x10000)
        out += std::format("\\u{:04x}", code);
    else
        out += std::format("\\U{:08x}", code);
}

char quoteFor(std::string_view text)
{
    return text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos
               ? '"'
               : '\'';
}

/// True where `character` has an escape of its own.
bool appendShortEscape(std::string& out, char32_t character, char quote)
{
    switch (character) {
    case U'\n':
        out += "\\n";
        return true;
    case U'\r':
        out += "\\r";
        return true;
    case U'\t':
        out += "\\t";
        return true;
    case U'\\':
        out += "\\\\";
        return true;
    default:
        if (character != static_cast<unsigned char>(quote)) return false;
        out += '\\';
        out += quote;
        return true;
    }
}

std::string quotedBytes(std::string_view bytes)
{
    const char quote = quoteFor(bytes);
    std::string out = "b";
    out += quote;
    for (const char c : bytes) {
        const auto code = static_cast<unsigned char>(c);
        if (appendShortEscape(out, code, quote)) continue;
        if (code >= 0x20 && code < 0x7F)
            out += c;
        else
            appendEscape(out, code);
    }
    out += quote;
    return out;
}

Outcome<void> writeSequence(Runtime& runtime, TextBuilder& out, Value value)
{
    TRY_ASSIGN(const Nesting nesting, runtime.nest());
    const auto& items = value.sequence().items();
    const bool tuple = value.is(Kind::Tuple);
    out.append(tuple ? "(" : "[");
    for (std::size_t i = 0; i < items.size() && !out.isFull(); ++i) {
        if (i > 0) out.append(", ");
        TRY(writeRepresentation(runtime, out, items[i]));
    }
    if (tuple && items.size() == 1) out.append(",");
    out.append(tuple ? ")" : "]");
    return {};
}

Outcome<void> writeDict(Runtime& runtime, TextBuilder& out, const Dict& dict)
{
    TRY_ASSIGN(const Nesting nesting, runtime.nest());
    out.append("{");
    bool first = true;
    for (const Dict::Entry& entry : dict.entries()) {
        if (out.isFull()) break;
        if (!first) out.append(", ");
        first = false;
        TRY(writeRepresentation(runtime, out, entry.key));
        out.append(": ");
        TRY(writeRepresentation(runtime, out, entry.value));
    }
    out.append("}");
    return {};
}

std::string rangeText(const Range& range)
{
    if (range.step() == 1) return std::format("range({}, {})", range.start(), range.stop());
    return std::format("range({}, {}, {})", range.start(), range.stop(), range.step());
}

std::string_view viewName(DictView::Part part)
{
    switch (part) {
    case DictView::Part::Keys:
        return "dict_keys";
    case DictView::Part::Values:
        return "dict_values";
    case DictView::Part::Items:
        break;
    }
    return "dict_items";
}

} // namespace

std::string pythonQuoted(std::string_view text)
{
    const char quote = quoteFor(text);
    std::string out(1, quote);
    for (std::size_t at = 0; at < text.size();) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        if (!appendShortEscape(out, decoded.character, quote)) {
            if (unicode::has(decoded.character, unicode::Property::Printable))
                out += text.substr(at, decoded.bytes);
            else
                appendEscape(out, decoded.character);
        }
        at += decoded.bytes;
    }
    out += quote;
    return out;
}

std::string asciiEscaped(std::string_view representation)
{
    std::string out;
    for (std::size_t at = 0; at < representation.size();) {
        const unicode::Decoded decoded = unicode::decode(representation, at);
        if (decoded.character < 0x80)
            out += representation[at];
        else
            appendEscape(out, decoded.character);
        at += decoded.bytes;
    }
    return out;
}

Outcome<void> writeRepresentation(Runtime& runtime, TextBuilder& out, Value value)
{
    TRY(runtime.spend());
    switch (value.kind()) {
    case Kind::Text: {
        const Text& text = value.text();
        TRY(runtime.spendBytes(text.utf8().size()));
        out.append(text.isMarkup() ? "Markup(" + pythonQuoted(text.utf8()) + ")"
                                   : pythonQuoted(text.utf8()));
        return {};
    }
    case Kind::Bytes:
        TRY(runtime.spendBytes(value.text().utf8().size()));
        out.append(quotedBytes(value.text().utf8()));
        return {};
    case Kind::List:
    case Kind::Tuple:
        return writeSequence(runtime, out, value);
    case Kind::Dict:
        return writeDict(runtime, out, value.dict());
    case Kind::Undefined:
        out.append("Undefined");
        return {};
    default:
        return writeText(runtime, out, value);
    }
}

Outcome<void> writeText(Runtime& runtime, TextBuilder& out, Value value)
{
    switch (value.kind()) {
    case Kind::None:
        out.append("None");
        return {};
    case Kind::Boolean:
        out.append(value.boolean() ? "True" : "False");
        return {};
    case Kind::Integer:
    case Kind::BigInteger:
        out.append(wholeText(value));
        return {};
    case Kind::Float:
        out.append(floatText(value.number()));
        return {};
    case Kind::Text:
        TRY(runtime.spendBytes(value.text().utf8().size()));
        out.append(value.text().utf8());
        return {};
    case Kind::Undefined:
        return {};
    case Kind::Range:
        out.append(rangeText(value.range()));
        return {};
    case Kind::Instance: {
        TRY_ASSIGN(const Nesting nesting, runtime.nest());
        TRY_ASSIGN(const std::string text, value.instance().represent(runtime));
        out.append(text);
        return {};
    }
    case Kind::Bytes:
    case Kind::List:
    case Kind::Tuple:
    case Kind::Dict:
        break;
    }
    return writeRepresentation(runtime, out, value);
}

Outcome<std::string> toText(Runtime& runtime, Value value)
{
    TextBuilder out(runtime);
    TRY(writeText(runtime, out, value));
    return out.take();
}

Outcome<Value> toTextValue(Runtime& runtime, Value value)
{
    if (value.is(Kind::Text)) return value;
    TRY_ASSIGN(std::string text, toText(runtime, value));
    return runtime.text(std::move(text));
}

Outcome<std::string> represent(Runtime& runtime, Value value)
{
    TextBuilder out(runtime);
    TRY(writeRepresentation(runtime, out, value));
    return out.take();
}

Outcome<std::string> toEscapedText(Runtime& runtime, Value value)
{
    if (const Text* text = value.ifText()) {
        TRY(runtime.spendBytes(text->utf8().size()));
        return escaped(*text);
    }
    return toText(runtime, value).transform([](const std::string& text) {
        return escapeHtml(text);
    });
}

std::string_view typeName(Value value)
{
    switch (value.kind()) {
    case Kind::None:
        return "NoneType";
    case Kind::Boolean:
        return "bool";
    case Kind::Integer:
    case Kind::BigInteger:
        return "int";
    case Kind::Float:
        return "float";
    case Kind::Text:
        return value.text().isMarkup() ? "Markup" : "str";
    case Kind::Bytes:
        return "bytes";
    case Kind::List:
        return "list";
    case Kind::Tuple:
        return "tuple";
    case Kind::Dict:
        return "dict";
    case Kind::Range:
        return "range";
    case Kind::Undefined:
        return "Undefined";
    case Kind::Instance:
        break;
    }
    return value.instance().typeName();
}

std::string ownerName(Value value)
{
    if (value.isNone()) return "None";
    if (value.is(Kind::Text) && value.text().isMarkup()) return "markupsafe.Markup object";
    return std::format("{} object", typeName(value));
}

bool isCallable(Value value)
{
    // An undefined value can be called as far as Python's callable() sees; it fails when it is.
    return value.isUndefined() || (value.is(Kind::Instance) && value.instance().isCallable());
}

Outcome<std::string> Instance::represent(Runtime&)
{
    return std::format("<{} object>", typeName());
}

Outcome<Value> Instance::call(Runtime&, const Arguments&)
{
    return failure(std::format("'{}' object is not callable", typeName()));
}

Outcome<std::optional<Value>> Instance::attribute(Runtime&, std::string_view)
{
    return std::nullopt;
}

Outcome<IteratorPtr> Instance::iterate(Runtime&)
{
    return nullptr;
}

std::string_view DictView::typeName() const
{
    return viewName(m_part);
}

Outcome<std::string> DictView::represent(Runtime& runtime)
{
    TRY_ASSIGN(std::vector<Value> items,
               collect(runtime, Value::of(static_cast<const Object*>(this))));
    TRY_ASSIGN(const std::string list,
               jinja::represent(runtime, runtime.heap().list(std::move(items))));
    return std::format("{}({})", viewName(m_part), list);
}

Outcome<std::string> Namespace::represent(Runtime& runtime)
{
    TRY_ASSIGN(const std::string attributes, jinja::represent(runtime, Value::of(&m_attributes)));
    return std::format("<Namespace {}>", attributes);
}

Outcome<std::optional<Value>> Namespace::attribute(Runtime&, std::string_view name)
{
    const Value* found = m_attributes.find(name);
    return found ? std::optional(*found) : std::nullopt;
}

} // namespace engine::jinja
