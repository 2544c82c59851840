#pragma once

#include "engine/chat/chat_message.h"

#include <optional>
#include <string_view>
#include <vector>

namespace engine {

/// Calls of tools written as Python: [name(key="text", other=3), ...], or one of them without
/// brackets. Arguments are keywords with literals. Nothing where it is anything else.
std::optional<std::vector<ToolCall>> pythonCalls(std::string_view text);

} // namespace engine
