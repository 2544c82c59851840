#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace engine::jinja {

enum class Kind : std::uint8_t {
    None,
    Boolean,
    Integer,
    Float,
    BigInteger, ///< a whole number beyond 64 bits
    Text,
    Bytes,
    List,
    Tuple,
    Dict,
    Range,
    Undefined,
    Instance, ///< everything else: functions, macros, namespaces, loops, lazy sequences
};

/// What a heap holds. No item owns another: a heap frees all of its items together, so cycles are
/// harmless and destruction never recurses.
class HeapItem {
public:
    HeapItem() = default;
    virtual ~HeapItem() = default;
    HeapItem(const HeapItem&) = delete;
    HeapItem& operator=(const HeapItem&) = delete;
};

/// A value too large for a Value itself.
class Object : public HeapItem {
public:
    explicit Object(Kind kind)
        : m_kind(kind)
    {
    }

    Kind kind() const { return m_kind; }

private:
    Kind m_kind;
};

class Text;
class Sequence;
class Dict;
class Range;
class Undefined;
class BigInteger;
class Instance;

/// A value of the template language, with Python's types. Small and cheap to copy; what it points
/// to belongs to a Heap that outlives it.
class Value {
public:
    Value() = default; ///< None

    static Value none() { return {}; }
    static Value boolean(bool value) { return Value(Data(value)); }
    static Value integer(std::int64_t value) { return Value(Data(value)); }
    static Value size(std::size_t value) { return integer(static_cast<std::int64_t>(value)); }
    static Value number(double value) { return Value(Data(value)); }
    /// REQUIRES: `object` is not null.
    static Value of(const Object* object) { return Value(Data(object)); }

    Kind kind() const
    {
        const auto* object = std::get_if<const Object*>(&m_data);
        return object ? (*object)->kind() : static_cast<Kind>(m_data.index());
    }
    bool is(Kind kind) const { return this->kind() == kind; }
    bool isUndefined() const { return is(Kind::Undefined); }
    bool isNone() const { return m_data.index() == 0; }

    // REQUIRES (each): the value is of that kind.
    bool boolean() const { return *std::get_if<bool>(&m_data); }
    std::int64_t integer() const { return *std::get_if<std::int64_t>(&m_data); }
    double number() const { return *std::get_if<double>(&m_data); }
    const Text& text() const;         ///< also of Bytes
    const Sequence& sequence() const; ///< List or Tuple
    const Dict& dict() const;
    const Range& range() const;
    const Undefined& undefined() const;
    const BigInteger& bigInteger() const;
    /// The one kind that changes: a loop advances, a namespace is assigned to.
    Instance& instance() const;

    /// Null for what is not text.
    const Text* ifText() const { return is(Kind::Text) ? &text() : nullptr; }
    /// Null where the value is no instance, or not of class T.
    template <typename T>
    T* ifInstance() const
    {
        return is(Kind::Instance) ? dynamic_cast<T*>(const_cast<Object*>(object())) : nullptr;
    }

    /// Null for None, booleans and plain numbers.
    const Object* object() const
    {
        const auto* object = std::get_if<const Object*>(&m_data);
        return object ? *object : nullptr;
    }

private:
    // In the order of Kind.
    using Data = std::variant<std::monostate, bool, std::int64_t, double, const Object*>;
    explicit Value(Data data)
        : m_data(data)
    {
    }

    Data m_data;
};

/// Characters in UTF-8, or the bytes of a Bytes value.
class Text final : public Object {
public:
    /// `markup`: HTML that escaping leaves alone.
    explicit Text(std::string utf8, bool markup = false);
    static constexpr struct BytesTag {
    } kBytes{};
    Text(BytesTag, std::string bytes);

    const std::string& utf8() const { return m_utf8; }
    std::size_t length() const { return m_length; } ///< in characters
    bool isAscii() const { return m_length == m_utf8.size(); }
    bool isMarkup() const { return m_markup; }

private:
    std::string m_utf8;
    std::size_t m_length;
    bool m_markup = false;
};

