#include "tests/support/engine/kernel_test_support.h"

#include "engine/kernels/vector_ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <string>

namespace {

using namespace engine;

const std::vector<std::size_t> kSizes = {1, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 172, 1000};

double sigmoidOf(double x)
{
    return 1.0 / (1.0 + std::exp(-x));
}

struct Function {
    const char* name;
    Activation activation;
    std::function<double(double)> definition;
    double tolerance; ///< relative
};

const std::vector<Function>& functions()
{
    static const std::vector<Function> kFunctions = {
        {"silu", Activation::Silu, [](double x) { return x * sigmoidOf(x); }, 4e-7},
        {"gelu", Activation::Gelu,
         [](double x) {
             const double u = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
             return 0.5 * x * (1.0 + std::tanh(u));
         },
         1e-5},
        {"gelu erf", Activation::GeluErf,
         [](double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }, 4e-6},
        {"gelu quick", Activation::GeluQuick, [](double x) { return x * sigmoidOf(1.702 * x); },
         2e-6},
        {"relu", Activation::Relu, [](double x) { return std::max(x, 0.0); }, 0.0},
        {"relu squared", Activation::ReluSquared,
         [](double x) { return std::max(x, 0.0) * std::max(x, 0.0); }, 1e-7},
        {"sigmoid", Activation::Sigmoid, sigmoidOf, 4e-7},
        {"tanh", Activation::Tanh, [](double x) { return std::tanh(x); }, 3e-7},
        {"exp", Activation::Exp, [](double x) { return std::exp(x); }, 2e-7},
        {"softplus", Activation::Softplus, [](double x) { return std::log1p(std::exp(x)); }, 3e-7},
    };
    return kFunctions;
}

TEST(VectorOps, ActivationsFollowTheirDefinitions)
{
    std::vector<float> x;
    for (float value = -12.0f; value <= 12.0f; value += 0.0037f)
        x.push_back(value);
    for (const float value : {1e-6f, -1e-6f, 1e-20f, 0.0f})
        x.push_back(value);
    std::vector<float> out(x.size());
    test::onEveryTarget([&](std::int64_t) {
        for (const Function& f : functions()) {
            activate(f.activation, x.data(), out.data(), x.size());
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double expected = f.definition(static_cast<double>(x[i]));
                ASSERT_NEAR(out[i], expected, f.tolerance * std::abs(expected) + 1e-12)
                    << f.name << " of " << x[i];
            }
        }
    });
}

TEST(VectorOps, ExponentialIsRightAtItsEnds)
{
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> x = {-infinity, -1000.0f, -87.0f, -86.5f,  0.0f,
                                  88.0f,     88.7f,    89.5f,  1000.0f, infinity};
    std::vector<float> out(x.size());
    test::onEveryTarget([&](std::int64_t) {
        activate(Activation::Exp, x.data(), out.data(), x.size());
        EXPECT_EQ(out[0], 0.0f);
        EXPECT_EQ(out[1], 0.0f);
        EXPECT_EQ(out[2], 0.0f);
        EXPECT_FLOAT_EQ(out[3], std::exp(-86.5f));
        EXPECT_EQ(out[4], 1.0f);
        EXPECT_FLOAT_EQ(out[5], std::exp(88.0f));
        EXPECT_FLOAT_EQ(out[6], std::exp(88.7f));
        for (std::size_t i = 7; i < 10; ++i)
            EXPECT_EQ(out[i], infinity);
        activate(Activation::Silu, x.data(), out.data(), x.size() - 1);
        EXPECT_EQ(out[1], 0.0f);
        EXPECT_EQ(out[8], 1000.0f);
    });
}

