#pragma once

#include "engine/tokenizer/tokenizer.h"

#include <cstddef>
#include <span>

namespace engine {

/// Guesses how a text goes on from where it said the same before: what followed the latest earlier
/// place that ends with the same 4 tokens, or else the same 3 or 2 (prompt look-up decoding,
/// Saxena 2023). Returns a part of `context` of at most `most` tokens, empty where nothing is
/// repeated. Allocates nothing; takes time in proportion to the context, far less than a token's.
std::span<const TokenId> lookUpContinuation(std::span<const TokenId> context, std::size_t most);

} // namespace engine
