// What stands before and behind the forward pass: the tokenizer on a text, the sampler on one
// token's logits. Times are the best of all iterations.

#include "tests/bench/limits.h"
#include "tests/support/engine/kernel_test_support.h"

#include "engine/engine.h"
#include "engine/sampling/sampler_chain.h"

#include <benchmark/benchmark.h>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace engine;

/// As large as today's vocabularies are.
constexpr int kVocabulary = 128 * 1024;

void sample(benchmark::State& state, const SamplingSettings& settings, int observe)
{
    const std::vector<float> logits = test::randomFloats(kVocabulary, 11, 3.0f);
    std::vector<TokenId> context(256);
    std::iota(context.begin(), context.end(), 100);
    SamplerChain chain(kVocabulary, observe);
    chain.reset(1);
    bench::BestTime best;
    for ([[maybe_unused]] auto _ : state)
        best.run([&] {
            TokenId id = chain.sample(logits, context, settings).id;
            benchmark::DoNotOptimize(id);
        });
    state.counters["us"] = best.seconds() * 1e6;
}

std::string readme()
{
    std::ifstream file(INGLENOOK_SOURCE_DIR "/README.md", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The built-in model's vocabulary, both ways over the project's own README.
void tokenize(benchmark::State& state, bool back)
{
    const auto tokenizer = openTokenizer(INGLENOOK_BINARY_DIR "/" INGLENOOK_STARTER_FILE);
    if (!tokenizer) {
        state.SkipWithError("the built-in model could not be opened");
        return;
    }
    const std::string text = readme();
    const std::vector<TokenId> ids = (*tokenizer)->encode(text, {});
    std::vector<TokenId> encoded;
    std::string decoded;
    bench::BestTime best;
    for ([[maybe_unused]] auto _ : state)
        best.run([&] {
            if (back)
                decoded = (*tokenizer)->decode(ids, {});
            else
                encoded = (*tokenizer)->encode(text, {});
        });
    state.counters["MB/s"] = static_cast<double>(text.size()) / best.seconds() * 1e-6;
    state.counters["ns/token"] = best.seconds() * 1e9 / static_cast<double>(ids.size());
}

const bool kRegistered = [] {
    const SamplingSettings usual;
    SamplingSettings greedy, uncut, penalized;
    greedy.temperature = 0;
    uncut.topK = 0;
    penalized.repeatPenalty = 1.1f;
    const auto add = [](const char* name, const SamplingSettings& settings, int observe) {
        benchmark::RegisterBenchmark(name, sample, settings, observe);
    };
    add("sample/usual", usual, 0);
    add("sample/observed", usual, 32);
    add("sample/greedy", greedy, 0);
    add("sample/no_top_k", uncut, 0);
    add("sample/penalties", penalized, 0);
    benchmark::RegisterBenchmark("tokenizer/encode", tokenize, false);
    benchmark::RegisterBenchmark("tokenizer/decode", tokenize, true);
    return true;
}();

} // namespace
