#pragma once

#include "engine/chat/jinja/builtin.h"
#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/runtime.h"

#include <cstdint>
#include <string>

/// Reading a builtin's arguments as the types it needs.
namespace engine::jinja {

/// A whole number. Fails for other types; what does not fit 64 bits becomes the nearest that does.
Outcome<std::int64_t> integerArgument(const Bound& arguments, std::size_t index,
                                      std::int64_t fallback);
/// A text. Fails for other types.
Outcome<const Text*> textArgument(const Bound& arguments, std::size_t index);
/// Whether it was passed and is true.
bool flagArgument(const Bound& arguments, std::size_t index, bool fallback = false);
/// Passed, and not None.
bool isGiven(const Bound& arguments, std::size_t index);

} // namespace engine::jinja
