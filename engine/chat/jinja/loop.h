#pragma once

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/instance.h"
#include "engine/chat/jinja/scope.h"

#include <optional>
#include <span>
#include <vector>

namespace engine::jinja {

/// Who carries out a loop's body and filter.
class LoopHost {
public:
    virtual ~LoopHost() = default;
    /// The loop once more, over something else: what it prints.
    virtual Outcome<Value> repeatLoop(const For& node, Scope& scope, Value iterable, int depth) = 0;
    virtual Outcome<bool> passesFilter(const For& node, Scope& scope, Value item) = 0;
};

/// The items that pass a loop's `if`.
class FilteredIterator final : public Iterator {
public:
    FilteredIterator(LoopHost& host, const For& node, Scope& scope, IteratorPtr source)
        : m_host(host)
        , m_node(node)
        , m_scope(scope)
        , m_source(std::move(source))
    {
    }
    Outcome<std::optional<Value>> next(Runtime& runtime) override;

private:
    LoopHost& m_host;
    const For& m_node;
    Scope& m_scope;
    IteratorPtr m_source;
};

/// `loop`: where a for loop is. Looks one item ahead only when asked to.
class LoopContext final : public Instance {
public:
    /// `scope`: around the loop. `iterable`: None where `items` was filtered.
    LoopContext(LoopHost& host, const For& node, Scope& scope, Value iterable, IteratorPtr items,
                int depth);

    /// The next item, or nothing at the end.
    Outcome<std::optional<Value>> advance(Runtime& runtime);

    std::string_view typeName() const override { return "jinja2.runtime.LoopContext"; }
    Outcome<std::string> represent(Runtime& runtime) override;
    bool isCallable() const override { return m_node.recursive; }
    Outcome<Value> call(Runtime& runtime, const Arguments& arguments) override;
    Outcome<std::optional<Value>> attribute(Runtime& runtime, std::string_view name) override;

    Outcome<std::optional<std::size_t>> length(Runtime& runtime) override;

    Outcome<Value> cycle(const Arguments& arguments) const;
    Outcome<Value> changed(Runtime& runtime, const Arguments& arguments);

private:
    using Read = Outcome<Value> (LoopContext::*)(Runtime&);
    struct Row {
        std::string_view name;
        Read read;
    };
    static std::span<const Row> rows();

    Outcome<std::optional<Value>> peek(Runtime& runtime);
    Outcome<std::int64_t> count(Runtime& runtime);

    // NOLINTBEGIN(readability-make-member-function-const): a table has them beside those that read
    // on
    Outcome<Value> index(Runtime&) { return Value::integer(m_index + 1); }
    Outcome<Value> index0(Runtime&) { return Value::integer(m_index); }
    Outcome<Value> reverseIndex(Runtime& runtime);
    Outcome<Value> reverseIndex0(Runtime& runtime);
    Outcome<Value> first(Runtime&) { return Value::boolean(m_index == 0); }
    Outcome<Value> last(Runtime& runtime);
    Outcome<Value> itemCount(Runtime& runtime);
    Outcome<Value> depth(Runtime&) { return Value::integer(m_depth + 1); }
    Outcome<Value> depth0(Runtime&) { return Value::integer(m_depth); }
    // NOLINTEND(readability-make-member-function-const)
    Outcome<Value> previousItem(Runtime& runtime);
    Outcome<Value> nextItem(Runtime& runtime);
    Outcome<Value> cycleMethod(Runtime& runtime);
    Outcome<Value> changedMethod(Runtime& runtime);

    LoopHost& m_host;
    const For& m_node;
    Scope& m_scope;
    Value m_iterable;
    IteratorPtr m_items;
    int m_depth;
    std::int64_t m_index = -1;
    std::optional<Value> m_previous;
    std::optional<Value> m_current;
    std::optional<Value> m_after; // looked at already
    std::optional<std::int64_t> m_count;
    std::optional<Value> m_lastChanged;
    // Items taken from m_items ahead of time, to count them.
    std::vector<Value> m_ahead;
    std::size_t m_aheadAt = 0;
};

} // namespace engine::jinja
