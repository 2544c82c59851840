#include "engine/chat/jinja/value.h"

#include "engine/chat/jinja/instance.h"
#include "engine/chat/jinja/unicode.h"
#include "engine/chat/jinja/whole_number.h"

#include <format>

namespace engine::jinja {

namespace {

std::size_t rangeSize(std::int64_t start, std::int64_t stop, std::int64_t step)
{
    if (step > 0 && start < stop) return static_cast<std::size_t>((stop - start - 1) / step) + 1;
    if (step < 0 && start > stop) return static_cast<std::size_t>((start - stop - 1) / -step) + 1;
    return 0;
}

} // namespace

const Text& Value::text() const
{
    return static_cast<const Text&>(*object());
}

const Sequence& Value::sequence() const
{
    return static_cast<const Sequence&>(*object());
}

const Dict& Value::dict() const
{
    return static_cast<const Dict&>(*object());
}

const Range& Value::range() const
{
    return static_cast<const Range&>(*object());
}

const Undefined& Value::undefined() const
{
    return static_cast<const Undefined&>(*object());
}

const BigInteger& Value::bigInteger() const
{
    return static_cast<const BigInteger&>(*object());
}

Instance& Value::instance() const
{
    return static_cast<Instance&>(const_cast<Object&>(*object()));
}

Text::Text(std::string utf8, bool markup)
    : Object(Kind::Text)
    , m_utf8(std::move(utf8))
    , m_length(unicode::count(m_utf8))
    , m_markup(markup)
{
}

Text::Text(BytesTag, std::string bytes)
    : Object(Kind::Bytes)
    , m_utf8(std::move(bytes))
    , m_length(m_utf8.size())
{
}

const Value* Dict::find(const DictKey& key) const
{
    if (m_index.empty()) return nullptr;
    const auto found = m_index.find(key);
    return found == m_index.end() ? nullptr : &m_entries[found->second].value;
}

void Dict::set(const DictKey& key, Value keyValue, Value value)
{
    const auto [place, isNew] = m_index.try_emplace(key, m_entries.size());
    if (isNew)
        m_entries.push_back({keyValue, value});
    else
        m_entries[place->second].value = value;
}

Range::Range(std::int64_t start, std::int64_t stop, std::int64_t step)
    : Object(Kind::Range)
    , m_start(start)
    , m_stop(stop)
    , m_step(step)
    , m_size(rangeSize(start, stop, step))
{
}

std::string Undefined::message() const
{
    switch (m_reason) {
    case Reason::Name:
        return std::format("'{}' is undefined", m_name);
    case Reason::Attribute:
        return std::format("'{}' has no attribute '{}'", m_owner, m_name);
    case Reason::Element:
        return std::format("{} has no element {}", m_owner, m_name);
    case Reason::Unsafe:
        return std::format("access to attribute '{}' of '{}' object is unsafe.", m_name, m_owner);
    case Reason::Hint:
        break;
    }
    return m_name;
}

Value Heap::text(std::string utf8, bool markup)
{
    m_bytes += utf8.size();
    return Value::of(make<Text>(std::move(utf8), markup));
}

Value Heap::list(std::vector<Value> items)
{
    m_bytes += items.size() * sizeof(Value);
    return Value::of(make<Sequence>(Kind::List, std::move(items)));
}

Value Heap::tuple(std::vector<Value> items)
{
    m_bytes += items.size() * sizeof(Value);
    return Value::of(make<Sequence>(Kind::Tuple, std::move(items)));
}

} // namespace engine::jinja
