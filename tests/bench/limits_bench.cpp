#include "tests/bench/limits.h"

#include <atomic>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

// clang-format off: foreach_target.h comes before whatever includes highway.h
#include "engine/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/limits_bench.cpp"
#include <hwy/foreach_target.h>
#include "engine/kernels/simd-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

std::uint32_t readSome(const std::uint8_t* p, std::size_t bytes)
{
    const Uint8Tag d;
    const std::size_t step = hn::Lanes(d);
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    std::size_t i = 0;
    for (; i + 4 * step <= bytes; i += 4 * step) {
        s0 = hn::Xor(s0, hn::LoadU(d, p + i));
        s1 = hn::Xor(s1, hn::LoadU(d, p + i + step));
        s2 = hn::Xor(s2, hn::LoadU(d, p + i + 2 * step));
        s3 = hn::Xor(s3, hn::LoadU(d, p + i + 3 * step));
    }
    return hn::GetLane(hn::Xor(hn::Xor(s0, s1), hn::Xor(s2, s3)));
}

#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3_DL
HWY_INLINE Int32Vec step(Uint8Vec w, Int8Vec a, Int32Vec sum)
{
    const auto pairs = hn::SatWidenMulPairwiseAdd(Int16Tag(), w, a);
    return hn::Add(sum, hn::WidenMulPairwiseAdd(Int32Tag(), pairs, hn::Set(Int16Tag(), 1)));
}
#else
HWY_INLINE Int32Vec step(Uint8Vec w, Int8Vec a, Int32Vec sum)
{
#if HWY_ARCH_X86
    return hn::SumOfMulQuadAccumulate(Int32Tag(), w, a, sum);
#else
    return hn::SumOfMulQuadAccumulate(Int32Tag(), hn::BitCast(Int8Tag(), w), a, sum);
#endif
}
#endif

/// `rounds` times eight independent chains; returns operations done.
double spinDots(std::size_t rounds, std::int32_t* result)
{
    auto w = hn::Set(Uint8Tag(), 3);
    const auto a = hn::Set(Int8Tag(), 2);
    auto s0 = hn::Zero(Int32Tag()), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (std::size_t i = 0; i < rounds; ++i) {
        hwy::PreventElision(i);
        w = hn::Xor(w, hn::BitCast(Uint8Tag(), hn::Set(Int32Tag(), static_cast<int>(i & 1))));
        s0 = step(w, a, s0), s1 = step(w, a, s1), s2 = step(w, a, s2), s3 = step(w, a, s3);
        const auto v = hn::Xor(w, hn::Set(Uint8Tag(), 1));
        s4 = step(v, a, s4), s5 = step(v, a, s5), s6 = step(v, a, s6), s7 = step(v, a, s7);
    }
    const auto sum = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)),
                             hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)));
    *result += hn::ReduceSum(Int32Tag(), sum);
    return 2.0 * 8.0 * static_cast<double>(rounds * hn::Lanes(Uint8Tag()));
}

double spinFloats(std::size_t rounds, std::int32_t* result)
{
    const FloatTag df;
    const auto w = hn::Set(df, 1.0f + static_cast<float>(*result) * 1e-9f);
    const auto a = hn::Set(df, 1e-9f);
    auto s0 = hn::Zero(df), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    auto s8 = s0, s9 = s0;
    for (std::size_t i = 0; i < rounds; ++i) {
        s0 = hn::MulAdd(s0, w, a), s1 = hn::MulAdd(s1, w, a), s2 = hn::MulAdd(s2, w, a);
        s3 = hn::MulAdd(s3, w, a), s4 = hn::MulAdd(s4, w, a), s5 = hn::MulAdd(s5, w, a);
        s6 = hn::MulAdd(s6, w, a), s7 = hn::MulAdd(s7, w, a), s8 = hn::MulAdd(s8, w, a);
        s9 = hn::MulAdd(s9, w, a);
    }
    const auto sum = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)),
                             hn::Add(hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)), hn::Add(s8, s9)));
    *result += static_cast<std::int32_t>(hn::ReduceSum(df, sum));
    return 2.0 * 10.0 * static_cast<double>(rounds * hn::Lanes(df));
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine {

HWY_EXPORT(readSome);
HWY_EXPORT(spinDots);
HWY_EXPORT(spinFloats);

} // namespace engine

namespace bench {

void readAll(std::span<const std::byte> bytes, engine::ThreadPool& pool)
{
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    std::atomic<std::uint32_t> seen = 0;
    pool.parallelFor((bytes.size() + kPiece - 1) / kPiece, 1,
                     [&](std::size_t begin, std::size_t end) {
                         const std::size_t from = begin * kPiece;
                         const std::size_t to = std::min(end * kPiece, bytes.size());
                         const auto* p = reinterpret_cast<const std::uint8_t*>(bytes.data() + from);
                         using namespace engine;
                         seen += HWY_DYNAMIC_DISPATCH(readSome)(p, to - from);
                     });
    benchmark::DoNotOptimize(seen.load());
}

namespace {

template <typename Spin>
double peak(engine::ThreadPool& pool, Spin spin)
{
    BestTime best;
    std::atomic<double> operations = 0.0;
    for (int run = 0; run < 12; ++run) {
        operations = 0.0;
        best.run([&] {
            pool.run([&](int thread) {
                std::int32_t result = thread;
                operations += spin(std::size_t{1} << 19, &result);
                benchmark::DoNotOptimize(result);
            });
        });
    }
    return operations / best.seconds();
}

} // namespace

double dotPeak(engine::ThreadPool& pool)
{
    using namespace engine;
    return peak(pool, HWY_DYNAMIC_POINTER(spinDots));
}

double floatPeak(engine::ThreadPool& pool)
{
    using namespace engine;
    return peak(pool, HWY_DYNAMIC_POINTER(spinFloats));
}

namespace {

void readLimit(benchmark::State& state, int threads)
{
    engine::ThreadPool pool(threads);
    const std::vector<std::byte> bytes(std::size_t{512} << 20, std::byte{1});
    BestTime best;
    for ([[maybe_unused]] auto _ : state)
        best.run([&] { readAll(bytes, pool); });
    state.counters["GB/s"] = static_cast<double>(bytes.size()) / best.seconds() * 1e-9;
}

void dotLimit(benchmark::State& state, int threads)
{
    engine::ThreadPool pool(threads);
    for ([[maybe_unused]] auto _ : state)
        state.counters["Gop/s"] = dotPeak(pool) * 1e-9;
}

const bool kRegistered = [] {
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    for (int threads = 1; threads <= cores; ++threads) {
        const std::string at = "/t" + std::to_string(threads);
        benchmark::RegisterBenchmark(("limits/read" + at).c_str(), readLimit, threads)
            ->Iterations(10)
            ->UseRealTime();
        benchmark::RegisterBenchmark(("limits/dots" + at).c_str(), dotLimit, threads)
            ->Iterations(1);
    }
    return true;
}();

} // namespace

} // namespace bench
#endif
