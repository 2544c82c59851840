#include "engine/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
#include <vector>
#ifdef __linux__
#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace {

using engine::ThreadPool;

TEST(ThreadPool, RunsATaskOnceForEverySlot)
{
    for (const int threads : {1, 2, 3, 8}) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.threads(), threads);
        for (int loop = 0; loop < 500; ++loop) {
            std::vector<std::atomic<int>> runs(static_cast<std::size_t>(threads));
            pool.run([&](int thread) { ++runs[static_cast<std::size_t>(thread)]; });
            for (const auto& count : runs)
                ASSERT_EQ(count, 1);
        }
    }
}

TEST(ThreadPool, CoversALoopExactlyOnce)
{
    ThreadPool pool(4);
    for (const std::size_t count : {0u, 1u, 7u, 64u, 1000u}) {
        for (const std::size_t grain : {1u, 3u, 64u, 2000u}) {
            std::vector<std::atomic<int>> seen(count);
            pool.parallelFor(count, grain, [&](std::size_t begin, std::size_t end) {
                EXPECT_LT(begin, end);
                for (std::size_t i = begin; i < end; ++i)
                    ++seen[i];
            });
            for (const auto& times : seen)
                ASSERT_EQ(times, 1);
        }
    }
}

TEST(ThreadPool, WakesWorkersThatHaveGoneToSleep)
{
    ThreadPool pool(3);
    std::atomic<int> runs = 0;
    for (int loop = 0; loop < 20; ++loop) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        pool.run([&](int) { ++runs; });
    }
    EXPECT_EQ(runs, 60);
}

TEST(ThreadPool, WaitsForAWorkerThatTakesLong)
{
    ThreadPool pool(2);
    std::atomic<bool> done = false;
    pool.run([&](int thread) {
        if (thread == 0) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        done = true;
    });
    EXPECT_TRUE(done);
}

#ifdef __linux__

/// Holds threads that get a signal inside its handler, as if the system did not run them.
class Holder {
public:
    Holder()
    {
        s_held = 0;
        s_release = false;
        struct sigaction action{};
        action.sa_handler = [](int) {
            ++s_held;
            while (!s_release)
                usleep(200);
            --s_held;
        };
        sigaction(SIGUSR1, &action, nullptr); // stays: a signal may come late
    }
    ~Holder()
    {
        s_release = true;
        while (s_held > 0)
            usleep(200);
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    /// Whether the thread stands still.
    bool hold(pid_t thread) const
    {
        const int before = s_held;
        syscall(SYS_tgkill, getpid(), thread, SIGUSR1);
        for (int i = 0; i < 20000 && s_held == before; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return s_held != before;
    }

private:
    static std::atomic<int> s_held;
    static std::atomic<bool> s_release;
};
std::atomic<int> Holder::s_held = 0;
std::atomic<bool> Holder::s_release = false;

std::vector<pid_t> threadsOfThisProcess()
{
    std::vector<pid_t> threads;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
        threads.push_back(static_cast<pid_t>(std::stol(entry.path().filename().string())));
    std::ranges::sort(threads);
    return threads;
}

TEST(ThreadPool, DoesNotWaitForWorkersThatDoNotRun)
{
    const std::vector<pid_t> before = threadsOfThisProcess();
    ThreadPool pool(3);
    std::vector<pid_t> workers;
    std::ranges::set_difference(threadsOfThisProcess(), before, std::back_inserter(workers));
    ASSERT_EQ(workers.size(), 2);
    pool.run([](int) {});
    for (std::size_t held = 1; held <= workers.size(); ++held) {
        const Holder holder;
        for (std::size_t i = 0; i < held; ++i)
            if (!holder.hold(workers[i])) GTEST_SKIP() << "signals do not arrive at once here";
        for (int loop = 0; loop < 200; ++loop) {
            int pieces = 0;
            pool.run([&](int) { std::atomic_ref(pieces)++; });
            ASSERT_EQ(pieces, 3);
            std::vector<int> seen(100);
            pool.parallelFor(seen.size(), 7, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                    ++seen[i];
            });
            ASSERT_EQ(std::ranges::count(seen, 1), 100);
        }
    }
}

#endif

TEST(ThreadPool, SleepsWhenThereIsNothingToDo)
{
    ThreadPool pool(4);
    pool.run([](int) {});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::clock_t before = std::clock(); // of all threads
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, 0.01);
}

TEST(ThreadPool, SplitsWorkAmongSeveralCallersInTurn)
{
    ThreadPool pool(2);
    long total = 0;
    for (int caller = 0; caller < 4; ++caller) {
        std::jthread thread([&] {
            std::vector<long> sums(100);
            pool.parallelFor(100, 7, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                    sums[i] = static_cast<long>(i);
            });
            total += std::accumulate(sums.begin(), sums.end(), 0L);
        });
    }
    EXPECT_EQ(total, 4 * 4950);
}

TEST(DefaultThreadCount, IsPositiveAndNotAboveTheMachine)
{
    EXPECT_GE(engine::defaultThreadCount(), 1);
    EXPECT_LE(engine::defaultThreadCount(), static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace
