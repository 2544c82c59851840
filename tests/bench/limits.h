#pragma once

#include "engine/base/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <span>

namespace bench {

/// What the machine can do, measured in the same program as what we do with it.

/// Reads all of `bytes` once on all threads of the pool.
void readAll(std::span<const std::byte> bytes, engine::ThreadPool& pool);
/// 8-bit operations (a multiply-add counts as two) a second of all threads, from registers, by the
/// instructions this CPU has for it.
double dotPeak(engine::ThreadPool& pool);
/// The same for f32 multiply-adds.
double floatPeak(engine::ThreadPool& pool);

/// The least time any of several runs took: what remains when others use the machine, too.
class BestTime {
public:
    template <typename F>
    void run(F&& body)
    {
        const auto begin = std::chrono::steady_clock::now();
        body();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        m_seconds = std::min(m_seconds, took.count());
    }
    double seconds() const { return m_seconds; }

private:
    double m_seconds = std::numeric_limits<double>::infinity();
};

} // namespace bench
