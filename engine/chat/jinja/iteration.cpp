#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/unicode.h"

#include <format>

namespace engine::jinja {

namespace {

class SequenceIterator final : public Iterator {
public:
    explicit SequenceIterator(const std::vector<Value>& items)
        : m_items(items)
    {
    }
    Outcome<std::optional<Value>> next(Runtime& runtime) override
    {
        TRY(runtime.spend());
        if (m_at == m_items.size()) return std::nullopt;
        return m_items[m_at++];
    }

private:
    const std::vector<Value>& m_items;
    std::size_t m_at = 0;
};

class EmptyIterator final : public Iterator {
public:
    Outcome<std::optional<Value>> next(Runtime&) override { return std::nullopt; }
};

class TextIterator final : public Iterator {
public:
    explicit TextIterator(const Text& text)
        : m_text(text)
    {
    }
    Outcome<std::optional<Value>> next(Runtime& runtime) override
    {
        TRY(runtime.spend());
        const std::string& utf8 = m_text.utf8();
        if (m_at == utf8.size()) return std::nullopt;
        if (m_text.kind() == Kind::Bytes)
            return Value::integer(static_cast<unsigned char>(utf8[m_at++]));
        const std::size_t bytes = unicode::decode(utf8, m_at).bytes;
        m_at += bytes;
        return runtime.heap().text(utf8.substr(m_at - bytes, bytes));
    }

private:
    const Text& m_text;
    std::size_t m_at = 0;
};

class RangeIterator final : public Iterator {
public:
    explicit RangeIterator(const Range& range)
        : m_range(range)
    {
    }
    Outcome<std::optional<Value>> next(Runtime& runtime) override
    {
        TRY(runtime.spend());
        if (m_at == m_range.size()) return std::nullopt;
        return Value::integer(m_range.at(m_at++));
    }

private:
    const Range& m_range;
    std::size_t m_at = 0;
};

class DictIterator final : public Iterator {
public:
    DictIterator(const Dict& dict, DictView::Part part)
        : m_dict(dict)
        , m_part(part)
    {
    }
    Outcome<std::optional<Value>> next(Runtime& runtime) override
    {
        TRY(runtime.spend());
        if (m_at == m_dict.size()) return std::nullopt;
        const Dict::Entry& entry = m_dict.entries()[m_at++];
        if (m_part == DictView::Part::Keys) return entry.key;
        if (m_part == DictView::Part::Values) return entry.value;
        return runtime.heap().tuple({entry.key, entry.value});
    }

private:
    const Dict& m_dict;
    DictView::Part m_part;
    std::size_t m_at = 0;
};

class GeneratorIterator final : public Iterator {
public:
    explicit GeneratorIterator(Generator& generator)
        : m_generator(generator)
    {
    }
    Outcome<std::optional<Value>> next(Runtime& runtime) override
    {
        TRY_ASSIGN(const Nesting nesting, runtime.nest());
        TRY(runtime.spend());
        return m_generator.next(runtime);
    }

private:
    Generator& m_generator;
};

std::unexpected<Failure> notIterable(Value value)
{
    return failure(std::format("'{}' object is not iterable", typeName(value)));
}

} // namespace

Outcome<std::size_t> length(Runtime& runtime, Value value)
{
    switch (value.kind()) {
    case Kind::Text:
    case Kind::Bytes:
        return value.text().length();
    case Kind::List:
    case Kind::Tuple:
        return value.sequence().size();
    case Kind::Dict:
        return value.dict().size();
    case Kind::Range:
        return value.range().size();
    case Kind::Undefined:
        return 0;
    case Kind::Instance: {
        TRY_ASSIGN(const std::optional<std::size_t> known, value.instance().length(runtime));
        if (known) return *known;
        break;
    }
    default:
        break;
    }
    return failure(std::format("object of type '{}' has no len()", typeName(value)));
}

Outcome<IteratorPtr> iterate(Runtime& runtime, Value value)
{
    TRY(runtime.spend());
    switch (value.kind()) {
    case Kind::Text:
    case Kind::Bytes:
        return std::make_unique<TextIterator>(value.text());
    case Kind::List:
    case Kind::Tuple:
        return std::make_unique<SequenceIterator>(value.sequence().items());
    case Kind::Dict:
        return std::make_unique<DictIterator>(value.dict(), DictView::Part::Keys);
    case Kind::Range:
        return std::make_unique<RangeIterator>(value.range());
    case Kind::Undefined:
        return std::make_unique<EmptyIterator>();
    case Kind::Instance: {
        TRY_ASSIGN(IteratorPtr iterator, value.instance().iterate(runtime));
        if (iterator) return iterator;
        break;
    }
    default:
        break;
    }
    return notIterable(value);
}

bool isIterable(Value value)
{
    switch (value.kind()) {
    case Kind::None:
    case Kind::Boolean:
    case Kind::Integer:
    case Kind::Float:
    case Kind::BigInteger:
        return false;
    case Kind::Instance:
        return value.instance().isIterable();
    default:
        return true;
    }
}

Outcome<std::vector<Value>> collect(Runtime& runtime, Value value)
{
    TRY_ASSIGN(const IteratorPtr iterator, iterate(runtime, value));
    std::vector<Value> items;
    for (;;) {
        TRY_ASSIGN(const std::optional<Value> next, iterator->next(runtime));
        if (!next) return items;
        items.push_back(*next);
    }
}

Outcome<IteratorPtr> Generator::iterate(Runtime&)
{
    return std::make_unique<GeneratorIterator>(*this);
}

Outcome<IteratorPtr> DictView::iterate(Runtime&)
{
    return std::make_unique<DictIterator>(m_dict, m_part);
}

} // namespace engine::jinja
