// The functions every template can call.

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/attributes.h"
#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"
#include "engine/chat/jinja/time_format.h"

#include <array>
#include <format>

namespace engine::jinja {

namespace {

Outcome<Value> range(Runtime& runtime, Value, const Bound& arguments)
{
    constexpr std::int64_t kMostItems = 100'000; // as Jinja2's sandbox
    std::array<std::int64_t, 3> parts = {0, 0, 1};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!arguments[i]) continue;
        if (!asInteger(*arguments[i]) && !arguments[i]->is(Kind::BigInteger))
            return failure(std::format("'{}' object cannot be interpreted as an integer",
                                       typeName(*arguments[i])));
        TRY_ASSIGN(parts[i], integerArgument(arguments, i, 0));
    }
    if (!arguments[1]) std::swap(parts[0], parts[1]);
    if (parts[2] == 0) return failure("range() arg 3 must not be zero");
    constexpr std::int64_t kBound = 1LL << 60U;
    for (std::int64_t& part : parts)
        part = std::clamp(part, -kBound, kBound);
    const auto* range = runtime.heap().make<Range>(parts[0], parts[1], parts[2]);
    if (range->size() > static_cast<std::size_t>(kMostItems))
        return failure(std::format("Range too big. The sandbox blocks ranges larger than "
                                   "MAX_RANGE ({}).",
                                   kMostItems));
    return Value::of(range);
}

/// dict(mapping or pairs, names...)
Outcome<Dict*> makeDict(Runtime& runtime, const Arguments& arguments)
{
    auto* dict = runtime.heap().make<Dict>();
    if (arguments.positional.size() > 1)
        return failure(
            std::format("dict expected at most 1 argument, got {}", arguments.positional.size()));
    if (!arguments.positional.empty()) {
        const Value source = arguments.positional.front();
        if (source.isUndefined()) return undefinedFailure(source);
        const Value pairs =
            source.is(Kind::Dict)
                ? Value::of(runtime.heap().make<DictView>(source.dict(), DictView::Part::Items))
                : source;
        TRY_ASSIGN(const std::vector<Value> items, collect(runtime, pairs));
        for (const Value item : items) {
            TRY_ASSIGN(const std::vector<Value> pair, collect(runtime, item));
            if (pair.size() != 2)
                return failure(std::format("dictionary update sequence element has length {}; 2 "
                                           "is required",
                                           pair.size()));
            TRY(runtime.insert(*dict, pair[0], pair[1]));
        }
    }
    for (const auto& [name, value] : arguments.named)
        runtime.insert(*dict, name, value);
    return dict;
}

Outcome<Value> dict(Runtime& runtime, Value, const Bound& arguments)
{
    TRY_ASSIGN(Dict * made, makeDict(runtime, arguments.all()));
    return Value::of(made);
}

Outcome<Value> makeNamespace(Runtime& runtime, Value, const Bound& arguments)
{
    TRY_ASSIGN(Dict * attributes, makeDict(runtime, arguments.all()));
    return Value::of(runtime.heap().make<Namespace>(*attributes));
}

Outcome<Value> raiseException(Runtime& runtime, Value, const Bound& arguments)
{
    TRY_ASSIGN(std::string message, toText(runtime, *arguments[0]));
    return std::unexpected(Failure{FailureKind::Raised, std::move(message), {}});
}

Outcome<Value> strftimeNow(Runtime& runtime, Value, const Bound& arguments)
{
    TRY_ASSIGN(const Text* format, textArgument(arguments, 0));
    TextBuilder out(runtime);
    formatTime(out, format->utf8(), runtime.clock()());
    return out.finish();
}

/// cycler("a", "b"): goes round and round.
class Cycler final : public Instance {
public:
    explicit Cycler(std::vector<Value> items)
        : m_items(std::move(items))
    {
    }

    std::string_view typeName() const override { return "jinja2.utils.Cycler"; }
    Outcome<std::optional<Value>> attribute(Runtime& runtime, std::string_view name) override;
    Value next()
    {
        const Value item = m_items[m_at];
        m_at = (m_at + 1) % m_items.size();
        return item;
    }
    void reset() { m_at = 0; }

private:
    std::vector<Value> m_items;
    std::size_t m_at = 0;
};

constexpr Builtin kCyclerNext{"next", [](Runtime&, Value subject, const Bound&) -> Outcome<Value> {
                                  return static_cast<Cycler&>(subject.instance()).next();
                              }};
constexpr Builtin kCyclerReset{"reset",
                               [](Runtime&, Value subject, const Bound&) -> Outcome<Value> {
                                   static_cast<Cycler&>(subject.instance()).reset();
                                   return Value::none();
                               }};

Outcome<std::optional<Value>> Cycler::attribute(Runtime& runtime, std::string_view name)
{
    if (name == "current") return m_items[m_at];
    if (name == "pos") return Value::size(m_at);
    if (name == "items") return runtime.heap().tuple(m_items);
    const Builtin* method = name == "next"    ? &kCyclerNext
                            : name == "reset" ? &kCyclerReset
                                              : nullptr;
    if (!method) return std::nullopt;
    return Value::of(runtime.heap().make<BuiltinValue>(*method, Value::of(this), true));
}

Outcome<Value> cycler(Runtime& runtime, Value, const Bound& arguments)
{
    if (!arguments.all().named.empty()) return failure("cycler() takes no arguments by name");
    if (arguments.all().positional.empty()) return failure("at least one item has to be provided");
    return Value::of(runtime.heap().make<Cycler>(arguments.all().positional));
}

/// joiner(", "): nothing the first time it is called, then the separator.
class Joiner final : public Instance {
public:
    explicit Joiner(Value separator)
        : m_separator(separator)
    {
    }

    std::string_view typeName() const override { return "jinja2.utils.Joiner"; }
    bool isCallable() const override { return true; }
    Outcome<Value> call(Runtime& runtime, const Arguments& arguments) override
    {
        if (!arguments.positional.empty() || !arguments.named.empty())
            return failure("a joiner takes no arguments");
        if (m_used) return m_separator;
        m_used = true;
        return runtime.heap().text({});
    }
    Outcome<std::optional<Value>> attribute(Runtime&, std::string_view name) override
    {
        if (name == "sep") return m_separator;
        if (name == "used") return Value::boolean(m_used);
        return std::nullopt;
    }

private:
    Value m_separator;
    bool m_used = false;
};

Outcome<Value> joiner(Runtime& runtime, Value, const Bound& arguments)
{
    return Value::of(
        runtime.heap().make<Joiner>(arguments[0] ? *arguments[0] : runtime.heap().text(", ")));
}

constexpr std::array kGlobals = {
    Builtin{"range", &range, {"/start", "/stop", "/step"}, 1},
    Builtin{.name = "dict", .function = &dict, .variadic = true},
    Builtin{.name = "namespace", .function = &makeNamespace, .variadic = true},
    Builtin{.name = "cycler", .function = &cycler, .variadic = true},
    Builtin{"joiner", &joiner, {"sep"}},
    Builtin{"raise_exception", &raiseException, {"message"}, 1},
    Builtin{"strftime_now", &strftimeNow, {"format"}, 1},
};

} // namespace

std::span<const Builtin> globalFunctions()
{
    return kGlobals;
}

} // namespace engine::jinja
