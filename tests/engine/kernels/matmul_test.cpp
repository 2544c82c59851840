#include "tests/support/engine/kernel_test_support.h"

#include "engine/kernels/matmul.h"

#include <cmath>
#include <cstring>
#include <map>

namespace {

using namespace engine;

/// Outputs (tokens, rows) of a product computed in one piece.
std::vector<float> product(const PackedMatrix& matrix, const std::vector<float>& x, int tokens,
                           int columns, ThreadPool& pool)
{
    auto input = Activations::create(tokens, columns);
    EXPECT_TRUE(input);
    input->assign(x.data(), static_cast<std::size_t>(columns), tokens, columns);
    if (matrix.quantized()) input->quantize(pool);
    const auto rows = static_cast<std::size_t>(matrix.rows());
    std::vector<float> out(static_cast<std::size_t>(tokens) * rows, -1.0f);
    const MatmulJob job{.matrix = &matrix, .input = &*input, .out = out.data(), .outStride = rows};
    matmul({&job, 1}, pool);
    return out;
}

/// What the activations of a token stand for once they are in 8 bits.
std::vector<double> heldActivations(const float* x, int columns, bool quantized)
{
    std::vector<double> held(x, x + columns);
    if (!quantized) return held;
    auto one = Activations::create(1, columns);
    one->assign(x, static_cast<std::size_t>(columns), 1, columns);
    one->quantizeTiles(0, 1);
    for (std::size_t k = 0; k < held.size(); ++k) {
        const test::HeldBlock block = test::heldBlock(*one, 0, static_cast<int>(k / 32));
        held[k] = static_cast<double>(block.scale) * block.values[k % 32];
    }
    return held;
}

struct Case {
    int rows;
    int columns;
    int tokens;
};

void expectNearDefinition(const test::RandomTensor& tensor, const std::vector<float>& out,
                          const std::vector<float>& x, int tokens, bool quantized,
                          double cancelled = 1)
{
    const auto rows = static_cast<std::size_t>(tensor.view.rows());
    const auto columns = static_cast<std::size_t>(tensor.view.columns());
    const std::vector<float> weights = tensor.dequantized();
    for (std::size_t t = 0; t < static_cast<std::size_t>(tokens); ++t) {
        const std::vector<double> a =
            heldActivations(&x[t * columns], static_cast<int>(columns), quantized);
        for (std::size_t r = 0; r < rows; ++r) {
            double expected = 0.0, size = 0.0;
            for (std::size_t k = 0; k < columns; ++k) {
                const double term = static_cast<double>(weights[r * columns + k]) * a[k];
                expected += term;
                size += std::abs(term);
            }
            // One rounding a step: 32 weights share a step in the quantized types.
            const double steps = static_cast<double>(columns) / (quantized ? 32 : 1);
            ASSERT_NEAR(out[t * rows + r], expected, (8 + steps) * 6e-8 * size * cancelled + 1e-30)
                << "token " << t << " row " << r;
        }
    }
}

TEST(Matmul, IsTheDotProductOfWhatWeightsAndActivationsStandFor)
{
    ThreadPool pool(1);
    test::onEveryTarget([&](std::int64_t) {
        for (const DType type : test::weightTypes()) {
            SCOPED_TRACE(dtypeInfo(type).name);
            const test::RandomTensor tensor(type, 21, 512, 11);
            const auto matrix = PackedMatrix::pack(tensor.view, 0, pool);
            ASSERT_TRUE(matrix);
            const std::vector<float> x = test::randomFloats(11 * 512, 12);
            const std::vector<float> out = product(*matrix, x, 11, 512, pool);
            expectNearDefinition(tensor, out, x, 11, matrix->quantized());
        }
    });
}

TEST(Matmul, TakesAnyNumberOfColumnsInPlainTypes)
{
    ThreadPool pool(1);
    test::onEveryTarget([&](std::int64_t) {
        for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::F64}) {
            for (const int columns : {1, 3, 172, 301}) {
                const test::RandomTensor tensor(type, 70, columns, 13);
                const auto matrix = PackedMatrix::pack(tensor.view, 0, pool);
                ASSERT_TRUE(matrix);
                const auto x = test::randomFloats(static_cast<std::size_t>(columns) * 7, 14);
                expectNearDefinition(tensor, product(*matrix, x, 7, columns, pool), x, 7, false);
            }
        }
    });
}

