#pragma once

#include "engine/huggingface/family.h"

namespace engine {

// Layers that see only so many positions back, whichever way config.json tells which; what it lists
// layer by layer has the last word. Nothing is written where there is no window.

/// By a pattern; one that the architecture implies is left to it.
void writeWindows(const ModelConfig& config, KeyWriter& keys);
/// All of them, as soon as there is a window.
void writeWindowsOfAll(const ModelConfig& config, KeyWriter& keys);
/// Where `use_sliding_window` says so, those from `max_window_layers` on.
void writeWindowsOfUpper(const ModelConfig& config, KeyWriter& keys);

} // namespace engine
