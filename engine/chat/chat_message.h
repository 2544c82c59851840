#pragma once

#include <string>
#include <vector>

namespace engine {

/// A function the model asks to have called.
struct ToolCall {
    std::string id;        ///< may be empty
    std::string name;      ///< of the function
    std::string arguments; ///< a JSON object, as the model wrote it
};

/// One turn as a chat template sees it.
struct ChatMessage {
    std::string role; ///< "system", "user", "assistant", "tool"
    std::string content;
    std::string reasoning = {};           ///< of an assistant, apart from its answer
    std::vector<ToolCall> toolCalls = {}; ///< of an assistant
    std::string toolCallId = {};          ///< of a tool: which call it answers
    std::string toolName = {};            ///< of a tool
};

} // namespace engine
