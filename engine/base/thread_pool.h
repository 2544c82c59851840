#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace engine {

/// A reference to a callable, such as a lambda at the call site; owns nothing and allocates
/// nothing, so the callable must live until the call it is passed to returns.
template <typename Signature>
class FunctionRef;

template <typename R, typename... Arguments>
class FunctionRef<R(Arguments...)> {
public:
    template <typename F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
    FunctionRef(F&& function) // NOLINT(google-explicit-constructor): call sites pass lambdas
        : m_object(std::addressof(function))
        , m_call([](const void* object, Arguments... arguments) -> R {
            using Callable = std::remove_reference_t<F>;
            return (*const_cast<Callable*>(static_cast<const Callable*>(object)))(arguments...);
        })
    {
    }
    R operator()(Arguments... arguments) const { return m_call(m_object, arguments...); }

private:
    const void* m_object;
    R (*m_call)(const void*, Arguments...);
};

/// Workers that split one loop at a time. They spin briefly between loops and then sleep, so an
/// idle program uses no CPU. One caller at a time, and not from inside a task; it takes part, and
/// waits only for pieces that are begun: a worker the system does not run holds up nothing. A loop
/// allocates nothing. Workers run a little below the priority of the thread that made the pool.
class ThreadPool {
public:
    using Task = FunctionRef<void(int thread)>;
    using Body = FunctionRef<void(std::size_t begin, std::size_t end)>;

    /// REQUIRES: threads >= 1. With 1 there are no workers and everything runs in the caller.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const { return m_threads; }

    /// Runs `task(i)` once for each i in [0, threads()), on whichever thread is free, and returns
    /// when all are done. The task must not throw, nor wait for another of them.
    void run(Task task);

    /// Calls `body(begin, end)` over [0, count) in pieces of `grain` (the last may be shorter)
    /// taken by whichever thread is free, so a thread that is held up holds up no other. Results
    /// must not depend on which thread takes what. REQUIRES: grain >= 1, count / grain < 2^31.
    void parallelFor(std::size_t count, std::size_t grain, Body body);

private:
    struct State;
    int m_threads;
    std::unique_ptr<State> m_state;
};

/// As many threads as this machine decodes fastest with: the physical cores this process may use,
/// at least 1.
int defaultThreadCount();

} // namespace engine
