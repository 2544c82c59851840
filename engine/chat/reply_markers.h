#pragma once

#include <string_view>

namespace engine {

/// Whether a special token's text is a mark that ReasoningSplitter or ToolCallSplitter looks for.
/// Whoever decodes a reply must write such tokens out, which are silent otherwise, and must not
/// show the reply before it went through the splitters.
bool isReplyMarker(std::string_view token);

} // namespace engine
