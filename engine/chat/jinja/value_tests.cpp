// What may follow `is`.

#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/number.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"

#include <array>

namespace engine::jinja {

namespace {

template <bool (*Predicate)(Value)>
Outcome<Value> plainTest(Runtime&, Value subject, const Bound&)
{
    return Value::boolean(Predicate(subject));
}

bool isDefined(Value value)
{
    return !value.isUndefined();
}
bool isUndefined(Value value)
{
    return value.isUndefined();
}
bool isNone(Value value)
{
    return value.isNone();
}
bool isBoolean(Value value)
{
    return value.is(Kind::Boolean);
}
bool isTrue(Value value)
{
    return value.is(Kind::Boolean) && value.boolean();
}
bool isFalse(Value value)
{
    return value.is(Kind::Boolean) && !value.boolean();
}
bool isFloat(Value value)
{
    return value.is(Kind::Float);
}
bool isInteger(Value value)
{
    return value.is(Kind::Integer) || value.is(Kind::BigInteger);
}
bool isString(Value value)
{
    return value.is(Kind::Text);
}
bool isMapping(Value value)
{
    return value.is(Kind::Dict);
}
bool isEscaped(Value value)
{
    return value.is(Kind::Text) && value.text().isMarkup();
}

bool isSequence(Value value)
{
    // Whatever has a length and takes an index; an undefined value has both.
    return isIterable(value) && !value.is(Kind::Instance);
}

template <Comparison Relation>
Outcome<Value> relation(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const bool holds, compare(runtime, Relation, subject, *arguments[0]));
    return Value::boolean(holds);
}

template <int Rest>
Outcome<Value> restOfTwo(Runtime& runtime, Value subject, const Bound&)
{
    TRY_ASSIGN(const Value rest,
               arithmetic(runtime, BinaryOperator::Modulo, subject, Value::integer(2)));
    TRY_ASSIGN(const bool same, equal(runtime, rest, Value::integer(Rest)));
    return Value::boolean(same);
}

Outcome<Value> divisibleBy(Runtime& runtime, Value subject, const Bound& arguments)
{
    TRY_ASSIGN(const Value rest,
               arithmetic(runtime, BinaryOperator::Modulo, subject, *arguments[0]));
    TRY_ASSIGN(const bool none, equal(runtime, rest, Value::integer(0)));
    return Value::boolean(none);
}

Outcome<Value> sameAs(Runtime&, Value subject, const Bound& arguments)
{
    return Value::boolean(identical(subject, *arguments[0]));
}

template <bool Upper>
Outcome<Value> hasCase(Runtime& runtime, Value subject, const Bound&)
{
    TRY_ASSIGN(const Value text, toTextValue(runtime, subject));
    return invoke(runtime, *findMethod(text, Upper ? "isupper" : "islower"), text, {});
}

template <const Builtin* (*Find)(std::string_view)>
Outcome<Value> isKnown(Runtime& runtime, Value subject, const Bound&)
{
    std::string buffer;
    TRY(runtime.keyOf(subject, buffer));
    return Value::boolean(subject.is(Kind::Text) && Find(subject.text().utf8()) != nullptr);
}

constexpr std::array kTests = {
    Builtin{"defined", &plainTest<isDefined>},
    Builtin{"undefined", &plainTest<isUndefined>},
    Builtin{"none", &plainTest<isNone>},
    Builtin{"boolean", &plainTest<isBoolean>},
    Builtin{"true", &plainTest<isTrue>},
    Builtin{"false", &plainTest<isFalse>},
    Builtin{"number", &plainTest<isNumber>},
    Builtin{"integer", &plainTest<isInteger>},
    Builtin{"float", &plainTest<isFloat>},
    Builtin{"string", &plainTest<isString>},
    Builtin{"mapping", &plainTest<isMapping>},
    Builtin{"sequence", &plainTest<isSequence>},
    Builtin{"iterable", &plainTest<isIterable>},
    Builtin{"callable", &plainTest<isCallable>},
    Builtin{"escaped", &plainTest<isEscaped>},
    Builtin{"odd", &restOfTwo<1>},
    Builtin{"even", &restOfTwo<0>},
    Builtin{"divisibleby", &divisibleBy, {"num"}, 1},
    Builtin{"sameas", &sameAs, {"other"}, 1},
    Builtin{"lower", &hasCase<false>},
    Builtin{"upper", &hasCase<true>},
    Builtin{"filter", &isKnown<findFilter>},
    Builtin{"test", &isKnown<findTest>},
    Builtin{"in", &relation<Comparison::In>, {"seq"}, 1},
    Builtin{"eq", &relation<Comparison::Equal>, {"other"}, 1},
    Builtin{"equalto", &relation<Comparison::Equal>, {"other"}, 1},
    Builtin{"==", &relation<Comparison::Equal>, {"other"}, 1},
    Builtin{"ne", &relation<Comparison::NotEqual>, {"other"}, 1},
    Builtin{"!=", &relation<Comparison::NotEqual>, {"other"}, 1},
    Builtin{"lt", &relation<Comparison::Less>, {"other"}, 1},
    Builtin{"lessthan", &relation<Comparison::Less>, {"other"}, 1},
    Builtin{"<", &relation<Comparison::Less>, {"other"}, 1},
    Builtin{"le", &relation<Comparison::LessOrEqual>, {"other"}, 1},
    Builtin{"<=", &relation<Comparison::LessOrEqual>, {"other"}, 1},
    Builtin{"gt", &relation<Comparison::Greater>, {"other"}, 1},
    Builtin{"greaterthan", &relation<Comparison::Greater>, {"other"}, 1},
    Builtin{">", &relation<Comparison::Greater>, {"other"}, 1},
    Builtin{"ge", &relation<Comparison::GreaterOrEqual>, {"other"}, 1},
    Builtin{">=", &relation<Comparison::GreaterOrEqual>, {"other"}, 1},
};

} // namespace

std::span<const Builtin> valueTests()
{
    return kTests;
}

} // namespace engine::jinja
