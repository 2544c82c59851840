#pragma once

#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/value.h"

namespace engine::jinja {

/// pprint.pformat(value): its representation, over several lines where one of 80 characters is too
/// short; the keys of dicts sorted.
Outcome<Value> prettyPrint(Runtime& runtime, Value value);

} // namespace engine::jinja
