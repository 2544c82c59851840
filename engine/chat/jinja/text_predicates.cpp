// The methods of str that ask what its characters are.

#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/unicode.h"

#include <array>

namespace engine::jinja {

namespace {

using unicode::Property;

template <typename Predicate>
bool allCharacters(std::string_view text, Predicate&& predicate)
{
    for (std::size_t at = 0; at < text.size();) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        if (!predicate(decoded.character)) return false;
        at += decoded.bytes;
    }
    return true;
}

/// True of no empty text.
template <bool (*Predicate)(char32_t)>
Outcome<Value> all(Runtime&, Value subject, const Bound&)
{
    const std::string& text = subject.text().utf8();
    return Value::boolean(!text.empty() && allCharacters(text, Predicate));
}

template <Property Wanted>
bool has(char32_t character)
{
    return unicode::has(character, Wanted);
}

bool isDigit(char32_t character)
{
    return unicode::has(character, Property::Digit) || unicode::has(character, Property::Decimal);
}

bool isNumeric(char32_t character)
{
    return isDigit(character) || unicode::has(character, Property::Numeric);
}

/// Cased characters, all of them `Wanted`.
template <Property Wanted, Property Other>
Outcome<Value> hasCase(Runtime&, Value subject, const Bound&)
{
    bool any = false;
    const bool none = allCharacters(subject.text().utf8(), [&any](char32_t character) {
        any |= unicode::has(character, Wanted);
        return !unicode::has(character, Other) && !unicode::has(character, Property::Title);
    });
    return Value::boolean(any && none);
}

Outcome<Value> isTitle(Runtime&, Value subject, const Bound&)
{
    bool any = false;
    bool inWord = false;
    const bool regular = allCharacters(subject.text().utf8(), [&](char32_t character) {
        const bool begins =
            unicode::has(character, Property::Upper) || unicode::has(character, Property::Title);
        const bool continues = unicode::has(character, Property::Lower);
        if ((begins && inWord) || (continues && !inWord)) return false;
        inWord = begins || continues;
        any |= inWord;
        return true;
    });
    return Value::boolean(any && regular);
}

Outcome<Value> isPrintable(Runtime&, Value subject, const Bound&)
{
    return Value::boolean(allCharacters(subject.text().utf8(), &has<Property::Printable>));
}

Outcome<Value> isAscii(Runtime&, Value subject, const Bound&)
{
    return Value::boolean(subject.text().isAscii());
}

Outcome<Value> isIdentifier(Runtime&, Value subject, const Bound&)
{
    return Value::boolean(unicode::isIdentifier(subject.text().utf8()));
}

constexpr std::array kPredicates = {
    Builtin{"isalpha", &all<has<Property::Alphabetic>>},
    Builtin{"isalnum", &all<unicode::isAlphanumeric>},
    Builtin{"isdecimal", &all<has<Property::Decimal>>},
    Builtin{"isdigit", &all<isDigit>},
    Builtin{"isnumeric", &all<isNumeric>},
    Builtin{"isspace", &all<unicode::isSpace>},
    Builtin{"islower", &hasCase<Property::Lower, Property::Upper>},
    Builtin{"isupper", &hasCase<Property::Upper, Property::Lower>},
    Builtin{"istitle", &isTitle},
    Builtin{"isprintable", &isPrintable},
    Builtin{"isascii", &isAscii},
    Builtin{"isidentifier", &isIdentifier},
};

} // namespace

std::span<const Builtin> textPredicates()
{
    return kPredicates;
}

} // namespace engine::jinja