/// A list or a tuple. Immutable once built, as the sandbox forbids whatever would change it.
class Sequence final : public Object {
public:
    /// `isGroup`: a pair whose items are also called `grouper` and `list`.
    Sequence(Kind kind, std::vector<Value> items, bool isGroup = false)
        : Object(kind)
        , m_items(std::move(items))
        , m_isGroup(isGroup)
    {
    }

    bool isGroup() const { return m_isGroup; }
    const std::vector<Value>& items() const { return m_items; }
    std::size_t size() const { return m_items.size(); }

private:
    std::vector<Value> m_items;
    bool m_isGroup;
};

/// What makes two keys the same: 1, 1.0 and True are. Views into memory of the key's heap.
struct DictKey {
    enum class Type : std::uint8_t { Text, Other };
    Type type = Type::Text;
    std::string_view encoded; ///< the text itself; any other value as Runtime::keyOf writes it

    auto operator<=>(const DictKey&) const = default;
};

/// A mapping that keeps the order of insertion.
class Dict final : public Object {
public:
    struct Entry {
        Value key;
        Value value;
    };

    Dict()
        : Object(Kind::Dict)
    {
    }

    const std::vector<Entry>& entries() const { return m_entries; }
    std::size_t size() const { return m_entries.size(); }
    const Value* find(const DictKey& key) const;
    const Value* find(std::string_view key) const { return find({DictKey::Type::Text, key}); }
    /// Replaces the value where the key is there already (its place stays). `key` must live as long
    /// as the dict.
    void set(const DictKey& key, Value keyValue, Value value);

private:
    std::vector<Entry> m_entries;
    std::map<DictKey, std::size_t> m_index;
};

/// range(start, stop, step), never written out.
class Range final : public Object {
public:
    /// REQUIRES: step is not 0; start, stop and step fit 62 bits.
    Range(std::int64_t start, std::int64_t stop, std::int64_t step);

    std::int64_t start() const { return m_start; }
    std::int64_t stop() const { return m_stop; }
    std::int64_t step() const { return m_step; }
    std::size_t size() const { return m_size; }
    std::int64_t at(std::size_t index) const
    {
        return m_start + static_cast<std::int64_t>(index) * m_step;
    }

private:
    std::int64_t m_start;
    std::int64_t m_stop;
    std::int64_t m_step;
    std::size_t m_size;
};

/// What a name, an attribute or an item that is not there evaluates to: printed as nothing, empty
/// and false; any other use of it fails and says what was missing.
class Undefined final : public Object {
public:
    enum class Reason : std::uint8_t {
        Name,      ///< no variable of that name
        Attribute, ///< the owner has no such attribute
        Element,   ///< the owner has no such element
        Unsafe,    ///< the sandbox denies it
        Hint,      ///< `name` is the whole message
    };

    Undefined(Reason reason, std::string name, std::string owner = {})
        : Object(Kind::Undefined)
        , m_reason(reason)
        , m_name(std::move(name))
        , m_owner(std::move(owner))
    {
    }

    std::string message() const;

private:
    Reason m_reason;
    std::string m_name;
    std::string m_owner; // its type, as messages call it
};

/// Owns what one render allocates, or one template's literals. Items die with it.
class Heap {
public:
    template <typename T, typename... Arguments>
    T* make(Arguments&&... arguments)
    {
        auto owned = std::make_unique<T>(std::forward<Arguments>(arguments)...);
        T* object = owned.get();
        m_items.push_back(std::move(owned));
        m_bytes += sizeof(T) + kOverhead;
        return object;
    }

    Value text(std::string utf8, bool markup = false);
    Value list(std::vector<Value> items);
    Value tuple(std::vector<Value> items);

    /// Counts memory an object holds beside itself.
    void charge(std::size_t bytes) { m_bytes += bytes; }
    std::size_t bytes() const { return m_bytes; }

private:
    static constexpr std::size_t kOverhead = 32; // of the allocator and of m_items

    std::vector<std::unique_ptr<HeapItem>> m_items;
    std::size_t m_bytes = 0;
};

} // namespace engine::jinja
