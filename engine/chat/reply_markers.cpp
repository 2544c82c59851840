#include "engine/chat/reply_markers.h"

#include "engine/chat/reasoning_splitter.h"
#include "engine/chat/tool_call_formats.h"

#include <algorithm>
#include <array>

namespace engine {

namespace {

/// Marks within calls, beside those that open and close them.
constexpr std::array<std::string_view, 45> kInnerMarkers = {
    "<|start|>",
    "<|channel|>",
    "<|constrain|>",
    "<|message|>",
    "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<｜tool▁call▁end｜>",
    "[ARGS]",
    "[CALL_ID]",
    "｜DSML｜",
    "<|\"|>",
    "<|role_sep|>",
    "<|/tool_call|>",
    "<|open|>",
    "<|close|>",
    "<|sep|>",
    "<|eom|>",
    "]<]minimax[>[",
    "<ifm|arg_key>",
    "</ifm|arg_key>",
    "<ifm|arg_type>",
    "</ifm|arg_type>",
    "<ifm|arg_value>",
    "</ifm|arg_value>",
    "<function",
    "<param",
    "</param>",
    "<|begin|>",
    "<|content|>",
    "<|tool_call:begin|>",
    "<|tool_call:name|>",
    "<|tool_call:args|>",
    "<|tool_call:end|>",
    "<|plugin|>",
    "｜GCML｜",
    "<tool_call:opensource>",
    "</tool_call:opensource>",
    "<tool_sep:opensource>",
    "<arg_key:opensource>",
    "</arg_key:opensource>",
    "<arg_value:opensource>",
    "</arg_value:opensource>",
};

} // namespace

bool isReplyMarker(std::string_view token)
{
    const auto isOf = [token](const ToolCallFormat& format) {
        return token == format.open || (!format.close.empty() && token == format.close);
    };
    return isReasoningTag(token) || std::ranges::contains(kInnerMarkers, token) ||
           std::ranges::any_of(toolCallFormats(), isOf);
}

} // namespace engine
