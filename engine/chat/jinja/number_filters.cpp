// Filters about numbers.

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/number.h"
#include "engine/chat/jinja/number_reader.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"

#include <array>
#include <charconv>
#include <cmath>
#include <format>

namespace engine::jinja {

namespace {

Outcome<Value> absolute(Runtime& runtime, Value subject, const Bound&)
{
    if (subject.isUndefined()) return undefinedFailure(subject);
    if (subject.is(Kind::Float)) return Value::number(std::abs(subject.number()));
    if (!isWhole(subject))
        return failure(std::format("bad operand type for abs(): '{}'", typeName(subject)));
    const WholeNumber number = wholeOf(subject);
    return wholeValue(runtime, number.isNegative() ? number.negated() : number);
}

Outcome<std::optional<Value>> truncated(Runtime& runtime, double number)
{
    if (!std::isfinite(number)) return std::nullopt;
    TRY_ASSIGN(const Value whole, wholeValue(runtime, WholeNumber::truncated(number)));
    return whole;
}

Outcome<Value> toInteger(Runtime& runtime, Value subject, const Bound& arguments)
{
    if (subject.isUndefined()) return undefinedFailure(subject);
    if (isWhole(subject)) return plus(runtime, subject);
    std::optional<Value> value;
    if (const Text* text = subject.ifText()) {
        TRY_ASSIGN(const std::int64_t base, integerArgument(arguments, 1, 10));
        if (const auto whole = readWhole(text->utf8(), static_cast<int>(base)))
            return wholeValue(runtime, *whole);
        if (const auto number = readFloat(text->utf8())) {
            TRY_ASSIGN(value, truncated(runtime, *number));
        }
    } else if (subject.is(Kind::Float)) {
        if (std::isinf(subject.number()))
            return failure("cannot convert float infinity to integer");
        TRY_ASSIGN(value, truncated(runtime, subject.number()));
    }
    return value ? *value : arguments.valueOr(0, Value::integer(0));
}

Outcome<Value> toFloat(Runtime&, Value subject, const Bound& arguments)
{
    if (subject.isUndefined()) return undefinedFailure(subject);
    if (const auto number = asNumber(subject)) return Value::number(*number);
    if (const Text* text = subject.ifText())
        if (const auto number = readFloat(text->utf8())) return Value::number(*number);
    return arguments.valueOr(0, Value::number(0));
}

/// To so many decimals, halves to even, as the exact binary value has it.
double roundedTo(double number, std::int64_t decimals)
{
    if (!std::isfinite(number) || decimals > 323) return number;
    if (decimals < -308) return std::copysign(0.0, number);
    if (decimals < 0) {
        const double scale = std::pow(10.0, static_cast<double>(-decimals));
        return std::nearbyint(number / scale) * scale;
    }
    std::array<char, 700> buffer{}; // 309 digits, a point, 323 decimals and a sign
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                       std::chars_format::fixed, static_cast<int>(decimals));
    double rounded = number;
    std::from_chars(buffer.data(), written.ptr, rounded);
    return rounded;
}

Outcome<Value> roundWhole(Runtime& runtime, Value subject, std::int64_t decimals)
{
    if (decimals >= 0) return plus(runtime, subject);
    if (decimals < -1000) return Value::integer(0);
    WholeNumber scale(1);
    for (std::int64_t i = decimals; i < 0; ++i)
        scale = scale * WholeNumber(10);
    const WholeNumber number = wholeOf(subject);
    auto [quotient, rest] = WholeNumber::divide(number, scale);
    const WholeNumber twice = rest + rest;
    const bool odd = quotient.toText(2).back() == '1';
    if (twice > scale || (twice == scale && odd)) quotient = quotient + WholeNumber(1);
    return wholeValue(runtime, quotient * scale);
}

double ceiling(double number)
{
    return std::ceil(number);
}
double flooring(double number)
{
    return std::floor(number);
}

/// Up or down to so many decimals: whole numbers are exact however large.
Outcome<Value> roundedTowards(Runtime& runtime, Value number, std::int64_t decimals,
                              double (*direction)(double))
{
    TRY_ASSIGN(const Value scale, arithmetic(runtime, BinaryOperator::Power, Value::integer(10),
                                             Value::integer(decimals)));
    TRY_ASSIGN(Value scaled, arithmetic(runtime, BinaryOperator::Multiply, number, scale));
    if (scaled.is(Kind::Float)) {
        TRY_ASSIGN(const std::optional<Value> whole,
                   truncated(runtime, direction(scaled.number())));
        if (!whole) return failure("cannot convert float infinity or NaN to integer");
        scaled = *whole;
    }
    return arithmetic(runtime, BinaryOperator::Divide, scaled, scale);
}

Outcome<Value> round(Runtime& runtime, Value subject, const Bound& arguments)
{
    if (subject.isUndefined()) return undefinedFailure(subject);
    TRY_ASSIGN(const std::int64_t precision, integerArgument(arguments, 0, 0));
    std::string method = "common";
    if (arguments[1]) {
        TRY_ASSIGN(method, toText(runtime, *arguments[1]));
    }
    if (method != "common" && method != "ceil" && method != "floor")
        return failure("method must be common, ceil or floor");
    const auto number = asNumber(subject);
    if (!number)
        return failure(std::format("type {} doesn't define __round__ method", typeName(subject)));
    if (method == "common") {
        if (!subject.is(Kind::Float)) return roundWhole(runtime, subject, precision);
        return Value::number(roundedTo(*number, precision));
    }
    return roundedTowards(runtime, subject, precision, method == "ceil" ? &ceiling : &flooring);
}

Outcome<Value> fileSize(Runtime& runtime, Value subject, const Bound& arguments)
{
    static constexpr std::array<std::array<std::string_view, 2>, 8> kUnits = {{{"kB", "KiB"},
                                                                               {"MB", "MiB"},
                                                                               {"GB", "GiB"},
                                                                               {"TB", "TiB"},
                                                                               {"PB", "PiB"},
                                                                               {"EB", "EiB"},
                                                                               {"ZB", "ZiB"},
                                                                               {"YB", "YiB"}}};
    const Text* text = subject.ifText();
    if (text && !readFloat(text->utf8()))
        return failure(
            std::format("could not convert string to float: {}", pythonQuoted(text->utf8())));
    if (!subject.isUndefined() && !asNumber(subject) && !text)
        return failure(std::format("float() argument must be a string or a real number, not '{}'",
                                   typeName(subject)));
    TRY_ASSIGN(const Value size, toFloat(runtime, subject, Bound({})));
    const bool binary = flagArgument(arguments, 0);
    const double base = binary ? 1024 : 1000;
    const double bytes = size.number();
    if (bytes == 1) return runtime.text("1 Byte");
    if (std::isinf(bytes) && bytes < 0) return failure("cannot convert float infinity to integer");
    if (bytes < base) // the sum is never -0
        return runtime.text(std::format("{:.0f} Bytes", std::trunc(bytes) + 0.0));
    double unit = base;
    std::size_t index = 0;
    while (index + 1 < kUnits.size() && bytes >= unit * base) {
        unit *= base;
        ++index;
    }
    return runtime.text(std::format("{:.1f} {}", bytes / unit, kUnits[index][binary ? 1 : 0]));
}

constexpr std::array kNumberFilters = {
    Builtin{"abs", &absolute},
    Builtin{"int", &toInteger, {"default", "base"}},
    Builtin{"float", &toFloat, {"default"}},
    Builtin{"round", &round, {"precision", "method"}},
    Builtin{"filesizeformat", &fileSize, {"binary"}},
};

} // namespace

std::span<const Builtin> numberFilters()
{
    return kNumberFilters;
}

} // namespace engine::jinja
