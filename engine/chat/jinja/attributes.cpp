#include "engine/chat/jinja/attributes.h"

#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/instance.h"
#include "engine/chat/jinja/number.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"
#include "engine/chat/jinja/unicode.h"

#include <algorithm>
#include <charconv>
#include <format>

namespace engine::jinja {

namespace {

Value makeUndefined(Runtime& runtime, Undefined::Reason reason, std::string name, Value owner)
{
    runtime.heap().charge(name.size());
    return Value::of(runtime.heap().make<Undefined>(
        reason, std::move(name),
        reason == Undefined::Reason::Unsafe ? std::string(typeName(owner)) : ownerName(owner)));
}

Outcome<Value> missingItem(Runtime& runtime, Value owner, Value key)
{
    if (const Text* text = key.ifText()) {
        TRY(runtime.spendBytes(text->utf8().size()));
        return makeUndefined(runtime, Undefined::Reason::Attribute, text->utf8(), owner);
    }
    TRY_ASSIGN(std::string name, represent(runtime, key));
    return makeUndefined(runtime, Undefined::Reason::Element, std::move(name), owner);
}

/// Where a Python index points, or nothing beyond the ends.
std::optional<std::size_t> placeOf(Value index, std::size_t size)
{
    const auto at = asInteger(index);
    if (!at) return std::nullopt;
    const auto count = static_cast<std::int64_t>(size);
    if (*at >= count || *at < -count) return std::nullopt;
    return static_cast<std::size_t>(*at < 0 ? *at + count : *at);
}

Outcome<Value> characterAt(Runtime& runtime, const Text& text, std::size_t index)
{
    const std::string& utf8 = text.utf8();
    if (text.kind() == Kind::Bytes) return Value::integer(static_cast<unsigned char>(utf8[index]));
    if (!text.isAscii()) TRY(runtime.spendBytes(utf8.size()));
    const std::size_t at = text.isAscii() ? index : unicode::offsetOf(utf8, index);
    return runtime.heap().text(utf8.substr(at, unicode::decode(utf8, at).bytes), text.isMarkup());
}

Outcome<std::optional<Value>> ownItem(Runtime& runtime, Value owner, Value key)
{
    switch (owner.kind()) {
    case Kind::Text:
    case Kind::Bytes: {
        const auto place = placeOf(key, owner.text().length());
        if (!place) return std::nullopt;
        return characterAt(runtime, owner.text(), *place);
    }
    case Kind::List:
    case Kind::Tuple: {
        const auto place = placeOf(key, owner.sequence().size());
        if (!place) return std::nullopt;
        return owner.sequence().items()[*place];
    }
    case Kind::Range: {
        const auto place = placeOf(key, owner.range().size());
        if (!place) return std::nullopt;
        return Value::integer(owner.range().at(*place));
    }
    case Kind::Dict: {
        if (key.is(Kind::List) || key.is(Kind::Dict)) return std::nullopt; // unhashable
        std::string buffer;
        TRY_ASSIGN(const DictKey encoded, runtime.keyOf(key, buffer));
        const Value* found = owner.dict().find(encoded);
        return found ? std::optional(*found) : std::nullopt;
    }
    case Kind::Undefined:
        return undefinedFailure(owner);
    default:
        return std::nullopt;
    }
}

std::optional<Value> numberProperty(Value owner, std::string_view name)
{
    const bool isFloat = owner.is(Kind::Float);
    if (owner.is(Kind::Boolean)) owner = Value::integer(*asInteger(owner));
    if (name == "real") return owner;
    if (name == "imag") return isFloat ? Value::number(0) : Value::integer(0);
    if (isFloat) return std::nullopt;
    if (name == "numerator") return owner;
    if (name == "denominator") return Value::integer(1);
    return std::nullopt;
}

std::optional<Value> rangeProperty(const Range& range, std::string_view name)
{
    if (name == "start") return Value::integer(range.start());
    if (name == "stop") return Value::integer(range.stop());
    if (name == "step") return Value::integer(range.step());
    return std::nullopt;
}

/// A slice as Python resolves it for a sequence of some length.
struct SlicePlan {
    std::int64_t first = 0;
    std::int64_t last = 0; ///< one beyond, in the step's direction
    std::int64_t step = 1;
    std::size_t count = 0;
};

std::int64_t clampedBound(Value bound, std::int64_t size, std::int64_t low, std::int64_t high)
{
    if (bound.is(Kind::BigInteger)) return bound.bigInteger().number().isNegative() ? low : high;
    std::int64_t at = *asInteger(bound);
    if (at < 0 && size > 0) at = at < -size ? low : at + size;
    return std::clamp(at, low, high);
}

Outcome<SlicePlan> planSlice(std::size_t length, Value first, Value last, Value step)
{
    for (const Value part : {first, last, step})
        if (!part.isNone() && !isWhole(part))
            return failure("slice indices must be integers or None or have an __index__ method");
    // Beyond the length any step takes one item.
    const auto size = static_cast<std::int64_t>(length);
    SlicePlan plan;
    if (!step.isNone()) plan.step = clampedBound(step, 0, -size - 1, size + 1);
    if (plan.step == 0) return failure("slice step cannot be zero");
    const bool down = plan.step < 0;
    const std::int64_t low = down ? -1 : 0;
    const std::int64_t high = down ? size - 1 : size;
    plan.first = first.isNone() ? (down ? high : low) : clampedBound(first, size, low, high);
    plan.last = last.isNone() ? (down ? low : high) : clampedBound(last, size, low, high);
    plan.count = Range(plan.first, plan.last, plan.step).size();
    return plan;
}

std::size_t placeIn(const SlicePlan& plan, std::size_t index)
{
    return static_cast<std::size_t>(plan.first + static_cast<std::int64_t>(index) * plan.step);
}

Outcome<Value> sliceText(Runtime& runtime, const Text& text, const SlicePlan& plan)
{
    const std::string& utf8 = text.utf8();
    TRY(runtime.spendBytes(utf8.size()));
    std::string part;
    if (text.isAscii()) {
        if (plan.step == 1 && plan.count > 0)
            part = utf8.substr(static_cast<std::size_t>(plan.first), plan.count);
        else
            for (std::size_t i = 0; i < plan.count; ++i)
                part += utf8[placeIn(plan, i)];
    } else {
        std::vector<std::size_t> starts;
        for (std::size_t at = 0; at < utf8.size(); at += unicode::decode(utf8, at).bytes)
            starts.push_back(at);
        starts.push_back(utf8.size());
        for (std::size_t i = 0; i < plan.count; ++i) {
            const std::size_t place = placeIn(plan, i);
            part += utf8.substr(starts[place], starts[place + 1] - starts[place]);
        }
    }
    if (text.kind() == Kind::Bytes)
        return Value::of(runtime.heap().make<Text>(Text::kBytes, std::move(part)));
    return runtime.text(std::move(part), text.isMarkup());
}

Outcome<Value> sliceSequence(Runtime& runtime, Value owner, const SlicePlan& plan)
{
    TRY(runtime.reserve(plan.count * sizeof(Value)));
    TRY(runtime.spend(1 + plan.count / 8));
    const auto& items = owner.sequence().items();
    std::vector<Value> part;
    part.reserve(plan.count);
    for (std::size_t i = 0; i < plan.count; ++i)
        part.push_back(items[placeIn(plan, i)]);
    return owner.is(Kind::List) ? runtime.heap().list(std::move(part))
                                : runtime.heap().tuple(std::move(part));
}

Outcome<Value> sliceRange(Runtime& runtime, const Range& range, const SlicePlan& plan)
{
    const std::int64_t step = range.step() * plan.step;
    const std::int64_t start = range.start() + plan.first * range.step();
    const std::int64_t stop = range.start() + plan.last * range.step();
    return Value::of(runtime.heap().make<Range>(start, stop, step));
}

std::optional<std::size_t> sliceableLength(Value owner)
{
    switch (owner.kind()) {
    case Kind::Text:
    case Kind::Bytes:
        return owner.text().length();
    case Kind::List:
    case Kind::Tuple:
        return owner.sequence().size();
    case Kind::Range:
        return owner.range().size();
    default:
        return std::nullopt;
    }
}

} // namespace

Value undefinedHint(Runtime& runtime, std::string message)
{
    return Value::of(runtime.heap().make<Undefined>(Undefined::Reason::Hint, std::move(message)));
}

Outcome<std::optional<Value>> ownAttribute(Runtime& runtime, Value owner, Value name)
{
    const std::string& text = name.text().utf8();
    if (owner.isUndefined()) return undefinedFailure(owner);
    if (isForbidden(owner, text))
        return makeUndefined(runtime, Undefined::Reason::Unsafe, text, owner);
    if (owner.is(Kind::Instance)) return owner.instance().attribute(runtime, text);
    if (const Builtin* method = findMethod(owner, text))
        return Value::of(runtime.heap().make<BuiltinValue>(*method, owner, true));
    if (isNumber(owner)) return numberProperty(owner, text);
    if (owner.is(Kind::Range)) return rangeProperty(owner.range(), text);
    if (owner.is(Kind::Tuple) && owner.sequence().isGroup()) {
        if (text == "grouper") return owner.sequence().items()[0];
        if (text == "list") return owner.sequence().items()[1];
    }
    return std::nullopt;
}

Outcome<Value> attributeOf(Runtime& runtime, Value owner, Value name)
{
    TRY(runtime.spend());
    TRY_ASSIGN(const std::optional<Value> own, ownAttribute(runtime, owner, name));
    if (own) return *own;
    TRY_ASSIGN(const std::optional<Value> item, ownItem(runtime, owner, name));
    if (item) return *item;
    return missingItem(runtime, owner, name);
}

Outcome<Value> itemOf(Runtime& runtime, Value owner, Value key)
{
    TRY(runtime.spend());
    TRY_ASSIGN(const std::optional<Value> item, ownItem(runtime, owner, key));
    if (item) return *item;
    if (key.is(Kind::Text)) {
        TRY_ASSIGN(const std::optional<Value> own, ownAttribute(runtime, owner, key));
        if (own) return *own;
    }
    return missingItem(runtime, owner, key);
}

Outcome<Value> sliceOf(Runtime& runtime, Value owner, Value first, Value last, Value step)
{
    if (owner.isUndefined()) return undefinedFailure(owner);
    const auto length = sliceableLength(owner);
    // Unlike any other item that is not there, a slice of what has none is an error at once.
    if (!length) return failure(std::format("'{}' object is not subscriptable", typeName(owner)));
    TRY_ASSIGN(const SlicePlan plan, planSlice(*length, first, last, step));
    if (owner.is(Kind::Range)) return sliceRange(runtime, owner.range(), plan);
    return owner.is(Kind::Text) || owner.is(Kind::Bytes) ? sliceText(runtime, owner.text(), plan)
                                                         : sliceSequence(runtime, owner, plan);
}

Outcome<Value> pathOf(Runtime& runtime, Value owner, Value path, std::optional<Value> fallback)
{
    const auto step = [&](Value key) -> Outcome<void> {
        TRY_ASSIGN(owner, itemOf(runtime, owner, key));
        if (owner.isUndefined() && fallback) owner = *fallback;
        return {};
    };
    if (path.isNone()) return owner;
    const Text* text = path.ifText();
    if (!text) {
        TRY(step(path));
        return owner;
    }
    const std::string& steps = text->utf8();
    TRY(runtime.spendBytes(steps.size()));
    for (std::size_t at = 0; at <= steps.size();) {
        const std::size_t dot = std::min(steps.find('.', at), steps.size());
        const std::string_view part = std::string_view(steps).substr(at, dot - at);
        std::int64_t index = 0;
        const auto read = std::from_chars(part.data(), part.data() + part.size(), index);
        const bool isIndex = !part.empty() && read.ec == std::errc{} &&
                             read.ptr == part.data() + part.size() && part.front() != '-';
        TRY(step(isIndex ? Value::integer(index) : runtime.heap().text(std::string(part))));
        at = dot + 1;
    }
    return owner;
}

} // namespace engine::jinja
