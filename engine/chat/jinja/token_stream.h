#pragma once

#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/lexer.h"

#include <string>
#include <string_view>
#include <vector>

namespace engine::jinja {

/// The tokens of a template, read from the front.
class TokenStream {
public:
    /// REQUIRES: the last token is End.
    explicit TokenStream(std::vector<Token> tokens)
        : m_tokens(std::move(tokens))
    {
    }

    const Token& current() const { return m_tokens[m_at]; }
    const Token& ahead() const { return m_tokens[std::min(m_at + 1, m_tokens.size() - 1)]; }
    /// The current token, which is then behind; End stays.
    const Token& take();

    bool is(TokenType type) const { return current().type == type; }
    bool isOperator(std::string_view sign) const { return isOperator(current(), sign); }
    bool isName(std::string_view name) const
    {
        return is(TokenType::Name) && current().text == name;
    }
    static bool isOperator(const Token& token, std::string_view sign)
    {
        return token.type == TokenType::Operator && token.text == sign;
    }

    bool skipOperator(std::string_view sign);
    bool skipName(std::string_view name);
    Outcome<void> expectOperator(std::string_view sign);
    Outcome<void> expectName(std::string_view name);
    Outcome<void> expect(TokenType type);
    Outcome<std::string> expectAnyName();

    /// A syntax failure at the current token.
    std::unexpected<Failure> fail(std::string message) const;
    std::unexpected<Failure> failAt(Position at, std::string message) const;

private:
    std::unexpected<Failure> failExpected(std::string_view what) const;

    std::vector<Token> m_tokens;
    std::size_t m_at = 0;
};

/// As error messages call it: "end of print statement", or its text.
std::string_view describe(TokenType type);
std::string describe(const Token& token);

} // namespace engine::jinja
