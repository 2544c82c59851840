#include "engine/chat/jinja/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <format>
#include <limits>

namespace engine::jinja {

namespace {

constexpr std::size_t kMostBits = 16'384; // Python itself refuses to print much more

bool isExactInFloat(std::int64_t value)
{
    constexpr std::int64_t kLargest = 1LL << 53U;
    return value >= -kLargest && value <= kLargest;
}

/// `left op right` where it fits 64 bits.
std::optional<std::int64_t> smallArithmetic(BinaryOperator operation, std::int64_t left,
                                            std::int64_t right)
{
    constexpr std::int64_t kHalf = 1LL << 62U;
    const auto fits = [](std::int64_t value, std::int64_t bound) {
        return value > -bound && value < bound;
    };
    switch (operation) {
    case BinaryOperator::Add:
        if (fits(left, kHalf) && fits(right, kHalf)) return left + right;
        return std::nullopt;
    case BinaryOperator::Subtract:
        if (fits(left, kHalf) && fits(right, kHalf)) return left - right;
        return std::nullopt;
    case BinaryOperator::Multiply:
        if (fits(left, 1LL << 31U) && fits(right, 1LL << 31U)) return left * right;
        return std::nullopt;
    case BinaryOperator::FloorDivide: {
        if (right == -1 || !fits(left, kHalf)) return std::nullopt;
        const std::int64_t quotient = left / right;
        return quotient - ((left % right != 0 && (left < 0) != (right < 0)) ? 1 : 0);
    }
    case BinaryOperator::Modulo: {
        if (right == -1) return 0;
        const std::int64_t rest = left % right;
        return rest + ((rest != 0 && (rest < 0) != (right < 0)) ? right : 0);
    }
    case BinaryOperator::Divide:
    case BinaryOperator::Power:
        break;
    }
    return std::nullopt;
}

Outcome<Value> wholePower(Runtime& runtime, const WholeNumber& base, const WholeNumber& exponent)
{
    const std::optional<std::int64_t> times = exponent.toInteger();
    const std::size_t bits = base.bits();
    if (bits > 1 && (!times || static_cast<std::uint64_t>(*times) > kMostBits))
        return overLimit("a number is too large");
    WholeNumber result(1);
    WholeNumber square = base;
    // Beyond 64 bits only -1, 0 and 1 come here, and for them the last bit decides.
    auto left = times ? static_cast<std::uint64_t>(*times)
                      : 2U + (exponent.toText(2).back() == '1' ? 1U : 0U);
    if (bits <= 1 && left > 2) left = 2 + left % 2;
    for (; left > 0; left >>= 1U) {
        TRY(runtime.spend(1 + square.bits() / 64));
        if ((left & 1U) != 0) result = result * square;
        if (result.bits() > kMostBits || (left > 1 && square.bits() > kMostBits))
            return overLimit("a number is too large");
        square = square * square;
    }
    return wholeValue(runtime, result);
}

Outcome<Value> wholeArithmetic(Runtime& runtime, BinaryOperator operation, Value left, Value right)
{
    const WholeNumber a = wholeOf(left);
    const WholeNumber b = wholeOf(right);
    TRY(runtime.spend(1 + (a.bits() + b.bits()) / 64));
    switch (operation) {
    case BinaryOperator::Add:
        return wholeValue(runtime, a + b);
    case BinaryOperator::Subtract:
        return wholeValue(runtime, a - b);
    case BinaryOperator::Multiply:
        TRY(runtime.spend(a.bits() * b.bits() / 4096));
        return wholeValue(runtime, a * b);
    case BinaryOperator::FloorDivide:
        return wholeValue(runtime, WholeNumber::divide(a, b).first);
    case BinaryOperator::Modulo:
        return wholeValue(runtime, WholeNumber::divide(a, b).second);
    case BinaryOperator::Power:
        return wholePower(runtime, a, b);
    case BinaryOperator::Divide:
        break;
    }
    const double quotient = WholeNumber::quotient(a, b);
    if (std::isinf(quotient)) return failure("integer division result too large for a float");
    return Value::number(quotient);
}

double floatModulo(double left, double right)
{
    const double rest = std::fmod(left, right);
    if (rest == 0) return std::copysign(0.0, right);
    return (rest < 0) != (right < 0) ? rest + right : rest;
}

double floatFloorDivide(double left, double right)
{
    const double rest = std::fmod(left, right);
    double quotient = (left - rest) / right;
    if (rest != 0 && (rest < 0) != (right < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(0.0, left / right);
    const double down = std::floor(quotient);
    return quotient - down > 0.5 ? down + 1 : down;
}

Outcome<Value> floatPower(double base, double exponent)
{
    if (base == 0 && exponent < 0) return failure("zero to a negative power");
    if (base < 0 && std::isfinite(exponent) && exponent != std::floor(exponent))
        return failure("a negative number to a fractional power is complex");
    const double result = std::pow(base, exponent);
    if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent))
        return failure("(34, 'Numerical result out of range')");
    return Value::number(result);
}

Outcome<Value> floatArithmetic(BinaryOperator operation, double left, double right)
{
    switch (operation) {
    case BinaryOperator::Add:
        return Value::number(left + right);
    case BinaryOperator::Subtract:
        return Value::number(left - right);
    case BinaryOperator::Multiply:
        return Value::number(left * right);
    case BinaryOperator::Divide:
        return Value::number(left / right);
    case BinaryOperator::FloorDivide:
        return Value::number(floatFloorDivide(left, right));
    case BinaryOperator::Modulo:
        return Value::number(floatModulo(left, right));
    case BinaryOperator::Power:
        break;
    }
    return floatPower(left, right);
}

std::unexpected<Failure> byZero(BinaryOperator operation, bool whole)
{
    if (operation == BinaryOperator::Divide) return failure("division by zero");
    if (operation == BinaryOperator::Modulo)
        return failure(whole ? "integer modulo by zero" : "float modulo by zero");
    return failure(whole ? "integer division or modulo by zero" : "float floor division by zero");
}

bool isDivision(BinaryOperator operation)
{
    return operation == BinaryOperator::Divide || operation == BinaryOperator::FloorDivide ||
           operation == BinaryOperator::Modulo;
}

std::partial_ordering compareWholeToFloat(Value whole, double number)
{
    if (std::isnan(number)) return std::partial_ordering::unordered;
    if (std::isinf(number))
        return number > 0 ? std::partial_ordering::less : std::partial_ordering::greater;
    const double down = std::floor(number);
    const std::partial_ordering order = wholeOf(whole) <=> WholeNumber::truncated(down);
    if (order == std::partial_ordering::equivalent && down != number)
        return std::partial_ordering::less;
    return order;
}

} // namespace

bool isWhole(Value value)
{
    return value.is(Kind::Boolean) || value.is(Kind::Integer) || value.is(Kind::BigInteger);
}

WholeNumber wholeOf(Value value)
{
    if (value.is(Kind::BigInteger)) return value.bigInteger().number();
    return WholeNumber(value.is(Kind::Boolean) ? (value.boolean() ? 1 : 0) : value.integer());
}

Outcome<Value> wholeValue(Runtime& runtime, const WholeNumber& number)
{
    if (const auto small = number.toInteger()) return Value::integer(*small);
    if (number.bits() > kMostBits) return overLimit("a number is too large");
    runtime.heap().charge(number.bits() / 8);
    return Value::of(runtime.heap().make<BigInteger>(number));
}

std::partial_ordering compareNumbers(Value left, Value right)
{
    const auto a = asInteger(left);
    const auto b = asInteger(right);
    if (a && b) return *a <=> *b;
    if (isWhole(left) && isWhole(right)) return wholeOf(left) <=> wholeOf(right);
    if (left.is(Kind::Float) && right.is(Kind::Float)) return left.number() <=> right.number();
    if (right.is(Kind::Float)) return compareWholeToFloat(left, right.number());
    return 0 <=> compareWholeToFloat(right, left.number());
}

Outcome<Value> numberArithmetic(Runtime& runtime, BinaryOperator operation, Value left, Value right)
{
    const bool whole = isWhole(left) && isWhole(right);
    if (isDivision(operation) && asNumber(right) == 0) return byZero(operation, whole);
    if (!whole) return floatArithmetic(operation, *asNumber(left), *asNumber(right));
    const auto a = asInteger(left);
    const auto b = asInteger(right);
    if (operation == BinaryOperator::Divide && a && b && isExactInFloat(*a) && isExactInFloat(*b))
        return Value::number(static_cast<double>(*a) / static_cast<double>(*b));
    if (operation == BinaryOperator::Power && wholeOf(right).isNegative())
        return floatPower(*asNumber(left), *asNumber(right));
    if (a && b)
        if (const auto small = smallArithmetic(operation, *a, *b)) return Value::integer(*small);
    return wholeArithmetic(runtime, operation, left, right);
}

std::string floatText(double number)
{
    if (std::isnan(number)) return "nan";
    if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
    std::array<char, 32> buffer{};
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                       std::chars_format::scientific);
    const std::string_view text(buffer.data(), written.ptr);
    const std::size_t mark = text.find('e');
    int exponent = 0;
    const std::size_t digits = mark + (text[mark + 1] == '+' ? 2 : 1);
    std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
    if (exponent < -4 || exponent >= 16) return std::string(text);
    const auto fixed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                     std::chars_format::fixed);
    std::string plain(buffer.data(), fixed.ptr);
    if (plain.find('.') == std::string::npos) plain += ".0";
    return plain;
}

std::string wholeText(Value value)
{
    if (value.is(Kind::Boolean)) return value.boolean() ? "1" : "0";
    if (value.is(Kind::Integer)) return std::to_string(value.integer());
    return wholeOf(value).toText();
}

} // namespace engine::jinja
