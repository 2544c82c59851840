#pragma once

#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/value.h"

#include <optional>
#include <string>

namespace engine::jinja {

/// The options of Python's json.dumps.
struct JsonStyle {
    bool ascii = false;                ///< everything beyond ASCII escaped
    std::optional<std::string> indent; ///< of one level; nothing: all on one line
    std::string itemSeparator = ", ";
    std::string keySeparator = ": ";
    bool sortKeys = false;
};

/// Fails where a value has no JSON form.
Outcome<std::string> toJson(Runtime& runtime, Value value, const JsonStyle& style);

} // namespace engine::jinja
