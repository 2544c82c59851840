#include "engine/tensor/dtype.h"

#include "engine/base/byte_order.h"
#include "engine/tensor/block_codecs.h"

#include <array>
#include <format>

namespace engine {

namespace {

template <typename Stored>
float identity(Stored value)
{
    return static_cast<float>(value);
}

/// Runs of plain numbers.
template <typename Stored, auto toFloat>
void decodePlain(const std::byte* blocks, float* out, std::size_t elements)
{
    for (std::size_t i = 0; i < elements; ++i)
        out[i] = toFloat(loadLittle<Stored>(blocks + i * sizeof(Stored)));
}

template <typename Stored, auto fromFloat>
void encodePlain(const float* values, std::byte* blocks, std::size_t elements)
{
    for (std::size_t i = 0; i < elements; ++i)
        storeLittle<Stored>(blocks + i * sizeof(Stored), fromFloat(values[i]));
}

template <DType type, std::size_t elementsPerBlock, std::size_t bytesPerBlock>
void decodeBlocks(const std::byte* blocks, float* out, std::size_t elements)
{
    for (std::size_t i = 0; i < elements / elementsPerBlock; ++i)
        decodeBlock<type>(blocks + i * bytesPerBlock, out + i * elementsPerBlock);
}

template <DType type, std::size_t elementsPerBlock, std::size_t bytesPerBlock>
void encodeBlocks(const float* values, std::byte* blocks, std::size_t elements)
{
    for (std::size_t i = 0; i < elements / elementsPerBlock; ++i)
        encodeBlock<type>(values + i * elementsPerBlock, blocks + i * bytesPerBlock);
}

template <DType type, std::uint32_t elements, std::uint32_t bytes>
constexpr DTypeInfo readOnly(std::string_view name)
{
    return {type, name, elements, bytes, decodeBlocks<type, elements, bytes>, nullptr};
}

template <DType type, std::uint32_t elements, std::uint32_t bytes>
constexpr DTypeInfo readWrite(std::string_view name)
{
    return {type,
            name,
            elements,
            bytes,
            decodeBlocks<type, elements, bytes>,
            encodeBlocks<type, elements, bytes>};
}

template <typename Stored>
constexpr DTypeInfo number(DType type, std::string_view name)
{
    return {type, name, 1, sizeof(Stored), decodePlain<Stored, identity<Stored>>, nullptr};
}

constexpr std::array kTable = {
    DTypeInfo{DType::F32, "F32", 1, 4, decodePlain<float, identity<float>>,
              encodePlain<float, identity<float>>},
    DTypeInfo{DType::F16, "F16", 1, 2, decodePlain<std::uint16_t, halfToFloat>,
              encodePlain<std::uint16_t, floatToHalf>},
    readWrite<DType::Q4_0, 32, 18>("Q4_0"),
    readWrite<DType::Q4_1, 32, 20>("Q4_1"),
    readWrite<DType::Q5_0, 32, 22>("Q5_0"),
    readWrite<DType::Q5_1, 32, 24>("Q5_1"),
    readWrite<DType::Q8_0, 32, 34>("Q8_0"),
    readOnly<DType::Q8_1, 32, 36>("Q8_1"),
    readWrite<DType::Q2_K, 256, 84>("Q2_K"),
    readWrite<DType::Q3_K, 256, 110>("Q3_K"),
    readWrite<DType::Q4_K, 256, 144>("Q4_K"),
    readWrite<DType::Q5_K, 256, 176>("Q5_K"),
    readWrite<DType::Q6_K, 256, 210>("Q6_K"),
    readOnly<DType::Q8_K, 256, 292>("Q8_K"),
    readOnly<DType::IQ2_XXS, 256, 66>("IQ2_XXS"),
    readOnly<DType::IQ2_XS, 256, 74>("IQ2_XS"),
    readOnly<DType::IQ3_XXS, 256, 98>("IQ3_XXS"),
    readOnly<DType::IQ1_S, 256, 50>("IQ1_S"),
    readOnly<DType::IQ4_NL, 32, 18>("IQ4_NL"),
    readOnly<DType::IQ3_S, 256, 110>("IQ3_S"),
    readOnly<DType::IQ2_S, 256, 82>("IQ2_S"),
    readOnly<DType::IQ4_XS, 256, 136>("IQ4_XS"),
    number<std::int8_t>(DType::I8, "I8"),
    number<std::int16_t>(DType::I16, "I16"),
    number<std::int32_t>(DType::I32, "I32"),
    number<std::int64_t>(DType::I64, "I64"),
    number<double>(DType::F64, "F64"),
    readOnly<DType::IQ1_M, 256, 56>("IQ1_M"),
    DTypeInfo{DType::BF16, "BF16", 1, 2, decodePlain<std::uint16_t, bfloat16ToFloat>,
              encodePlain<std::uint16_t, floatToBfloat16>},
    readOnly<DType::TQ1_0, 256, 54>("TQ1_0"),
    readOnly<DType::TQ2_0, 256, 66>("TQ2_0"),
    readWrite<DType::MXFP4, 32, 17>("MXFP4"),
    readOnly<DType::NVFP4, 64, 36>("NVFP4"),
    readOnly<DType::Q1_0, 128, 18>("Q1_0"),
    readOnly<DType::Q2_0, 64, 18>("Q2_0"),
};

struct RetiredType {
    std::uint32_t id;
    std::string_view name;
};

constexpr std::array kRetired = {
    RetiredType{4, "Q4_2"},        RetiredType{5, "Q4_3"},        RetiredType{31, "Q4_0_4_4"},
    RetiredType{32, "Q4_0_4_8"},   RetiredType{33, "Q4_0_8_8"},   RetiredType{36, "IQ4_NL_4_4"},
    RetiredType{37, "IQ4_NL_4_8"}, RetiredType{38, "IQ4_NL_8_8"},
};

} // namespace

std::span<const DTypeInfo> dtypes()
{
    return kTable;
}

const DTypeInfo* findDType(std::uint32_t ggufId)
{
    for (const DTypeInfo& info : kTable) {
        if (static_cast<std::uint32_t>(info.type) == ggufId) return &info;
    }
    return nullptr;
}

const DTypeInfo* findDType(std::string_view name)
{
    for (const DTypeInfo& info : kTable) {
        if (info.name == name) return &info;
    }
    return nullptr;
}

const DTypeInfo& dtypeInfo(DType type)
{
    return *findDType(static_cast<std::uint32_t>(type));
}

std::string describeDType(std::uint32_t ggufId)
{
    if (const DTypeInfo* info = findDType(ggufId)) return std::string(info->name);
    for (const RetiredType& retired : kRetired) {
        if (retired.id == ggufId) return std::format("retired type {}", retired.name);
    }
    return std::format("unknown type {}", ggufId);
}

} // namespace engine
