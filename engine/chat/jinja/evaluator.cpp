#include "engine/chat/jinja/evaluator.h"

#include "engine/chat/jinja/attributes.h"
#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/escape.h"
#include "engine/chat/jinja/number.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"

#include <cmath>
#include <format>

namespace engine::jinja {

namespace {

template <typename Node>
const Node& as(const Expression& expression)
{
    return static_cast<const Node&>(expression);
}

/// Minus zero too.
bool isNegative(Value value)
{
    if (value.is(Kind::Float)) return std::signbit(value.number());
    return isWhole(value) && wholeOf(value).isNegative();
}

} // namespace

Outcome<Value> Evaluator::evaluate(const Expression& expression, const Scope& scope)
{
    if (expression.kind == ExpressionKind::Literal) return as<Literal>(expression).value;
    if (expression.kind == ExpressionKind::Name) return lookUp(as<Name>(expression).id, scope);
    Outcome<Value> value = dispatch(expression, scope);
    if (!value && value.error().at.line == 0) value.error().at = expression.at;
    return value;
}

Outcome<Value> Evaluator::dispatch(const Expression& expression, const Scope& scope)
{
    TRY_ASSIGN(const Nesting nesting, m_runtime.nest());
    TRY(m_runtime.spend());
    switch (expression.kind) {
    case ExpressionKind::List:
    case ExpressionKind::Tuple:
        return display(as<Group>(expression), scope);
    case ExpressionKind::Dict:
        return dict(as<DictDisplay>(expression), scope);
    case ExpressionKind::Attribute:
        return attribute(as<Attribute>(expression), scope);
    case ExpressionKind::Item:
        return item(as<Item>(expression), scope);
    case ExpressionKind::Call:
        return call(as<Call>(expression), scope);
    case ExpressionKind::Filter:
    case ExpressionKind::Test: {
        const auto& node = as<Application>(expression);
        TRY_ASSIGN(const Value subject, evaluate(*node.subject, scope));
        return apply(node, subject, scope);
    }
    case ExpressionKind::Not: {
        TRY_ASSIGN(const bool condition, holds(*as<Prefix>(expression).operand, scope));
        return Value::boolean(!condition);
    }
    case ExpressionKind::Sign:
        return sign(as<Prefix>(expression), scope);
    case ExpressionKind::Arithmetic:
        return arithmetic(as<Arithmetic>(expression), scope);
    case ExpressionKind::Concatenation:
        return concatenate(as<Group>(expression), scope);
    case ExpressionKind::Comparison:
        return compare(as<ComparisonChain>(expression), scope);
    case ExpressionKind::And:
        return shortCircuit(as<Group>(expression), false, scope);
    case ExpressionKind::Or:
        return shortCircuit(as<Group>(expression), true, scope);
    case ExpressionKind::Conditional:
        return conditional(as<Conditional>(expression), scope);
    case ExpressionKind::Literal:
    case ExpressionKind::Name:
    case ExpressionKind::Slice:
        break;
    }
    return failure("a slice is no value");
}

Outcome<bool> Evaluator::holds(const Expression& condition, const Scope& scope)
{
    TRY_ASSIGN(const Value value, evaluate(condition, scope));
    return truth(value);
}

Value Evaluator::lookUp(NameId name, const Scope& scope)
{
    const Value* found = scope.find(name);
    return found ? *found : lookUpOutside(name);
}

Value Evaluator::lookUpOutside(NameId name)
{
    std::optional<Value>& known = m_outside[name];
    if (known) return *known;
    const std::string& text = m_names[name];
    if (const Value* variable = m_variables.find(text))
        known = *variable;
    else if (const Builtin* function = findGlobal(text))
        known = Value::of(m_runtime.heap().make<BuiltinValue>(*function, Value::none(), false));
    else
        known = undefinedName(name);
    return *known;
}

Value Evaluator::undefinedName(NameId name)
{
    std::optional<Value>& known = m_undefined[name];
    if (!known)
        known = Value::of(m_runtime.heap().make<Undefined>(Undefined::Reason::Name, m_names[name]));
    return *known;
}

Outcome<Value> Evaluator::display(const Group& group, const Scope& scope)
{
    std::vector<Value> items;
    items.reserve(group.items.size());
    for (const ExpressionPtr& item : group.items) {
        TRY_ASSIGN(const Value value, evaluate(*item, scope));
        items.push_back(value);
    }
    return group.kind == ExpressionKind::List ? m_runtime.heap().list(std::move(items))
                                              : m_runtime.heap().tuple(std::move(items));
}

Outcome<Value> Evaluator::dict(const DictDisplay& display, const Scope& scope)
{
    auto* dict = m_runtime.heap().make<Dict>();
    for (const auto& [keyNode, valueNode] : display.entries) {
        TRY_ASSIGN(const Value key, evaluate(*keyNode, scope));
        TRY_ASSIGN(const Value value, evaluate(*valueNode, scope));
        TRY(m_runtime.insert(*dict, key, value));
    }
    return Value::of(dict);
}

Outcome<Value> Evaluator::attribute(const Attribute& node, const Scope& scope)
{
    TRY_ASSIGN(const Value owner, evaluate(*node.owner, scope));
    return attributeOf(m_runtime, owner, node.name);
}

Outcome<Value> Evaluator::item(const Item& node, const Scope& scope)
{
    TRY_ASSIGN(const Value owner, evaluate(*node.owner, scope));
    if (node.key->kind == ExpressionKind::Slice) return slice(owner, as<Slice>(*node.key), scope);
    TRY_ASSIGN(const Value key, evaluate(*node.key, scope));
    return itemOf(m_runtime, owner, key);
}

Outcome<Value> Evaluator::slice(Value owner, const Slice& slice, const Scope& scope)
{
    Value parts[3];
    const Expression* const nodes[3] = {slice.first.get(), slice.last.get(), slice.step.get()};
    for (std::size_t i = 0; i < 3; ++i) {
        if (!nodes[i]) continue;
        TRY_ASSIGN(parts[i], evaluate(*nodes[i], scope));
    }
    return sliceOf(m_runtime, owner, parts[0], parts[1], parts[2]);
}

Outcome<Arguments> Evaluator::argumentsOf(const CallArguments& nodes, const Scope& scope)
{
    Arguments arguments;
    for (const ExpressionPtr& node : nodes.positional) {
        TRY_ASSIGN(const Value value, evaluate(*node, scope));
        arguments.positional.push_back(value);
    }
    for (const auto& [name, node] : nodes.named) {
        TRY_ASSIGN(const Value value, evaluate(*node, scope));
        arguments.named.emplace_back(name, value);
    }
    if (nodes.morePositional) {
        TRY_ASSIGN(const Value more, evaluate(*nodes.morePositional, scope));
        TRY_ASSIGN(const std::vector<Value> items, collect(m_runtime, more));
        arguments.positional.insert(arguments.positional.end(), items.begin(), items.end());
    }
    if (nodes.moreNamed) {
        TRY_ASSIGN(const Value more, evaluate(*nodes.moreNamed, scope));
        if (more.isUndefined()) return undefinedFailure(more);
        if (!more.is(Kind::Dict))
            return failure(
                std::format("argument after ** must be a mapping, not {}", typeName(more)));
        for (const Dict::Entry& entry : more.dict().entries()) {
            if (!entry.key.is(Kind::Text)) return failure("keywords must be strings");
            TRY(m_runtime.spend());
            arguments.named.emplace_back(entry.key.text().utf8(), entry.value);
        }
    }
    return arguments;
}

Outcome<Value> Evaluator::call(const Call& node, const Scope& scope)
{
    TRY_ASSIGN(const Value callee, evaluate(*node.callee, scope));
    TRY_ASSIGN(const Arguments arguments, argumentsOf(node.arguments, scope));
    return jinja::call(m_runtime, callee, arguments);
}

Outcome<Value> Evaluator::callWith(const Call& node, const Scope& scope, std::string_view name,
                                   Value value)
{
    TRY_ASSIGN(const Nesting nesting, m_runtime.nest());
    TRY_ASSIGN(const Value callee, evaluate(*node.callee, scope));
    TRY_ASSIGN(Arguments arguments, argumentsOf(node.arguments, scope));
    arguments.named.emplace_back(name, value);
    return located(jinja::call(m_runtime, callee, arguments), node.at);
}

Outcome<Value> Evaluator::apply(const Application& node, Value subject, const Scope& scope)
{
    const bool isTest = node.kind == ExpressionKind::Test;
    if (!node.builtin)
        return failure(
            std::format("No {} named '{}' found.", isTest ? "test" : "filter", node.name));
    TRY_ASSIGN(const Arguments arguments, argumentsOf(node.arguments, scope));
    TRY_ASSIGN(const Value value, invoke(m_runtime, *node.builtin, subject, arguments));
    return node.negated ? Value::boolean(!truth(value)) : value;
}

Outcome<Value> Evaluator::applyFilters(const Expression& filter, Value subject, const Scope& scope)
{
    TRY_ASSIGN(const Nesting nesting, m_runtime.nest());
    const auto& node = as<Application>(filter);
    if (node.subject) {
        TRY_ASSIGN(subject, applyFilters(*node.subject, subject, scope));
    }
    return located(apply(node, subject, scope), node.at);
}

Outcome<Value> Evaluator::sign(const Prefix& node, const Scope& scope)
{
    TRY_ASSIGN(const Value operand, evaluate(*node.operand, scope));
    return node.negative ? negate(m_runtime, operand) : plus(m_runtime, operand);
}

Outcome<Value> Evaluator::arithmetic(const Arithmetic& node, const Scope& scope)
{
    TRY_ASSIGN(Value value, evaluate(*node.first, scope));
    for (const Arithmetic::Step& step : node.steps) {
        TRY_ASSIGN(const Value operand, evaluate(*step.operand, scope));
        const bool signsResult = step.signsResult && isNegative(value);
        if (signsResult) {
            TRY_ASSIGN(value, negate(m_runtime, value));
        }
        TRY_ASSIGN(value,
                   located(jinja::arithmetic(m_runtime, step.operation, value, operand), step.at));
        if (signsResult) {
            TRY_ASSIGN(value, negate(m_runtime, value));
        }
    }
    return value;
}

Outcome<Value> Evaluator::concatenate(const Group& group, const Scope& scope)
{
    TextBuilder out(m_runtime);
    std::vector<Value> parts;
    bool markup = false;
    for (const ExpressionPtr& item : group.items) {
        TRY_ASSIGN(const Value value, evaluate(*item, scope));
        if (const Text* text = value.ifText()) markup |= text->isMarkup();
        parts.push_back(value);
    }
    // Under autoescape, HTML anywhere makes all of it HTML.
    markup &= m_runtime.escapes();
    for (const Value part : parts) {
        if (!markup) {
            TRY(writeText(m_runtime, out, part));
            continue;
        }
        TRY_ASSIGN(const std::string text, toEscapedText(m_runtime, part));
        out.append(text);
    }
    return out.finish(markup);
}

Outcome<Value> Evaluator::compare(const ComparisonChain& node, const Scope& scope)
{
    TRY_ASSIGN(Value left, evaluate(*node.first, scope));
    for (const ComparisonChain::Step& step : node.steps) {
        TRY_ASSIGN(const Value right, evaluate(*step.operand, scope));
        TRY_ASSIGN(const bool holds,
                   located(jinja::compare(m_runtime, step.comparison, left, right), step.at));
        if (!holds) return Value::boolean(false);
        left = right;
    }
    return Value::boolean(true);
}

Outcome<Value> Evaluator::shortCircuit(const Group& group, bool stopAt, const Scope& scope)
{
    Value value;
    for (const ExpressionPtr& item : group.items) {
        TRY_ASSIGN(value, evaluate(*item, scope));
        if (truth(value) == stopAt) break;
    }
    return value;
}

Outcome<Value> Evaluator::conditional(const Conditional& node, const Scope& scope)
{
    TRY_ASSIGN(const bool condition, holds(*node.condition, scope));
    if (condition) return evaluate(*node.value, scope);
    if (node.otherwise) return evaluate(*node.otherwise, scope);
    return undefinedHint(
        m_runtime, std::format("the inline if-expression on line {} evaluated to false and no "
                               "else section was defined.",
                               node.at.line));
}

} // namespace engine::jinja
