#include "engine/chat/jinja/loop.h"

#include "engine/chat/jinja/attributes.h"
#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/operators.h"

#include <array>
#include <format>

namespace engine::jinja {

namespace {

LoopContext& loopOf(Value subject)
{
    return static_cast<LoopContext&>(subject.instance());
}

constexpr Builtin kCycle{
    .name = "cycle",
    .function = [](Runtime&, Value loop,
                   const Bound& arguments) { return loopOf(loop).cycle(arguments.all()); },
    .variadic = true};

constexpr Builtin kChanged{.name = "changed",
                           .function =
                               [](Runtime& runtime, Value loop, const Bound& arguments) {
                                   return loopOf(loop).changed(runtime, arguments.all());
                               },
                           .variadic = true};

} // namespace

Outcome<std::optional<Value>> FilteredIterator::next(Runtime& runtime)
{
    for (;;) {
        TRY_ASSIGN(const std::optional<Value> item, m_source->next(runtime));
        if (!item) return std::nullopt;
        TRY_ASSIGN(const bool passes, m_host.passesFilter(m_node, m_scope, *item));
        if (passes) return item;
    }
}

LoopContext::LoopContext(LoopHost& host, const For& node, Scope& scope, Value iterable,
                         IteratorPtr items, int depth)
    : m_host(host)
    , m_node(node)
    , m_scope(scope)
    , m_iterable(iterable)
    , m_items(std::move(items))
    , m_depth(depth)
{
}

Outcome<std::optional<Value>> LoopContext::peek(Runtime& runtime)
{
    if (m_after) return m_after;
    if (m_aheadAt < m_ahead.size()) {
        m_after = m_ahead[m_aheadAt++];
        return m_after;
    }
    TRY_ASSIGN(m_after, m_items->next(runtime));
    return m_after;
}

Outcome<std::optional<Value>> LoopContext::advance(Runtime& runtime)
{
    TRY_ASSIGN(const std::optional<Value> next, peek(runtime));
    if (!next) return std::nullopt;
    m_after.reset();
    ++m_index;
    m_previous = m_current;
    m_current = next;
    return next;
}

Outcome<std::int64_t> LoopContext::count(Runtime& runtime)
{
    if (m_count) return *m_count;
    if (!m_iterable.isNone()) {
        if (const auto known = jinja::length(runtime, m_iterable)) {
            m_count = static_cast<std::int64_t>(*known);
            return *m_count;
        }
    }
    for (;;) {
        TRY_ASSIGN(const std::optional<Value> next, m_items->next(runtime));
        if (!next) break;
        m_ahead.push_back(*next);
    }
    m_count = static_cast<std::int64_t>(m_ahead.size()) + m_index + 1 + (m_after ? 1 : 0);
    return *m_count;
}

Outcome<std::optional<std::size_t>> LoopContext::length(Runtime& runtime)
{
    TRY_ASSIGN(const std::int64_t all, count(runtime));
    return static_cast<std::size_t>(all);
}

Outcome<Value> LoopContext::reverseIndex(Runtime& runtime)
{
    TRY_ASSIGN(const std::int64_t all, count(runtime));
    return Value::integer(all - m_index);
}

Outcome<Value> LoopContext::reverseIndex0(Runtime& runtime)
{
    TRY_ASSIGN(const std::int64_t all, count(runtime));
    return Value::integer(all - m_index - 1);
}

Outcome<Value> LoopContext::last(Runtime& runtime)
{
    TRY_ASSIGN(const std::optional<Value> next, peek(runtime));
    return Value::boolean(!next.has_value());
}

Outcome<Value> LoopContext::itemCount(Runtime& runtime)
{
    TRY_ASSIGN(const std::int64_t all, count(runtime));
    return Value::integer(all);
}

Outcome<Value> LoopContext::previousItem(Runtime& runtime)
{
    return m_previous ? *m_previous : undefinedHint(runtime, "there is no previous item");
}

Outcome<Value> LoopContext::nextItem(Runtime& runtime)
{
    TRY_ASSIGN(const std::optional<Value> next, peek(runtime));
    return next ? *next : undefinedHint(runtime, "there is no next item");
}

Outcome<Value> LoopContext::cycleMethod(Runtime& runtime)
{
    return Value::of(runtime.heap().make<BuiltinValue>(kCycle, Value::of(this), true));
}

Outcome<Value> LoopContext::changedMethod(Runtime& runtime)
{
    return Value::of(runtime.heap().make<BuiltinValue>(kChanged, Value::of(this), true));
}

Outcome<Value> LoopContext::cycle(const Arguments& arguments) const
{
    const auto& items = arguments.positional;
    if (items.empty()) return failure("no items for cycling given");
    return items[static_cast<std::size_t>(m_index) % items.size()];
}

Outcome<Value> LoopContext::changed(Runtime& runtime, const Arguments& arguments)
{
    const Value now = runtime.heap().tuple(arguments.positional);
    if (m_lastChanged) {
        TRY_ASSIGN(const bool same, equal(runtime, *m_lastChanged, now));
        if (same) return Value::boolean(false);
    }
    m_lastChanged = now;
    return Value::boolean(true);
}

std::span<const LoopContext::Row> LoopContext::rows()
{
    static constexpr std::array kRows = {
        Row{"index", &LoopContext::index},           Row{"index0", &LoopContext::index0},
        Row{"revindex", &LoopContext::reverseIndex}, Row{"revindex0", &LoopContext::reverseIndex0},
        Row{"first", &LoopContext::first},           Row{"last", &LoopContext::last},
        Row{"length", &LoopContext::itemCount},      Row{"depth", &LoopContext::depth},
        Row{"depth0", &LoopContext::depth0},         Row{"previtem", &LoopContext::previousItem},
        Row{"nextitem", &LoopContext::nextItem},     Row{"cycle", &LoopContext::cycleMethod},
        Row{"changed", &LoopContext::changedMethod},
    };
    return kRows;
}

Outcome<std::optional<Value>> LoopContext::attribute(Runtime& runtime, std::string_view name)
{
    for (const Row& row : rows()) {
        if (row.name != name) continue;
        TRY_ASSIGN(const Value value, (this->*row.read)(runtime));
        return value;
    }
    return std::nullopt;
}

Outcome<std::string> LoopContext::represent(Runtime& runtime)
{
    TRY_ASSIGN(const std::int64_t all, count(runtime));
    return std::format("<LoopContext {}/{}>", m_index + 1, all);
}

Outcome<Value> LoopContext::call(Runtime&, const Arguments& arguments)
{
    if (!m_node.recursive)
        return failure("The loop must have the 'recursive' marker to be called recursively.");
    if (arguments.positional.size() != 1) return failure("loop() takes one argument");
    return m_host.repeatLoop(m_node, m_scope, arguments.positional.front(), m_depth + 1);
}

} // namespace engine::jinja
