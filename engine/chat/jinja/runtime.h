#pragma once

#include "engine/base/result.h"
#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/stack_budget.h"
#include "engine/chat/jinja/value.h"

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace engine::jinja {

/// What a render may use. A template that wants more ends with a failure of kind Limit.
struct Limits {
    std::uint64_t steps = 3'000'000;       ///< about one for each operation or 64 bytes touched
    std::size_t memoryBytes = 256U << 20U; ///< beside the variables it was given
    std::size_t textBytes = 16U << 20U;    ///< of any one text, and of the output
    int nesting = 400;                     ///< operations inside one another
    std::size_t stackBytes = 192U << 10U;  ///< of the calling thread
};

/// The local time that strftime_now shows.
using Clock = std::function<std::tm()>;

class Runtime;

/// One level of nesting, given back at the end of its scope.
class Nesting {
public:
    Nesting() = default;
    explicit Nesting(int& depth)
        : m_depth(&depth)
    {
        ++depth;
    }
    Nesting(Nesting&& other) noexcept
        : m_depth(std::exchange(other.m_depth, nullptr))
    {
    }
    Nesting& operator=(Nesting&& other) noexcept
    {
        std::swap(m_depth, other.m_depth);
        return *this;
    }
    ~Nesting()
    {
        if (m_depth) --*m_depth;
    }

private:
    int* m_depth = nullptr;
};

/// The memory and the budget of one render, which every operation on values draws on.
class Runtime {
public:
    /// `heap` may hold the variables already; what it holds is not counted.
    Runtime(Heap& heap, const Limits& limits, Clock clock);

    Heap& heap() { return m_heap; }
    const Limits& limits() const { return m_limits; }
    const Clock& clock() const { return m_clock; }

    /// To be called before work is done; fails once the budget is spent.
    Outcome<void> spend(std::uint64_t steps = 1);
    Outcome<void> spendBytes(std::size_t bytes) { return spend(1 + bytes / 32); }
    /// Fails where so much more memory would be too much; call before allocating in bulk.
    Outcome<void> reserve(std::size_t bytes);
    /// To be held while evaluating anything inside something else.
    Outcome<Nesting> nest();

    /// Fails where the text is too long.
    Outcome<Value> text(std::string utf8, bool markup = false);

    /// The key under which a dict keeps `value`; `buffer` holds it where it is not a text. Fails
    /// where it is unhashable.
    Outcome<DictKey> keyOf(Value value, std::string& buffer);
    Outcome<void> insert(Dict& dict, Value key, Value value);
    /// For names known to be texts.
    void insert(Dict& dict, std::string_view key, Value value);

    /// Whether output is HTML-escaped; `{% autoescape %}` alone turns it on.
    bool escapes() const { return m_escapes; }
    void setEscapes(bool on) { m_escapes = on; }

private:
    Outcome<void> encodeKey(Value value, std::string& out);

    Heap& m_heap;
    Limits m_limits;
    Clock m_clock;
    std::uint64_t m_steps = 0;
    std::size_t m_memoryLimit;
    StackBudget m_stack;
    int m_depth = 0;
    bool m_escapes = false;
};

/// Collects a text within the budget: past the limit it takes nothing more, and finish() fails.
class TextBuilder {
public:
    explicit TextBuilder(Runtime& runtime)
        : m_runtime(runtime)
    {
    }

    void append(std::string_view utf8);
    void append(char32_t character);
    void repeat(std::string_view utf8, std::size_t times);
    bool isFull() const { return m_full; }
    std::size_t bytes() const { return m_text.size(); }

    Outcome<Value> finish(bool markup = false);
    Outcome<std::string> take();

private:
    Runtime& m_runtime;
    std::string m_text;
    bool m_full = false;
};

} // namespace engine::jinja
