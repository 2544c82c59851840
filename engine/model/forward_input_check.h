#pragma once

#include "engine/model/forward_pass.h"
#include "engine/model/hyperparameters.h"
#include "engine/tensor/tensor_view.h"

namespace engine {

/// The most positions a sequence may be made for. Every whole number up to it is a float, which is
/// what angles and temperatures of positions are computed from.
inline constexpr int kMostContextLength = 1 << 24;

/// What every forward pass asks of a sequence's length. `positions`: the table of what the model
/// knows of them, where it has one. Errors: InvalidArgument (asked for, known).
Result<void> checkContextLength(int contextLength, const Hyperparameters& model,
                                const TensorView& positions);

/// What every forward pass asks of a call: states with room, tokens of the vocabulary, room for the
/// logits. Errors: ContextFull, InvalidArgument.
Result<void> checkForwardInputs(std::span<const ForwardInput> inputs, std::span<const float> logits,
                                int vocabularySize);

} // namespace engine
