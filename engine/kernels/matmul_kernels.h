#pragma once

#include "engine/kernels/activations.h"
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>

namespace engine {

/// One group of rows, or two, times one tile of tokens, in 8 bits.
struct QuantTile {
    /// From the sums of one group to those of the other.
    static constexpr std::size_t kGroupSums = std::size_t{Activations::kTileTokens} * 16;

    const std::uint8_t* group = nullptr;     ///< of a PackedMatrix of kind Blocks
    const std::uint8_t* nextGroup = nullptr; ///< null: there is one. REQUIRES: so for one token
    const std::uint8_t* blocks = nullptr;    ///< Activations::tile()
    std::size_t blockCount = 0;              ///< columns / 32
    int tokens = 0;                          ///< 1 ... Activations::kTileTokens
    float* sums = nullptr;                   ///< (tokens, lanes), 64-byte aligned: added to
};
using QuantKernel = void (*)(const QuantTile& tile);

/// A run of columns of one group of rows (four vectors wide) times some tokens, in f32.
struct FloatTile {
    const std::uint8_t* weights = nullptr; ///< (columns, 4 * lanes) of F32, F16 or BF16
    std::size_t columns = 0;
    const float* x = nullptr; ///< token t's first column: x + t * stride
    std::size_t stride = 0;
    int tokens = 0;
    float* sums = nullptr; ///< (tokens, 4 * lanes), 64-byte aligned: added to
};
using FloatKernel = void (*)(const FloatTile& tile);

/// A run of columns of one dequantized row times some tokens.
struct RowRun {
    const float* weights = nullptr; ///< (columns)
    std::size_t columns = 0;        ///< a multiple of 16, but for a row's last run
    const float* x = nullptr;       ///< token t's first column: x + t * stride
    std::size_t stride = 0;
    std::size_t tokens = 0;
    float* lanes = nullptr; ///< (tokens, 16), 64-byte aligned: added to
};
void rowRun(const RowRun& run);

/// The kernels for this CPU. Null where the type has no packed blocks.
QuantKernel legacyQuantKernel(DType type); ///< blocks of 32: Q4_0 ... Q8_0, IQ4_NL, MXFP4
QuantKernel superQuantKernel(DType type);  ///< super-blocks of 256: Q2_K ... Q6_K, IQ4_XS
QuantKernel
codebookQuantKernel(DType type); ///< super-blocks of code book indices: IQ1 ... IQ3, TQ1_0
/// REQUIRES: F32, F16 or BF16.
FloatKernel floatKernel(DType type);

} // namespace engine
