#pragma once

#include "engine/chat/jinja/failure.h"
#include "engine/chat/jinja/runtime.h"
#include "engine/chat/jinja/value.h"

#include <string>
#include <string_view>

namespace engine::jinja {

/// str(value): what printing it shows.
Outcome<std::string> toText(Runtime& runtime, Value value);
Outcome<void> writeText(Runtime& runtime, TextBuilder& out, Value value);
/// str(value) as a value; the value itself where it is a text already.
Outcome<Value> toTextValue(Runtime& runtime, Value value);

/// repr(value): as inside a list.
Outcome<std::string> represent(Runtime& runtime, Value value);
Outcome<void> writeRepresentation(Runtime& runtime, TextBuilder& out, Value value);
std::string pythonQuoted(std::string_view text);
/// ascii(): of what repr() gave, with everything beyond ASCII as \x, \u or \U.
std::string asciiEscaped(std::string_view representation);

/// The text in HTML where escaping applies to it: markup stays, everything else is escaped.
Outcome<std::string> toEscapedText(Runtime& runtime, Value value);

} // namespace engine::jinja
