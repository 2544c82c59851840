#pragma once

#include "engine/base/result.h"
#include "engine/huggingface/family.h"

namespace engine {

/// The keys of config.json's rotations that every family has the same way.
void writeRopeKeys(const ModelConfig& config, KeyWriter& keys);

/// "rope.dimension_count" of a head that turns only a part of itself.
void writeRotaryPart(const ModelConfig& config, KeyWriter& keys, double fallback);

/// The tensors of factors that some rotations are divided by: rope_freqs for Llama 3's,
/// rope_factors_long and _short for LongRoPE's. Errors: BadMetadata for lists of another length.
Result<void> writeRopeFactors(const ModelConfig& config, TensorWriter& writer);

} // namespace engine
