#pragma once

#include "engine/model/forward_pass.h"

#include <span>

namespace engine {

/// What a head's key or value becomes by being kept in the KV cache as `type`: unchanged in F32,
/// rounded to nearest in F16 and BF16; in Q8_0 blocks of 32 from the head's start (the last may be
/// shorter) share the scale max|x| / 127, itself rounded to F16.
void roundKv(std::span<float> head, KvType type);

/// Bytes of `elements` of one head's key or value.
std::uint64_t kvBytes(std::uint64_t elements, KvType type);

} // namespace engine
