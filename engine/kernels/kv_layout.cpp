#include "engine/kernels/kv_element.h"

namespace engine {
namespace {

constexpr std::size_t kPositions = kPagePositions;

std::size_t roundUp(std::size_t value, std::size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/// Bytes of 64 times `width` elements; in 8 bits with a scale for each 32.
std::size_t planeBytes(KvType type, std::size_t width)
{
    const std::size_t elements = width * kPositions;
    const std::size_t scales = type == KvType::Q8_0 ? elements / 32 * sizeof(float) : 0;
    return roundUp(elements * kvElementBytes(type) + scales, 64);
}

} // namespace

std::size_t kvElementBytes(KvType type)
{
    switch (type) {
    case KvType::F32:
        return 4;
    case KvType::F16:
    case KvType::BF16:
        return 2;
    case KvType::Q8_0:
        return 1;
    }
    return 0;
}

KvQ8View kvQ8View(const KvLayout& layout, std::byte* head)
{
    std::byte* values = head + layout.keyBytes();
    return {.keys = reinterpret_cast<std::int8_t*>(head),
            .keyScales = reinterpret_cast<float*>(head + layout.keyRows() * kPositions),
            .values = reinterpret_cast<std::int8_t*>(values),
            .valueScales = reinterpret_cast<float*>(values + layout.valueWidth() * kPositions)};
}

std::size_t KvLayout::keyRows() const
{
    return roundUp(static_cast<std::size_t>(headDim), type == KvType::Q8_0 ? 32 : 1);
}

std::size_t KvLayout::valueWidth() const
{
    return roundUp(static_cast<std::size_t>(headDimValue), type == KvType::Q8_0 ? 32 : 16);
}

std::size_t KvLayout::keyBytes() const
{
    return planeBytes(type, keyRows());
}

std::size_t KvLayout::valueBytes() const
{
    return planeBytes(type, valueWidth());
}

} // namespace engine
