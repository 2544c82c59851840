#pragma once

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/scope.h"

#include <optional>
#include <string>
#include <vector>

namespace engine::jinja {

/// Computes expressions. Failures carry the place of the innermost expression that failed.
class Evaluator {
public:
    /// `names`: by NameId. All must outlive the evaluator.
    Evaluator(Runtime& runtime, const std::vector<std::string>& names, const Dict& variables)
        : m_runtime(runtime)
        , m_names(names)
        , m_variables(variables)
        , m_outside(names.size())
        , m_undefined(names.size())
    {
    }

    Outcome<Value> evaluate(const Expression& expression, const Scope& scope);
    Outcome<bool> holds(const Expression& condition, const Scope& scope);
    Outcome<Arguments> argumentsOf(const CallArguments& nodes, const Scope& scope);
    /// Calls what `node` names, with one more named argument.
    Outcome<Value> callWith(const Call& node, const Scope& scope, std::string_view name,
                            Value value);
    /// `filter` as filters() parses it, applied to `subject`.
    Outcome<Value> applyFilters(const Expression& filter, Value subject, const Scope& scope);

    Value lookUp(NameId name, const Scope& scope);
    /// What a variable of that name reads as while there is none.
    Value undefinedName(NameId name);

private:
    Outcome<Value> dispatch(const Expression& expression, const Scope& scope);
    Value lookUpOutside(NameId name);
    Outcome<Value> display(const Group& group, const Scope& scope);
    Outcome<Value> dict(const DictDisplay& display, const Scope& scope);
    Outcome<Value> attribute(const Attribute& node, const Scope& scope);
    Outcome<Value> item(const Item& node, const Scope& scope);
    Outcome<Value> slice(Value owner, const Slice& slice, const Scope& scope);
    Outcome<Value> call(const Call& node, const Scope& scope);
    Outcome<Value> apply(const Application& node, Value subject, const Scope& scope);
    Outcome<Value> sign(const Prefix& node, const Scope& scope);
    Outcome<Value> arithmetic(const Arithmetic& node, const Scope& scope);
    Outcome<Value> concatenate(const Group& group, const Scope& scope);
    Outcome<Value> compare(const ComparisonChain& node, const Scope& scope);
    Outcome<Value> shortCircuit(const Group& group, bool stopAt, const Scope& scope);
    Outcome<Value> conditional(const Conditional& node, const Scope& scope);

    Runtime& m_runtime;
    const std::vector<std::string>& m_names;
    const Dict& m_variables;
    std::vector<std::optional<Value>> m_outside; // by NameId: what no scope defines, once found
    std::vector<std::optional<Value>> m_undefined;
};

} // namespace engine::jinja
