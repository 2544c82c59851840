#pragma once

#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/value.h"

namespace engine::jinja {

/// `text % arguments`: Python's printf-like formatting. A tuple holds several arguments; a mapping
/// serves `%(name)s`.
Outcome<Value> percentFormat(Runtime& runtime, const Text& text, Value arguments);

} // namespace engine::jinja
