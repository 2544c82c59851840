#pragma once

#include "engine/kernels/attention.h"

#include <cstddef>
#include <cstdint>

namespace engine {

std::size_t kvElementBytes(KvType type);

/// Where a KV head in 8 bits keeps what. Scales are f32.
struct KvQ8View {
    std::int8_t* keys;   ///< (keyRows, position)
    float* keyScales;    ///< (keyRows / 32, position)
    std::int8_t* values; ///< (position, valueWidth)
    float* valueScales;  ///< (position, valueWidth / 32)
};
KvQ8View kvQ8View(const KvLayout& layout, std::byte* head);

} // namespace engine
