#pragma once

#include "engine/chat/chat_message.h"

#include <optional>
#include <string_view>
#include <vector>

/// Calls of tools written in tags. Each gives nothing where the text is none.
namespace engine::tool_call_elements {

using Calls = std::optional<std::vector<ToolCall>>;

/// What follows <function=: name> and JSON, or name> and <parameter=key>value</parameter> ...
Calls function(std::string_view element);
/// <function=name>...</function> ...
Calls functions(std::string_view body);
/// <invoke name="f"><parameter name="key">value</parameter>...</invoke> ... (MiniMax); tags may
/// have a mark before their name, and parameters say whether they are texts (DeepSeek).
Calls invocations(std::string_view body);
/// What follows <function name=: "f">, then <param name="key">value</param> ... (MiniCPM5)
Calls namedFunction(std::string_view body);
/// name, then <arg_key>key</arg_key><arg_value>value</arg_value> ... (GLM); tags may have a mark
/// before their name, and a type may stand between key and value (K2 Horizon).
Calls keysAndValues(std::string_view body);
/// call:name{key:value,...}, texts between <|"|> (Gemma 4)
Calls bracedPairs(std::string_view body);

} // namespace engine::tool_call_elements
