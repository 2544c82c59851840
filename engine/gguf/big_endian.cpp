#include "engine/gguf/big_endian.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace engine {

namespace {

/// `count` numbers of `width` bytes in a block, the first at `offset`, `stride` bytes from one to
/// the next.
struct Field {
    std::uint16_t offset;
    std::uint8_t width;
    std::uint8_t count;
    std::uint8_t stride;
};

constexpr Field one(std::uint16_t offset, std::uint8_t width)
{
    return {offset, width, 1, width};
}

constexpr Field run(std::uint16_t offset, std::uint8_t width, std::uint8_t count)
{
    return {offset, width, count, width};
}

struct BlockFields {
    DType dtype;
    std::array<Field, 2> fields; ///< unused ones have count 0
};

// Types that are not here are made of bytes alone.
constexpr std::array kBlockFields = {
    BlockFields{DType::F32, {one(0, 4)}},
    BlockFields{DType::F16, {one(0, 2)}},
    BlockFields{DType::Q4_0, {one(0, 2)}},
    BlockFields{DType::Q4_1, {run(0, 2, 2)}},
    BlockFields{DType::Q5_0, {one(0, 2), one(2, 4)}},
    BlockFields{DType::Q5_1, {run(0, 2, 2), one(4, 4)}},
    BlockFields{DType::Q8_0, {one(0, 2)}},
    BlockFields{DType::Q8_1, {run(0, 2, 2)}},
    BlockFields{DType::Q2_K, {run(80, 2, 2)}},
    BlockFields{DType::Q3_K, {one(108, 2)}},
    BlockFields{DType::Q4_K, {run(0, 2, 2)}},
    BlockFields{DType::Q5_K, {run(0, 2, 2)}},
    BlockFields{DType::Q6_K, {one(208, 2)}},
    BlockFields{DType::Q8_K, {one(0, 4), run(260, 2, 16)}},
    BlockFields{DType::IQ2_XXS, {one(0, 2), Field{6, 4, 8, 8}}},
    BlockFields{DType::IQ2_XS, {one(0, 2), run(2, 2, 32)}},
    BlockFields{DType::IQ3_XXS, {one(0, 2), run(66, 4, 8)}},
    BlockFields{DType::IQ1_S, {one(0, 2), run(34, 2, 8)}},
    BlockFields{DType::IQ4_NL, {one(0, 2)}},
    BlockFields{DType::IQ3_S, {one(0, 2)}},
    BlockFields{DType::IQ2_S, {one(0, 2)}},
    BlockFields{DType::IQ4_XS, {run(0, 2, 2)}},
    BlockFields{DType::I16, {one(0, 2)}},
    BlockFields{DType::I32, {one(0, 4)}},
    BlockFields{DType::I64, {one(0, 8)}},
    BlockFields{DType::F64, {one(0, 8)}},
    BlockFields{DType::IQ1_M, {run(48, 2, 4)}},
    BlockFields{DType::BF16, {one(0, 2)}},
    BlockFields{DType::TQ1_0, {one(52, 2)}},
    BlockFields{DType::TQ2_0, {one(64, 2)}},
    BlockFields{DType::Q1_0, {one(0, 2)}},
    BlockFields{DType::Q2_0, {one(0, 2)}},
};

void swapBlock(const BlockFields& layout, std::byte* block)
{
    for (const Field& field : layout.fields) {
        for (std::size_t i = 0; i < field.count; ++i) {
            std::byte* number = block + field.offset + i * field.stride;
            std::reverse(number, number + field.width);
        }
    }
}

} // namespace

void swapTensorBytes(DType dtype, std::span<std::byte> data)
{
    const std::size_t blockBytes = dtypeInfo(dtype).blockBytes;
    for (const BlockFields& layout : kBlockFields) {
        if (layout.dtype != dtype) continue;
        for (std::size_t i = 0; i < data.size(); i += blockBytes)
            swapBlock(layout, data.data() + i);
    }
}

} // namespace engine
