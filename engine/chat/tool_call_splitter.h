#pragma once

#include "engine/chat/call_body_scanner.h"
#include "engine/chat/chat_message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// A part of an answer: text, or a call.
struct AnswerPiece {
    std::string text;
    std::optional<ToolCall> call; ///< then `text` is empty
};

/// Takes calls of tools out of an answer while it arrives, in the ways models write them: Hermes
/// and Qwen (<tool_call> with JSON, or with <function=...> inside), GLM, Llama 3 (<|python_tag|>,
/// <function=...>, or nothing but a JSON object), Mistral ([TOOL_CALLS]), gpt-oss (a message to a
/// function), Granite, Command R, Kimi, DeepSeek, MiniMax, Gemma, LFM2 and others: see the table of
/// ToolCallFormat. What turns out to be no call stays text, so that nothing is lost. One answer,
/// one thread.
class ToolCallSplitter {
public:
    /// `offered`: tools were offered to the model. Only then is an answer that is nothing but a
    /// JSON object, or a list of calls in Python, taken for calls.
    explicit ToolCallSplitter(bool offered);

    std::vector<AnswerPiece> push(std::string_view text);
    /// What was held back, at the end of the answer.
    std::vector<AnswerPiece> finish();

private:
    enum class State : std::uint8_t { Start, Text, Call, BareCall };

    bool step(bool atEnd);
    bool stepStart(bool atEnd);
    bool stepBareCall(bool atEnd);
    bool stepText(bool atEnd);
    bool stepCall(bool atEnd);
    void endCall(std::string_view body, std::string_view written);
    void emitText(std::string_view text);
    void emitCalls(std::vector<ToolCall> calls);

    State m_state;
    std::size_t m_format = 0;              // of the table, within a call
    std::optional<CallBodyScanner> m_body; // as m_format
    bool m_looksForFirst = false;          // at the end of an answer whose marks are in disorder
    std::string m_buffer;
    std::string m_space; // white space that goes where a call follows it
    int m_calls = 0;
    bool m_followsCall = false; // nothing but white space since the last call
    std::vector<AnswerPiece> m_pieces;
};

} // namespace engine
