#include "engine/chat/jinja/macro.h"

#include "engine/chat/jinja/runtime.h"

#include <format>

namespace engine::jinja {

Outcome<std::string> Macro::represent(Runtime&)
{
    return m_isAnonymous ? "<Macro anonymous>" : std::format("<Macro '{}'>", m_definition.name);
}

Outcome<Value> Macro::call(Runtime&, const Arguments& arguments)
{
    return m_host.callMacro(m_definition, m_closure, arguments);
}

Outcome<std::optional<Value>> Macro::attribute(Runtime& runtime, std::string_view name)
{
    Heap& heap = runtime.heap();
    if (name == "name") return m_isAnonymous ? Value::none() : heap.text(m_definition.name);
    if (name == "catch_kwargs") return Value::boolean(m_definition.usesKwargs);
    if (name == "catch_varargs") return Value::boolean(m_definition.usesVarargs);
    if (name == "caller") return Value::boolean(m_definition.readsCaller);
    if (name != "arguments") return std::nullopt;
    std::vector<Value> names;
    names.reserve(m_definition.parameters.size());
    for (const auto& parameter : m_definition.parameters)
        names.push_back(heap.text(parameter.text));
    return heap.tuple(std::move(names));
}

} // namespace engine::jinja
