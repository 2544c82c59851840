#include "engine/model/kv_rounding.h"

#include "engine/tensor/dtype.h"

#include <algorithm>
#include <cmath>

namespace engine {

namespace {

constexpr std::size_t kBlock = 32;

void roundBlock(std::span<float> block)
{
    float largest = 0;
    for (const float value : block)
        largest = std::max(largest, std::fabs(value));
    const float exact = largest / 127;
    const float inverse = exact > 0 ? 1 / exact : 0;
    const float kept = halfToFloat(floatToHalf(exact));
    for (float& value : block)
        value = std::round(value * inverse) * kept;
}

} // namespace

void roundKv(std::span<float> head, KvType type)
{
    switch (type) {
    case KvType::F32:
        return;
    case KvType::F16:
        for (float& value : head)
            value = halfToFloat(floatToHalf(value));
        return;
    case KvType::BF16:
        for (float& value : head)
            value = bfloat16ToFloat(floatToBfloat16(value));
        return;
    case KvType::Q8_0:
        for (std::size_t begin = 0; begin < head.size(); begin += kBlock)
            roundBlock(head.subspan(begin, std::min(kBlock, head.size() - begin)));
        return;
    }
}

std::uint64_t kvBytes(std::uint64_t elements, KvType type)
{
    switch (type) {
    case KvType::F32:
        return elements * 4;
    case KvType::F16:
    case KvType::BF16:
        return elements * 2;
    case KvType::Q8_0:
        return elements + (elements + kBlock - 1) / kBlock * 2;
    }
    return 0;
}

} // namespace engine
