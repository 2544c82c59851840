// The leaves and displays of ExpressionParser, and what assignments write to.

#include "engine/chat/jinja/expression_parser.h"
#include "engine/chat/jinja/whole_number.h"

#include <algorithm>
#include <charconv>
#include <format>

namespace engine::jinja {

namespace {

std::string withoutUnderscores(std::string_view digits)
{
    std::string plain;
    std::ranges::copy_if(digits, std::back_inserter(plain), [](char c) { return c != '_'; });
    return plain;
}

unsigned baseOf(std::string_view digits)
{
    if (digits.size() < 3 || digits[0] != '0') return 10;
    switch (digits[1] | 0x20) {
    case 'x':
        return 16;
    case 'o':
        return 8;
    case 'b':
        return 2;
    default:
        return 10;
    }
}

std::optional<Value> constantOf(std::string_view name)
{
    if (name == "true" || name == "True") return Value::boolean(true);
    if (name == "false" || name == "False") return Value::boolean(false);
    if (name == "none" || name == "None") return Value::none();
    return std::nullopt;
}

} // namespace

Outcome<ExpressionPtr> ExpressionParser::primary()
{
    switch (m_tokens.current().type) {
    case TokenType::Name:
        return name();
    case TokenType::String:
        return string();
    case TokenType::Integer:
    case TokenType::Float:
        return number();
    default:
        break;
    }
    if (m_tokens.isOperator("(")) return parenthesized();
    if (m_tokens.isOperator("[")) return list();
    if (m_tokens.isOperator("{")) return dict();
    return m_tokens.fail(std::format("unexpected '{}'", describe(m_tokens.current())));
}

Outcome<ExpressionPtr> ExpressionParser::name()
{
    const Token& token = m_tokens.take();
    if (const auto constant = constantOf(token.text))
        return std::make_unique<Literal>(token.at, *constant);
    m_reads.caller |= token.text == "caller";
    m_reads.varargs |= token.text == "varargs";
    m_reads.kwargs |= token.text == "kwargs";
    m_reads.loop |= token.text == "loop";
    return std::make_unique<Name>(token.at, m_names.idOf(token.text));
}

Outcome<ExpressionPtr> ExpressionParser::string()
{
    const Position at = m_tokens.current().at;
    std::string text;
    while (m_tokens.is(TokenType::String))
        text += m_tokens.take().value;
    return std::make_unique<Literal>(at, literalText(text));
}

Outcome<ExpressionPtr> ExpressionParser::number()
{
    const Token& token = m_tokens.take();
    const std::string digits = withoutUnderscores(token.text);
    if (token.type == TokenType::Float) {
        double value = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (read.ec == std::errc::result_out_of_range) value = std::strtod(digits.c_str(), nullptr);
        return std::make_unique<Literal>(token.at, Value::number(value));
    }
    constexpr std::size_t kMostDigits = 4300; // as Python
    if (digits.size() > kMostDigits) return m_tokens.failAt(token.at, "a number is too long");
    const unsigned base = baseOf(digits);
    const WholeNumber whole =
        WholeNumber::parse(base == 10 ? digits : std::string_view(digits).substr(2), base);
    const auto small = whole.toInteger();
    return std::make_unique<Literal>(
        token.at, small ? Value::integer(*small) : Value::of(m_literals.make<BigInteger>(whole)));
}

bool ExpressionParser::endsTuple() const
{
    return m_tokens.is(TokenType::VariableEnd) || m_tokens.is(TokenType::BlockEnd) ||
           m_tokens.isOperator(")");
}

Outcome<ExpressionPtr> ExpressionParser::tuple(bool allowConditional)
{
    const Position at = m_tokens.current().at;
    std::vector<ExpressionPtr> items;
    bool isTuple = false;
    int height = 0;
    while (!endsTuple()) {
        TRY_ASSIGN(ExpressionPtr next, expression(allowConditional));
        height = std::max(height, next->height);
        items.push_back(std::move(next));
        if (!m_tokens.skipOperator(",")) break;
        isTuple = true;
    }
    if (items.empty())
        return m_tokens.fail(
            std::format("Expected an expression, got '{}'", describe(m_tokens.current())));
    if (!isTuple) return std::move(items.front());
    auto group = std::make_unique<Group>(ExpressionKind::Tuple, at);
    group->items = std::move(items);
    return finished(std::move(group), height);
}

Outcome<ExpressionPtr> ExpressionParser::parenthesized()
{
    TRY_ASSIGN(const Nesting nesting, nest());
    const Position at = m_tokens.take().at;
    if (m_tokens.skipOperator(")")) return std::make_unique<Group>(ExpressionKind::Tuple, at);
    TRY_ASSIGN(ExpressionPtr node, tuple());
    TRY(m_tokens.expectOperator(")"));
    return node;
}

Outcome<ExpressionPtr> ExpressionParser::list()
{
    TRY_ASSIGN(const Nesting nesting, nest());
    auto node = std::make_unique<Group>(ExpressionKind::List, m_tokens.take().at);
    int height = 0;
    while (!m_tokens.isOperator("]")) {
        if (!node->items.empty()) {
            TRY(m_tokens.expectOperator(","));
            if (m_tokens.isOperator("]")) break;
        }
        TRY_ASSIGN(ExpressionPtr item, expression());
        height = std::max(height, item->height);
        node->items.push_back(std::move(item));
    }
    m_tokens.take();
    return finished(std::move(node), height);
}

Outcome<ExpressionPtr> ExpressionParser::dict()
{
    TRY_ASSIGN(const Nesting nesting, nest());
    auto node = std::make_unique<DictDisplay>(m_tokens.take().at);
    int height = 0;
    while (!m_tokens.isOperator("}")) {
        if (!node->entries.empty()) {
            TRY(m_tokens.expectOperator(","));
            if (m_tokens.isOperator("}")) break;
        }
        TRY_ASSIGN(ExpressionPtr key, expression());
        TRY(m_tokens.expectOperator(":"));
        TRY_ASSIGN(ExpressionPtr value, expression());
        height = std::max({height, key->height, value->height});
        node->entries.emplace_back(std::move(key), std::move(value));
    }
    m_tokens.take();
    return finished(std::move(node), height);
}

Outcome<Target> ExpressionParser::nameTarget()
{
    const Position at = m_tokens.current().at;
    TRY_ASSIGN(const std::string name, m_tokens.expectAnyName());
    if (constantOf(name)) return m_tokens.failAt(at, "can't assign to 'const'");
    Target target;
    target.at = at;
    target.name = m_names.idOf(name);
    return target;
}

Outcome<Target> ExpressionParser::target(bool allowNamespace, bool single)
{
    TRY_ASSIGN(const Nesting nesting, nest());
    const Position at = m_tokens.current().at;
    Target tuple;
    tuple.at = at;
    bool isTuple = false;
    while (!endsTuple() && !m_tokens.isOperator("=")) {
        Target part;
        if (m_tokens.skipOperator("(")) {
            TRY_ASSIGN(part, target(allowNamespace));
            TRY(m_tokens.expectOperator(")"));
        } else if (!m_tokens.is(TokenType::Name)) {
            return m_tokens.fail(std::format("unexpected '{}'", describe(m_tokens.current())));
        } else {
            m_reads.assignsLoop |= !single && m_tokens.isName("loop");
            TRY_ASSIGN(part, nameTarget());
            if (allowNamespace && m_tokens.skipOperator(".")) {
                TRY_ASSIGN(const std::string attribute, m_tokens.expectAnyName());
                part.attribute = literalText(attribute);
            }
        }
        tuple.parts.push_back(std::move(part));
        if (single || !m_tokens.skipOperator(",")) break;
        isTuple = true;
    }
    if (tuple.parts.empty())
        return m_tokens.fail(std::format("unexpected '{}'", describe(m_tokens.current())));
    if (isTuple) return tuple;
    Target only = std::move(tuple.parts.front());
    return only;
}

} // namespace engine::jinja
