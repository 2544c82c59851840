#include "engine/chat/jinja/lazy.h"

#include "engine/chat/jinja/operators.h"

#include <utility>

namespace engine::jinja {

namespace {

using Compute = std::function<Outcome<std::vector<Value>>(Runtime&)>;

class OwningIterator final : public Iterator {
public:
    explicit OwningIterator(std::vector<Value> items)
        : m_items(std::move(items))
    {
    }
    Outcome<std::optional<Value>> next(Runtime& runtime) override
    {
        TRY(runtime.spend());
        if (m_at == m_items.size()) return std::nullopt;
        return m_items[m_at++];
    }

private:
    std::vector<Value> m_items;
    std::size_t m_at = 0;
};

class ComputingIterator final : public Iterator {
public:
    explicit ComputingIterator(Compute compute)
        : m_compute(std::move(compute))
    {
    }
    Outcome<std::optional<Value>> next(Runtime& runtime) override
    {
        if (m_compute) {
            TRY_ASSIGN(std::vector<Value> items, std::exchange(m_compute, {})(runtime));
            runtime.heap().charge(items.size() * sizeof(Value));
            m_items = OwningIterator(std::move(items));
        }
        return m_items.next(runtime);
    }

private:
    Compute m_compute;
    OwningIterator m_items{{}};
};

class StepIterator final : public Iterator {
public:
    StepIterator(Value source, MakeStep makeStep)
        : m_source(source)
        , m_makeStep(std::move(makeStep))
    {
    }
    Outcome<std::optional<Value>> next(Runtime& runtime) override
    {
        if (!m_items) {
            TRY_ASSIGN(m_step, m_makeStep(runtime));
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
    MakeStep m_makeStep;
    Step m_step;
    IteratorPtr m_items;
};

Value generator(Runtime& runtime, IteratorPtr items, std::string_view typeName = "generator")
{
    return Value::of(runtime.heap().make<Generator>(std::move(items), typeName));
}

} // namespace

Value lazily(Runtime& runtime, std::vector<Value> items, std::string_view typeName)
{
    runtime.heap().charge(items.size() * sizeof(Value));
    return generator(runtime, std::make_unique<OwningIterator>(std::move(items)), typeName);
}

Value lazily(Runtime& runtime, Compute compute)
{
    runtime.heap().charge(sizeof(ComputingIterator) + sizeof(Arguments));
    return generator(runtime, std::make_unique<ComputingIterator>(std::move(compute)));
}

Value stepwise(Runtime& runtime, Value source, MakeStep makeStep)
{
    runtime.heap().charge(sizeof(StepIterator) + sizeof(Arguments));
    return generator(runtime, std::make_unique<StepIterator>(source, std::move(makeStep)));
}

} // namespace engine::jinja
