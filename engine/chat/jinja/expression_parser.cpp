#include "engine/chat/jinja/expression_parser.h"

#include <algorithm>
#include <format>

namespace engine::jinja {

namespace {

constexpr int kMostNested = 120;

int heightOf(const ExpressionPtr& node)
{
    return node ? node->height : 0;
}

int heightOf(const CallArguments& arguments)
{
    int height = std::max(heightOf(arguments.morePositional), heightOf(arguments.moreNamed));
    for (const ExpressionPtr& argument : arguments.positional)
        height = std::max(height, heightOf(argument));
    for (const auto& [name, argument] : arguments.named)
        height = std::max(height, heightOf(argument));
    return height;
}

/// A number that Jinja2 computes before it renders.
bool isConstant(const Expression& node)
{
    switch (node.kind) {
    case ExpressionKind::Literal:
        return true;
    case ExpressionKind::Sign:
        return isConstant(*static_cast<const Prefix&>(node).operand);
    case ExpressionKind::Arithmetic: {
        const auto& chain = static_cast<const Arithmetic&>(node);
        return isConstant(*chain.first) &&
               std::ranges::all_of(chain.steps, [](const Arithmetic::Step& step) {
                   return isConstant(*step.operand);
               });
    }
    default:
        return false;
    }
}

} // namespace

NameId NameTable::idOf(std::string_view name)
{
    const auto [place, isNew] =
        m_ids.try_emplace(std::string(name), static_cast<NameId>(m_names.size()));
    if (isNew) m_names.emplace_back(name);
    return place->second;
}

Outcome<Nesting> ExpressionParser::nest()
{
    if (m_depth >= kMostNested || m_stack.isSpent())
        return std::unexpected(
            Failure{FailureKind::Limit, "nested too deeply", m_tokens.current().at});
    return Nesting(m_depth);
}

Outcome<ExpressionPtr> ExpressionParser::finished(ExpressionPtr node, int childHeight)
{
    node->height = childHeight + 1;
    if (node->height > 2 * kMostNested)
        return std::unexpected(
            Failure{FailureKind::Limit, "an expression has too many parts in a row", node->at});
    return node;
}

Value ExpressionParser::literalText(std::string_view text)
{
    const auto [place, isNew] = m_texts.try_emplace(std::string(text));
    if (isNew) place->second = m_literals.text(std::string(text));
    return place->second;
}

Outcome<ExpressionPtr> ExpressionParser::expression(bool allowConditional)
{
    TRY_ASSIGN(const Nesting nesting, nest());
    if (!allowConditional) return operation(Precedence::Or);
    const std::size_t missing = m_missing.size();
    TRY_ASSIGN(ExpressionPtr node, operation(Precedence::Or));
    while (m_tokens.isName("if")) {
        auto conditional = std::make_unique<Conditional>(m_tokens.take().at);
        conditional->value = std::move(node);
        TRY_ASSIGN(conditional->condition, operation(Precedence::Or));
        if (m_tokens.skipName("else")) {
            TRY_ASSIGN(conditional->otherwise, expression());
        }
        m_missing.resize(missing); // whether a part is used shows only when it is
        const int height = std::max({heightOf(conditional->value), heightOf(conditional->condition),
                                     heightOf(conditional->otherwise)});
        TRY_ASSIGN(node, finished(std::move(conditional), height));
    }
    return node;
}

/// An operand and every operator behind it that binds at least so tightly.
Outcome<ExpressionPtr> ExpressionParser::operation(Precedence least)
{
    ExpressionPtr node;
    if (m_tokens.isName("not") && least <= Precedence::Not) {
        TRY_ASSIGN(node, negation());
    } else {
        TRY_ASSIGN(node, sign(true));
    }
    for (;;) {
        const InfixOperator* next = infixOperatorAt(m_tokens);
        if (!next || next->precedence < least) return node;
        TRY_ASSIGN(node, joined(std::move(node), *next));
    }
}

/// `first` with every operand that operators of this level join to it.
Outcome<ExpressionPtr> ExpressionParser::joined(ExpressionPtr first, const InfixOperator& next)
{
    switch (next.precedence) {
    case Precedence::Or:
        return group(ExpressionKind::Or, std::move(first));
    case Precedence::And:
        return group(ExpressionKind::And, std::move(first));
    case Precedence::Concatenation:
        return group(ExpressionKind::Concatenation, std::move(first));
    case Precedence::Comparison:
        return comparison(std::move(first));
    default:
        return arithmetic(std::move(first));
    }
}

Outcome<ExpressionPtr> ExpressionParser::negation()
{
    TRY_ASSIGN(const Nesting nesting, nest());
    auto node = std::make_unique<Prefix>(ExpressionKind::Not, m_tokens.take().at);
    TRY_ASSIGN(node->operand, operation(Precedence::Not));
    const int height = heightOf(node->operand);
    return finished(std::move(node), height);
}

Outcome<ExpressionPtr> ExpressionParser::group(ExpressionKind kind, ExpressionPtr first)
{
    const InfixOperator* const joining = infixOperatorAt(m_tokens);
    auto node = std::make_unique<Group>(kind, m_tokens.current().at);
    int height = heightOf(first);
    node->items.push_back(std::move(first));
    while (infixOperatorAt(m_tokens) == joining) {
        m_tokens.take();
        TRY_ASSIGN(ExpressionPtr operand, operation(tighter(joining->precedence)));
        height = std::max(height, heightOf(operand));
        node->items.push_back(std::move(operand));
    }
    return finished(std::move(node), height);
}

Outcome<ExpressionPtr> ExpressionParser::comparison(ExpressionPtr first)
{
    auto node = std::make_unique<ComparisonChain>(m_tokens.current().at);
    int height = heightOf(first);
    node->first = std::move(first);
    for (;;) {
        const InfixOperator* const next = infixOperatorAt(m_tokens);
        if (!next || next->precedence != Precedence::Comparison) break;
        const Position at = m_tokens.take().at;
        if (next->comparison == Comparison::NotIn) m_tokens.take();
        TRY_ASSIGN(ExpressionPtr operand, operation(tighter(Precedence::Comparison)));
        height = std::max(height, heightOf(operand));
        node->steps.push_back({next->comparison, at, std::move(operand)});
    }
    return finished(std::move(node), height);
}

Outcome<ExpressionPtr> ExpressionParser::arithmetic(ExpressionPtr first)
{
    const Precedence level = infixOperatorAt(m_tokens)->precedence;
    auto node = std::make_unique<Arithmetic>(m_tokens.current().at);
    int height = heightOf(first);
    bool constant = isConstant(*first);
    node->first = std::move(first);
    for (;;) {
        const InfixOperator* const next = infixOperatorAt(m_tokens);
        if (!next || next->precedence != level) break;
        const Position at = m_tokens.take().at;
        TRY_ASSIGN(ExpressionPtr operand, operation(tighter(level)));
        height = std::max(height, heightOf(operand));
        const bool signsResult =
            constant && next->arithmetic == BinaryOperator::Power && !isConstant(*operand);
        constant &= isConstant(*operand);
        node->steps.push_back({next->arithmetic, at, std::move(operand), signsResult});
    }
    return finished(std::move(node), height);
}

Outcome<ExpressionPtr> ExpressionParser::sign(bool allowFilters)
{
    ExpressionPtr node;
    if (m_tokens.isOperator("-") || m_tokens.isOperator("+")) {
        TRY_ASSIGN(const Nesting nesting, nest());
        const Token& token = m_tokens.take();
        auto prefix = std::make_unique<Prefix>(ExpressionKind::Sign, token.at);
        prefix->negative = token.text == "-";
        TRY_ASSIGN(prefix->operand, sign(false));
        const int height = heightOf(prefix->operand);
        TRY_ASSIGN(node, finished(std::move(prefix), height));
    } else {
        TRY_ASSIGN(node, primary());
    }
    TRY_ASSIGN(node, postfix(std::move(node)));
    return allowFilters ? applied(std::move(node)) : Outcome<ExpressionPtr>(std::move(node));
}

Outcome<ExpressionPtr> ExpressionParser::postfix(ExpressionPtr node)
{
    for (;;) {
        if (m_tokens.isOperator(".") || m_tokens.isOperator("[")) {
            TRY_ASSIGN(node, step(std::move(node)));
        } else if (m_tokens.isOperator("(")) {
            TRY_ASSIGN(node, call(std::move(node)));
        } else {
            return node;
        }
    }
}

Outcome<ExpressionPtr> ExpressionParser::applied(ExpressionPtr node)
{
    for (;;) {
        if (m_tokens.skipOperator("|")) {
            TRY_ASSIGN(node, filter(std::move(node)));
        } else if (m_tokens.isName("is")) {
            TRY_ASSIGN(node, test(std::move(node)));
        } else if (m_tokens.isOperator("(")) {
            TRY_ASSIGN(node, call(std::move(node)));
        } else {
            return node;
        }
    }
}

Outcome<ExpressionPtr> ExpressionParser::step(ExpressionPtr owner)
{
    return m_tokens.isOperator(".") ? attribute(std::move(owner)) : item(std::move(owner));
}

Outcome<ExpressionPtr> ExpressionParser::attribute(ExpressionPtr owner)
{
    m_tokens.take();
    const int height = heightOf(owner);
    const Token& token = m_tokens.current();
    if (token.type == TokenType::Name) {
        auto node = std::make_unique<Attribute>(token.at);
        node->owner = std::move(owner);
        node->name = literalText(m_tokens.take().text);
        return finished(std::move(node), height);
    }
    if (token.type != TokenType::Integer) return m_tokens.fail("expected name or number");
    auto node = std::make_unique<Item>(token.at);
    node->owner = std::move(owner);
    TRY_ASSIGN(node->key, number());
    return finished(std::move(node), height);
}

Outcome<ExpressionPtr> ExpressionParser::item(ExpressionPtr owner)
{
    TRY_ASSIGN(const Nesting nesting, nest());
    auto node = std::make_unique<Item>(m_tokens.take().at);
    std::vector<ExpressionPtr> keys;
    int height = heightOf(owner);
    while (!m_tokens.isOperator("]")) {
        if (!keys.empty()) TRY(m_tokens.expectOperator(","));
        TRY_ASSIGN(ExpressionPtr key, itemKey());
        height = std::max(height, heightOf(key) + 1);
        keys.push_back(std::move(key));
    }
    m_tokens.take();
    node->owner = std::move(owner);
    if (keys.size() == 1) {
        node->key = std::move(keys.front());
    } else {
        auto group = std::make_unique<Group>(ExpressionKind::Tuple, node->at);
        group->items = std::move(keys);
        node->key = std::move(group);
    }
    return finished(std::move(node), height);
}

Outcome<ExpressionPtr> ExpressionParser::itemKey()
{
    const Position at = m_tokens.current().at;
    const auto endsPart = [this] {
        return m_tokens.isOperator(":") || m_tokens.isOperator("]") || m_tokens.isOperator(",");
    };
    ExpressionPtr first;
    if (!m_tokens.isOperator(":")) {
        TRY_ASSIGN(first, expression());
        if (!m_tokens.isOperator(":")) return first;
    }
    m_tokens.take();
    auto slice = std::make_unique<Slice>(at);
    slice->first = std::move(first);
    if (!endsPart()) {
        TRY_ASSIGN(slice->last, expression());
    }
    if (m_tokens.skipOperator(":") && !endsPart()) {
        TRY_ASSIGN(slice->step, expression());
    }
    const int height =
        std::max({heightOf(slice->first), heightOf(slice->last), heightOf(slice->step)});
    return finished(std::move(slice), height);
}

Outcome<ExpressionPtr> ExpressionParser::call(ExpressionPtr callee)
{
    auto node = std::make_unique<Call>(m_tokens.current().at);
    TRY_ASSIGN(node->arguments, arguments());
    const int height = std::max(heightOf(callee), heightOf(node->arguments));
    node->callee = std::move(callee);
    return finished(std::move(node), height);
}

Outcome<CallArguments> ExpressionParser::arguments()
{
    TRY_ASSIGN(const Nesting nesting, nest());
    TRY(m_tokens.expectOperator("("));
    CallArguments arguments;
    bool first = true;
    while (!m_tokens.isOperator(")")) {
        if (!first) {
            TRY(m_tokens.expectOperator(","));
            if (m_tokens.isOperator(")")) break;
        }
        first = false;
        TRY(argument(arguments));
    }
    m_tokens.take();
    return arguments;
}

Outcome<void> ExpressionParser::argument(CallArguments& arguments)
{
    constexpr auto kWrong = "invalid syntax for function call expression";
    if (m_tokens.isOperator("*")) {
        if (arguments.morePositional || arguments.moreNamed) return m_tokens.fail(kWrong);
        m_tokens.take();
        TRY_ASSIGN(arguments.morePositional, expression());
        return {};
    }
    if (m_tokens.isOperator("**")) {
        if (arguments.moreNamed) return m_tokens.fail(kWrong);
        m_tokens.take();
        TRY_ASSIGN(arguments.moreNamed, expression());
        return {};
    }
    if (m_tokens.is(TokenType::Name) && TokenStream::isOperator(m_tokens.ahead(), "=")) {
        if (arguments.moreNamed) return m_tokens.fail(kWrong);
        std::string name(m_tokens.take().text);
        m_tokens.take();
        TRY_ASSIGN(ExpressionPtr value, expression());
        const bool twice = std::ranges::contains(arguments.named, name,
                                                 &std::pair<std::string, ExpressionPtr>::first);
        if (twice) return m_tokens.fail(std::format("keyword argument repeated: {}", name));
        arguments.named.emplace_back(std::move(name), std::move(value));
        return {};
    }
    if (arguments.morePositional || arguments.moreNamed || !arguments.named.empty())
        return m_tokens.fail(kWrong);
    TRY_ASSIGN(ExpressionPtr value, expression());
    arguments.positional.push_back(std::move(value));
    return {};
}

Outcome<std::string> ExpressionParser::dottedName()
{
    TRY_ASSIGN(std::string name, m_tokens.expectAnyName());
    while (m_tokens.skipOperator(".")) {
        TRY_ASSIGN(const std::string part, m_tokens.expectAnyName());
        name += '.';
        name += part;
    }
    return name;
}

Outcome<ExpressionPtr> ExpressionParser::filter(ExpressionPtr subject)
{
    auto node = std::make_unique<Application>(ExpressionKind::Filter, m_tokens.current().at);
    TRY_ASSIGN(node->name, dottedName());
    if (m_tokens.isOperator("(")) {
        TRY_ASSIGN(node->arguments, arguments());
    }
    node->builtin = findFilter(node->name);
    if (!node->builtin) reportMissing(*node, "filter");
    const int height = std::max(heightOf(subject), heightOf(node->arguments));
    node->subject = std::move(subject);
    return finished(std::move(node), height);
}

void ExpressionParser::reportMissing(const Application& node, std::string_view what)
{
    if (m_conditional) return;
    m_missing.push_back(
        {FailureKind::Syntax, std::format("No {} named '{}'.", what, node.name), node.at});
}

Outcome<void> ExpressionParser::checkBuiltins() const
{
    if (!m_missing.empty()) return std::unexpected(m_missing.front());
    return {};
}

Outcome<ExpressionPtr> ExpressionParser::filters(bool behindBar)
{
    if (behindBar) TRY(m_tokens.expectOperator("|"));
    ExpressionPtr node;
    do {
        TRY_ASSIGN(node, filter(std::move(node)));
    } while (m_tokens.skipOperator("|"));
    return node;
}

bool ExpressionParser::beginsTestArgument() const
{
    switch (m_tokens.current().type) {
    case TokenType::Name:
        return !m_tokens.isName("else") && !m_tokens.isName("or") && !m_tokens.isName("and");
    case TokenType::Integer:
    case TokenType::Float:
    case TokenType::String:
        return true;
    default:
        return m_tokens.isOperator("[") || m_tokens.isOperator("{");
    }
}

Outcome<ExpressionPtr> ExpressionParser::test(ExpressionPtr subject)
{
    m_tokens.take(); // is
    auto node = std::make_unique<Application>(ExpressionKind::Test, m_tokens.current().at);
    node->negated = m_tokens.skipName("not");
    TRY_ASSIGN(node->name, dottedName());
    if (m_tokens.isOperator("(")) {
        TRY_ASSIGN(node->arguments, arguments());
    } else if (beginsTestArgument()) {
        if (m_tokens.isName("is")) return m_tokens.fail("You cannot chain multiple tests with is");
        TRY_ASSIGN(ExpressionPtr argument, primary());
        TRY_ASSIGN(argument, postfix(std::move(argument)));
        node->arguments.positional.push_back(std::move(argument));
    }
    node->builtin = findTest(node->name);
    if (!node->builtin) reportMissing(*node, "test");
    const int height = std::max(heightOf(subject), heightOf(node->arguments));
    node->subject = std::move(subject);
    return finished(std::move(node), height);
}

} // namespace engine::jinja
