#include "engine/base/thread_pool.h"

#include <atomic>
#include <chrono>
#include <ctime>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using engine::ThreadPool;

TEST(ThreadPool, RunsATaskOnceOnEveryThread)
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
