#pragma once

#include "engine/model/reference_call.h"
#include "engine/tokenizer/tokenizer.h"

#include <span>

namespace engine::reference {

/// The residual stream before the first layer: (tokens, embedding).
Matrix embed(const Call& call, std::span<const TokenId> tokens);

/// All layers in place on the residual stream, (rows, embedding).
void runLayers(const Call& call, std::span<const TokenId> tokens, Matrix& x);

/// The norm after the last layer, where the family has one.
void normOutput(const Call& call, Matrix& x);

/// (rows, embedding) -> (rows, vocabulary)
Matrix logits(const Call& call, const Matrix& x);

} // namespace engine::reference