/// Every operation over runs of n, as (name, n) -> result; inputs are the same each time.
std::map<std::string, std::vector<float>> everyOperation(std::size_t n)
{
    std::map<std::string, std::vector<float>> results;
    const std::vector<float> x = test::randomFloats(n, 61, 2.0f), y = test::randomFloats(n, 62);
    const std::vector<float> z = test::randomFloats(n, 63);
    const auto run = [&](const char* name, auto&& f) {
        std::vector<float> out(n + 1, 77.0f);
        f(out.data());
        EXPECT_EQ(out[n], 77.0f) << name << " wrote beyond its end";
        out.pop_back();
        results[name] = out;
    };
    run("rms", [&](float* out) { rmsNorm(x.data(), y.data(), out, n, 1e-5f); });
    run("rms plain", [&](float* out) { rmsNorm(x.data(), nullptr, out, n, 1e-5f); });
    run("layer", [&](float* out) { layerNorm(x.data(), {y.data(), z.data()}, out, n, 1e-5f); });
    run("layer plain", [&](float* out) { layerNorm(x.data(), {}, out, n, 1e-5f); });
    run("l2", [&](float* out) { l2Norm(x.data(), out, n, 1e-6f); });
    run("softmax", [&](float* out) { softmax(x.data(), out, n); });
    run("add", [&](float* out) { add(x.data(), y.data(), out, n); });
    run("multiply", [&](float* out) { multiply(x.data(), y.data(), out, n); });
    run("scale", [&](float* out) { scale(x.data(), 1.7f, out, n); });
    run("roundToHalf", [&](float* out) { roundToHalf(x.data(), out, n); });
    run("multiplyAdd", [&](float* out) { multiplyAdd(x.data(), 1.7f, y.data(), out, n); });
    run("softcap", [&](float* out) { softcap(x.data(), 2.5f, out, n); });
    run("swiglu", [&](float* out) { activateGated(Activation::Silu, x.data(), y.data(), out, n); });
    run("clamped",
        [&](float* out) { activateClampedSwiglu({1.702f, 1.5f}, x.data(), y.data(), out, n); });
    run("dot", [&](float* out) { std::fill_n(out, n, dot(x.data(), y.data(), n)); });
    run("sum", [&](float* out) { std::fill_n(out, n, sum(x.data(), n)); });
    run("maximum", [&](float* out) { std::fill_n(out, n, maximum(x.data(), n)); });
    for (const Function& f : functions())
        run(f.name, [&](float* out) { activate(f.activation, x.data(), out, n); });
    return results;
}

std::vector<double> wide(const std::vector<float>& x)
{
    return {x.begin(), x.end()};
}

double total(const std::vector<double>& x, auto&& f)
{
    double result = 0.0;
    for (const double value : x)
        result += f(value);
    return result;
}

/// The same by definition, in double.
std::map<std::string, std::vector<double>> everyDefinition(std::size_t n)
{
    std::map<std::string, std::vector<double>> results;
    const std::vector<double> x = wide(test::randomFloats(n, 61, 2.0f));
    const std::vector<double> y = wide(test::randomFloats(n, 62)),
                              z = wide(test::randomFloats(n, 63));
    const auto run = [&](const char* name, auto&& f) {
        std::vector<double>& out = results[name];
        for (std::size_t i = 0; i < n; ++i)
            out.push_back(f(i));
    };
    const auto count = static_cast<double>(n);
    const double square = total(x, [](double v) { return v * v; });
    const double rms = std::sqrt(square / count + 1e-5);
    const double mean = total(x, [](double v) { return v; }) / count;
    const double deviation =
        std::sqrt(total(x, [&](double v) { return (v - mean) * (v - mean); }) / count + 1e-5);
    const double most = *std::ranges::max_element(x);
    const double weight = total(x, [&](double v) { return std::exp(v - most); });
    double product = 0.0;
    for (std::size_t i = 0; i < n; ++i)
        product += x[i] * y[i];
    run("rms", [&](std::size_t i) { return x[i] / rms * y[i]; });
    run("rms plain", [&](std::size_t i) { return x[i] / rms; });
    run("layer", [&](std::size_t i) { return (x[i] - mean) / deviation * y[i] + z[i]; });
    run("layer plain", [&](std::size_t i) { return (x[i] - mean) / deviation; });
    run("l2", [&](std::size_t i) { return x[i] / std::max(std::sqrt(square), 1e-6); });
    run("softmax", [&](std::size_t i) { return std::exp(x[i] - most) / weight; });
    run("add", [&](std::size_t i) { return x[i] + y[i]; });
    run("multiply", [&](std::size_t i) { return x[i] * y[i]; });
    run("scale", [&](std::size_t i) { return x[i] * 1.7; });
    run("roundToHalf",
        [&](std::size_t i) { return halfToFloat(floatToHalf(static_cast<float>(x[i]))); });
    run("multiplyAdd", [&](std::size_t i) { return x[i] * 1.7 + y[i]; });
    run("softcap", [&](std::size_t i) { return 2.5 * std::tanh(x[i] / 2.5); });
    run("swiglu", [&](std::size_t i) { return x[i] * sigmoidOf(x[i]) * y[i]; });
    run("clamped", [&](std::size_t i) {
        const double g = std::min(x[i], 1.5), u = std::clamp(y[i], -1.5, 1.5);
        return g * sigmoidOf(1.702 * g) * (u + 1.0);
    });
    run("dot", [&](std::size_t) { return product; });
    run("sum", [&](std::size_t) { return mean * count; });
    run("maximum", [&](std::size_t) { return most; });
    return results;
}

