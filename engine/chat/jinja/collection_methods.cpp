// The methods of lists, tuples, dicts, ranges, numbers and bytes; and what the sandbox denies.

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/number.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <format>

namespace engine::jinja {

namespace {

Outcome<Value> sequenceIndex(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(std::int64_t at, integerArgument(arguments, 1, 0));
    TRY_ASSIGN(const std::vector<Value> items, collect(runtime, subject));
    const auto size = static_cast<std::int64_t>(items.size());
    TRY_ASSIGN(std::int64_t end, integerArgument(arguments, 2, size));
    if (at < 0) at = std::max<std::int64_t>(at + size, 0);
    if (end < 0) end += size;
    for (; at < std::min(end, size); ++at) {
        TRY_ASSIGN(const bool same,
                   equal(runtime, items[static_cast<std::size_t>(at)], *arguments[0]));
        if (same) return Value::integer(at);
    }
    TRY_ASSIGN(const std::string item, represent(runtime, *arguments[0]));
    return failure(std::format("{} is not in {}", item, typeName(subject)));
}

Outcome<Value> sequenceCount(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const std::vector<Value> items, collect(runtime, subject));
    std::size_t count = 0;
    for (const Value item : items) {
        TRY_ASSIGN(const bool same, equal(runtime, item, *arguments[0]));
        if (same) ++count;
    }
    return Value::size(count);
}

Outcome<Value> listCopy(Runtime& runtime, Value subject, const Bound&)
{
    TRY(runtime.spend(subject.sequence().size()));
    return runtime.heap().list(subject.sequence().items());
}

Outcome<Value> dictGet(Runtime& runtime, Value subject, const Bound& arguments)
{
    std::string buffer;
    TRY_ASSIGN(const DictKey key, runtime.keyOf(*arguments[0], buffer));
    const Value* found = subject.dict().find(key);
    return found ? *found : arguments.valueOr(1, Value::none());
}

template <DictView::Part Part>
Outcome<Value> dictView(Runtime& runtime, Value subject, const Bound&)
{
    return Value::of(runtime.heap().make<DictView>(subject.dict(), Part));
}

Outcome<Value> dictCopy(Runtime& runtime, Value subject, const Bound&)
{
    auto* copy = runtime.heap().make<Dict>();
    for (const Dict::Entry& entry : subject.dict().entries()) {
        TRY(runtime.spend());
        TRY(runtime.insert(*copy, entry.key, entry.value));
    }
    return Value::of(copy);
}

Outcome<Value> dictFromKeys(Runtime& runtime, Value, const Bound& arguments)
{
    TRY_ASSIGN(const std::vector<Value> keys, collect(runtime, *arguments[0]));
    auto* dict = runtime.heap().make<Dict>();
    for (const Value key : keys)
        TRY(runtime.insert(*dict, key, arguments.valueOr(1, Value::none())));
    return Value::of(dict);
}

Outcome<Value> bitLength(Runtime&, Value subject, const Bound&)
{
    return Value::size(wholeOf(subject).bits());
}

Outcome<Value> bitCount(Runtime&, Value subject, const Bound&)
{
    return Value::size(
        static_cast<std::size_t>(std::ranges::count(wholeOf(subject).toText(2), '1')));
}

/// As %a of printf writes it, but with all digits and no more than one before the point.
Outcome<Value> floatHex(Runtime& runtime, Value subject, const Bound&)
{
    const double number = subject.number();
    if (!std::isfinite(number))
        return runtime.text(std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
    constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52U) - 1;
    const auto bits = std::bit_cast<std::uint64_t>(number);
    const std::string_view sign = std::signbit(number) ? "-" : "";
    const auto exponent = static_cast<int>(bits >> 52U & 0x7FFU);
    if (number == 0) return runtime.text(std::format("{}0x0.0p+0", sign));
    return runtime.text(std::format("{}0x{}.{:013x}p{:+d}", sign, exponent == 0 ? 0 : 1,
                                    bits & kFraction, exponent == 0 ? -1022 : exponent - 1023));
}

Outcome<Value> conjugate(Runtime& runtime, Value subject, const Bound&)
{
    return plus(runtime, subject);
}

Outcome<Value> isInteger(Runtime&, Value subject, const Bound&)
{
    if (!subject.is(Kind::Float)) return Value::boolean(true);
    const double number = subject.number();
    return Value::boolean(std::isfinite(number) && number == std::floor(number));
}

Outcome<Value> integerRatio(Runtime& runtime, Value subject, const Bound&)
{
    if (!subject.is(Kind::Float)) {
        TRY_ASSIGN(const Value whole, plus(runtime, subject));
        return runtime.heap().tuple({whole, Value::integer(1)});
    }
    const double number = subject.number();
    if (!std::isfinite(number)) return failure("cannot convert to an integer ratio");
    int exponent = 0;
    double fraction = std::frexp(number, &exponent);
    for (int i = 0; i < 64 && fraction != std::floor(fraction); ++i) {
        fraction *= 2;
        --exponent;
    }
    WholeNumber numerator = WholeNumber::truncated(fraction);
    WholeNumber denominator(1);
    WholeNumber& grows = exponent > 0 ? numerator : denominator;
    for (int i = 0; i < std::abs(exponent); ++i)
        grows = grows + grows;
    TRY_ASSIGN(const Value above, wholeValue(runtime, numerator));
    TRY_ASSIGN(const Value below, wholeValue(runtime, denominator));
    return runtime.heap().tuple({above, below});
}

Outcome<Value> decode(Runtime& runtime, Value subject, const Bound&)
{
    return runtime.text(subject.text().utf8());
}

Outcome<Value> bytesHex(Runtime& runtime, Value subject, const Bound&)
{
    TextBuilder out(runtime);
    for (const char c : subject.text().utf8())
        out.append(std::format("{:02x}", static_cast<unsigned char>(c)));
    return out.finish();
}

constexpr std::array kListMethods = {
    Builtin{"index", &sequenceIndex, {"/value", "/start", "/stop"}, 1},
    Builtin{"count", &sequenceCount, {"/value"}, 1},
    Builtin{"copy", &listCopy},
};
constexpr std::array kTupleMethods = {
    Builtin{"index", &sequenceIndex, {"/value", "/start", "/stop"}, 1},
    Builtin{"count", &sequenceCount, {"/value"}, 1},
};
constexpr std::array kDictMethods = {
    Builtin{"get", &dictGet, {"/key", "/default"}, 1},
    Builtin{"items", &dictView<DictView::Part::Items>},
    Builtin{"keys", &dictView<DictView::Part::Keys>},
    Builtin{"values", &dictView<DictView::Part::Values>},
    Builtin{"copy", &dictCopy},
    Builtin{"fromkeys", &dictFromKeys, {"/iterable", "/value"}, 1},
};
constexpr std::array kIntegerMethods = {
    Builtin{"bit_length", &bitLength},          Builtin{"bit_count", &bitCount},
    Builtin{"conjugate", &conjugate},           Builtin{"is_integer", &isInteger},
    Builtin{"as_integer_ratio", &integerRatio},
};
constexpr std::array kFloatMethods = {
    Builtin{"is_integer", &isInteger},
    Builtin{"conjugate", &conjugate},
    Builtin{"as_integer_ratio", &integerRatio},
    Builtin{"hex", &floatHex},
};
constexpr std::array kBytesMethods = {
    Builtin{"decode", &decode, {"encoding", "errors"}},
    Builtin{"hex", &bytesHex},
};

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 8> kListChanges = {"append", "clear",  "extend",  "insert",
                                                          "pop",    "remove", "reverse", "sort"};
constexpr std::array<std::string_view, 5> kDictChanges = {"clear", "pop", "popitem", "setdefault",
                                                          "update"};
constexpr std::array<std::string_view, 21> kObjectInternals = {
    "__class__",   "__delattr__", "__dir__",    "__doc__",       "__eq__",           "__format__",
    "__ge__",      "__gt__",      "__hash__",   "__init__",      "__le__",           "__lt__",
    "__ne__",      "__new__",     "__reduce__", "__reduce_ex__", "__getattribute__", "__repr__",
    "__setattr__", "__str__",     "__sizeof__"};
constexpr std::array<std::string_view, 7> kContainerInternals = {
    "__add__", "__contains__", "__getitem__", "__iter__", "__len__", "__mul__", "__rmul__"};

bool isContainer(Value value)
{
    switch (value.kind()) {
    case Kind::Text:
    case Kind::Bytes:
    case Kind::List:
    case Kind::Tuple:
    case Kind::Dict:
    case Kind::Range:
        return true;
    default:
        return false;
    }
}

} // namespace

std::span<const Builtin> collectionMethods(Kind kind)
{
    switch (kind) {
    case Kind::List:
        return kListMethods;
    case Kind::Tuple:
    case Kind::Range:
        return kTupleMethods;
    case Kind::Dict:
        return kDictMethods;
    case Kind::Boolean:
    case Kind::Integer:
    case Kind::BigInteger:
        return kIntegerMethods;
    case Kind::Float:
        return kFloatMethods;
    case Kind::Bytes:
        return kBytesMethods;
    default:
        return {};
    }
}

bool isForbidden(Value owner, std::string_view name)
{
    if (owner.is(Kind::List)) {
        if (std::ranges::contains(kListChanges, name)) return true;
    } else if (owner.is(Kind::Dict)) {
        if (std::ranges::contains(kDictChanges, name)) return true;
    }
    if (!name.starts_with("__")) return false;
    return std::ranges::contains(kObjectInternals, name) ||
           (isContainer(owner) && std::ranges::contains(kContainerInternals, name));
}

} // namespace engine::jinja
