#pragma once

#include "engine/gguf/metadata.h"

#include <cstdint>

namespace engine {

/// The most positions for which the model is followed to the number; 0: as many as asked for. Where
/// an indexer chooses the keys that a query reads (DeepSeek 3.2, GLM 5, MiniMax M3), that is as
/// many as it chooses: so far all are read, and there is nothing to choose.
std::int64_t contextLimit(const Metadata& metadata);

} // namespace engine