TEST(Matmul, GivesTheSameBitsInEveryBatch)
{
    ThreadPool pool(1);
    test::onEveryTarget([&](std::int64_t) {
        for (const DType type : test::weightTypes()) {
            SCOPED_TRACE(dtypeInfo(type).name);
            constexpr int kRows = 19, kColumns = 256;
            const test::RandomTensor tensor(type, kRows, kColumns, 15);
            const auto matrix = PackedMatrix::pack(tensor.view, 0, pool);
            ASSERT_TRUE(matrix);
            const std::vector<float> x = test::randomFloats(17 * kColumns, 16);
            const std::vector<float> all = product(*matrix, x, 17, kColumns, pool);
            for (int batch = 1; batch < 17; ++batch) {
                for (int first = 0; first < 17; first += batch) {
                    const int tokens = std::min(batch, 17 - first);
                    const std::vector<float> some(x.begin() + first * kColumns, x.end());
                    const auto out = product(*matrix, some, tokens, kColumns, pool);
                    ASSERT_EQ(std::memcmp(out.data(), &all[static_cast<std::size_t>(first * kRows)],
                                          out.size() * sizeof(float)),
                              0)
                        << "batches of " << batch << " from token " << first;
                }
            }
        }
    });
}

TEST(Matmul, GivesTheSameBitsOnEveryTargetWithFusedMultiplyAdds)
{
    ThreadPool pool(1);
    std::map<DType, std::vector<float>> reference;
    test::onEveryTarget([&](std::int64_t target) {
        for (const DType type : test::weightTypes()) {
            SCOPED_TRACE(dtypeInfo(type).name);
            const test::RandomTensor tensor(type, 33, 512, 17);
            const auto matrix = PackedMatrix::pack(tensor.view, 0, pool);
            ASSERT_TRUE(matrix);
            const std::vector<float> x = test::randomFloats(9 * 512, 18);
            const std::vector<float> out = product(*matrix, x, 9, 512, pool);
            if (!test::hasFma(target)) continue;
            const auto first = reference.try_emplace(type, out).first;
            EXPECT_EQ(std::memcmp(out.data(), first->second.data(), out.size() * sizeof(float)), 0);
        }
    });
}

TEST(Matmul, AddsBiasAndResidual)
{
    ThreadPool pool(2);
    for (const DType type : {DType::Q4_0, DType::F16, DType::IQ2_S}) {
        const test::RandomTensor tensor(type, 13, 256, 19);
        const auto matrix = PackedMatrix::pack(tensor.view, 0, pool);
        ASSERT_TRUE(matrix);
        const std::vector<float> x = test::randomFloats(3 * 256, 20);
        const std::vector<float> plain = product(*matrix, x, 3, 256, pool);
        const std::vector<float> bias = test::randomFloats(13, 21);
        std::vector<float> out = test::randomFloats(3 * 20, 22);
        const std::vector<float> before = out;
        auto input = Activations::create(3, 256);
        ASSERT_TRUE(input);
        input->assign(x.data(), 256, 3, 256);
        input->quantize(pool);
        const MatmulJob job{.matrix = &*matrix,
                            .input = &*input,
                            .out = out.data(),
                            .outStride = 20,
                            .bias = bias.data(),
                            .accumulate = true};
        matmul({&job, 1}, pool);
        for (std::size_t t = 0; t < 3; ++t) {
            for (std::size_t r = 0; r < 13; ++r)
                EXPECT_EQ(out[t * 20 + r], before[t * 20 + r] + (plain[t * 13 + r] + bias[r]));
            for (std::size_t r = 13; r < 20; ++r) // beyond the matrix nothing is touched
                EXPECT_EQ(out[t * 20 + r], before[t * 20 + r]);
        }
    }
}

