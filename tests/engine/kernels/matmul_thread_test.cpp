#include "tests/support/engine/kernel_test_support.h"

#include "engine/kernels/matmul.h"

#include <array>
#include <cstring>

namespace {

using namespace engine;

TEST(MatmulThreads, GiveTheSameBitsWhateverTheirNumber)
{
    ThreadPool one(1);
    constexpr int kTokens = 37, kColumns = 512;
    const std::array types{DType::Q4_0, DType::Q6_K, DType::F16, DType::IQ3_S};
    std::vector<PackedMatrix> matrices;
    for (const DType type : types) {
        auto packed = PackedMatrix::pack(test::RandomTensor(type, 300, kColumns, 31).view, 0, one);
        ASSERT_TRUE(packed);
        matrices.push_back(std::move(*packed));
    }
    const std::vector<float> x = test::randomFloats(kTokens * kColumns, 32);
    std::vector<float> reference;
    for (const int threads : {1, 2, 3, 5}) {
        ThreadPool pool(threads);
        auto input = Activations::create(kTokens, kColumns);
        ASSERT_TRUE(input);
        input->assign(x.data(), kColumns, kTokens, kColumns);
        input->quantize(pool);
        std::vector<float> out(types.size() * kTokens * 300);
        std::vector<MatmulJob> jobs;
        for (std::size_t i = 0; i < matrices.size(); ++i)
            jobs.push_back({.matrix = &matrices[i],
                            .input = &*input,
                            .out = &out[i * kTokens * 300],
                            .outStride = 300});
        matmul(jobs, pool);
        if (reference.empty()) reference = out;
        EXPECT_EQ(std::memcmp(out.data(), reference.data(), out.size() * sizeof(float)), 0)
            << threads << " threads";
    }
}

} // namespace
