#include "engine/chat/jinja/operators.h"

#include "engine/chat/jinja/escape.h"
#include "engine/chat/jinja/number.h"
#include "engine/chat/jinja/percent_format.h"
#include "engine/chat/jinja/text_search.h"

#include <algorithm>
#include <format>
#include <utility>

namespace engine::jinja {

namespace {

std::string_view operatorSign(BinaryOperator operation)
{
    switch (operation) {
    case BinaryOperator::Add:
        return "+";
    case BinaryOperator::Subtract:
        return "-";
    case BinaryOperator::Multiply:
        return "*";
    case BinaryOperator::Divide:
        return "/";
    case BinaryOperator::FloorDivide:
        return "//";
    case BinaryOperator::Modulo:
        return "%";
    case BinaryOperator::Power:
        break;
    }
    return "** or pow()";
}

std::string_view comparisonSign(Comparison comparison)
{
    switch (comparison) {
    case Comparison::Less:
        return "<";
    case Comparison::LessOrEqual:
        return "<=";
    case Comparison::Greater:
        return ">";
    default:
        return ">=";
    }
}

bool isSequence(Value value)
{
    return value.is(Kind::List) || value.is(Kind::Tuple);
}

bool holds(Comparison comparison, std::partial_ordering order)
{
    switch (comparison) {
    case Comparison::Less:
        return order < 0;
    case Comparison::LessOrEqual:
        return order <= 0;
    case Comparison::Greater:
        return order > 0;
    default:
        return order >= 0;
    }
}

Outcome<bool> equalSequences(Runtime& runtime, const Sequence& left, const Sequence& right)
{
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        TRY_ASSIGN(const bool same, equal(runtime, left.items()[i], right.items()[i]));
        if (!same) return false;
    }
    return true;
}

Outcome<bool> equalDicts(Runtime& runtime, const Dict& left, const Dict& right)
{
    if (left.size() != right.size()) return false;
    std::string buffer;
    for (const Dict::Entry& entry : left.entries()) {
        TRY_ASSIGN(const DictKey key, runtime.keyOf(entry.key, buffer));
        const Value* other = right.find(key);
        if (!other) return false;
        TRY_ASSIGN(const bool same, equal(runtime, entry.value, *other));
        if (!same) return false;
    }
    return true;
}

bool equalRanges(const Range& left, const Range& right)
{
    if (left.size() != right.size()) return false;
    if (left.size() == 0) return true;
    return left.start() == right.start() && (left.size() == 1 || left.step() == right.step());
}

Outcome<bool> compareSequences(Runtime& runtime, Comparison comparison, const Sequence& left,
                               const Sequence& right)
{
    const std::size_t shared = std::min(left.size(), right.size());
    for (std::size_t i = 0; i < shared; ++i) {
        const Value a = left.items()[i];
        const Value b = right.items()[i];
        if (identical(a, b)) continue;
        TRY_ASSIGN(const bool same, equal(runtime, a, b));
        if (!same) return compare(runtime, comparison, a, b);
    }
    return holds(comparison, left.size() <=> right.size());
}

Outcome<bool> containsItem(Runtime& runtime, Value container, Value item)
{
    TRY_ASSIGN(const IteratorPtr iterator, iterate(runtime, container));
    for (;;) {
        TRY_ASSIGN(const std::optional<Value> next, iterator->next(runtime));
        if (!next) return false;
        if (identical(*next, item)) return true;
        TRY_ASSIGN(const bool same, equal(runtime, *next, item));
        if (same) return true;
    }
}

Outcome<Value> addTexts(Runtime& runtime, const Text& left, const Text& right)
{
    const bool markup = left.isMarkup() || right.isMarkup();
    TextBuilder out(runtime);
    out.append(markup ? escaped(left) : left.utf8());
    out.append(markup ? escaped(right) : right.utf8());
    return out.finish(markup);
}

Outcome<Value> add(Runtime& runtime, Value left, Value right)
{
    if (left.is(Kind::Text)) {
        if (right.is(Kind::Text)) return addTexts(runtime, left.text(), right.text());
        return failure(
            std::format("can only concatenate str (not \"{}\") to str", typeName(right)));
    }
    if (isSequence(left)) {
        if (left.kind() != right.kind())
            return failure(std::format("can only concatenate {0} (not \"{1}\") to {0}",
                                       typeName(left), typeName(right)));
        const auto& first = left.sequence().items();
        const auto& second = right.sequence().items();
        TRY(runtime.reserve((first.size() + second.size()) * sizeof(Value)));
        TRY(runtime.spend((first.size() + second.size()) / 8));
        std::vector<Value> items = first;
        items.insert(items.end(), second.begin(), second.end());
        return left.is(Kind::List) ? runtime.heap().list(std::move(items))
                                   : runtime.heap().tuple(std::move(items));
    }
    if (left.is(Kind::Bytes) && right.is(Kind::Bytes)) {
        TRY(runtime.reserve(left.text().length() + right.text().length()));
        return Value::of(
            runtime.heap().make<Text>(Text::kBytes, left.text().utf8() + right.text().utf8()));
    }
    return failure(std::format("unsupported operand type(s) for +: '{}' and '{}'", typeName(left),
                               typeName(right)));
}

Outcome<Value> repeat(Runtime& runtime, Value value, Value times)
{
    const auto asked = asInteger(times);
    if (!asked) return overLimit("a repetition is too long");
    const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(*asked, 0));
    if (value.is(Kind::Text)) {
        TextBuilder out(runtime);
        out.repeat(value.text().utf8(), count);
        return out.finish(value.text().isMarkup());
    }
    const auto& items = value.sequence().items();
    std::vector<Value> repeated;
    if (!items.empty() && count > 0) {
        if (count > runtime.limits().memoryBytes / sizeof(Value) / items.size())
            return overLimit("a repetition is too long");
        TRY(runtime.reserve(count * items.size() * sizeof(Value)));
        TRY(runtime.spend(count * items.size() / 8));
        for (std::uint64_t i = 0; i < count; ++i)
            repeated.insert(repeated.end(), items.begin(), items.end());
    }
    return value.is(Kind::List) ? runtime.heap().list(std::move(repeated))
                                : runtime.heap().tuple(std::move(repeated));
}

} // namespace

