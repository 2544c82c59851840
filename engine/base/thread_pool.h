#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace engine {

/// Workers that split one loop at a time. They spin briefly between loops and then sleep, so an
/// idle program uses no CPU. One caller at a time; the caller takes part as thread 0. A dispatch
/// allocates nothing.
class ThreadPool {
public:
    /// REQUIRES: threads >= 1. With 1 there are no workers and everything runs in the caller.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const { return m_threads; }

    /// A reference to a callable that lives until run() returns.
    class Task {
    public:
        template <typename F>
        Task(F& function) // NOLINT(google-explicit-constructor): call sites pass lambdas
            : m_object(&function)
            , m_call([](void* object, int thread) { (*static_cast<F*>(object))(thread); })
        {
        }
        void operator()(int thread) const { m_call(m_object, thread); }

    private:
        void* m_object;
        void (*m_call)(void*, int);
    };

    /// Runs `task(thread)` once for each thread in [0, threads()) and returns when all are done.
    /// The task must not throw.
    void run(Task task);

    /// Calls `body(begin, end)` over [0, count) in pieces of `grain` (the last may be shorter)
    /// taken by whichever thread is free. Results must not depend on which thread takes what.
    void parallelFor(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& body);

private:
    struct State;
    int m_threads;
    std::unique_ptr<State> m_state;
};

/// As many threads as this machine decodes fastest with: its physical cores, at least 1.
int defaultThreadCount();

} // namespace engine
