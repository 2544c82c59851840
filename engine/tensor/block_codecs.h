#pragma once

#include "engine/tensor/dtype.h"

#include <cstddef>

namespace engine {

// One quantization block of each type: as many bytes and elements as the dtype table says. The
// layouts are facts of the GGUF format; floating-point operations are in the order ggml does them,
// so that every value is equal to its.

/// Writes the block's values.
template <DType type>
void decodeBlock(const std::byte* block, float* out);

template <>
void decodeBlock<DType::Q4_0>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q4_1>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q5_0>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q5_1>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q8_0>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q8_1>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q2_K>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q3_K>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q4_K>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q5_K>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q6_K>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q8_K>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::IQ1_S>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::IQ1_M>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::IQ2_XXS>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::IQ2_XS>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::IQ2_S>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::IQ3_XXS>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::IQ3_S>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::IQ4_NL>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::IQ4_XS>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::TQ1_0>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::TQ2_0>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::MXFP4>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::NVFP4>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q1_0>(const std::byte* block, float* out);
template <>
void decodeBlock<DType::Q2_0>(const std::byte* block, float* out);

/// The nearest codes under scales chosen from the block's extremes. Simple: no search for better
/// scales, no importance weights. Writes every byte of the block.
template <DType type>
void encodeBlock(const float* values, std::byte* block);

template <>
void encodeBlock<DType::Q4_0>(const float* values, std::byte* block);
template <>
void encodeBlock<DType::Q4_1>(const float* values, std::byte* block);
template <>
void encodeBlock<DType::Q5_0>(const float* values, std::byte* block);
template <>
void encodeBlock<DType::Q5_1>(const float* values, std::byte* block);
template <>
void encodeBlock<DType::Q8_0>(const float* values, std::byte* block);
template <>
void encodeBlock<DType::Q2_K>(const float* values, std::byte* block);
template <>
void encodeBlock<DType::Q3_K>(const float* values, std::byte* block);
template <>
void encodeBlock<DType::Q4_K>(const float* values, std::byte* block);
template <>
void encodeBlock<DType::Q5_K>(const float* values, std::byte* block);
template <>
void encodeBlock<DType::Q6_K>(const float* values, std::byte* block);
template <>
void encodeBlock<DType::MXFP4>(const float* values, std::byte* block);

} // namespace engine