std::unexpected<Failure> undefinedFailure(Value value)
{
    return failure(value.undefined().message());
}

bool isNumber(Value value)
{
    return isWhole(value) || value.is(Kind::Float);
}

std::optional<std::int64_t> asInteger(Value value)
{
    if (value.is(Kind::Integer)) return value.integer();
    if (value.is(Kind::Boolean)) return value.boolean() ? 1 : 0;
    return std::nullopt;
}

std::optional<double> asNumber(Value value)
{
    if (value.is(Kind::Float)) return value.number();
    if (const auto whole = asInteger(value)) return static_cast<double>(*whole);
    if (value.is(Kind::BigInteger)) return value.bigInteger().number().toNumber();
    return std::nullopt;
}

bool truth(Value value)
{
    switch (value.kind()) {
    case Kind::None:
    case Kind::Undefined:
        return false;
    case Kind::Boolean:
        return value.boolean();
    case Kind::Integer:
        return value.integer() != 0;
    case Kind::Float:
        return value.number() != 0;
    case Kind::BigInteger:
        return true;
    case Kind::Text:
    case Kind::Bytes:
        return value.text().length() > 0;
    case Kind::List:
    case Kind::Tuple:
        return value.sequence().size() > 0;
    case Kind::Dict:
        return value.dict().size() > 0;
    case Kind::Range:
        return value.range().size() > 0;
    case Kind::Instance:
        return value.instance().isTrue();
    }
    return false;
}

bool identical(Value left, Value right)
{
    if (left.kind() != right.kind()) return false;
    switch (left.kind()) {
    case Kind::None:
        return true;
    case Kind::Boolean:
        return left.boolean() == right.boolean();
    case Kind::Integer:
        return left.integer() == right.integer();
    case Kind::Float:
        return false;
    default:
        return left.object() == right.object();
    }
}

Outcome<bool> equal(Runtime& runtime, Value left, Value right)
{
    TRY(runtime.spend());
    if (isNumber(left) && isNumber(right)) return compareNumbers(left, right) == 0;
    if (left.kind() != right.kind()) return false;
    switch (left.kind()) {
    case Kind::None:
    case Kind::Undefined:
        return true;
    case Kind::Text:
    case Kind::Bytes:
        if (left.text().utf8().size() != right.text().utf8().size()) return false;
        TRY(runtime.spendBytes(left.text().utf8().size()));
        return left.text().utf8() == right.text().utf8();
    case Kind::List:
    case Kind::Tuple: {
        TRY_ASSIGN(const Nesting nesting, runtime.nest());
        return equalSequences(runtime, left.sequence(), right.sequence());
    }
    case Kind::Dict: {
        TRY_ASSIGN(const Nesting nesting, runtime.nest());
        return equalDicts(runtime, left.dict(), right.dict());
    }
    case Kind::Range:
        return equalRanges(left.range(), right.range());
    default:
        return left.object() == right.object();
    }
}

