#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace engine {

/// Element types by their GGUF id (ggml type). Ids that are retired (4, 5, 31-33, 36-38) are not
/// here.
enum class DType : std::uint32_t { // NOLINT(performance-enum-size): as wide as in the file
    F32 = 0,
    F16 = 1,
    Q4_0 = 2,
    Q4_1 = 3,
    Q5_0 = 6,
    Q5_1 = 7,
    Q8_0 = 8,
    Q8_1 = 9,
    Q2_K = 10,
    Q3_K = 11,
    Q4_K = 12,
    Q5_K = 13,
    Q6_K = 14,
    Q8_K = 15,
    IQ2_XXS = 16,
    IQ2_XS = 17,
    IQ3_XXS = 18,
    IQ1_S = 19,
    IQ4_NL = 20,
    IQ3_S = 21,
    IQ2_S = 22,
    IQ4_XS = 23,
    I8 = 24,
    I16 = 25,
    I32 = 26,
    I64 = 27,
    F64 = 28,
    IQ1_M = 29,
    BF16 = 30,
    TQ1_0 = 34,
    TQ2_0 = 35,
    MXFP4 = 39,
    NVFP4 = 40,
    Q1_0 = 41,
    Q2_0 = 42,
};

/// One row of the only table of types: everything that is a fact of the format.
struct DTypeInfo {
    DType type;
    std::string_view name;       ///< as in file names: "Q4_K"
    std::uint32_t blockElements; ///< elements that share a block; 1 for plain types
    std::uint32_t blockBytes;
    /// Writes `elements` floats (a multiple of blockElements) from consecutive blocks; null where a
    /// type holds no weights.
    void (*dequantize)(const std::byte* blocks, float* out, std::size_t elements);
    /// The inverse, rounding to nearest; null where we do not write the type.
    void (*quantize)(const float* values, std::byte* blocks, std::size_t elements);
};

/// Every type we know, in id order.
std::span<const DTypeInfo> dtypes();
/// Null for an id we do not know.
const DTypeInfo* findDType(std::uint32_t ggufId);
const DTypeInfo* findDType(std::string_view name);
/// REQUIRES: `type` is one of the enum's values.
const DTypeInfo& dtypeInfo(DType type);
/// "Q4_K", "retired type Q4_2", "unknown type 77": what to call any id.
std::string describeDType(std::uint32_t ggufId);

float halfToFloat(std::uint16_t half);
std::uint16_t floatToHalf(float value); ///< round to nearest even
float bfloat16ToFloat(std::uint16_t value);
std::uint16_t floatToBfloat16(float value); ///< round to nearest even

} // namespace engine
