#pragma once

#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/instance.h"
#include "engine/chat/jinja/value.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace engine::jinja {

class Runtime;

inline constexpr std::size_t kMostParameters = 6;
using ParameterNames = std::array<std::string_view, kMostParameters>;

/// The arguments of a builtin, each in its parameter's place.
class Bound {
public:
    explicit Bound(const Arguments& all)
        : m_all(all)
    {
    }

    /// Nothing where it was not passed.
    const std::optional<Value>& operator[](std::size_t index) const { return m_values[index]; }
    Value valueOr(std::size_t index, Value fallback) const
    {
        return m_values[index].value_or(fallback);
    }
    /// What was passed, for builtins that take any arguments.
    const Arguments& all() const { return m_all; }

    void set(std::size_t index, Value value) { m_values[index] = value; }

private:
    std::array<std::optional<Value>, kMostParameters> m_values;
    const Arguments& m_all;
};

/// `subject`: what a filter is applied to, a test asks about, a method belongs to; None for a
/// global function.
using BuiltinFunction = Outcome<Value> (*)(Runtime& runtime, Value subject, const Bound& arguments);

/// A filter, test, method or global function: a row of its table. A parameter whose name begins
/// with '/' takes no argument by name, as most of Python's own methods do not.
struct Builtin {
    std::string_view name;
    BuiltinFunction function = nullptr;
    ParameterNames parameters = {};
    std::size_t required = 0;
    bool variadic = false; ///< takes any arguments, through Bound::all
};

Outcome<Value> invoke(Runtime& runtime, const Builtin& builtin, Value subject,
                      const Arguments& arguments);

/// Null where the table has none of that name.
const Builtin* findBuiltin(std::span<const Builtin> table, std::string_view name);
const Builtin* findFilter(std::string_view name);
const Builtin* findTest(std::string_view name);
const Builtin* findGlobal(std::string_view name);
/// A method that reads; those that change their owner are not there.
const Builtin* findMethod(Value owner, std::string_view name);
/// Whether the sandbox denies this attribute, which Python's object has.
bool isForbidden(Value owner, std::string_view name);

// The tables, each beside its functions.
std::span<const Builtin> textFilters();
std::span<const Builtin> htmlFilters();
std::span<const Builtin> numberFilters();
std::span<const Builtin> sequenceFilters();
std::span<const Builtin> selectionFilters();
std::span<const Builtin> valueTests();
std::span<const Builtin> globalFunctions();
std::span<const Builtin> textMethods();
std::span<const Builtin> textPredicates();
std::span<const Builtin> textTranslations();
std::span<const Builtin> collectionMethods(Kind kind);

/// A builtin as a value: a global function, or a method bound to its owner.
class BuiltinValue final : public Instance {
public:
    BuiltinValue(const Builtin& builtin, Value owner, bool isMethod)
        : m_builtin(builtin)
        , m_owner(owner)
        , m_isMethod(isMethod)
    {
    }

    std::string_view typeName() const override
    {
        return m_isMethod ? "builtin_function_or_method" : "function";
    }
    Outcome<std::string> represent(Runtime& runtime) override;
    bool isCallable() const override { return true; }
    Outcome<Value> call(Runtime& runtime, const Arguments& arguments) override;

private:
    const Builtin& m_builtin;
    Value m_owner;
    bool m_isMethod;
};

} // namespace engine::jinja
