#include "engine/chat/reply_splitter.h"

#include <utility>

namespace engine {

void ReplyDelta::clear()
{
    text.clear();
    reasoning.clear();
    toolCalls.clear();
}

ReplySplitter::ReplySplitter(const std::optional<ReplyFormat>& format)
{
    if (!format) return;
    m_reasoning.emplace(format->promptEnd);
    if (format->toolsOffered) m_calls.emplace(true);
}

void ReplySplitter::push(std::string_view text, ReplyDelta& delta)
{
    if (!m_reasoning)
        delta.text += text;
    else
        take(m_reasoning->push(text), delta);
}

void ReplySplitter::finish(ReplyDelta& delta)
{
    if (m_reasoning) take(m_reasoning->finish(), delta);
    if (m_calls) take(m_calls->finish(), delta);
}

void ReplySplitter::take(const std::vector<ReplyPiece>& pieces, ReplyDelta& delta)
{
    for (const ReplyPiece& piece : pieces) {
        if (piece.part == ReplyPart::Reasoning)
            delta.reasoning += piece.text;
        else if (m_calls)
            take(m_calls->push(piece.text), delta);
        else
            delta.text += piece.text;
    }
}

void ReplySplitter::take(std::vector<AnswerPiece> pieces, ReplyDelta& delta)
{
    for (AnswerPiece& piece : pieces) {
        delta.text += piece.text;
        if (piece.call) delta.toolCalls.push_back(std::move(*piece.call));
    }
}

} // namespace engine
