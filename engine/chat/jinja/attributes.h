#pragma once

#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/value.h"

#include <optional>

namespace engine::jinja {

/// `owner.name`: an attribute, or else an item; an undefined value where it has neither. `name` is
/// a text. Fails only where the owner itself is undefined.
Outcome<Value> attributeOf(Runtime& runtime, Value owner, Value name);
/// `owner[key]`: an item, or else an attribute.
Outcome<Value> itemOf(Runtime& runtime, Value owner, Value key);
/// `owner[first:last:step]`; None for a part left out.
Outcome<Value> sliceOf(Runtime& runtime, Value owner, Value first, Value last, Value step);

/// Only what Python's getattr finds, or nothing; undefined where the sandbox denies it.
Outcome<std::optional<Value>> ownAttribute(Runtime& runtime, Value owner, Value name);
/// What filters call an attribute: a key, or steps such as "a.b.0", each of which gives `fallback`
/// where it leads nowhere.
Outcome<Value> pathOf(Runtime& runtime, Value owner, Value path,
                      std::optional<Value> fallback = std::nullopt);

Value undefinedHint(Runtime& runtime, std::string message);

} // namespace engine::jinja
