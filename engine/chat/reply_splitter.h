#pragma once

#include "engine/chat/reasoning_splitter.h"
#include "engine/chat/tool_call_splitter.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// How a chat's reply is read.
struct ReplyFormat {
    std::string promptEnd;     ///< the prompt's last characters: a template may open the reasoning
    bool toolsOffered = false; ///< calls of tools are taken out of the answer
};

/// What a reply has grown by, its parts apart.
struct ReplyDelta {
    std::string text;      ///< of the answer
    std::string reasoning; ///< what the model thinks before it answers
    std::vector<ToolCall> toolCalls;

    void clear();
};

/// Takes a reply apart while it arrives; without a format all of it is the answer. One reply, one
/// thread.
class ReplySplitter {
public:
    explicit ReplySplitter(const std::optional<ReplyFormat>& format);

    /// Adds to `delta` what the text brings.
    void push(std::string_view text, ReplyDelta& delta);
    /// What was held back, at the end of the reply.
    void finish(ReplyDelta& delta);

private:
    void take(const std::vector<ReplyPiece>& pieces, ReplyDelta& delta);
    static void take(std::vector<AnswerPiece> pieces, ReplyDelta& delta);

    std::optional<ReasoningSplitter> m_reasoning;
    std::optional<ToolCallSplitter> m_calls;
};

} // namespace engine
