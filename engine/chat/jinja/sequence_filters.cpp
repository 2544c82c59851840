// Filters about sequences as a whole.

#include "engine/chat/jinja/arguments.h"
#include "engine/chat/jinja/attributes.h"
#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/escape.h"
#include "engine/chat/jinja/lazy.h"
#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/pretty_print.h"
#include "engine/chat/jinja/representation.h"
#include "engine/chat/jinja/sorting.h"
#include "engine/chat/jinja/text_operations.h"
#include "engine/chat/jinja/unicode.h"

#include <algorithm>
#include <array>
#include <format>
#include <random>

namespace engine::jinja {

namespace {

Outcome<Value> length(Runtime& runtime, Value subject, const Bound&)
{
    TRY_ASSIGN(const std::size_t size, jinja::length(runtime, subject));
    return Value::size(size);
}

Outcome<Value> list(Runtime& runtime, Value subject, const Bound&)
{
    TRY_ASSIGN(std::vector<Value> items, collect(runtime, subject));
    return runtime.heap().list(std::move(items));
}

Outcome<Value> first(Runtime& runtime, Value subject, const Bound&)
{
    TRY_ASSIGN(const IteratorPtr items, iterate(runtime, subject));
    TRY_ASSIGN(const std::optional<Value> item, items->next(runtime));
    return item ? *item : undefinedHint(runtime, "No first item, sequence was empty.");
}

Outcome<Value> last(Runtime& runtime, Value subject, const Bound&)
{
    if (subject.ifInstance<Generator>())
        return failure(std::format("'{}' object is not reversible", typeName(subject)));
    TRY_ASSIGN(const std::vector<Value> items, collect(runtime, subject));
    return items.empty() ? undefinedHint(runtime, "No last item, sequence was empty.")
                         : items.back();
}

Outcome<Value> random(Runtime& runtime, Value subject, const Bound&)
{
    TRY_ASSIGN(const std::size_t size, jinja::length(runtime, subject));
    if (size == 0) return undefinedHint(runtime, "No random item, sequence was empty.");
    std::random_device source;
    const std::size_t index = std::uniform_int_distribution<std::size_t>(0, size - 1)(source);
    return itemOf(runtime, subject, Value::size(index));
}

Outcome<Value> reverse(Runtime& runtime, Value subject, const Bound&)
{
    if (subject.is(Kind::Text))
        return sliceOf(runtime, subject, Value::none(), Value::none(), Value::integer(-1));
    if (!isIterable(subject)) return failure("argument must be iterable");
    TRY_ASSIGN(std::vector<Value> items, collect(runtime, subject));
    std::ranges::reverse(items);
    const bool isReversible = !subject.is(Kind::Instance) || subject.ifInstance<DictView>();
    if (!isReversible) return runtime.heap().list(std::move(items));
    return lazily(runtime, std::move(items), "list_reverseiterator");
}

Outcome<Value> join(Runtime& runtime, Value subject, const Bound& arguments)
{
    std::string separator;
    bool markup = false;
    const bool escapes = runtime.escapes();
    if (arguments[0]) {
        markup = arguments[0]->is(Kind::Text) && arguments[0]->text().isMarkup();
        TRY_ASSIGN(separator, toText(runtime, *arguments[0]));
    }
    TRY_ASSIGN(std::vector<Value> items, collect(runtime, subject));
    for (Value& item : items) {
        if (isGiven(arguments, 1)) {
            TRY_ASSIGN(item, pathOf(runtime, item, *arguments[1]));
        }
        markup |= item.is(Kind::Text) && item.text().isMarkup();
    }
    // Markup anywhere escapes the rest, but only where escaping is on.
    markup &= escapes;
    if (markup && arguments[0]) {
        TRY_ASSIGN(separator, toEscapedText(runtime, *arguments[0]));
    }
    TextBuilder out(runtime);
    for (std::size_t i = 0; i < items.size() && !out.isFull(); ++i) {
        if (i > 0) out.append(separator);
        if (!markup) {
            TRY(writeText(runtime, out, items[i]));
            continue;
        }
        TRY_ASSIGN(const std::string text, toEscapedText(runtime, items[i]));
        out.append(text);
    }
    return out.finish(markup);
}

Outcome<Value> sum(Runtime& runtime, Value subject, const Bound& arguments)
{
    Value total = arguments.valueOr(1, Value::integer(0));
    if (total.is(Kind::Text)) return failure("sum() can't sum strings [use ''.join(seq) instead]");
    TRY_ASSIGN(const IteratorPtr items, iterate(runtime, subject));
    for (;;) {
        TRY_ASSIGN(std::optional<Value> item, items->next(runtime));
        if (!item) return total;
        if (isGiven(arguments, 0)) {
            TRY_ASSIGN(item, pathOf(runtime, *item, *arguments[0]));
        }
        TRY_ASSIGN(total, arithmetic(runtime, BinaryOperator::Add, total, *item));
    }
}

template <Comparison Better>
Outcome<Value> extreme(Runtime& runtime, Value subject, const Bound& arguments)
{
    const SortKey key{.attribute = isGiven(arguments, 1) ? arguments[1] : std::nullopt,
                      .ignoresCase = !flagArgument(arguments, 0)};
    TRY_ASSIGN(const std::vector<Value> items, collect(runtime, subject));
    if (items.empty()) return undefinedHint(runtime, "No aggregated item, sequence was empty.");
    Value best = items.front();
    TRY_ASSIGN(Value bestKey, keyFor(runtime, best, key));
    for (std::size_t i = 1; i < items.size(); ++i) {
        TRY_ASSIGN(const Value candidate, keyFor(runtime, items[i], key));
        TRY_ASSIGN(const bool better, compare(runtime, Better, candidate, bestKey));
        if (!better) continue;
        best = items[i];
        bestKey = candidate;
    }
    return best;
}

Outcome<Value> sort(Runtime& runtime, Value subject, const Bound& arguments)
{
    const SortKey key{.attribute = isGiven(arguments, 2) ? arguments[2] : std::nullopt,
                      .ignoresCase = !flagArgument(arguments, 1),
                      .manyAttributes = true};
    TRY_ASSIGN(const std::vector<Value> items, collect(runtime, subject));
    TRY_ASSIGN(const std::vector<Keyed> keyed,
               sortedByKey(runtime, items, key, flagArgument(arguments, 0)));
    return runtime.heap().list(itemsOf(keyed));
}

Outcome<Value> unique(Runtime& runtime, Value subject, const Bound& arguments)
{
    const SortKey key{.attribute = isGiven(arguments, 1) ? arguments[1] : std::nullopt,
                      .ignoresCase = !flagArgument(arguments, 0)};
    return stepwise(runtime, subject, [key](Runtime& run) -> Outcome<Step> {
        return [key, seen = run.heap().make<Dict>()](Runtime& step,
                                                     Value item) -> Outcome<std::optional<Value>> {
            TRY_ASSIGN(const Value itemKey, keyFor(step, item, key));
            const std::size_t before = seen->size();
            TRY(step.insert(*seen, itemKey, Value::none()));
            return seen->size() > before ? std::optional(item) : std::nullopt;
        };
    });
}

Outcome<Value> groupBy(Runtime& runtime, Value subject, const Bound& arguments)
{
    SortKey key{.attribute = arguments[0],
                .fallback = isGiven(arguments, 1) ? arguments[1] : std::nullopt,
                .ignoresCase = !flagArgument(arguments, 2)};
    TRY_ASSIGN(const std::vector<Value> items, collect(runtime, subject));
    TRY_ASSIGN(const std::vector<Keyed> keyed, sortedByKey(runtime, items, key, false));
    key.ignoresCase = false; // a group is called as its first item is
    std::vector<Value> groups;
    for (std::size_t begin = 0; begin < keyed.size();) {
        std::vector<Value> members;
        std::size_t end = begin;
        for (; end < keyed.size(); ++end) {
            TRY_ASSIGN(const bool same, equal(runtime, keyed[end].key, keyed[begin].key));
            if (!same) break;
            members.push_back(keyed[end].item);
        }
        TRY_ASSIGN(const Value name, keyFor(runtime, keyed[begin].item, key));
        std::vector<Value> pair = {name, runtime.heap().list(std::move(members))};
        groups.push_back(
            Value::of(runtime.heap().make<Sequence>(Kind::Tuple, std::move(pair), true)));
        begin = end;
    }
    return runtime.heap().list(std::move(groups));
}

Outcome<Value> dictSort(Runtime& runtime, Value subject, const Bound& arguments)
{
    if (subject.isUndefined()) return undefinedFailure(subject);
    if (!subject.is(Kind::Dict))
        return failure(std::format("'{}' object has no attribute 'items'", typeName(subject)));
    TRY_ASSIGN(const std::string by,
               toText(runtime, arguments.valueOr(1, runtime.heap().text("key"))));
    if (by != "key" && by != "value")
        return failure("You can only sort by either \"key\" or \"value\"");
    const SortKey key{.attribute = Value::integer(by == "key" ? 0 : 1),
                      .ignoresCase = !flagArgument(arguments, 0)};
    std::vector<Value> pairs;
    for (const Dict::Entry& entry : subject.dict().entries()) {
        TRY(runtime.spend());
        pairs.push_back(runtime.heap().tuple({entry.key, entry.value}));
    }
    TRY_ASSIGN(const std::vector<Keyed> keyed,
               sortedByKey(runtime, pairs, key, flagArgument(arguments, 2)));
    return runtime.heap().list(itemsOf(keyed));
}

Outcome<std::vector<Value>> pairsOf(Runtime& runtime, Value subject)
{
    std::vector<Value> pairs;
    if (subject.isUndefined()) return pairs;
    if (!subject.is(Kind::Dict)) return failure("Can only get item pairs from a mapping.");
    for (const Dict::Entry& entry : subject.dict().entries()) {
        TRY(runtime.spend());
        pairs.push_back(runtime.heap().tuple({entry.key, entry.value}));
    }
    return pairs;
}

Outcome<Value> items(Runtime& runtime, Value subject, const Bound&)
{
    return lazily(runtime, [subject](Runtime& run) { return pairsOf(run, subject); });
}

/// The rows that batch and slice make: `count` is how long or how many they are.
using MakeRows = Outcome<std::vector<Value>> (*)(Runtime& runtime, Value subject,
                                                 std::int64_t count, std::optional<Value> fill);

template <MakeRows Make>
Outcome<Value> inRows(Runtime& runtime, Value subject, const Bound& arguments)
{
    const std::optional<Value> fill = isGiven(arguments, 1) ? arguments[1] : std::nullopt;
    return lazily(
        runtime,
        [subject, count = *arguments[0], fill](Runtime& run) -> Outcome<std::vector<Value>> {
            const Arguments none;
            Bound bound(none);
            bound.set(0, count);
            TRY_ASSIGN(const std::int64_t number, integerArgument(bound, 0, 1));
            return Make(run, subject, number, fill);
        });
}

Outcome<std::vector<Value>> batch(Runtime& runtime, Value subject, std::int64_t size,
                                  std::optional<Value> fill)
{
    TRY_ASSIGN(const std::vector<Value> items, collect(runtime, subject));
    std::vector<Value> batches;
    std::vector<Value> current;
    for (const Value item : items) {
        if (static_cast<std::int64_t>(current.size()) == size)
            batches.push_back(runtime.heap().list(std::exchange(current, {})));
        current.push_back(item);
    }
    if (!current.empty()) {
        if (fill && size > static_cast<std::int64_t>(current.size())) {
            const auto missing = static_cast<std::uint64_t>(size) - current.size();
            TRY(runtime.spend(missing));
            current.resize(current.size() + missing, *fill);
        }
        batches.push_back(runtime.heap().list(std::move(current)));
    }
    return batches;
}

Outcome<std::vector<Value>> slice(Runtime& runtime, Value subject, std::int64_t slices,
                                  std::optional<Value> fill)
{
    TRY_ASSIGN(const std::vector<Value> items, collect(runtime, subject));
    if (slices == 0) return failure("integer division or modulo by zero");
    std::vector<Value> parts;
    if (slices > 0) TRY(runtime.spend(static_cast<std::uint64_t>(slices)));
    const auto size = static_cast<std::int64_t>(items.size());
    auto begin = items.begin();
    for (std::int64_t i = 0; i < slices; ++i) {
        const std::int64_t count = size / slices + (i < size % slices ? 1 : 0);
        std::vector<Value> part(begin, begin + count);
        begin += count;
        if (fill && i >= size % slices) part.push_back(*fill);
        parts.push_back(runtime.heap().list(std::move(part)));
    }
    return parts;
}

Outcome<Value> orDefault(Runtime& runtime, Value subject, const Bound& arguments)
{
    const bool missing = subject.isUndefined() || (flagArgument(arguments, 1) && !truth(subject));
    if (!missing) return subject;
    return arguments[0] ? *arguments[0] : runtime.heap().text({});
}

Outcome<Value> attribute(Runtime& runtime, Value subject, const Bound& arguments)
{
    const Value name = *arguments[0];
    if (!name.is(Kind::Text))
        return failure(std::format("attribute name must be string, not '{}'", typeName(name)));
    TRY_ASSIGN(const std::optional<Value> own, ownAttribute(runtime, subject, name));
    if (own) return *own;
    runtime.heap().charge(name.text().utf8().size());
    return Value::of(runtime.heap().make<Undefined>(Undefined::Reason::Attribute,
                                                    name.text().utf8(), ownerName(subject)));
}

Outcome<Value> pprint(Runtime& runtime, Value subject, const Bound&)
{
    return prettyPrint(runtime, subject);
}

constexpr std::array kSequenceFilters = {
    Builtin{"length", &length},
    Builtin{"count", &length},
    Builtin{"list", &list},
    Builtin{"first", &first},
    Builtin{"last", &last},
    Builtin{"random", &random},
    Builtin{"reverse", &reverse},
    Builtin{"join", &join, {"d", "attribute"}},
    Builtin{"sum", &sum, {"attribute", "start"}},
    Builtin{"min", &extreme<Comparison::Less>, {"case_sensitive", "attribute"}},
    Builtin{"max", &extreme<Comparison::Greater>, {"case_sensitive", "attribute"}},
    Builtin{"sort", &sort, {"reverse", "case_sensitive", "attribute"}},
    Builtin{"unique", &unique, {"case_sensitive", "attribute"}},
    Builtin{"groupby", &groupBy, {"attribute", "default", "case_sensitive"}, 1},
    Builtin{"dictsort", &dictSort, {"case_sensitive", "by", "reverse"}},
    Builtin{"items", &items},
    Builtin{"batch", &inRows<batch>, {"linecount", "fill_with"}, 1},
    Builtin{"slice", &inRows<slice>, {"slices", "fill_with"}, 1},
    Builtin{"default", &orDefault, {"default_value", "boolean"}},
    Builtin{"d", &orDefault, {"default_value", "boolean"}},
    Builtin{"attr", &attribute, {"name"}, 1},
    Builtin{"pprint", &pprint},
};

} // namespace

std::span<const Builtin> sequenceFilters()
{
    return kSequenceFilters;
}

} // namespace engine::jinja
