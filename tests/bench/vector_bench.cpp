// Norms, activations and the rest of what runs over one token's values: nanoseconds a value, the
// best of all iterations.

#include "tests/bench/limits.h"
#include "tests/support/engine/kernel_test_support.h"

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/attention.h"
#include "engine/kernels/vector_ops.h"

#include <benchmark/benchmark.h>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace engine;

constexpr std::size_t kValues = 2048;

/// Two inputs and an output of kValues.
struct Rows {
    std::vector<float> x = test::randomFloats(kValues, 7);
    std::vector<float> y = test::randomFloats(kValues, 8);
    std::vector<float> out = std::vector<float>(kValues);
};

using Operation = std::function<void(Rows&)>;

void overRows(benchmark::State& state, const Operation& operation)
{
    Rows rows;
    bench::BestTime best;
    for ([[maybe_unused]] auto _ : state)
        best.run([&] { operation(rows); });
    state.counters["ns/value"] = best.seconds() * 1e9 / static_cast<double>(kValues);
}

const std::pair<const char*, Operation> kOperations[] = {
    {"rmsNorm", [](Rows& r) { rmsNorm(r.x.data(), r.y.data(), r.out.data(), kValues, 1e-5f); }},
    {"layerNorm",
     [](Rows& r) {
         layerNorm(r.x.data(), {r.y.data(), r.y.data()}, r.out.data(), kValues, 1e-5f);
     }},
    {"l2Norm", [](Rows& r) { l2Norm(r.x.data(), r.out.data(), kValues, 1e-5f); }},
    {"softmax", [](Rows& r) { softmax(r.x.data(), r.out.data(), kValues); }},
    {"softcap", [](Rows& r) { softcap(r.x.data(), 30.0f, r.out.data(), kValues); }},
    {"add", [](Rows& r) { add(r.x.data(), r.y.data(), r.out.data(), kValues); }},
    {"dot", [](Rows& r) { r.out[0] = dot(r.x.data(), r.y.data(), kValues); }},
    {"swiglu",
     [](Rows& r) {
         activateGated(Activation::Silu, r.x.data(), r.y.data(), r.out.data(), kValues);
     }},
    {"geglu",
     [](Rows& r) {
         activateGated(Activation::Gelu, r.x.data(), r.y.data(), r.out.data(), kValues);
     }},
    {"geluErf", [](Rows& r) { activate(Activation::GeluErf, r.x.data(), r.out.data(), kValues); }},
    {"clampedSwiglu",
     [](Rows& r) { activateClampedSwiglu({}, r.x.data(), r.y.data(), r.out.data(), kValues); }},
};

void rope(benchmark::State& state, RopePairs layout)
{
    constexpr int kPairs = 32;
    constexpr std::size_t kHeadDim = 2 * kPairs;
    const std::vector<float> cosines(kPairs, 0.6f), sines(kPairs, 0.8f);
    std::vector<float> heads = test::randomFloats(kValues, 9);
    bench::BestTime best;
    for ([[maybe_unused]] auto _ : state)
        best.run([&] {
            applyRope(layout, {cosines.data(), sines.data(), kPairs}, heads.data(),
                      static_cast<int>(kValues / kHeadDim), kHeadDim);
        });
    state.counters["ns/value"] = best.seconds() * 1e9 / static_cast<double>(kValues);
}

/// One position's key and value of one head.
void store(benchmark::State& state, KvType type)
{
    constexpr int kHeadDim = 64;
    const KvLayout layout{type, kHeadDim, kHeadDim};
    const std::vector<float> row = test::randomFloats(kHeadDim, 10);
    AlignedBuffer page = std::move(*AlignedBuffer::allocate(layout.headBytes()));
    int slot = 0;
    bench::BestTime best;
    for ([[maybe_unused]] auto _ : state)
        best.run([&] {
            storeKv(layout, {row.data(), kHeadDim, row.data(), kHeadDim}, slot, 1, page.data());
            slot = (slot + 1) % kPagePositions;
        });
    state.counters["ns/value"] = best.seconds() * 1e9 / (2 * kHeadDim);
}

const bool kRegistered = [] {
    for (const auto& [name, operation] : kOperations)
        benchmark::RegisterBenchmark(name, overRows, operation);
    benchmark::RegisterBenchmark("rope/adjacent", rope, RopePairs::Adjacent);
    benchmark::RegisterBenchmark("rope/halves", rope, RopePairs::Halves);
    for (const KvType type : {KvType::F16, KvType::BF16, KvType::F32, KvType::Q8_0})
        benchmark::RegisterBenchmark(
            ("storeKv/kv" + std::to_string(static_cast<int>(type))).c_str(), store, type);
    return true;
}();

} // namespace
