#pragma once

#include "engine/chat/jinja/instance.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/value.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

/// Generators for filters: nothing of them is computed, and nothing fails, before they are walked.
namespace engine::jinja {

/// What becomes of an item; nothing: it is left out.
using Step = std::function<Outcome<std::optional<Value>>(Runtime&, Value)>;
/// Makes the step when the walk begins.
using MakeStep = std::function<Outcome<Step>(Runtime&)>;

/// The items as a generator: walked once, of no known length.
Value lazily(Runtime& runtime, std::vector<Value> items, std::string_view typeName = "generator");

/// The same of items that are computed all together when the first is asked for.
Value lazily(Runtime& runtime, std::function<Outcome<std::vector<Value>>(Runtime&)> compute);

/// The items of `source`, each put through the step when it is asked for.
Value stepwise(Runtime& runtime, Value source, MakeStep makeStep);

} // namespace engine::jinja
