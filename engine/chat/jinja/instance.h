#pragma once

#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/value.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine::jinja {

class Runtime;

/// What a call passes. The names live in the template or in a dict's keys.
struct Arguments {
    std::vector<Value> positional;
    std::vector<std::pair<std::string_view, Value>> named;

    const Value* find(std::string_view name) const
    {
        for (const auto& [key, value] : named)
            if (key == name) return &value;
        return nullptr;
    }
};

/// Walks a sequence once. Whatever it walks must outlive it.
class Iterator {
public:
    virtual ~Iterator() = default;
    /// Nothing at the end; calling on after that is fine and gives nothing again.
    virtual Outcome<std::optional<Value>> next(Runtime& runtime) = 0;
};
using IteratorPtr = std::unique_ptr<Iterator>;

/// A value that is more than data. What a class does not support stays as it is here.
class Instance : public Object {
public:
    Instance()
        : Object(Kind::Instance)
    {
    }

    /// As Python names the type in its messages.
    virtual std::string_view typeName() const = 0;
    virtual Outcome<std::string> represent(Runtime& runtime);
    virtual bool isCallable() const { return false; }
    virtual Outcome<Value> call(Runtime& runtime, const Arguments& arguments);
    virtual Outcome<std::optional<Value>> attribute(Runtime& runtime, std::string_view name);
    virtual bool isIterable() const { return false; }
    /// Null where it cannot be iterated.
    virtual Outcome<IteratorPtr> iterate(Runtime& runtime);
    /// Nothing where it has no length.
    virtual Outcome<std::optional<std::size_t>> length(Runtime&) { return std::nullopt; }
    virtual bool isTrue() const { return true; }
};

/// A sequence computed while it is walked, and walked only once.
class Generator final : public Instance {
public:
    explicit Generator(IteratorPtr iterator, std::string_view typeName = "generator")
        : m_iterator(std::move(iterator))
        , m_typeName(typeName)
    {
    }

    std::string_view typeName() const override { return m_typeName; }
    bool isIterable() const override { return true; }
    Outcome<IteratorPtr> iterate(Runtime& runtime) override;
    Outcome<std::optional<Value>> next(Runtime& runtime) { return m_iterator->next(runtime); }

private:
    IteratorPtr m_iterator;
    std::string_view m_typeName;
};

/// What `dict.keys()`, `.values()` and `.items()` give.
class DictView final : public Instance {
public:
    enum class Part : std::uint8_t { Keys, Values, Items };

    DictView(const Dict& dict, Part part)
        : m_dict(dict)
        , m_part(part)
    {
    }

    Part part() const { return m_part; }
    const Dict& dict() const { return m_dict; }
    std::string_view typeName() const override;
    Outcome<std::string> represent(Runtime& runtime) override;
    bool isIterable() const override { return true; }
    Outcome<IteratorPtr> iterate(Runtime& runtime) override;
    Outcome<std::optional<std::size_t>> length(Runtime&) override { return m_dict.size(); }
    bool isTrue() const override { return m_dict.size() > 0; }

private:
    const Dict& m_dict;
    Part m_part;
};

/// The one object a template may assign to.
class Namespace final : public Instance {
public:
    explicit Namespace(Dict& attributes)
        : m_attributes(attributes)
    {
    }

    Dict& attributes() { return m_attributes; }
    std::string_view typeName() const override { return "jinja2.utils.Namespace"; }
    Outcome<std::string> represent(Runtime& runtime) override;
    Outcome<std::optional<Value>> attribute(Runtime& runtime, std::string_view name) override;

private:
    Dict& m_attributes;
};

} // namespace engine::jinja
