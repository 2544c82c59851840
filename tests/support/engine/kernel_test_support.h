#pragma once

#include "engine/kernels/activations.h"
#include "engine/kernels/targets.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor_view.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <random>
#include <vector>

namespace test {

/// Runs `body(target name)` once on every instruction set this CPU and this build have.
template <typename Body>
void onEveryTarget(Body body)
{
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(target);
        SCOPED_TRACE(hwy::TargetName(target));
        body(target);
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// Targets whose multiply-adds are fused give the same bits; SSE has none.
inline bool hasFma(std::int64_t target)
{
    return (target & (HWY_SSE2 | HWY_SSE4)) == 0;
}

inline std::vector<float> randomFloats(std::size_t count, unsigned seed, float spread = 1.0f)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0f, spread);
    std::vector<float> values(count);
    for (float& value : values)
        value = normal(random);
    return values;
}

/// Random weights in a type's own blocks: every bit of the quantized values is random, the scales
/// are of ordinary size.
struct RandomTensor {
    RandomTensor(engine::DType type, std::int64_t rows, std::int64_t columns, unsigned seed);

    std::vector<std::byte> bytes;
    engine::TensorView view;

    /// (rows, columns), dequantized by the table of types.
    std::vector<float> dequantized() const;
};

/// Copies what RandomTensor has made of ordinary size (the scales) from one tensor's blocks to
/// another's.
void copyScales(engine::DType type, const std::vector<std::byte>& from, std::vector<std::byte>& to);

/// One token's part of a block of quantized activations.
struct HeldBlock {
    std::int8_t values[32];
    float scale;
    float scaledSum;
    std::int16_t sums[2];
    std::int16_t halfSums[4];
};
static_assert(sizeof(HeldBlock) == engine::QuantizedBlock::kTokenBytes);
HeldBlock heldBlock(const engine::Activations& activations, int token, int block);

/// The types with weights, quantized and plain.
std::vector<engine::DType> weightTypes();

} // namespace test
