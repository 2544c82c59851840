#include "engine/chat/jinja/scope_analysis.h"

#include <algorithm>
#include <unordered_map>

namespace engine::jinja {

namespace {

/// What is known of the names in a scope.
class Symbols {
public:
    explicit Symbols(const Symbols* outer)
        : m_outer(outer)
    {
    }

    void read(NameId name)
    {
        if (!isKnown(name)) m_isHidden[name] = false;
    }
    /// `always`: not only in a branch of an `if`, beside which the name may still come from
    /// outside.
    void write(NameId name, bool always)
    {
        if (m_isHidden.contains(name)) return;
        // Known further out, it begins with the value from there. Otherwise it begins undefined.
        m_isHidden[name] = always && !isKnown(name);
    }
    void declare(NameId name) { m_isHidden[name] = false; }

    std::vector<NameId> hidden() const
    {
        std::vector<NameId> names;
        for (const auto& [name, hidden] : m_isHidden)
            if (hidden) names.push_back(name);
        std::ranges::sort(names);
        return names;
    }

private:
    bool isKnown(NameId name) const
    {
        for (const Symbols* symbols = this; symbols; symbols = symbols->m_outer)
            if (symbols->m_isHidden.contains(name)) return true;
        return false;
    }

    const Symbols* m_outer;
    std::unordered_map<NameId, bool> m_isHidden; // every name the scope knows
};

// --- names in expressions ---

void readNames(Symbols& symbols, const ExpressionPtr& node);

void readNames(Symbols& symbols, const CallArguments& arguments)
{
    for (const ExpressionPtr& argument : arguments.positional)
        readNames(symbols, argument);
    for (const auto& [name, argument] : arguments.named)
        readNames(symbols, argument);
    readNames(symbols, arguments.morePositional);
    readNames(symbols, arguments.moreNamed);
}

template <typename Node>
const Node& as(const ExpressionPtr& node)
{
    return static_cast<const Node&>(*node);
}

template <typename Chain>
void readChain(Symbols& symbols, const Chain& chain)
{
    readNames(symbols, chain.first);
    for (const auto& step : chain.steps)
        readNames(symbols, step.operand);
}

void readConditional(Symbols& symbols, const Conditional& node)
{
    readNames(symbols, node.condition);
    readNames(symbols, node.value);
    readNames(symbols, node.otherwise);
}

void readDict(Symbols& symbols, const DictDisplay& node)
{
    for (const auto& [key, value] : node.entries) {
        readNames(symbols, key);
        readNames(symbols, value);
    }
}

void readNames(Symbols& symbols, const ExpressionPtr& node)
{
    if (!node) return;
    switch (node->kind) {
    case ExpressionKind::Literal:
        return;
    case ExpressionKind::Name:
        symbols.read(as<Name>(node).id);
        return;
    case ExpressionKind::List:
    case ExpressionKind::Tuple:
    case ExpressionKind::And:
    case ExpressionKind::Or:
    case ExpressionKind::Concatenation:
        for (const ExpressionPtr& item : as<Group>(node).items)
            readNames(symbols, item);
        return;
    case ExpressionKind::Dict:
        return readDict(symbols, as<DictDisplay>(node));
    case ExpressionKind::Attribute:
        return readNames(symbols, as<Attribute>(node).owner);
    case ExpressionKind::Item:
        readNames(symbols, as<Item>(node).owner);
        return readNames(symbols, as<Item>(node).key);
    case ExpressionKind::Slice:
        readNames(symbols, as<Slice>(node).first);
        readNames(symbols, as<Slice>(node).last);
        return readNames(symbols, as<Slice>(node).step);
    case ExpressionKind::Call:
        readNames(symbols, as<Call>(node).callee);
        return readNames(symbols, as<Call>(node).arguments);
    case ExpressionKind::Filter:
    case ExpressionKind::Test:
        readNames(symbols, as<Application>(node).subject);
        return readNames(symbols, as<Application>(node).arguments);
    case ExpressionKind::Not:
    case ExpressionKind::Sign:
        return readNames(symbols, as<Prefix>(node).operand);
    case ExpressionKind::Arithmetic:
        return readChain(symbols, as<Arithmetic>(node));
    case ExpressionKind::Comparison:
        return readChain(symbols, as<ComparisonChain>(node));
    case ExpressionKind::Conditional:
        return readConditional(symbols, as<Conditional>(node));
    }
}

// --- names in statements ---

void writeTarget(Symbols& symbols, const Target& target, bool always)
{
    for (const Target& part : target.parts)
        writeTarget(symbols, part, always);
    if (!target.parts.empty()) return;
    if (target.attribute.isNone())
        symbols.write(target.name, always);
    else
        symbols.read(target.name);
}

void declareTarget(Symbols& symbols, const Target& target)
{
    for (const Target& part : target.parts)
        declareTarget(symbols, part);
    if (target.parts.empty()) symbols.declare(target.name);
}

void collect(Symbols& symbols, const Body& body, bool always);

void collectIf(Symbols& symbols, const If& node)
{
    for (const If::Branch& branch : node.branches) {
        readNames(symbols, branch.condition);
        collect(symbols, branch.body, false);
    }
    collect(symbols, node.otherwise, false);
}

/// The names a statement reads and writes in the scope around it; not those inside its own scopes.
void collectStatement(Symbols& symbols, const Statement& statement, bool always)
{
    switch (statement.kind) {
    case StatementKind::Output:
        for (const Output::Part& part : static_cast<const Output&>(statement).parts)
            readNames(symbols, part.expression);
        return;
    case StatementKind::If:
        return collectIf(symbols, static_cast<const If&>(statement));
    case StatementKind::For:
        return readNames(symbols, static_cast<const For&>(statement).iterable);
    case StatementKind::Set:
        readNames(symbols, static_cast<const Set&>(statement).value);
        return writeTarget(symbols, static_cast<const Set&>(statement).target, always);
    case StatementKind::SetBlock:
        return writeTarget(symbols, static_cast<const SetBlock&>(statement).target, always);
    case StatementKind::Macro:
        return symbols.write(static_cast<const MacroStatement&>(statement).name, always);
    case StatementKind::CallBlock: {
        const auto& call = *static_cast<const CallBlock&>(statement).call;
        readNames(symbols, call.callee);
        return readNames(symbols, call.arguments);
    }
    case StatementKind::FilterBlock:
        return readNames(symbols, static_cast<const FilterBlock&>(statement).filter);
    case StatementKind::With:
        for (const auto& [target, value] : static_cast<const With&>(statement).variables)
            readNames(symbols, value);
        return;
    case StatementKind::Autoescape:
        return readNames(symbols, static_cast<const Autoescape&>(statement).condition);
    case StatementKind::Scope:
    case StatementKind::Generation:
    case StatementKind::Break:
    case StatementKind::Continue:
    case StatementKind::Fail:
        return;
    }
}

void collect(Symbols& symbols, const Body& body, bool always)
{
    for (const StatementPtr& statement : body)
        collectStatement(symbols, *statement, always);
}

// --- scopes inside scopes ---

void hideInside(const Symbols& symbols, Body& body);

/// `symbols` knows what the scope begins with.
void hideScope(Symbols& symbols, ScopedBody& scoped)
{
    collect(symbols, scoped.statements, true);
    scoped.hidden = symbols.hidden();
    hideInside(symbols, scoped.statements);
}

void hidePlain(const Symbols& outer, ScopedBody& scoped)
{
    Symbols symbols(&outer);
    hideScope(symbols, scoped);
}

void hideMacro(const Symbols& outer, MacroDefinition& macro)
{
    Symbols symbols(&outer);
    for (const auto& parameter : macro.parameters)
        symbols.declare(parameter.name);
    for (const auto& parameter : macro.parameters)
        readNames(symbols, parameter.fallback);
    hideScope(symbols, macro.body);
}

void hideFor(const Symbols& outer, For& node)
{
    Symbols symbols(&outer);
    declareTarget(symbols, node.target);
    hideScope(symbols, node.body);
    hidePlain(outer, node.otherwise);
}

void hideWith(const Symbols& outer, With& node)
{
    Symbols symbols(&outer);
    for (const auto& [target, value] : node.variables)
        declareTarget(symbols, target);
    hideScope(symbols, node.body);
}

void hideIf(const Symbols& symbols, If& node)
{
    for (If::Branch& branch : node.branches)
        hideInside(symbols, branch.body);
    hideInside(symbols, node.otherwise);
}

void hideInStatement(const Symbols& symbols, Statement& statement)
{
    switch (statement.kind) {
    case StatementKind::If:
        return hideIf(symbols, static_cast<If&>(statement));
    case StatementKind::For:
        return hideFor(symbols, static_cast<For&>(statement));
    case StatementKind::SetBlock:
        return hidePlain(symbols, static_cast<SetBlock&>(statement).body);
    case StatementKind::Macro:
        return hideMacro(symbols, static_cast<MacroStatement&>(statement).macro);
    case StatementKind::CallBlock:
        return hideMacro(symbols, static_cast<CallBlock&>(statement).caller);
    case StatementKind::FilterBlock:
        return hidePlain(symbols, static_cast<FilterBlock&>(statement).body);
    case StatementKind::With:
        return hideWith(symbols, static_cast<With&>(statement));
    case StatementKind::Scope:
        return hidePlain(symbols, static_cast<ScopeStatement&>(statement).body);
    case StatementKind::Generation:
        return hideMacro(symbols, static_cast<Generation&>(statement).macro);
    case StatementKind::Autoescape:
        return hidePlain(symbols, static_cast<Autoescape&>(statement).body);
    default:
        return;
    }
}

void hideInside(const Symbols& symbols, Body& body)
{
    for (const StatementPtr& statement : body)
        hideInStatement(symbols, *statement);
}

} // namespace

void hideNames(ScopedBody& root)
{
    Symbols symbols(nullptr);
    hideScope(symbols, root);
}

} // namespace engine::jinja
