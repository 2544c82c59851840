#pragma once

#include "engine/base/thread_pool.h"
#include "engine/kernels/activations.h"
#include "engine/kernels/packed_matrix.h"

#include <cstddef>
#include <span>

namespace engine {

/// One product: out[token][row] = sum over k of matrix[row][k] * input[token][k] (+ bias[row]).
/// Nothing here owns anything.
struct MatmulJob {
    const PackedMatrix* matrix = nullptr;
    const Activations* input = nullptr; ///< quantized where matrix->quantized()
    float* out = nullptr;               ///< token t's row begins at out + t * outStride
    std::size_t outStride = 0;
    const float* bias = nullptr; ///< (rows) or null
    bool accumulate = false;     ///< adds the product (and bias) to what is in `out`: a residual
};

/// A rectangle of a product: groups of rows times tiles of tokens.
struct MatmulPart {
    int groupBegin = 0;
    int groupEnd = 0;
    int tileBegin = 0;
    int tileEnd = 0;
};

/// Computes one rectangle in the calling thread. Every output has the same bits whatever rectangle
/// it is computed in: one chain of fused multiply-adds over the blocks (quantized types) or over k
/// (F32, F16, BF16), in order; for types that are dequantized on the fly, 16 chains over k and a
/// tree. Allocates nothing. REQUIRES: input columns = matrix columns.
void matmulPart(const MatmulJob& job, const MatmulPart& part);

/// All of `jobs` in one parallel region, their rows (and, for many tokens, tiles) divided among the
/// pool's threads. Jobs may share an input and must not share outputs. Allocates nothing.
void matmul(std::span<const MatmulJob> jobs, ThreadPool& pool);

} // namespace engine
