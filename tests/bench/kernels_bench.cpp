// Decode (one token) against the plain read bandwidth, prefill (many tokens) against the peak of
// the 8-bit dot product, both measured beside it. Times are the best of all iterations.

#include "tests/bench/limits.h"
#include "tests/support/engine/kernel_test_support.h"

#include "engine/kernels/attention.h"
#include "engine/kernels/matmul.h"

#include <benchmark/benchmark.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace engine;

constexpr int kColumns = 2048;

engine::ThreadPool& poolOf(int threads)
{
    static std::map<int, std::unique_ptr<ThreadPool>> pools;
    auto& pool = pools[threads];
    if (!pool) pool = std::make_unique<ThreadPool>(threads);
    return *pool;
}

/// Rows of a small random tensor over and over, until they fill `bytes`.
PackedMatrix largeMatrix(DType type, std::size_t bytes, ThreadPool& pool)
{
    const test::RandomTensor small(type, 512, kColumns, 1);
    const std::size_t copies = std::max<std::size_t>(1, bytes / small.bytes.size());
    std::vector<std::byte> all;
    all.reserve(copies * small.bytes.size());
    for (std::size_t i = 0; i < copies; ++i)
        all.insert(all.end(), small.bytes.begin(), small.bytes.end());
    TensorView view = small.view;
    view.shape[1] = static_cast<std::int64_t>(512 * copies);
    view.data = all.data();
    view.sizeBytes = all.size();
    return std::move(*PackedMatrix::pack(view, 0, pool));
}

void decode(benchmark::State& state, DType type, int threads)
{
    ThreadPool& pool = poolOf(threads);
    const PackedMatrix matrix = largeMatrix(type, std::size_t{160} << 20, pool);
    const std::vector<float> x = test::randomFloats(kColumns, 2);
    std::vector<float> out(static_cast<std::size_t>(matrix.rows()));
    Activations input = std::move(*Activations::create(1, kColumns));
    input.assign(x.data(), kColumns, 1, kColumns);
    input.quantizeTiles(0, 1);
    const MatmulJob job{
        .matrix = &matrix, .input = &input, .out = out.data(), .outStride = out.size()};
    bench::BestTime best, read;
    for ([[maybe_unused]] auto _ : state) {
        best.run([&] { matmul({&job, 1}, pool); });
        state.PauseTiming();
        read.run([&] { bench::readAll({matrix.group(0), matrix.bytes()}, pool); });
        state.ResumeTiming();
    }
    const auto bytes = static_cast<double>(matrix.bytes());
    state.counters["GB/s"] = bytes / best.seconds() * 1e-9;
    state.counters["read GB/s"] = bytes / read.seconds() * 1e-9;
    state.counters["of read"] = read.seconds() / best.seconds();
}

/// `resident` repeats one token over weights that stay in the second-level cache: what the kernel
/// could do if memory were no limit.
void decodeResident(benchmark::State& state, DType type)
{
    ThreadPool& pool = poolOf(1);
    const test::RandomTensor tensor(type, 128, kColumns, 1);
    const PackedMatrix matrix = std::move(*PackedMatrix::pack(tensor.view, 0, pool));
    const std::vector<float> x = test::randomFloats(kColumns, 2);
    std::vector<float> out(128);
    Activations input = std::move(*Activations::create(1, kColumns));
    input.assign(x.data(), kColumns, 1, kColumns);
    input.quantizeTiles(0, 1);
    const MatmulJob job{.matrix = &matrix, .input = &input, .out = out.data(), .outStride = 128};
    bench::BestTime best;
    for ([[maybe_unused]] auto _ : state)
        best.run([&] { matmul({&job, 1}, pool); });
    state.counters["GB/s"] = static_cast<double>(matrix.bytes()) / best.seconds() * 1e-9;
}

void prefill(benchmark::State& state, DType type, int tokens, int threads)
{
    ThreadPool& pool = poolOf(threads);
    const PackedMatrix matrix = largeMatrix(type, std::size_t{1} << 20, pool);
    const std::vector<float> x = test::randomFloats(static_cast<std::size_t>(tokens) * kColumns, 3);
    const auto rows = static_cast<std::size_t>(matrix.rows());
    std::vector<float> out(static_cast<std::size_t>(tokens) * rows);
    Activations input = std::move(*Activations::create(tokens, kColumns));
    input.assign(x.data(), kColumns, tokens, kColumns);
    input.quantize(pool);
    const MatmulJob job{.matrix = &matrix, .input = &input, .out = out.data(), .outStride = rows};
    const double peak = matrix.quantized() ? bench::dotPeak(pool) : bench::floatPeak(pool);
    bench::BestTime best;
    for ([[maybe_unused]] auto _ : state)
        best.run([&] { matmul({&job, 1}, pool); });
    const double operations = 2.0 * tokens * static_cast<double>(rows) * kColumns;
    state.counters["Gop/s"] = operations / best.seconds() * 1e-9;
    state.counters["peak Gop/s"] = peak * 1e-9;
    state.counters["of peak"] = operations / best.seconds() / peak;
}

void quantize(benchmark::State& state)
{
    const std::vector<float> x = test::randomFloats(kColumns, 4);
    Activations input = std::move(*Activations::create(1, kColumns));
    input.assign(x.data(), kColumns, 1, kColumns);
    bench::BestTime best;
    for ([[maybe_unused]] auto _ : state)
        best.run([&] { input.quantizeTiles(0, 1); });
    state.counters["ns/value"] = best.seconds() * 1e9 / kColumns;
}

struct AttentionShape {
    int headDim;
    int heads; ///< per KV head
    int kvHeads;
    int depth;
    int positions;
};

