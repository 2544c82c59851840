#pragma once

#include "engine/model/forward_pass.h"

namespace engine {

/// What every forward pass asks of a call: states with room, tokens of the vocabulary, room for the
/// logits. Errors: ContextFull, InvalidArgument.
Result<void> checkForwardInputs(std::span<const ForwardInput> inputs, std::span<const float> logits,
                                int vocabularySize);

} // namespace engine
