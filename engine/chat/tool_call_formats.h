#pragma once

#include "engine/chat/chat_message.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace engine {

/// One way of writing calls of tools.
struct ToolCallFormat {
    std::string_view open;
    std::string_view close; ///< empty: the end of the answer, or the next marker that opens
    /// The calls between the markers; nothing where they are none. `open` is not part of `body`.
    std::optional<std::vector<ToolCall>> (*parse)(std::string_view body);
    bool namedFirst = false; ///< a name comes before JSON
};

std::span<const ToolCallFormat> toolCallFormats();

/// An answer that is a JSON object with a function's name and arguments, or a list of calls in
/// Python, as Llama 3 and 4 write calls.
std::optional<std::vector<ToolCall>> parseBareCall(std::string_view answer);

} // namespace engine
