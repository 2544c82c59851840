#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace engine {

// A GGUF file, in file order:
//
//   magic          4 bytes "GGUF"
//   version        u32: 1, 2 or 3. In a big-endian file (version 3) this and every number after it
//                  is big-endian
//   tensor count   length
//   key count      length
//   each key       string name, u32 value type, value
//   each tensor    string name, u32 rank, rank * length dimensions (the contiguous one first),
//                  u32 dtype, u64 offset from the start of the tensor data
//   padding        to a multiple of the alignment: the key general.alignment, or 32
//   tensor data    each tensor at its offset, a multiple of the alignment
//
//   length         u64; u32 in version 1
//   string         length bytes, then so many bytes of UTF-8
//   array value    u32 element type, length elements, then the elements one after another

inline constexpr std::string_view kGgufMagic = "GGUF";
inline constexpr std::string_view kGgufAlignmentKey = "general.alignment";
inline constexpr std::uint64_t kGgufDefaultAlignment = 32;

// NOLINTNEXTLINE(performance-enum-size): as wide as in the file
enum class GgufValueType : std::uint32_t {
    Uint8 = 0,
    Int8 = 1,
    Uint16 = 2,
    Int16 = 3,
    Uint32 = 4,
    Int32 = 5,
    Float32 = 6,
    Bool = 7,
    String = 8,
    Array = 9,
    Uint64 = 10,
    Int64 = 11,
    Float64 = 12,
};

/// What a value becomes when it is read.
enum class GgufValueKind : std::uint8_t { Unsigned, Signed, Float, Bool, String, Array };

struct GgufValueTypeInfo {
    GgufValueType type;
    std::string_view name;
    GgufValueKind kind;
    std::uint32_t bytes; ///< of one value; 0 for strings and arrays
};

/// By id.
inline constexpr std::array<GgufValueTypeInfo, 13> kGgufValueTypes = {{
    {GgufValueType::Uint8, "UINT8", GgufValueKind::Unsigned, 1},
    {GgufValueType::Int8, "INT8", GgufValueKind::Signed, 1},
    {GgufValueType::Uint16, "UINT16", GgufValueKind::Unsigned, 2},
    {GgufValueType::Int16, "INT16", GgufValueKind::Signed, 2},
    {GgufValueType::Uint32, "UINT32", GgufValueKind::Unsigned, 4},
    {GgufValueType::Int32, "INT32", GgufValueKind::Signed, 4},
    {GgufValueType::Float32, "FLOAT32", GgufValueKind::Float, 4},
    {GgufValueType::Bool, "BOOL", GgufValueKind::Bool, 1},
    {GgufValueType::String, "STRING", GgufValueKind::String, 0},
    {GgufValueType::Array, "ARRAY", GgufValueKind::Array, 0},
    {GgufValueType::Uint64, "UINT64", GgufValueKind::Unsigned, 8},
    {GgufValueType::Int64, "INT64", GgufValueKind::Signed, 8},
    {GgufValueType::Float64, "FLOAT64", GgufValueKind::Float, 8},
}};

/// What we take from a file, well above anything a model needs.
struct GgufLimits {
    static constexpr std::uint64_t kKeys = 4096;
    static constexpr std::uint64_t kKeyBytes = 65'535;
    static constexpr std::uint64_t kStringBytes = 16U << 20U;
    static constexpr std::uint64_t kArrayElements = 8U << 20U;
    static constexpr std::uint64_t kTensors = 65'536;
    static constexpr std::uint64_t kTensorNameBytes = 63;
    static constexpr std::uint64_t kRank = 4;
    static constexpr std::uint64_t kDimension = std::uint64_t{1} << 40U;
    static constexpr std::uint64_t kElements = std::uint64_t{1} << 48U;
    static constexpr std::uint64_t kAlignment = 1U << 20U;
    static constexpr std::uint64_t kSplitParts = 512;
};

} // namespace engine
