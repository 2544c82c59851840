#include "engine/chat/jinja/infix_operator.h"

#include <array>
#include <span>

namespace engine::jinja {

namespace {

constexpr std::array kSigns = {
    InfixOperator{.sign = "~", .precedence = Precedence::Concatenation},
    InfixOperator{.sign = "+", .precedence = Precedence::Sum, .arithmetic = BinaryOperator::Add},
    InfixOperator{
        .sign = "-", .precedence = Precedence::Sum, .arithmetic = BinaryOperator::Subtract},
    InfixOperator{
        .sign = "*", .precedence = Precedence::Product, .arithmetic = BinaryOperator::Multiply},
    InfixOperator{
        .sign = "/", .precedence = Precedence::Product, .arithmetic = BinaryOperator::Divide},
    InfixOperator{
        .sign = "//", .precedence = Precedence::Product, .arithmetic = BinaryOperator::FloorDivide},
    InfixOperator{
        .sign = "%", .precedence = Precedence::Product, .arithmetic = BinaryOperator::Modulo},
    InfixOperator{
        .sign = "**", .precedence = Precedence::Power, .arithmetic = BinaryOperator::Power},
    InfixOperator{
        .sign = "==", .precedence = Precedence::Comparison, .comparison = Comparison::Equal},
    InfixOperator{
        .sign = "!=", .precedence = Precedence::Comparison, .comparison = Comparison::NotEqual},
    InfixOperator{
        .sign = "<", .precedence = Precedence::Comparison, .comparison = Comparison::Less},
    InfixOperator{
        .sign = "<=", .precedence = Precedence::Comparison, .comparison = Comparison::LessOrEqual},
    InfixOperator{
        .sign = ">", .precedence = Precedence::Comparison, .comparison = Comparison::Greater},
    InfixOperator{.sign = ">=",
                  .precedence = Precedence::Comparison,
                  .comparison = Comparison::GreaterOrEqual},
};
constexpr std::array kWords = {
    InfixOperator{.sign = "or", .precedence = Precedence::Or},
    InfixOperator{.sign = "and", .precedence = Precedence::And},
    InfixOperator{.sign = "in", .precedence = Precedence::Comparison, .comparison = Comparison::In},
    InfixOperator{
        .sign = "not", .precedence = Precedence::Comparison, .comparison = Comparison::NotIn},
};

const InfixOperator* findIn(std::span<const InfixOperator> table, std::string_view sign)
{
    for (const InfixOperator& row : table)
        if (row.sign == sign) return &row;
    return nullptr;
}

} // namespace

const InfixOperator* infixOperatorAt(const TokenStream& tokens)
{
    const Token& token = tokens.current();
    if (token.type == TokenType::Operator) return findIn(kSigns, token.text);
    if (token.type != TokenType::Name) return nullptr;
    const Token& ahead = tokens.ahead();
    const bool isNotIn = ahead.type == TokenType::Name && ahead.text == "in";
    return token.text == "not" && !isNotIn ? nullptr : findIn(kWords, token.text);
}

} // namespace engine::jinja