TEST(VectorOps, FollowTheirDefinitionsAtEveryLength)
{
    test::onEveryTarget([&](std::int64_t) {
        for (const std::size_t n : kSizes) {
            const auto results = everyOperation(n);
            for (const auto& [name, expected] : everyDefinition(n)) {
                const std::vector<float>& out = results.at(name);
                for (std::size_t i = 0; i < n; ++i)
                    ASSERT_NEAR(out[i], expected[i], 3e-6 * std::abs(expected[i]) + 2e-5)
                        << name << " of " << n << " at " << i;
            }
        }
    });
}

TEST(VectorOps, GiveTheSameBitsOnEveryTargetWithFusedMultiplyAdds)
{
    std::map<std::size_t, std::map<std::string, std::vector<float>>> reference;
    test::onEveryTarget([&](std::int64_t target) {
        if (!test::hasFma(target)) return;
        for (const std::size_t n : kSizes) {
            const auto results = everyOperation(n);
            const auto& first = reference.try_emplace(n, results).first->second;
            for (const auto& [name, out] : results)
                EXPECT_EQ(std::memcmp(out.data(), first.at(name).data(), n * sizeof(float)), 0)
                    << name << " of " << n;
        }
    });
}

/// Sums in 16 virtual lanes and a tree, as documented: also what a machine of any width must give.
float sumBySixteenLanes(const std::vector<float>& x)
{
    float lanes[16] = {};
    for (std::size_t i = 0; i < x.size(); ++i)
        lanes[i % 16] += x[i];
    for (std::size_t width = 8; width > 0; width /= 2)
        for (std::size_t i = 0; i < width; ++i)
            lanes[i] += lanes[i + width];
    return lanes[0];
}

TEST(VectorOps, SumInTheDocumentedOrder)
{
    test::onEveryTarget([&](std::int64_t) {
        for (const std::size_t n : kSizes) {
            const std::vector<float> x = test::randomFloats(n, 64);
            EXPECT_EQ(sum(x.data(), n), sumBySixteenLanes(x)) << n;
        }
    });
}

TEST(VectorOps, WorkInPlace)
{
    for (const std::size_t n : {5u, 40u}) {
        const std::vector<float> x = test::randomFloats(n, 65), y = test::randomFloats(n, 66);
        std::vector<float> apart(n), place = x;
        layerNorm(x.data(), {y.data(), y.data()}, apart.data(), n, 1e-5f);
        layerNorm(place.data(), {y.data(), y.data()}, place.data(), n, 1e-5f);
        EXPECT_EQ(place, apart);
        place = x;
        softmax(x.data(), apart.data(), n);
        softmax(place.data(), place.data(), n);
        EXPECT_EQ(place, apart);
        place = y;
        activateGated(Activation::Gelu, x.data(), y.data(), apart.data(), n);
        activateGated(Activation::Gelu, x.data(), place.data(), place.data(), n);
        EXPECT_EQ(place, apart);
    }
}

TEST(VectorOps, RopeTurnsBothKindsOfPairs)
{
    std::map<std::string, std::vector<float>> reference;
    test::onEveryTarget([&](std::int64_t target) {
        for (const int pairs : {1, 4, 5, 16, 20, 32, 33, 64}) {
            const auto n = static_cast<std::size_t>(pairs);
            const std::vector<float> cosines = test::randomFloats(n, 67);
            const std::vector<float> sines = test::randomFloats(n, 68);
            const std::size_t stride = 2 * n + 6; // some values of a head stay as they are
            const std::vector<float> x = test::randomFloats(3 * stride, 69);
            for (const RopePairs layout : {RopePairs::Adjacent, RopePairs::Halves}) {
                std::vector<float> out = x;
                applyRope(layout, {cosines.data(), sines.data(), pairs}, out.data(), 3, stride);
                std::vector<double> expected = wide(x);
                for (std::size_t h = 0; h < 3; ++h) {
                    for (std::size_t i = 0; i < n; ++i) {
                        const bool halves = layout == RopePairs::Halves;
                        const std::size_t a = h * stride + (halves ? i : 2 * i);
                        const std::size_t b = a + (halves ? n : 1);
                        const double c = static_cast<double>(cosines[i]);
                        const double s = static_cast<double>(sines[i]);
                        expected[a] = static_cast<double>(x[a]) * c - static_cast<double>(x[b]) * s;
                        expected[b] = static_cast<double>(x[a]) * s + static_cast<double>(x[b]) * c;
                    }
                }
                for (std::size_t i = 0; i < x.size(); ++i)
                    ASSERT_NEAR(out[i], expected[i], 1e-5);
                if (!test::hasFma(target)) continue;
                const std::string key =
                    std::to_string(pairs) + (layout == RopePairs::Halves ? " halves" : " adjacent");
                const auto& first = reference.try_emplace(key, out).first->second;
                EXPECT_EQ(std::memcmp(out.data(), first.data(), out.size() * sizeof(float)), 0);
            }
        }
    });
}

} // namespace
