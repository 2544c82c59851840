#include "engine/base/thread_pool.h"

#include "engine/base/thread_topology.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <hwy/cache_control.h>
#include <system_error>
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

// A piece belongs to whoever counts it off, and its loop cannot end before it is done. So a worker
// that comes late finds no piece, or one of the loop that is running now; it never holds up a loop
// it has no part in.
//
// Sleeping is announced before the last look at what is waited for, and the other side changes that
// before it looks for sleepers; both in the one order of sequentially consistent atomics. So a
// change that is missed by the look is always followed by a wake-up.
struct ThreadPool::State {
    struct Loop {
        std::size_t count;
        std::size_t grain;
        std::int32_t pieces;
        Body body;
    };

    alignas(64) std::atomic<std::int32_t> untaken{0}; ///< pieces; below 0 by those who came late
    const Loop* loop = nullptr;                       ///< whose pieces they are
    alignas(64) std::atomic<std::int32_t> undone{0};  ///< pieces
    std::atomic<bool> callerSleeps{false};
    alignas(64) std::atomic<std::uint32_t> calls{0}; ///< to wake up; changes with every loop
    std::atomic<int> sleepers{0};
    std::atomic<bool> quit{false};
    std::vector<std::jthread> workers;

    void wake()
    {
        calls.fetch_add(1);
        if (sleepers.load() > 0 && sleepers.exchange(0) > 0) calls.notify_all();
    }

    bool wanted() const { return untaken.load() > 0 || quit.load(); }

    void awaitCall()
    {
        if (spinUntil([&] { return wanted(); })) return;
        sleepers.fetch_add(1);
        const std::uint32_t seen = calls.load();
        if (!wanted()) calls.wait(seen);
    }

    void takePieces()
    {
        std::int32_t done = 0;
        while (untaken.load(std::memory_order_relaxed) > 0) {
            const std::int32_t left = untaken.fetch_sub(1, std::memory_order_acq_rel);
            if (left <= 0) break;
            const std::size_t begin = static_cast<std::size_t>(loop->pieces - left) * loop->grain;
            loop->body(begin, std::min(loop->count, begin + loop->grain));
            ++done;
        }
        if (done > 0 && undone.fetch_sub(done) == done && callerSleeps.load()) undone.notify_one();
    }

    void awaitPieces()
    {
        if (spinUntil([&] { return undone.load(std::memory_order_acquire) == 0; })) return;
        callerSleeps.store(true);
        for (std::int32_t left = undone.load(); left != 0; left = undone.load())
            undone.wait(left);
        callerSleeps.store(false);
    }

    void work()
    {
        lowerThreadPriority();
        for (;;) {
            awaitCall();
            if (quit.load()) return;
            takePieces();
        }
    }
};

ThreadPool::ThreadPool(int threads)
    : m_threads(threads)
    , m_state(std::make_unique<State>())
{
    try {
        for (int i = 1; i < threads; ++i)
            m_state->workers.emplace_back([state = m_state.get()] { state->work(); });
    } catch (const std::system_error&) { // NOLINT(bugprone-empty-catch)
        // The system gives no more threads; those there are take all of the work.
    }
}

ThreadPool::~ThreadPool()
{
    m_state->quit.store(true);
    m_state->wake();
}

void ThreadPool::run(Task task)
{
    parallelFor(static_cast<std::size_t>(m_threads), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t slot = begin; slot < end; ++slot)
            task(static_cast<int>(slot));
    });
}

void ThreadPool::parallelFor(std::size_t count, std::size_t grain, Body body)
{
    if (count <= grain || m_threads == 1) {
        if (count > 0) body(0, count);
        return;
    }
    const auto pieces = static_cast<std::int32_t>((count - 1) / grain + 1);
    const State::Loop loop{count, grain, pieces, body};
    m_state->loop = &loop;
    m_state->undone.store(pieces, std::memory_order_relaxed);
    m_state->untaken.store(pieces);
    m_state->wake();
    m_state->takePieces();
    m_state->awaitPieces();
}

} // namespace engine
