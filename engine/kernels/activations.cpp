#include "engine/kernels/activations.h"

#include <algorithm>

// clang-format off: foreach_target.h comes before whatever includes highway.h
#include "engine/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/activations.cpp"
#include <hwy/foreach_target.h>
#include "engine/kernels/quantize-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

std::int16_t sum16(const std::int8_t* values)
{
    int sum = 0;
    for (int i = 0; i < 16; ++i)
        sum += values[i];
    return static_cast<std::int16_t>(sum);
}

void quantizeRow(const float* x, std::size_t blocks, std::size_t step, QuantizedBlock* out)
{
    for (std::size_t b = 0; b < blocks; ++b, x += 32, out += step) {
        out->scale = quantize32(x, out->values);
        out->sums[0] = sum16(out->values);
        out->sums[1] = sum16(out->values + 16);
        out->scaledSum = out->scale * static_cast<float>(out->sums[0] + out->sums[1]);
    }
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine {

HWY_EXPORT(quantizeRow);

Result<Activations> Activations::create(int maxTokens, int maxColumns)
{
    Activations activations;
    const std::size_t blocks = (static_cast<std::size_t>(maxColumns) + 31) / 32;
    const auto tokens = static_cast<std::size_t>(maxTokens);
    TRY_ASSIGN(activations.m_buffer,
               AlignedBuffer::allocate(tokens * blocks * sizeof(QuantizedBlock)));
    activations.m_blocks = reinterpret_cast<QuantizedBlock*>(activations.m_buffer.data());
    return activations;
}

void Activations::assign(const float* x, std::size_t stride, int tokens, int columns)
{
    m_rows = x;
    m_stride = stride;
    m_tokens = tokens;
    m_columns = columns;
}

void Activations::quantizeTiles(int tileBegin, int tileEnd)
{
    for (int t = tileBegin; t < tileEnd; ++t) {
        const int width = tileTokens(t);
        QuantizedBlock* blocks =
            m_blocks + static_cast<std::size_t>(t) * kTileTokens * blocksPerToken();
        for (int i = 0; i < width; ++i)
            HWY_DYNAMIC_DISPATCH(quantizeRow)(row(t * kTileTokens + i), blocksPerToken(),
                                              static_cast<std::size_t>(width), blocks + i);
    }
}

void Activations::quantize(ThreadPool& pool)
{
    pool.parallelFor(static_cast<std::size_t>(tiles()), 1, [&](std::size_t begin, std::size_t end) {
        quantizeTiles(static_cast<int>(begin), static_cast<int>(end));
    });
}

} // namespace engine
#endif