void attention(benchmark::State& state, KvType type, AttentionShape shape, int threads)
{
    ThreadPool& pool = poolOf(threads);
    const KvLayout layout{type, shape.headDim, shape.headDim};
    const auto kvHeads = static_cast<std::size_t>(shape.kvHeads);
    const auto dim = static_cast<std::size_t>(shape.headDim);
    const std::vector<float> rows = test::randomFloats(64 * dim, 5);
    std::vector<AlignedBuffer> pages;
    std::vector<const std::byte*> pagePointers;
    for (int first = 0; first < shape.depth; first += kPagePositions) {
        pages.push_back(std::move(*AlignedBuffer::allocate(layout.headBytes() * kvHeads)));
        for (std::size_t h = 0; h < kvHeads; ++h)
            storeKv(layout, {rows.data(), dim, rows.data(), dim}, 0, kPagePositions,
                    pages.back().data() + h * layout.headBytes());
        pagePointers.push_back(pages.back().data());
    }
    const auto queryStride = static_cast<std::size_t>(shape.heads) * kvHeads * dim;
    const auto positions = static_cast<std::size_t>(shape.positions);
    const std::vector<float> queries = test::randomFloats(positions * queryStride, 6);
    std::vector<float> out(queries.size());
    std::vector<AlignedBuffer> scratch;
    for (int i = 0; i < threads; ++i)
        scratch.push_back(
            std::move(*AlignedBuffer::allocate(attendScratchFloats(layout) * sizeof(float))));
    const auto one = [&](std::size_t kvHead, int thread) {
        AttentionJob job;
        job.layout = &layout;
        job.pages = pagePointers;
        job.headOffset = kvHead * layout.headBytes();
        job.queries = queries.data() + kvHead * static_cast<std::size_t>(shape.heads) * dim;
        job.queryStride = queryStride;
        job.out = out.data() + kvHead * static_cast<std::size_t>(shape.heads) * dim;
        job.outStride = queryStride;
        job.firstPosition = shape.depth - shape.positions;
        job.positions = shape.positions;
        job.heads = shape.heads;
        job.scale = 0.125f;
        attend(job, {reinterpret_cast<float*>(scratch[static_cast<std::size_t>(thread)].data()),
                     attendScratchFloats(layout)});
    };
    bench::BestTime best;
    for ([[maybe_unused]] auto _ : state)
        best.run([&] {
            pool.run([&](int thread) {
                for (auto h = static_cast<std::size_t>(thread); h < kvHeads;
                     h += static_cast<std::size_t>(threads))
                    one(h, thread);
            });
        });
    const double bytes =
        static_cast<double>(layout.headBytes() * kvHeads) * shape.depth / kPagePositions;
    double keys = 0.0;
    for (int i = 0; i < shape.positions; ++i)
        keys += shape.depth - i;
    const double operations = 4.0 * keys * static_cast<double>(dim) * shape.heads * shape.kvHeads;
    state.counters["GB/s"] = bytes / best.seconds() * 1e-9;
    state.counters["Gop/s"] = operations / best.seconds() * 1e-9;
}

void dispatch(benchmark::State& state, int threads)
{
    ThreadPool& pool = poolOf(threads);
    bench::BestTime best;
    for ([[maybe_unused]] auto _ : state)
        best.run([&] {
            for (int i = 0; i < 100; ++i)
                pool.run([](int) {});
        });
    state.counters["ns"] = best.seconds() * 1e7;
}

const bool kRegistered = [] {
    const DType types[] = {DType::Q4_0,  DType::Q4_1,  DType::Q5_0, DType::Q5_1,   DType::Q8_0,
                           DType::Q2_K,  DType::Q3_K,  DType::Q4_K, DType::Q5_K,   DType::Q6_K,
                           DType::F16,   DType::BF16,  DType::F32,  DType::IQ4_NL, DType::IQ4_XS,
                           DType::MXFP4, DType::IQ2_XS};
    for (const DType type : types) {
        const std::string name(dtypeInfo(type).name);
        benchmark::RegisterBenchmark(("resident/" + name).c_str(), decodeResident, type);
        for (const int threads : {1, 2}) {
            const std::string at = "/t" + std::to_string(threads);
            benchmark::RegisterBenchmark(("decode/" + name + at).c_str(), decode, type, threads)
                ->Iterations(20)
                ->UseRealTime();
            for (const int tokens : {4, 8, 512})
                benchmark::RegisterBenchmark(
                    ("prefill/" + name + "/n" + std::to_string(tokens) + at).c_str(), prefill, type,
                    tokens, threads)
                    ->UseRealTime();
        }
    }
    for (const KvType type : {KvType::F16, KvType::BF16, KvType::F32, KvType::Q8_0}) {
        const std::string name = std::to_string(static_cast<int>(type));
        for (const int threads : {1, 2}) {
            const std::string at = "/t" + std::to_string(threads);
            benchmark::RegisterBenchmark(("attend/decode/kv" + name + at).c_str(), attention, type,
                                         AttentionShape{64, 4, 8, 2048, 1}, threads)
                ->UseRealTime();
            benchmark::RegisterBenchmark(("attend/far/kv" + name + at).c_str(), attention, type,
                                         AttentionShape{64, 4, 8, 32'768, 1}, threads)
                ->UseRealTime();
            benchmark::RegisterBenchmark(("attend/prefill/kv" + name + at).c_str(), attention, type,
                                         AttentionShape{64, 4, 8, 2048, 128}, threads)
                ->UseRealTime();
        }
    }
    for (const int threads : {2, 4})
        benchmark::RegisterBenchmark(("dispatch/t" + std::to_string(threads)).c_str(), dispatch,
                                     threads);
    benchmark::RegisterBenchmark("quantize", quantize);
    return true;
}();

} // namespace