Outcome<bool> compare(Runtime& runtime, Comparison comparison, Value left, Value right)
{
    switch (comparison) {
    case Comparison::Equal:
        return equal(runtime, left, right);
    case Comparison::NotEqual:
        return equal(runtime, left, right).transform([](bool same) { return !same; });
    case Comparison::In:
        return contains(runtime, right, left);
    case Comparison::NotIn:
        return contains(runtime, right, left).transform([](bool found) { return !found; });
    default:
        break;
    }
    TRY(runtime.spend());
    if (left.isUndefined()) return undefinedFailure(left);
    if (right.isUndefined()) return undefinedFailure(right);
    if (isNumber(left) && isNumber(right)) return holds(comparison, compareNumbers(left, right));
    if (left.kind() == right.kind()) {
        if (left.is(Kind::Text) || left.is(Kind::Bytes)) {
            const std::string& a = left.text().utf8();
            const std::string& b = right.text().utf8();
            TRY(runtime.spendBytes(std::min(a.size(), b.size())));
            return holds(comparison, a <=> b); // UTF-8 sorts as its characters do
        }
        if (isSequence(left)) {
            TRY_ASSIGN(const Nesting nesting, runtime.nest());
            return compareSequences(runtime, comparison, left.sequence(), right.sequence());
        }
    }
    return failure(std::format("'{}' not supported between instances of '{}' and '{}'",
                               comparisonSign(comparison), typeName(left), typeName(right)));
}

Outcome<bool> contains(Runtime& runtime, Value container, Value item)
{
    switch (container.kind()) {
    case Kind::Text: {
        const Text* needle = item.ifText();
        if (!needle)
            return failure(std::format("'in <string>' requires string as left operand, not {}",
                                       typeName(item)));
        TRY(runtime.spendBytes(container.text().utf8().size() + needle->utf8().size()));
        return find(container.text().utf8(), needle->utf8()) != std::string::npos;
    }
    case Kind::Dict: {
        std::string buffer;
        TRY_ASSIGN(const DictKey key, runtime.keyOf(item, buffer));
        return container.dict().find(key) != nullptr;
    }
    case Kind::Range: {
        const auto wanted = asInteger(item);
        if (!wanted) return containsItem(runtime, container, item);
        const Range& range = container.range();
        if (range.size() == 0) return false;
        const std::int64_t distance = *wanted - range.start();
        return distance % range.step() == 0 && distance / range.step() >= 0 &&
               static_cast<std::uint64_t>(distance / range.step()) < range.size();
    }
    default:
        break;
    }
    if (!isIterable(container))
        return failure(std::format("argument of type '{}' is not iterable", typeName(container)));
    return containsItem(runtime, container, item);
}

Outcome<Value> arithmetic(Runtime& runtime, BinaryOperator operation, Value left, Value right)
{
    TRY(runtime.spend());
    if (left.is(Kind::Text) && operation == BinaryOperator::Modulo)
        return percentFormat(runtime, left.text(), right);
    if (left.isUndefined()) return undefinedFailure(left);
    if (right.isUndefined()) return undefinedFailure(right);
    if (isNumber(left) && isNumber(right)) return numberArithmetic(runtime, operation, left, right);
    if (operation == BinaryOperator::Add) return add(runtime, left, right);
    if (operation == BinaryOperator::Multiply) {
        const auto isRepeatable = [](Value value) {
            return value.is(Kind::Text) || isSequence(value);
        };
        if (isRepeatable(left) && isWhole(right)) return repeat(runtime, left, right);
        if (isWhole(left) && isRepeatable(right)) return repeat(runtime, right, left);
        if (isRepeatable(left) || isRepeatable(right))
            return failure(std::format("can't multiply sequence by non-int of type '{}'",
                                       typeName(isRepeatable(left) ? right : left)));
    }
    return failure(std::format("unsupported operand type(s) for {}: '{}' and '{}'",
                               operatorSign(operation), typeName(left), typeName(right)));
}

Outcome<Value> negate(Runtime& runtime, Value value)
{
    if (value.isUndefined()) return undefinedFailure(value);
    if (value.is(Kind::Float)) return Value::number(-value.number());
    if (isWhole(value)) return wholeValue(runtime, wholeOf(value).negated());
    return failure(std::format("bad operand type for unary -: '{}'", typeName(value)));
}

Outcome<Value> plus(Runtime& runtime, Value value)
{
    if (value.isUndefined()) return undefinedFailure(value);
    if (value.is(Kind::Float)) return value;
    if (isWhole(value)) return wholeValue(runtime, wholeOf(value));
    return failure(std::format("bad operand type for unary +: '{}'", typeName(value)));
}

} // namespace engine::jinja
