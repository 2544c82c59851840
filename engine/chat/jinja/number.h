#pragma once

#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/whole_number.h"

#include <compare>
#include <string>

/// Python's int and float.
namespace engine::jinja {

/// A boolean, integer or big integer as a number of any size. REQUIRES: isWhole(value).
WholeNumber wholeOf(Value value);
bool isWhole(Value value);
/// Integer where it fits 64 bits, else BigInteger; fails beyond what is reasonable.
Outcome<Value> wholeValue(Runtime& runtime, const WholeNumber& number);

/// Exact, also between a whole number and a float. REQUIRES: isNumber of both.
std::partial_ordering compareNumbers(Value left, Value right);
/// REQUIRES: isNumber of both.
Outcome<Value> numberArithmetic(Runtime& runtime, BinaryOperator operation, Value left,
                                Value right);

/// The shortest text that reads back as the same number, as Python's repr writes it.
std::string floatText(double number);
/// REQUIRES: isWhole(value).
std::string wholeText(Value value);

} // namespace engine::jinja