/// The chain as it is documented, with one rounding a step.
float chainQ8(const std::byte* row, std::size_t columns, const std::vector<test::HeldBlock>& a)
{
    float sum = 0.0f;
    for (std::size_t b = 0; b < columns / 32; ++b, row += 34) {
        std::uint16_t half = 0;
        std::memcpy(&half, row, 2);
        int isum = 0;
        for (std::size_t k = 0; k < 32; ++k)
            isum += static_cast<std::int8_t>(row[2 + k]) * a[b].values[k];
        sum = std::fma(static_cast<float>(isum), halfToFloat(half) * a[b].scale, sum);
    }
    return sum;
}

float chainQ4(const std::byte* row, std::size_t columns, const std::vector<test::HeldBlock>& a)
{
    float sum = 0.0f;
    for (std::size_t b = 0; b < columns / 32; ++b, row += 18) {
        std::uint16_t half = 0;
        std::memcpy(&half, row, 2);
        int isum = 0;
        for (std::size_t k = 0; k < 16; ++k) {
            const int byte = static_cast<int>(row[2 + k]);
            isum += (byte % 16 - 8) * a[b].values[k] + (byte / 16 - 8) * a[b].values[k + 16];
        }
        sum = std::fma(static_cast<float>(isum), halfToFloat(half) * a[b].scale, sum);
    }
    return sum;
}

TEST(Matmul, IsTheDocumentedChainBitForBit)
{
    ThreadPool pool(1);
    struct Format {
        DType type;
        float (*chain)(const std::byte*, std::size_t, const std::vector<test::HeldBlock>&);
    };
    test::onEveryTarget([&](std::int64_t target) {
        if (!test::hasFma(target)) return;
        for (const Format& format : {Format{DType::Q8_0, chainQ8}, Format{DType::Q4_0, chainQ4}}) {
            const test::RandomTensor tensor(format.type, 24, 1024, 23);
            const auto matrix = PackedMatrix::pack(tensor.view, 0, pool);
            ASSERT_TRUE(matrix);
            const std::vector<float> x = test::randomFloats(1024, 24);
            const std::vector<float> out = product(*matrix, x, 1, 1024, pool);
            auto one = Activations::create(1, 1024);
            ASSERT_TRUE(one);
            one->assign(x.data(), 1024, 1, 1024);
            one->quantizeTiles(0, 1);
            std::vector<test::HeldBlock> a;
            for (int b = 0; b < 1024 / 32; ++b)
                a.push_back(test::heldBlock(*one, 0, b));
            for (std::size_t r = 0; r < 24; ++r)
                EXPECT_EQ(out[r],
                          format.chain(tensor.bytes.data() + r * tensor.view.rowBytes(), 1024, a));
        }
    });
}

/// The largest products there can be must not saturate: every weight and activation at its extreme.
TEST(Matmul, IsExactAtTheExtremes)
{
    ThreadPool pool(1);
    test::onEveryTarget([&](std::int64_t) {
        for (const DType type : test::weightTypes()) {
            const engine::DTypeInfo& info = dtypeInfo(type);
            if (info.blockElements == 1) continue;
            SCOPED_TRACE(info.name);
            for (const int fill : {0x00, 0x77, 0x80, 0x88, 0xff}) {
                test::RandomTensor tensor(type, 8, 256, 25);
                const std::vector<std::byte> ordinary = tensor.bytes;
                std::fill(tensor.bytes.begin(), tensor.bytes.end(), static_cast<std::byte>(fill));
                test::copyScales(type, ordinary, tensor.bytes);
                const auto matrix = PackedMatrix::pack(tensor.view, 0, pool);
                ASSERT_TRUE(matrix);
                for (const float value : {1.0f, -1.0f}) {
                    std::vector<float> x(8 * 256, value);
                    for (std::size_t k = 0; k < 256; k += 2)
                        x[256 + k] = -value;
                    const std::vector<float> out = product(*matrix, x, 8, 256, pool);
                    // A weight made of a product and a minimum may be this much smaller than they.
                    constexpr double kCancelled = 8;
                    expectNearDefinition(tensor, out, x, 8, matrix->quantized(), kCancelled);
                }
            }
        }
    });
}

} // namespace
