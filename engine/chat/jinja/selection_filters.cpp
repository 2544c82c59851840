// map, select, reject and their kin: sequences computed item by item, as they are walked.

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/attributes.h"
#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"

#include <array>
#include <format>
#include <functional>

namespace engine::jinja {

namespace {

/// What becomes of an item; nothing: it is left out.
using Step = std::function<Outcome<std::optional<Value>>(Runtime&, Value)>;

class StepIterator final : public Iterator {
public:
    StepIterator(Value source, Step step)
        : m_source(source)
        , m_step(std::move(step))
    {
    }

    Outcome<std::optional<Value>> next(Runtime& runtime) override
    {
        if (!m_items) {
            TRY_ASSIGN(m_items, iterate(runtime, m_source));
        }
        for (;;) {
            TRY_ASSIGN(const std::optional<Value> item, m_items->next(runtime));
            if (!item) return std::nullopt;
            TRY_ASSIGN(const std::optional<Value> result, m_step(runtime, *item));
            if (result) return result;
        }
    }

private:
    Value m_source;
    Step m_step;
    IteratorPtr m_items;
};

Value generate(Runtime& runtime, Value source, Step step)
{
    // Nothing, whatever its type, has no items.
    if (!truth(source)) source = runtime.heap().tuple({});
    runtime.heap().charge(sizeof(StepIterator) + sizeof(Arguments));
    return Value::of(
        runtime.heap().make<Generator>(std::make_unique<StepIterator>(source, std::move(step))));
}

/// The arguments after the first `count`.
Arguments rest(const Arguments& all, std::size_t count)
{
    Arguments arguments;
    arguments.named = all.named;
    arguments.positional.assign(all.positional.begin() + static_cast<std::ptrdiff_t>(count),
                                all.positional.end());
    return arguments;
}

Outcome<Value> map(Runtime& runtime, Value subject, const Bound& bound)
{
    const Arguments& all = bound.all();
    if (all.positional.empty()) {
        const Value* attribute = all.find("attribute");
        if (!attribute) return failure("map requires a filter argument");
        const Value* fallback = all.find("default");
        if (all.named.size() > (fallback ? 2U : 1U)) return failure("Unexpected keyword argument");
        return generate(runtime, subject,
                        [path = *attribute, fallback = fallback && !fallback->isNone()
                                                           ? std::optional(*fallback)
                                                           : std::nullopt](
                            Runtime& run, Value item) -> Outcome<std::optional<Value>> {
                            TRY_ASSIGN(const Value value, pathOf(run, item, path, fallback));
                            return value;
                        });
    }
    TRY_ASSIGN(const std::string name, toText(runtime, all.positional.front()));
    const Builtin* filter = findFilter(name);
    if (!filter) return failure(std::format("No filter named '{}'.", name));
    return generate(runtime, subject,
                    [filter, arguments = rest(all, 1)](
                        Runtime& run, Value item) -> Outcome<std::optional<Value>> {
                        TRY_ASSIGN(const Value value, invoke(run, *filter, item, arguments));
                        return value;
                    });
}

/// select and selectattr keep items for which the test holds; the rejecting ones the others.
template <bool ByAttribute, bool Keep>
Outcome<Value> select(Runtime& runtime, Value subject, const Bound& bound)
{
    const Arguments& all = bound.all();
    std::size_t used = 0;
    std::optional<Value> attribute; // NOLINT(misc-const-correctness): set in two of the four
    if constexpr (ByAttribute) {
        if (all.positional.empty()) return failure("Missing parameter for attribute name");
        attribute = all.positional[used++];
    }
    const Builtin* test = nullptr;
    Arguments arguments;
    if (used < all.positional.size()) {
        TRY_ASSIGN(const std::string name, toText(runtime, all.positional[used++]));
        test = findTest(name);
        if (!test) return failure(std::format("No test named '{}'.", name));
        arguments = rest(all, used);
    }
    return generate(runtime, subject,
                    [attribute, test, arguments = std::move(arguments)](
                        Runtime& run, Value item) -> Outcome<std::optional<Value>> {
                        Value tested = item;
                        if (attribute) {
                            TRY_ASSIGN(tested, pathOf(run, item, *attribute));
                        }
                        if (test) {
                            TRY_ASSIGN(tested, invoke(run, *test, tested, arguments));
                        }
                        return truth(tested) == Keep ? std::optional(item) : std::nullopt;
                    });
}

constexpr std::array kSelectionFilters = {
    Builtin{.name = "map", .function = &map, .variadic = true},
    Builtin{.name = "select", .function = &select<false, true>, .variadic = true},
    Builtin{.name = "reject", .function = &select<false, false>, .variadic = true},
    Builtin{.name = "selectattr", .function = &select<true, true>, .variadic = true},
    Builtin{.name = "rejectattr", .function = &select<true, false>, .variadic = true},
};

} // namespace

std::span<const Builtin> selectionFilters()
{
    return kSelectionFilters;
}

} // namespace engine::jinja
