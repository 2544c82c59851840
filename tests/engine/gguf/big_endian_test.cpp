#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/raw_gguf.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/gguf/big_endian.h"
#include "engine/model/model_file.h"

#include <cstring>
#include <gtest/gtest.h>

namespace {

using engine::DType;

TEST(BigEndianTest, TurningTwiceChangesNothing)
{
    test::RandomNumbers random(1);
    for (const engine::DTypeInfo& info : engine::dtypes()) {
        std::vector<std::byte> data(3 * info.blockBytes);
        for (std::byte& byte : data)
            byte = static_cast<std::byte>(random.next());
        std::vector<std::byte> turned = data;
        engine::swapTensorBytes(info.type, turned);
        const bool bytesOnly =
            info.type == DType::I8 || info.type == DType::MXFP4 || info.type == DType::NVFP4;
        EXPECT_EQ(turned == data, bytesOnly) << info.name;
        engine::swapTensorBytes(info.type, turned);
        EXPECT_EQ(turned, data) << info.name;
    }
}

TEST(BigEndianTest, AFilesNumbersAreTheirValues)
{
    // Q8_0: the scale 1.5 is 0x3E00; codes are bytes.
    test::RawGguf file(2, 1, 3, true);
    file.architecture().tensor("f", {2}).tensor("q", {32}, 8, 32);
    file.data(0).u32(0x3F800000).u32(0xC0000000).data(0).u16(0x3E00).raw(std::string(32, '\x02'));
    const test::TempFolder folder;
    const auto model = engine::ModelFile::open(folder.write("big.gguf", file.bytes()));
    ASSERT_TRUE(model) << model.error().message;
    float f[2];
    std::memcpy(f, model->find("f")->data, sizeof(f));
    EXPECT_EQ(f[0], 1.0F);
    EXPECT_EQ(f[1], -2.0F);
    float q[32];
    engine::dtypeInfo(DType::Q8_0).dequantize(model->find("q")->data, q, 32);
    EXPECT_EQ(q[0], 3.0F);
    EXPECT_EQ(q[31], 3.0F);
}

} // namespace
