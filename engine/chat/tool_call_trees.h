#pragma once

#include "engine/chat/chat_message.h"

#include <optional>
#include <string_view>
#include <vector>

/// Calls of tools written in tags that a mark tells from text. Each gives nothing where the text is
/// none.
namespace engine::tool_call_trees {

using Calls = std::optional<std::vector<ToolCall>>;

/// <|open|>call tool="f" index="1"<|sep|>, <|open|>argument key="k" type="string"<|sep|>value
/// <|close|>argument<|sep|> ... or one <|open|>json ...<|sep|> (Kimi K3)
Calls attributed(std::string_view body);
/// <invoke name="f">, <key>value</key> ..., values that are lists of <item> or keys themselves;
/// ]<]minimax[>[ before every tag (MiniMax M3)
Calls nested(std::string_view body);

} // namespace engine::tool_call_trees
