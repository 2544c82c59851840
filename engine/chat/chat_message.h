#pragma once

#include <string>

namespace engine {

/// One turn as a chat template sees it.
struct ChatMessage {
    std::string role; ///< "system", "user", "assistant", "tool"
    std::string content;
};

} // namespace engine
