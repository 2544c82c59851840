#include "tests/support/engine/kernel_test_support.h"

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace {

using namespace engine;

/// A cache of one KV head and the queries of its heads, with everything a test may vary.
struct Scene {
    KvLayout layout;
    int positions = 0;
    int heads = 1;
    float scale = 0.25f;
    float softcap = 0.0f;
    AttentionMask mask;
    std::vector<float> slopes;
    std::vector<float> sinks;

    std::vector<float> keys, values, queries; ///< (position, ...) each
    std::vector<AlignedBuffer> pages;
    std::vector<const std::byte*> pagePointers;

    void fill(unsigned seed)
    {
        const auto n = static_cast<std::size_t>(positions);
        const auto dim = static_cast<std::size_t>(layout.headDim);
        keys = test::randomFloats(n * dim, seed);
        values = test::randomFloats(n * static_cast<std::size_t>(layout.headDimValue), seed + 1);
        queries = test::randomFloats(n * dim * static_cast<std::size_t>(heads), seed + 2);
        store(17);
    }

    /// Stores all positions in runs of at most `run`.
    void store(int run)
    {
        pages.clear();
        pagePointers.clear();
        for (int first = 0; first < positions; first += kPagePositions) {
            auto page = AlignedBuffer::allocate(layout.headBytes());
            ASSERT_TRUE(page);
            pages.push_back(std::move(*page));
            pagePointers.push_back(pages.back().data());
        }
        for (int p = 0; p < positions;) {
            const int slot = p % kPagePositions;
            const int count = std::min({run, kPagePositions - slot, positions - p});
            const auto at = static_cast<std::size_t>(p);
            const auto dim = static_cast<std::size_t>(layout.headDim);
            const auto dimValue = static_cast<std::size_t>(layout.headDimValue);
            storeKv(layout, {&keys[at * dim], dim, &values[at * dimValue], dimValue}, slot, count,
                    pages[at / kPagePositions].data());
            p += count;
        }
    }

    /// Outputs (position, head, headDimValue) of a run of positions, with all keys at once or span
    /// by span.
    std::vector<float> attendRun(int first, int count, bool bySpans = false) const
    {
        const auto dim = static_cast<std::size_t>(layout.headDim);
        const auto headCount = static_cast<std::size_t>(heads);
        const std::size_t outStride = headCount * static_cast<std::size_t>(layout.headDimValue);
        std::vector<float> out(static_cast<std::size_t>(count) * outStride, -1.0f);
        auto scratch = AlignedBuffer::allocate(attendScratchFloats(layout) * sizeof(float));
        EXPECT_TRUE(scratch);
        AttentionJob job;
        job.layout = &layout;
        job.pages = pagePointers;
        job.queries = &queries[static_cast<std::size_t>(first) * dim * headCount];
        job.queryStride = dim * headCount;
        job.out = out.data();
        job.outStride = outStride;
        job.firstPosition = first;
        job.positions = count;
        job.heads = heads;
        job.scale = scale;
        job.softcap = softcap;
        job.mask = mask;
        job.alibiSlopes = slopes.empty() ? nullptr : slopes.data();
        job.sinks = sinks.empty() ? nullptr : sinks.data();
        const std::span<float> room(reinterpret_cast<float*>(scratch->data()),
                                    attendScratchFloats(layout));
        if (bySpans)
            attendSpans(job, room);
        else
            attend(job, room);
        return out;
    }

    /// Each span on its own, the last first.
    static void attendSpans(const AttentionJob& job, std::span<float> scratch)
    {
        const SpanRange spans = visibleSpans(job);
        const auto count = static_cast<std::size_t>(spans.end - spans.begin);
        const std::size_t floats = static_cast<std::size_t>(job.positions) *
                                   static_cast<std::size_t>(job.heads) *
                                   attendPartFloats(*job.layout);
        auto buffer = AlignedBuffer::allocate(count * floats * sizeof(float));
        ASSERT_TRUE(buffer);
        const std::span<float> parts(reinterpret_cast<float*>(buffer->data()), count * floats);
        for (std::size_t i = count; i-- > 0;)
            attendSpan(job, spans.begin + static_cast<int>(i), parts.subspan(i * floats, floats),
                       scratch);
        joinSpans(job, parts, scratch);
    }

    bool sees(int query, int key) const
    {
        if (mask.causal ? key > query : key >= mask.keyCount) return false;
        if (mask.window > 0 && std::abs(query - key) >= mask.window) return false;
        return mask.chunk == 0 || key >= query / mask.chunk * mask.chunk;
    }

    /// By definition, in double, over the given keys and values.
    std::vector<double> expected(int query, int head, const std::vector<float>& k,
                                 const std::vector<float>& v) const
    {
        const auto dim = static_cast<std::size_t>(layout.headDim);
        const auto dimValue = static_cast<std::size_t>(layout.headDimValue);
        const auto h = static_cast<std::size_t>(head);
        const float* q =
            &queries[(static_cast<std::size_t>(query) * static_cast<std::size_t>(heads) + h) * dim];
        std::vector<double> scores(static_cast<std::size_t>(positions));
        double most = sinks.empty() ? -std::numeric_limits<double>::infinity()
                                    : static_cast<double>(sinks[h]);
        for (int key = 0; key < positions; ++key) {
            double score = 0.0;
            const auto at = static_cast<std::size_t>(key);
            for (std::size_t d = 0; d < dim; ++d)
                score += static_cast<double>(q[d]) * static_cast<double>(k[at * dim + d]);
            score *= static_cast<double>(scale);
            if (softcap > 0.0f) {
                const double cap = static_cast<double>(softcap);
                score = cap * std::tanh(score / cap);
            }
            if (!slopes.empty()) score += static_cast<double>(slopes[h]) * -std::abs(key - query);
            scores[at] = sees(query, key) ? score : -std::numeric_limits<double>::infinity();
            most = std::max(most, scores[at]);
        }
        double weight = sinks.empty() ? 0.0 : std::exp(static_cast<double>(sinks[h]) - most);
        std::vector<double> out(dimValue);
        for (std::size_t at = 0; at < scores.size(); ++at) {
            const double p = std::exp(scores[at] - most);
            weight += p;
            for (std::size_t d = 0; d < dimValue; ++d)
                out[d] += p * static_cast<double>(v[at * dimValue + d]);
        }
        for (double& value : out)
            value /= weight;
        return out;
    }
};

float throughHalf(float x)
{
    return halfToFloat(floatToHalf(x));
}
float throughBfloat16(float x)
{
    return bfloat16ToFloat(floatToBfloat16(x));
}

/// What the cache holds of (rows, width) values.
std::vector<float> held(KvType type, std::vector<float> x, int width)
{
    const auto w = static_cast<std::size_t>(width);
    if (type == KvType::F16) std::ranges::transform(x, x.begin(), throughHalf);
    if (type == KvType::BF16) std::ranges::transform(x, x.begin(), throughBfloat16);
    if (type != KvType::Q8_0) return x;
    for (std::size_t row = 0; row < x.size(); row += w) {
        for (std::size_t d = 0; d < w; d += 32) {
            const std::size_t end = std::min(d + 32, w);
            float most = 0.0f;
            for (std::size_t i = d; i < end; ++i)
                most = std::max(most, std::abs(x[row + i]));
            for (std::size_t i = d; i < end; ++i)
                x[row + i] = std::nearbyint(x[row + i] * (127.0f / most)) * (most / 127.0f);
        }
    }
    return x;
}

void expectNearDefinition(const Scene& scene, int first, int count)
{
    const std::vector<float> k = held(scene.layout.type, scene.keys, scene.layout.headDim);
    const std::vector<float> v = held(scene.layout.type, scene.values, scene.layout.headDimValue);
    const std::vector<float> out = scene.attendRun(first, count);
    std::size_t at = 0;
    for (int p = first; p < first + count; ++p)
        for (int h = 0; h < scene.heads; ++h)
            for (const double expected : scene.expected(p, h, k, v))
                ASSERT_NEAR(out[at++], expected, 2e-5) << "position " << p << " head " << h;
}

TEST(Attention, IsSoftmaxOfScoresTimesValuesForEveryTypeAndSize)
{
    test::onEveryTarget([](std::int64_t) {
        for (const KvType type : {KvType::F32, KvType::F16, KvType::BF16, KvType::Q8_0}) {
            for (const auto& [dim, dimValue] : std::vector<std::pair<int, int>>{
                     {8, 8}, {40, 40}, {64, 64}, {96, 96}, {128, 128}, {576, 512}, {24, 20}}) {
                SCOPED_TRACE(testing::Message() << "type " << static_cast<int>(type) << ", " << dim
                                                << " and " << dimValue);
                Scene scene;
                scene.layout = {type, dim, dimValue};
                scene.positions = 150;
                scene.heads = 3;
                scene.scale = 1.0f / std::sqrt(static_cast<float>(dim));
                scene.fill(41);
                expectNearDefinition(scene, 149, 1);
                expectNearDefinition(scene, 60, 14);
            }
        }
    });
}

std::map<std::string, Scene> variants()
{
    std::map<std::string, Scene> scenes;
    const auto make = [&](const char* name) -> Scene& {
        Scene& scene = scenes[name];
        scene.layout = {KvType::F16, 64, 64};
        scene.positions = 210;
        scene.heads = 4;
        return scene;
    };
    make("causal");
    make("window").mask.window = 100;
    make("narrow window").mask.window = 5;
    make("chunk").mask.chunk = 80;
    make("softcap").softcap = 3.0f;
    make("alibi").slopes = {0.5f, 0.25f, 0.125f, 0.0f};
    make("sinks").sinks = {1.0f, -3.0f, 20.0f, 0.0f};
    make("one head").heads = 1;
    make("seven heads").heads = 7;
    make("bfloat16").layout.type = KvType::BF16;
    make("f32").layout.type = KvType::F32;
    make("8 bits").layout.type = KvType::Q8_0;
    make("values of another size").layout.headDimValue = 40;
    Scene& both = make("not causal");
    both.mask = {.causal = false, .keyCount = 200};
    Scene& local = make("not causal, window");
    local.mask = {.causal = false, .window = 40, .keyCount = 210};
    Scene& sloped = make("not causal, alibi");
    sloped.mask = {.causal = false, .keyCount = 200};
    sloped.slopes = {0.5f, 0.25f, 0.125f, 0.0f};
    unsigned seed = 50;
    for (auto& [name, scene] : scenes)
        scene.fill(seed += 3);
    return scenes;
}

TEST(Attention, KnowsEveryMaskAndBias)
{
    test::onEveryTarget([](std::int64_t) {
        for (const auto& [name, scene] : variants()) {
            SCOPED_TRACE(name);
            expectNearDefinition(scene, 0, 3);
            expectNearDefinition(scene, 62, 5);
            expectNearDefinition(scene, 150, 60);
        }
    });
}

TEST(Attention, GivesTheSameBitsForOneQueryAndForManyAndOnEveryTarget)
{
    std::map<std::string, std::vector<float>> reference;
    test::onEveryTarget([&](std::int64_t target) {
        for (const auto& [name, scene] : variants()) {
            SCOPED_TRACE(name);
            const std::vector<float> all = scene.attendRun(0, scene.positions);
            if (test::hasFma(target)) {
                const auto first = reference.try_emplace(name, all).first;
                EXPECT_EQ(std::memcmp(all.data(), first->second.data(), all.size() * sizeof(float)),
                          0);
            }
            for (const int run : {1, 2, 3, 7, 64, 100}) {
                std::vector<float> out;
                for (int p = 0; p < scene.positions; p += run) {
                    const auto some = scene.attendRun(p, std::min(run, scene.positions - p));
                    out.insert(out.end(), some.begin(), some.end());
                }
                ASSERT_EQ(std::memcmp(out.data(), all.data(), all.size() * sizeof(float)), 0)
                    << "runs of " << run;
            }
        }
    });
}

TEST(Attention, JoinsSpansToTheSameBits)
{
    std::map<std::string, std::vector<float>> reference;
    test::onEveryTarget([&](std::int64_t target) {
        for (const KvType type : {KvType::F32, KvType::F16, KvType::BF16, KvType::Q8_0})
            for (const int window : {0, 700}) {
                Scene scene;
                scene.layout = {type, 24, 40};
                scene.positions = 2 * kSpanPositions + 130;
                scene.heads = 3;
                scene.mask.window = window;
                scene.sinks = {0.1f, -2.0f, 3.0f};
                scene.fill(95);
                const std::string name =
                    std::to_string(static_cast<int>(type)) + " " + std::to_string(window);
                SCOPED_TRACE(name);
                const int first = scene.positions - 40;
                expectNearDefinition(scene, first, 2);
                const std::vector<float> all = scene.attendRun(first, 40);
                for (const int run : {1, 5, 40}) {
                    std::vector<float> out;
                    for (int p = first; p < scene.positions; p += run) {
                        const auto some = scene.attendRun(p, run, true);
                        out.insert(out.end(), some.begin(), some.end());
                    }
                    EXPECT_EQ(out, all) << "runs of " << run;
                }
                if (test::hasFma(target)) {
                    EXPECT_EQ(reference.try_emplace(name, all).first->second, all);
                }
            }
    });
}

TEST(Attention, NeverTouchesWhatAQueryDoesNotSee)
{
    Scene scene;
    scene.layout = {KvType::F32, 16, 16};
    scene.positions = 130;
    scene.heads = 4;
    scene.mask.window = 30;
    scene.fill(90);
    const std::vector<float> before = scene.attendRun(70, 20);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (int p = 0; p < scene.positions; ++p) {
        if (p > 70 - 30 && p < 90) continue;
        const auto at = static_cast<std::size_t>(p) * 16;
        std::fill_n(&scene.keys[at], 16, nan);
        std::fill_n(&scene.values[at], 16, nan);
    }
    scene.store(64);
    const std::vector<float> after = scene.attendRun(70, 20);
    EXPECT_EQ(std::memcmp(before.data(), after.data(), before.size() * sizeof(float)), 0);
}

TEST(Attention, StoresTheSameBytesHoweverRunsAreDivided)
{
    for (const KvType type : {KvType::F32, KvType::F16, KvType::BF16, KvType::Q8_0}) {
        Scene scene;
        scene.layout = {type, 72, 40};
        scene.positions = 100;
        scene.fill(91);
        std::vector<std::byte> first;
        for (const int run : {1, 5, 64}) {
            scene.store(run);
            std::vector<std::byte> bytes;
            for (const AlignedBuffer& page : scene.pages)
                bytes.insert(bytes.end(), page.data(), page.data() + page.size());
            if (first.empty()) first = bytes;
            EXPECT_EQ(bytes, first);
        }
    }
}

} // namespace
