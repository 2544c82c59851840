#include "engine/chat/jinja/arguments.h"

#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/whole_number.h"

#include <format>
#include <limits>

namespace engine::jinja {

Outcome<std::int64_t> integerArgument(const Bound& arguments, std::size_t index,
                                      std::int64_t fallback)
{
    if (!arguments[index]) return fallback;
    const Value value = *arguments[index];
    if (value.isUndefined()) return undefinedFailure(value);
    if (const auto integer = asInteger(value)) return *integer;
    if (value.is(Kind::BigInteger)) {
        using Bounds = std::numeric_limits<std::int64_t>;
        return value.bigInteger().number().isNegative() ? Bounds::min() : Bounds::max();
    }
    return failure(std::format("'{}' object cannot be interpreted as an integer", typeName(value)));
}

Outcome<const Text*> textArgument(const Bound& arguments, std::size_t index)
{
    const Value value = *arguments[index];
    if (const Text* text = value.ifText()) return text;
    return failure(std::format("expected str, not {}", typeName(value)));
}

bool flagArgument(const Bound& arguments, std::size_t index, bool fallback)
{
    return arguments[index] ? truth(*arguments[index]) : fallback;
}

bool isGiven(const Bound& arguments, std::size_t index)
{
    return arguments[index] && !arguments[index]->isNone();
}

} // namespace engine::jinja
