#pragma once

#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/instance.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What Python's operators and built-in conversions do with values.
namespace engine::jinja {

enum class BinaryOperator : std::uint8_t {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
};

enum class Comparison : std::uint8_t {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
};

/// As Python names the type in its messages: "int", "NoneType", "jinja2.utils.Namespace".
std::string_view typeName(Value value);
/// As Jinja2 names the owner of a missing attribute: "dict object", "None".
std::string ownerName(Value value);
bool isNumber(Value value); ///< booleans are

bool truth(Value value);
Outcome<bool> equal(Runtime& runtime, Value left, Value right);
Outcome<bool> compare(Runtime& runtime, Comparison comparison, Value left, Value right);
Outcome<bool> contains(Runtime& runtime, Value container, Value item);
/// `is`: the same object.
bool identical(Value left, Value right);

Outcome<Value> arithmetic(Runtime& runtime, BinaryOperator operation, Value left, Value right);
Outcome<Value> negate(Runtime& runtime, Value value);
Outcome<Value> plus(Runtime& runtime, Value value);

/// Fails with the undefined value's own message.
std::unexpected<Failure> undefinedFailure(Value value);

/// Fails where there is no length.
Outcome<std::size_t> length(Runtime& runtime, Value value);
/// Fails where the value cannot be iterated.
Outcome<IteratorPtr> iterate(Runtime& runtime, Value value);
Outcome<std::vector<Value>> collect(Runtime& runtime, Value value);
bool isIterable(Value value);
bool isCallable(Value value);
Outcome<Value> call(Runtime& runtime, Value callee, const Arguments& arguments);

/// Anything that is a whole number (booleans are); nothing for other types.
std::optional<std::int64_t> asInteger(Value value);
/// Anything that is a number, as a float; nothing for other types.
std::optional<double> asNumber(Value value);

/// A stable sort that stops at the first failure of `less`.
template <typename Item, typename Less>
Outcome<void> stableSort(Runtime& runtime, std::vector<Item>& items, Less&& less)
{
    std::vector<Item> merged;
    merged.reserve(items.size());
    for (std::size_t width = 1; width < items.size(); width *= 2) {
        merged.clear();
        for (std::size_t first = 0; first < items.size(); first += 2 * width) {
            const std::size_t middle = std::min(first + width, items.size());
            const std::size_t last = std::min(first + 2 * width, items.size());
            std::size_t left = first;
            std::size_t right = middle;
            while (left < middle && right < last) {
                TRY(runtime.spend());
                TRY_ASSIGN(const bool swap, less(items[right], items[left]));
                merged.push_back(swap ? items[right++] : items[left++]);
            }
            merged.insert(merged.end(), items.begin() + static_cast<std::ptrdiff_t>(left),
                          items.begin() + static_cast<std::ptrdiff_t>(middle));
            merged.insert(merged.end(), items.begin() + static_cast<std::ptrdiff_t>(right),
                          items.begin() + static_cast<std::ptrdiff_t>(last));
        }
        items.swap(merged);
    }
    return {};
}

} // namespace engine::jinja
