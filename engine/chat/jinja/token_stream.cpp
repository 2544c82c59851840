#include "engine/chat/jinja/token_stream.h"

#include <format>

namespace engine::jinja {

const Token& TokenStream::take()
{
    const Token& token = m_tokens[m_at];
    if (m_at + 1 < m_tokens.size()) ++m_at;
    return token;
}

bool TokenStream::skipOperator(std::string_view sign)
{
    const bool there = isOperator(sign);
    if (there) take();
    return there;
}

bool TokenStream::skipName(std::string_view name)
{
    const bool there = isName(name);
    if (there) take();
    return there;
}

Outcome<void> TokenStream::expectOperator(std::string_view sign)
{
    if (!skipOperator(sign)) return failExpected(sign);
    return {};
}

Outcome<void> TokenStream::expectName(std::string_view name)
{
    if (!skipName(name)) return failExpected(name);
    return {};
}

Outcome<void> TokenStream::expect(TokenType type)
{
    if (!is(type)) return failExpected(describe(type));
    take();
    return {};
}

Outcome<std::string> TokenStream::expectAnyName()
{
    if (!is(TokenType::Name)) return failExpected("name");
    return std::string(take().text);
}

std::unexpected<Failure> TokenStream::fail(std::string message) const
{
    return failAt(current().at, std::move(message));
}

std::unexpected<Failure> TokenStream::failAt(Position at, std::string message) const
{
    return std::unexpected(Failure{FailureKind::Syntax, std::move(message), at});
}

std::unexpected<Failure> TokenStream::failExpected(std::string_view what) const
{
    if (is(TokenType::End))
        return fail(std::format("unexpected end of template, expected '{}'.", what));
    return fail(std::format("expected token '{}', got '{}'", what, describe(current())));
}

std::string_view describe(TokenType type)
{
    switch (type) {
    case TokenType::Data:
        return "template data / text";
    case TokenType::VariableBegin:
        return "begin of print statement";
    case TokenType::VariableEnd:
        return "end of print statement";
    case TokenType::BlockBegin:
        return "begin of statement block";
    case TokenType::BlockEnd:
        return "end of statement block";
    case TokenType::Name:
        return "name";
    case TokenType::Integer:
        return "integer";
    case TokenType::Float:
        return "float";
    case TokenType::String:
        return "string";
    case TokenType::Operator:
        return "operator";
    case TokenType::End:
        break;
    }
    return "end of template";
}

std::string describe(const Token& token)
{
    const bool speaksForItself = token.type == TokenType::Name || token.type == TokenType::Operator;
    return std::string(speaksForItself ? token.text : describe(token.type));
}

} // namespace engine::jinja
