#pragma once

#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/token_stream.h"

#include <cstdint>
#include <string_view>

namespace engine::jinja {

/// How tightly an operator binds; `not` before an operand has its place among them.
enum class Precedence : std::uint8_t {
    Or = 1,
    And,
    Not,
    Comparison,
    Sum,
    Concatenation,
    Product,
    Power,
    Operand, ///< tighter than every operator
};

/// The next one up: what the operands of an operator are made of.
constexpr Precedence tighter(Precedence precedence)
{
    return static_cast<Precedence>(static_cast<std::uint8_t>(precedence) + 1);
}

/// An operator between two operands.
struct InfixOperator {
    std::string_view sign;
    Precedence precedence;
    BinaryOperator arithmetic = {}; ///< of Sum, Product and Power
    Comparison comparison = {};     ///< of Comparison
};

/// The operator the current token is, or begins (`not in`); null where it is none.
const InfixOperator* infixOperatorAt(const TokenStream& tokens);

} // namespace engine::jinja
