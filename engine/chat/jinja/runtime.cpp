#include "engine/chat/jinja/runtime.h"

#include "engine/chat/jinja/number.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/unicode.h"

#include <bit>
#include <cmath>
#include <format>

namespace engine::jinja {

Runtime::Runtime(Heap& heap, const Limits& limits, Clock clock)
    : m_heap(heap)
    , m_limits(limits)
    , m_clock(std::move(clock))
    , m_memoryLimit(heap.bytes() + limits.memoryBytes)
    , m_stack(limits.stackBytes)
{
}

Outcome<void> Runtime::spend(std::uint64_t steps)
{
    m_steps += steps;
    if (m_steps > m_limits.steps)
        return overLimit(std::format("the template takes more than {} steps", m_limits.steps));
    return reserve(0);
}

Outcome<void> Runtime::reserve(std::size_t bytes)
{
    const std::size_t used = m_heap.bytes();
    if (used > m_memoryLimit || bytes > m_memoryLimit - used)
        return overLimit(std::format("the template needs more than {} MiB of memory",
                                     m_limits.memoryBytes >> 20U));
    return {};
}

Outcome<Nesting> Runtime::nest()
{
    if (m_depth >= m_limits.nesting || m_stack.isSpent())
        return overLimit("maximum recursion depth exceeded");
    return Nesting(m_depth);
}

Outcome<Value> Runtime::text(std::string utf8, bool markup)
{
    if (utf8.size() > m_limits.textBytes)
        return overLimit(std::format("a text is longer than {} MiB", m_limits.textBytes >> 20U));
    TRY(spendBytes(utf8.size()));
    TRY(reserve(utf8.size()));
    return m_heap.text(std::move(utf8), markup);
}

Outcome<void> Runtime::encodeKey(Value value, std::string& out)
{
    TRY(spend());
    switch (value.kind()) {
    case Kind::None:
        out += 'n';
        return {};
    case Kind::Boolean:
    case Kind::Integer:
    case Kind::BigInteger:
        out += 'i';
        out += wholeText(value);
        return {};
    case Kind::Float: {
        const double number = value.number();
        if (std::isfinite(number) && number == std::floor(number))
            out += 'i' + WholeNumber::truncated(number).toText();
        else
            out += std::format("f{}", std::bit_cast<std::uint64_t>(number));
        return {};
    }
    case Kind::Text:
    case Kind::Bytes: {
        const std::string& content = value.text().utf8();
        TRY(spendBytes(content.size()));
        out += std::format("{}{}:", value.is(Kind::Text) ? 't' : 'b', content.size());
        out += content;
        return {};
    }
    case Kind::Tuple: {
        TRY_ASSIGN(const Nesting nesting, nest());
        out += '(';
        for (const Value& item : value.sequence().items()) {
            TRY(encodeKey(item, out));
            if (out.size() > m_limits.textBytes) return overLimit("a key is too long");
        }
        out += ')';
        return {};
    }
    case Kind::Undefined:
        out += 'u';
        return {};
    case Kind::List:
    case Kind::Dict:
        return failure(std::format("unhashable type: '{}'", typeName(value)));
    case Kind::Range:
    case Kind::Instance:
        out += std::format("@{}", static_cast<const void*>(value.object()));
        return {};
    }
    return {};
}

Outcome<DictKey> Runtime::keyOf(Value value, std::string& buffer)
{
    if (const Text* text = value.ifText()) {
        TRY(spendBytes(text->utf8().size()));
        return DictKey{DictKey::Type::Text, text->utf8()};
    }
    buffer.clear();
    TRY(encodeKey(value, buffer));
    return DictKey{DictKey::Type::Other, buffer};
}

Outcome<void> Runtime::insert(Dict& dict, Value key, Value value)
{
    std::string buffer;
    TRY_ASSIGN(DictKey encoded, keyOf(key, buffer));
    if (encoded.type != DictKey::Type::Text)
        encoded.encoded = m_heap.text(std::move(buffer)).text().utf8();
    m_heap.charge(sizeof(Dict::Entry) + 64);
    dict.set(encoded, key, value);
    return {};
}

void Runtime::insert(Dict& dict, std::string_view key, Value value)
{
    const Value text = m_heap.text(std::string(key));
    m_heap.charge(sizeof(Dict::Entry) + 64);
    dict.set({DictKey::Type::Text, text.text().utf8()}, text, value);
}

void TextBuilder::append(std::string_view utf8)
{
    if (m_full || utf8.size() > m_runtime.limits().textBytes - m_text.size()) {
        m_full = true;
        return;
    }
    m_text += utf8;
}

void TextBuilder::append(char32_t character)
{
    std::string encoded;
    unicode::append(encoded, character);
    append(encoded);
}

void TextBuilder::repeat(std::string_view utf8, std::size_t times)
{
    if (utf8.empty()) return;
    if (times > m_runtime.limits().textBytes / utf8.size()) {
        m_full = true;
        return;
    }
    while (times-- > 0)
        append(utf8);
}

Outcome<Value> TextBuilder::finish(bool markup)
{
    TRY_ASSIGN(std::string text, take());
    return m_runtime.text(std::move(text), markup);
}

Outcome<std::string> TextBuilder::take()
{
    if (m_full)
        return overLimit(
            std::format("a text is longer than {} MiB", m_runtime.limits().textBytes >> 20U));
    return std::move(m_text);
}

} // namespace engine::jinja
