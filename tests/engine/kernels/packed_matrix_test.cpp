#include "tests/support/engine/kernel_test_support.h"

#include "engine/kernels/packed_matrix.h"

#include <cstring>
#include <limits>

namespace {

using namespace engine;

TEST(PackedMatrix, GivesBackEveryRowOfEveryType)
{
    ThreadPool pool(2);
    test::onEveryTarget([&](std::int64_t) {
        for (const DType type : test::weightTypes()) {
            SCOPED_TRACE(dtypeInfo(type).name);
            const test::RandomTensor tensor(type, 37, 512, 5);
            const auto matrix = PackedMatrix::pack(tensor.view, 0, pool);
            ASSERT_TRUE(matrix) << matrix.error().message;
            EXPECT_EQ(matrix->rows(), 37);
            EXPECT_EQ(matrix->columns(), 512);
            EXPECT_EQ(matrix->groups(), (37 - 1) / matrix->groupRows() + 1);
            const std::vector<float> expected = tensor.dequantized();
            std::vector<float> row(512);
            for (int r = 0; r < 37; ++r) {
                matrix->rowToFloat(r, row.data());
                ASSERT_EQ(std::memcmp(row.data(), &expected[static_cast<std::size_t>(r) * 512],
                                      512 * sizeof(float)),
                          0)
                    << "row " << r;
            }
        }
    });
}

TEST(PackedMatrix, TakesNoMoreThanTheFile)
{
    ThreadPool pool(1);
    for (const DType type : test::weightTypes()) {
        const test::RandomTensor tensor(type, 128, 256, 6);
        const auto matrix = PackedMatrix::pack(tensor.view, 0, pool);
        ASSERT_TRUE(matrix);
        EXPECT_EQ(matrix->bytes(), tensor.bytes.size()) << dtypeInfo(type).name;
    }
}

TEST(PackedMatrix, TakesRowsAndExpertsOfATensor)
{
    ThreadPool pool(1);
    test::RandomTensor tensor(DType::Q4_K, 3 * 20, 256, 7);
    tensor.view.shape = {256, 20, 3, 1};
    const std::vector<float> expected = tensor.dequantized();
    std::vector<float> row(256);
    const auto expert = PackedMatrix::pack(tensor.view, 2, pool);
    ASSERT_TRUE(expert);
    EXPECT_EQ(expert->rows(), 20);
    expert->rowToFloat(19, row.data());
    EXPECT_EQ(std::memcmp(row.data(), &expected[59 * 256], 256 * sizeof(float)), 0);
    const auto some = PackedMatrix::packRows(tensor.view, 18, 7, pool);
    ASSERT_TRUE(some);
    some->rowToFloat(6, row.data());
    EXPECT_EQ(std::memcmp(row.data(), &expected[24 * 256], 256 * sizeof(float)), 0);
    EXPECT_EQ(PackedMatrix::pack(tensor.view, 3, pool).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(PackedMatrix::pack(tensor.view, -1, pool).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(PackedMatrix::packRows(tensor.view, 55, 6, pool).error().code,
              ErrorCode::InvalidArgument);
}

TEST(PackedMatrix, RefusesTensorsThatCannotBeRight)
{
    ThreadPool pool(1);
    const test::RandomTensor tensor(DType::Q8_0, 8, 64, 8);
    TensorView view = tensor.view;
    view.sizeBytes -= 1;
    EXPECT_EQ(PackedMatrix::pack(view, 0, pool).error().code, ErrorCode::BadTensor);
    view = tensor.view;
    view.shape[0] = 48;
    EXPECT_EQ(PackedMatrix::pack(view, 0, pool).error().code, ErrorCode::BadTensor);
    view = tensor.view;
    view.shape[1] = std::numeric_limits<std::int64_t>::max() / 2;
    EXPECT_FALSE(PackedMatrix::pack(view, 0, pool));
    view.shape = {1 << 30, 1 << 30, 1 << 30, 1 << 30};
    EXPECT_FALSE(PackedMatrix::pack(view, 0, pool));
    view.shape = {64, 0, 1, 1};
    EXPECT_FALSE(PackedMatrix::pack(view, 0, pool));
}

} // namespace
