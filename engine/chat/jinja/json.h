#pragma once

#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/value.h"

#include <functional>
#include <string>
#include <string_view>

namespace engine::jinja {

/// A JSON document as a value, as Python's json.loads reads it: the order of keys is kept, whole
/// numbers have any size, 1 and 1.0 differ. Fails with the place of the mistake, and where it is
/// nested too deeply.
Outcome<Value> readJson(Heap& heap, std::string_view text);
/// The same with every text in it, the names of members included, as `map` makes it.
using TextMap = std::function<std::string(std::string)>;
Outcome<Value> readJson(Heap& heap, std::string_view text, const TextMap& map);

} // namespace engine::jinja
