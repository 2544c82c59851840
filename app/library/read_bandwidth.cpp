#include "app/library/read_bandwidth.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

namespace app {

namespace {

std::uint64_t sum(std::span<const std::uint64_t> words)
{
    // Independent sums, so that the loads, not the additions, set the pace.
    constexpr std::size_t kLanes = 16;
    std::uint64_t lanes[kLanes]{};
    for (std::size_t i = 0; i + kLanes <= words.size(); i += kLanes)
        for (std::size_t j = 0; j < kLanes; ++j)
            lanes[j] += words[i + j];
    std::uint64_t total = 0;
    for (const std::uint64_t lane : lanes)
        total += lane;
    return total;
}

} // namespace

double measureReadBandwidth(int threads, std::size_t bytes, int passes)
{
    std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t), 1);
    const std::size_t part = words.size() / static_cast<std::size_t>(threads);
    std::atomic<std::uint64_t> sink = 0;
    double best = 0;
    for (int pass = 0; pass < passes; ++pass) {
        const auto start = std::chrono::steady_clock::now();
        {
            std::vector<std::jthread> readers;
            readers.reserve(static_cast<std::size_t>(threads));
            for (std::size_t t = 0; t < static_cast<std::size_t>(threads); ++t)
                readers.emplace_back([&, t] {
                    sink += sum(std::span<const std::uint64_t>(words).subspan(t * part, part));
                });
        }
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        best = std::max(best, static_cast<double>(part * static_cast<std::size_t>(threads) * 8) /
                                  seconds / 1e9);
    }
    return best;
}

} // namespace app
