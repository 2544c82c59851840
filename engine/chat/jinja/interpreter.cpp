#include "engine/chat/jinja/interpreter.h"

#include "engine/chat/jinja/attributes.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"

#include <algorithm>
#include <format>

namespace engine::jinja {

namespace {

template <typename Node>
const Node& as(const Statement& statement)
{
    return static_cast<const Node&>(statement);
}

/// One beyond the last where the template does not use the name: then nothing reads it.
NameId idOf(const std::vector<std::string>& names, std::string_view name)
{
    return static_cast<NameId>(std::ranges::find(names, name) - names.begin());
}

} // namespace

Interpreter::Interpreter(const ParsedTemplate& parsed, Runtime& runtime, const Dict& variables)
    : m_template(parsed)
    , m_runtime(runtime)
    , m_evaluator(runtime, parsed.names, variables)
    , m_loopName(idOf(parsed.names, "loop"))
    , m_callerName(idOf(parsed.names, "caller"))
    , m_varargsName(idOf(parsed.names, "varargs"))
    , m_kwargsName(idOf(parsed.names, "kwargs"))
{
}

Outcome<std::string> Interpreter::run()
{
    TextBuilder out(m_runtime);
    m_out = &out;
    TRY(execute(m_template.root.statements, newScope(m_template.root, nullptr)));
    return out.take();
}

Scope& Interpreter::newScope(const ScopedBody& body, Scope* parent)
{
    auto* scope = m_runtime.heap().make<Scope>(parent);
    enter(body, *scope);
    return *scope;
}

void Interpreter::enter(const ScopedBody& body, Scope& scope)
{
    for (const NameId name : body.hidden)
        scope.set(name, m_evaluator.undefinedName(name));
}

Outcome<Interpreter::Flow> Interpreter::execute(const Body& body, Scope& scope)
{
    for (const StatementPtr& statement : body) {
        Outcome<Flow> flow = executeOne(*statement, scope);
        if (!flow && flow.error().at.line == 0) flow.error().at = statement->at;
        if (!flow || *flow != Flow::Next) return flow;
    }
    return Flow::Next;
}

Outcome<Interpreter::Flow> Interpreter::executeOne(const Statement& statement, Scope& scope)
{
    TRY_ASSIGN(const Nesting nesting, m_runtime.nest());
    TRY(m_runtime.spend());
    switch (statement.kind) {
    case StatementKind::Output:
        return output(as<Output>(statement), scope);
    case StatementKind::If:
        return branch(as<If>(statement), scope);
    case StatementKind::For: {
        const auto& node = as<For>(statement);
        TRY_ASSIGN(const Value iterable, m_evaluator.evaluate(*node.iterable, scope));
        return loop(node, scope, iterable, 0);
    }
    case StatementKind::Set:
        return set(as<Set>(statement), scope);
    case StatementKind::SetBlock:
        return setBlock(as<SetBlock>(statement), scope);
    case StatementKind::Macro:
        return defineMacro(as<MacroStatement>(statement), scope);
    case StatementKind::CallBlock:
        return callBlock(as<CallBlock>(statement), scope);
    case StatementKind::FilterBlock:
        return filterBlock(as<FilterBlock>(statement), scope);
    case StatementKind::With:
        return with(as<With>(statement), scope);
    case StatementKind::Scope:
        return executeScoped(as<ScopeStatement>(statement).body, scope);
    case StatementKind::Generation:
        return generation(as<Generation>(statement), scope);
    case StatementKind::Autoescape:
        return autoescape(as<Autoescape>(statement), scope);
    case StatementKind::Break:
        return Flow::Break;
    case StatementKind::Continue:
        return Flow::Continue;
    case StatementKind::Fail:
        return failure(as<Fail>(statement).message);
    }
    return Flow::Next;
}

Outcome<Interpreter::Flow> Interpreter::executeScoped(const ScopedBody& body, Scope& scope)
{
    return execute(body.statements, newScope(body, &scope));
}

Outcome<void> Interpreter::checkOutput() const
{
    if (m_out->isFull())
        return overLimit(std::format("the template writes more than {} MiB",
                                     m_runtime.limits().textBytes >> 20U));
    return {};
}

Outcome<void> Interpreter::emit(Value value)
{
    if (m_runtime.escapes()) {
        TRY_ASSIGN(const std::string text, toEscapedText(m_runtime, value));
        m_out->append(text);
    } else {
        TRY(writeText(m_runtime, *m_out, value));
    }
    return checkOutput();
}

/// What a filter or call block gives is written as it is, so it must be text.
Outcome<void> Interpreter::emitText(Value value)
{
    if (!value.is(Kind::Text))
        return failure(std::format("expected str instance, {} found", typeName(value)));
    return emit(value);
}

Outcome<Interpreter::Flow> Interpreter::output(const Output& node, Scope& scope)
{
    for (const Output::Part& part : node.parts) {
        if (!part.expression) {
            TRY(m_runtime.spendBytes(part.text.size()));
            m_out->append(part.text);
            TRY(checkOutput());
            continue;
        }
        TRY_ASSIGN(const Value value, m_evaluator.evaluate(*part.expression, scope));
        TRY(located(emit(value), part.expression->at));
    }
    return Flow::Next;
}

Outcome<Interpreter::Flow> Interpreter::branch(const If& node, Scope& scope)
{
    for (const If::Branch& branch : node.branches) {
        TRY_ASSIGN(const bool holds, m_evaluator.holds(*branch.condition, scope));
        if (holds) return execute(branch.body, scope);
    }
    return execute(node.otherwise, scope);
}

Outcome<bool> Interpreter::passesFilter(const For& node, Scope& scope, Value item)
{
    Scope inner(&scope);
    TRY(assign(node.target, item, inner));
    return m_evaluator.holds(*node.filter, inner);
}

Outcome<Interpreter::Flow> Interpreter::loop(const For& node, Scope& scope, Value iterable,
                                             int depth)
{
    TRY_ASSIGN(IteratorPtr items, located(iterate(m_runtime, iterable), node.iterable->at));
    if (node.filter) {
        items = std::make_unique<FilteredIterator>(*this, node, scope, std::move(items));
        iterable = Value::none();
    }
    bool completed = false;
    if (node.usesLoop) {
        if (node.recursive) scope.keep();
        auto* context = m_runtime.heap().make<LoopContext>(*this, node, scope, iterable,
                                                           std::move(items), depth);
        TRY_ASSIGN(completed, iterateBody(node, scope, *context));
    } else {
        LoopContext context(*this, node, scope, iterable, std::move(items), depth);
        TRY_ASSIGN(completed, iterateBody(node, scope, context));
    }
    return completed ? Outcome<Flow>(Flow::Next) : executeScoped(node.otherwise, scope);
}

Outcome<bool> Interpreter::iterateBody(const For& node, Scope& scope, LoopContext& context)
{
    bool completed = false;
    Scope* body = nullptr;
    for (;;) {
        TRY_ASSIGN(const std::optional<Value> item, context.advance(m_runtime));
        if (!item) return completed;
        if (!body || body->isKept()) {
            body = &newScope(node.body, &scope);
        } else {
            body->clear();
            enter(node.body, *body);
        }
        if (node.usesLoop) body->set(m_loopName, Value::of(&context));
        TRY(assign(node.target, *item, *body));
        TRY_ASSIGN(const Flow flow, execute(node.body.statements, *body));
        if (flow == Flow::Break) return completed;
        completed |= flow == Flow::Next;
    }
}

Outcome<Value> Interpreter::repeatLoop(const For& node, Scope& scope, Value iterable, int depth)
{
    TRY_ASSIGN(const Nesting nesting, m_runtime.nest());
    TextBuilder buffer(m_runtime);
    TextBuilder* const outer = std::exchange(m_out, &buffer);
    const Outcome<Flow> flow = loop(node, scope, iterable, depth);
    m_out = outer;
    TRY(flow);
    return buffer.finish(m_runtime.escapes());
}

Outcome<void> Interpreter::assign(const Target& target, Value value, Scope& scope)
{
    if (!target.parts.empty()) return located(assignParts(target, value, scope), target.at);
    if (target.attribute.isNone()) {
        scope.set(target.name, value);
        return {};
    }
    const Value owner = m_evaluator.lookUp(target.name, scope);
    auto* space = owner.ifInstance<Namespace>();
    if (!space)
        return located(Outcome<void>(failure("cannot assign attribute on non-namespace object")),
                       target.at);
    return m_runtime.insert(space->attributes(), target.attribute, value);
}

Outcome<void> Interpreter::assignParts(const Target& target, Value value, Scope& scope)
{
    if (!isIterable(value))
        return failure(std::format("cannot unpack non-iterable {} object", typeName(value)));
    TRY_ASSIGN(const IteratorPtr items, iterate(m_runtime, value));
    const std::size_t wanted = target.parts.size();
    std::vector<Value> parts;
    for (;;) {
        TRY_ASSIGN(const std::optional<Value> item, items->next(m_runtime));
        if (!item) break;
        if (parts.size() == wanted)
            return failure(std::format("too many values to unpack (expected {})", wanted));
        parts.push_back(*item);
    }
    if (parts.size() < wanted)
        return failure(
            std::format("not enough values to unpack (expected {}, got {})", wanted, parts.size()));
    for (std::size_t i = 0; i < wanted; ++i)
        TRY(assign(target.parts[i], parts[i], scope));
    return {};
}

Outcome<Interpreter::Flow> Interpreter::set(const Set& node, Scope& scope)
{
    TRY_ASSIGN(const Value value, m_evaluator.evaluate(*node.value, scope));
    TRY(assign(node.target, value, scope));
    return Flow::Next;
}

Outcome<Interpreter::Captured> Interpreter::capture(const ScopedBody& body, Scope& scope)
{
    TextBuilder buffer(m_runtime);
    TextBuilder* const outer = std::exchange(m_out, &buffer);
    const Outcome<Flow> flow = execute(body.statements, scope);
    m_out = outer;
    if (!flow) return std::unexpected(flow.error());
    Captured captured{*flow, {}};
    TRY_ASSIGN(captured.text, buffer.finish(m_runtime.escapes()));
    return captured;
}

Outcome<Interpreter::Flow> Interpreter::setBlock(const SetBlock& node, Scope& scope)
{
    Scope& inner = newScope(node.body, &scope);
    TRY_ASSIGN(Captured captured, capture(node.body, inner));
    if (captured.flow != Flow::Next) return captured.flow;
    if (node.filter) {
        TRY_ASSIGN(captured.text, m_evaluator.applyFilters(*node.filter, captured.text, inner));
    }
    TRY(assign(node.target, captured.text, scope));
    return Flow::Next;
}

Outcome<Interpreter::Flow> Interpreter::filterBlock(const FilterBlock& node, Scope& scope)
{
    Scope& inner = newScope(node.body, &scope);
    TRY_ASSIGN(const Captured captured, capture(node.body, inner));
    if (captured.flow != Flow::Next) return captured.flow;
    TRY_ASSIGN(const Value filtered, m_evaluator.applyFilters(*node.filter, captured.text, inner));
    TRY(emitText(filtered));
    return Flow::Next;
}

Outcome<Interpreter::Flow> Interpreter::defineMacro(const MacroStatement& node, Scope& scope)
{
    scope.keep();
    scope.set(node.name, Value::of(m_runtime.heap().make<Macro>(*this, node.macro, scope, false)));
    return Flow::Next;
}

Outcome<Interpreter::Flow> Interpreter::callBlock(const CallBlock& node, Scope& scope)
{
    scope.keep();
    const Value caller = Value::of(m_runtime.heap().make<Macro>(*this, node.caller, scope, true));
    TRY_ASSIGN(const Value value, m_evaluator.callWith(*node.call, scope, "caller", caller));
    TRY(emitText(value));
    return Flow::Next;
}

Outcome<Interpreter::Flow> Interpreter::generation(const Generation& node, Scope& scope)
{
    TRY_ASSIGN(const Value text, callMacro(node.macro, scope, {}));
    TRY(emitText(text));
    return Flow::Next;
}

Outcome<Interpreter::Flow> Interpreter::with(const With& node, Scope& scope)
{
    std::vector<Value> values;
    for (const auto& [target, expression] : node.variables) {
        TRY_ASSIGN(const Value value, m_evaluator.evaluate(*expression, scope));
        values.push_back(value);
    }
    Scope& inner = newScope(node.body, &scope);
    for (std::size_t i = 0; i < values.size(); ++i)
        TRY(assign(node.variables[i].first, values[i], inner));
    return execute(node.body.statements, inner);
}

Outcome<Interpreter::Flow> Interpreter::autoescape(const Autoescape& node, Scope& scope)
{
    TRY_ASSIGN(const bool on, m_evaluator.holds(*node.condition, scope));
    const bool outer = m_runtime.escapes();
    m_runtime.setEscapes(on);
    Outcome<Flow> flow = executeScoped(node.body, scope);
    m_runtime.setEscapes(outer);
    return flow;
}

Outcome<Value> Interpreter::callMacro(const MacroDefinition& macro, Scope& closure,
                                      const Arguments& arguments)
{
    TRY_ASSIGN(const Nesting nesting, m_runtime.nest());
    Scope& scope = newScope(macro.body, &closure);
    TRY(bindParameters(macro, arguments, scope));
    TRY_ASSIGN(const Captured captured, capture(macro.body, scope));
    return captured.text;
}

Outcome<void> Interpreter::bindParameters(const MacroDefinition& macro, const Arguments& arguments,
                                          Scope& scope)
{
    const std::size_t parameters = macro.parameters.size();
    std::vector<bool> used(arguments.named.size(), false);
    const auto named = [&](std::string_view name) -> const Value* {
        for (std::size_t i = 0; i < arguments.named.size(); ++i) {
            if (arguments.named[i].first != name) continue;
            used[i] = true;
            return &arguments.named[i].second;
        }
        return nullptr;
    };
    for (std::size_t i = 0; i < parameters; ++i) {
        const auto& parameter = macro.parameters[i];
        const Value* given =
            i < arguments.positional.size() ? &arguments.positional[i] : named(parameter.text);
        Value value = undefinedHint(m_runtime,
                                    std::format("parameter '{}' was not provided", parameter.text));
        if (given) {
            value = *given;
        } else if (parameter.fallback) {
            TRY_ASSIGN(value, m_evaluator.evaluate(*parameter.fallback, scope));
        }
        scope.set(parameter.name, value);
    }
    if (macro.usesCaller) {
        const Value* caller = named("caller");
        scope.set(m_callerName, caller ? *caller : undefinedHint(m_runtime, "No caller defined"));
    }
    if (macro.usesKwargs) {
        auto* rest = m_runtime.heap().make<Dict>();
        for (std::size_t i = 0; i < used.size(); ++i)
            if (!used[i])
                m_runtime.insert(*rest, arguments.named[i].first, arguments.named[i].second);
        scope.set(m_kwargsName, Value::of(rest));
    } else if (const auto extra = std::ranges::find(used, false); extra != used.end()) {
        return failure(
            std::format("macro '{}' takes no keyword argument '{}'", macro.name,
                        arguments.named[static_cast<std::size_t>(extra - used.begin())].first));
    }
    const std::size_t positional = arguments.positional.size();
    if (macro.usesVarargs) {
        const auto first = static_cast<std::ptrdiff_t>(std::min(parameters, positional));
        scope.set(m_varargsName, m_runtime.heap().tuple({arguments.positional.begin() + first,
                                                         arguments.positional.end()}));
    } else if (positional > parameters) {
        return failure(
            std::format("macro '{}' takes not more than {} argument(s)", macro.name, parameters));
    }
    return {};
}

} // namespace engine::jinja
