#include "engine/base/thread_pool.h"

#include "engine/base/thread_topology.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <hwy/cache_control.h>
#include <thread>
#include <vector>

namespace engine {
namespace {

using Clock = std::chrono::steady_clock;

/// Longer than the pauses between the loops of one decode step, far shorter than a display frame.
constexpr auto kSpin = std::chrono::microseconds(40);

/// Spins until `done()`; false when kSpin has passed first.
template <typename Done>
bool spinUntil(Done done)
{
    constexpr int kPausesPerClock = 32;
    for (int i = 0; i < kPausesPerClock; ++i) {
        if (done()) return true;
        hwy::Pause();
    }
    const Clock::time_point end = Clock::now() + kSpin;
    do {
        for (int i = 0; i < kPausesPerClock; ++i) {
            if (done()) return true;
            hwy::Pause();
        }
    } while (Clock::now() < end);
    return done();
}

} // namespace

// Sleeping is announced before the last look at what is waited for, and the other side changes that
// before it looks for sleepers; both in the one order of sequentially consistent atomics. So a
// change that is missed by the look is always followed by a wake-up.
struct ThreadPool::State {
    alignas(64) std::atomic<std::uint32_t> loop{0}; ///< counts the loops begun; workers wait on it
    std::atomic<int> sleepers{0};
    const Task* task = nullptr;
    bool quit = false;
    alignas(64) std::atomic<std::uint32_t> busy{0}; ///< workers not done with this loop
    std::atomic<bool> callerSleeps{false};
    alignas(64) std::atomic<std::size_t> next{0}; ///< parallelFor's first piece not taken
    std::vector<std::jthread> workers;

    void begin(std::uint32_t workerCount)
    {
        busy.store(workerCount, std::memory_order_relaxed);
        loop.fetch_add(1);
        if (sleepers.load() > 0) loop.notify_all();
    }

    void awaitLoop(std::uint32_t seen)
    {
        if (spinUntil([&] { return loop.load(std::memory_order_acquire) != seen; })) return;
        sleepers.fetch_add(1);
        loop.wait(seen);
        sleepers.fetch_sub(1);
    }

    void awaitWorkers()
    {
        const auto idle = [&] { return busy.load(std::memory_order_acquire) == 0; };
        if (spinUntil(idle)) return;
        callerSleeps.store(true);
        for (std::uint32_t left = busy.load(); left != 0; left = busy.load())
            busy.wait(left);
        callerSleeps.store(false);
    }

    void work(int thread)
    {
        lowerThreadPriority();
        for (std::uint32_t seen = 0;; ++seen) {
            awaitLoop(seen);
            if (quit) return;
            (*task)(thread);
            if (busy.fetch_sub(1) == 1 && callerSleeps.load()) busy.notify_one();
        }
    }
};

ThreadPool::ThreadPool(int threads)
    : m_threads(threads)
    , m_state(std::make_unique<State>())
{
    for (int i = 1; i < threads; ++i)
        m_state->workers.emplace_back([state = m_state.get(), i] { state->work(i); });
}

ThreadPool::~ThreadPool()
{
    m_state->quit = true;
    m_state->begin(static_cast<std::uint32_t>(m_threads - 1));
}

void ThreadPool::run(Task task)
{
    if (m_threads == 1) {
        task(0);
        return;
    }
    m_state->task = &task;
    m_state->begin(static_cast<std::uint32_t>(m_threads - 1));
    task(0);
    m_state->awaitWorkers();
}

void ThreadPool::parallelFor(std::size_t count, std::size_t grain, Body body)
{
    if (count <= grain || m_threads == 1) {
        if (count > 0) body(0, count);
        return;
    }
    m_state->next.store(0, std::memory_order_relaxed);
    run([&](int) {
        for (;;) {
            const std::size_t begin = m_state->next.fetch_add(grain, std::memory_order_relaxed);
            if (begin >= count) return;
            body(begin, count - begin < grain ? count : begin + grain);
        }
    });
}

} // namespace engine
