// map, select, reject and their kin: sequences computed item by item, as they are walked.

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/attributes.h"
#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/lazy.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"

#include <array>
#include <format>

namespace engine::jinja {

namespace {

/// Nothing, whatever its type, has no items, and is asked for nothing else.
Value generate(Runtime& runtime, Value source, MakeStep makeStep)
{
    if (!truth(source)) return lazily(runtime, std::vector<Value>{});
    return stepwise(runtime, source, std::move(makeStep));
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

Outcome<Step> attributeStep(const Arguments& all)
{
    const Value* attribute = all.find("attribute");
    if (!attribute) return failure("map requires a filter argument");
    const Value* fallback = all.find("default");
    if (all.named.size() > (fallback ? 2U : 1U)) return failure("Unexpected keyword argument");
    return [path = *attribute,
            fallback = fallback && !fallback->isNone() ? std::optional(*fallback) : std::nullopt](
               Runtime& run, Value item) -> Outcome<std::optional<Value>> {
        TRY_ASSIGN(const Value value, pathOf(run, item, path, fallback));
        return value;
    };
}

Outcome<Step> filterStep(Runtime& runtime, const Arguments& all)
{
    TRY_ASSIGN(const std::string name, toText(runtime, all.positional.front()));
    const Builtin* filter = findFilter(name);
    if (!filter) return failure(std::format("No filter named '{}'.", name));
    return [filter, arguments = rest(all, 1)](Runtime& run,
                                              Value item) -> Outcome<std::optional<Value>> {
        TRY_ASSIGN(const Value value, invoke(run, *filter, item, arguments));
        return value;
    };
}

Outcome<Value> map(Runtime& runtime, Value subject, const Bound& bound)
{
    return generate(runtime, subject, [all = bound.all()](Runtime& run) {
        return all.positional.empty() ? attributeStep(all) : filterStep(run, all);
    });
}

/// select and selectattr keep items for which the test holds; the rejecting ones the others.
template <bool ByAttribute, bool Keep>
Outcome<Step> selectStep(Runtime& runtime, const Arguments& all)
{
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
    return [attribute, test, arguments = std::move(arguments)](
               Runtime& run, Value item) -> Outcome<std::optional<Value>> {
        Value tested = item;
        if (attribute) {
            TRY_ASSIGN(tested, pathOf(run, item, *attribute));
        }
        if (test) {
            TRY_ASSIGN(tested, invoke(run, *test, tested, arguments));
        }
        return truth(tested) == Keep ? std::optional(item) : std::nullopt;
    };
}

template <bool ByAttribute, bool Keep>
Outcome<Value> select(Runtime& runtime, Value subject, const Bound& bound)
{
    return generate(runtime, subject, [all = bound.all()](Runtime& run) {
        return selectStep<ByAttribute, Keep>(run, all);
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
