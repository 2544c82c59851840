#include "engine/chat/jinja/builtin.h"

#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/runtime.h"

#include <algorithm>
#include <format>
#include <initializer_list>

namespace engine::jinja {

namespace {

/// Work on a subject takes as long as it is.
std::size_t weightOf(Value value)
{
    if (value.is(Kind::Text) || value.is(Kind::Bytes)) return value.text().utf8().size();
    return 0;
}

const Builtin* findIn(std::initializer_list<std::span<const Builtin>> tables, std::string_view name)
{
    for (const auto table : tables)
        if (const Builtin* found = findBuiltin(table, name)) return found;
    return nullptr;
}

Outcome<Bound> bind(const Builtin& builtin, const Arguments& arguments)
{
    Bound bound(arguments);
    if (builtin.variadic) return bound;
    const auto& names = builtin.parameters;
    const auto count =
        static_cast<std::size_t>(std::ranges::find(names, std::string_view{}) - names.begin());
    if (arguments.positional.size() > count)
        return failure(std::format("{}() takes at most {} arguments ({} given)", builtin.name,
                                   count, arguments.positional.size()));
    for (std::size_t i = 0; i < arguments.positional.size(); ++i)
        bound.set(i, arguments.positional[i]);
    for (const auto& [name, value] : arguments.named) {
        const auto* const place =
            name.starts_with('/') ? names.end() : std::ranges::find(names, name);
        if (name.empty() || place == names.end())
            return failure(
                std::format("{}() got an unexpected keyword argument '{}'", builtin.name, name));
        const auto index = static_cast<std::size_t>(place - names.begin());
        if (bound[index])
            return failure(
                std::format("{}() got multiple values for argument '{}'", builtin.name, name));
        bound.set(index, value);
    }
    for (std::size_t i = 0; i < builtin.required; ++i)
        if (!bound[i])
            return failure(std::format("{}() missing required argument {}", builtin.name, i + 1));
    return bound;
}

} // namespace

Outcome<Value> invoke(Runtime& runtime, const Builtin& builtin, Value subject,
                      const Arguments& arguments)
{
    std::size_t weight = weightOf(subject);
    for (const Value argument : arguments.positional)
        weight += weightOf(argument);
    TRY(runtime.spendBytes(weight));
    TRY_ASSIGN(const Bound bound, bind(builtin, arguments));
    return builtin.function(runtime, subject, bound);
}

const Builtin* findBuiltin(std::span<const Builtin> table, std::string_view name)
{
    const auto found = std::ranges::find(table, name, &Builtin::name);
    return found == table.end() ? nullptr : &*found;
}

const Builtin* findFilter(std::string_view name)
{
    return findIn(
        {textFilters(), htmlFilters(), numberFilters(), sequenceFilters(), selectionFilters()},
        name);
}

const Builtin* findTest(std::string_view name)
{
    return findBuiltin(valueTests(), name);
}

const Builtin* findGlobal(std::string_view name)
{
    return findBuiltin(globalFunctions(), name);
}

const Builtin* findMethod(Value owner, std::string_view name)
{
    if (owner.is(Kind::Text))
        return findIn({textMethods(), textPredicates(), textTranslations()}, name);
    return findBuiltin(collectionMethods(owner.kind()), name);
}

Outcome<std::string> BuiltinValue::represent(Runtime&)
{
    if (!m_isMethod) return std::format("<function {}>", m_builtin.name);
    return std::format("<built-in method {} of {} object>", m_builtin.name,
                       jinja::typeName(m_owner));
}

Outcome<Value> BuiltinValue::call(Runtime& runtime, const Arguments& arguments)
{
    return invoke(runtime, m_builtin, m_owner, arguments);
}

Outcome<Value> call(Runtime& runtime, Value callee, const Arguments& arguments)
{
    if (callee.isUndefined()) return undefinedFailure(callee);
    if (!callee.is(Kind::Instance))
        return failure(std::format("'{}' object is not callable", typeName(callee)));
    return callee.instance().call(runtime, arguments);
}

} // namespace engine::jinja
