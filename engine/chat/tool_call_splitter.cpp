#include "engine/chat/tool_call_splitter.h"

#include "engine/chat/marker_scanner.h"
#include "engine/chat/tool_call_formats.h"

#include <algorithm>
#include <array>
#include <format>
#include <utility>

namespace engine {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::vector<std::string_view> openMarkers()
{
    std::vector<std::string_view> markers;
    for (const ToolCallFormat& format : toolCallFormats())
        markers.push_back(format.open);
    return markers;
}

/// Whether `text` is, or may become, the beginning of {"name": ... or {"type": "function" ...
bool mayBeBareCall(std::string_view text)
{
    constexpr std::array<std::string_view, 3> kFirstKeys = {"\"name\"", "\"type\"", "\"function\""};
    const std::size_t brace = text.find_first_not_of(kBlank);
    if (brace == std::string_view::npos) return true;
    if (text[brace] != '{') return false;
    const std::size_t key = text.find_first_not_of(kBlank, brace + 1);
    if (key == std::string_view::npos) return true;
    const std::string_view rest = text.substr(key);
    return std::ranges::any_of(kFirstKeys, [rest](std::string_view first) {
        return rest.starts_with(first) || first.starts_with(rest);
    });
}

} // namespace

ToolCallSplitter::ToolCallSplitter(bool offered)
    : m_state(offered ? State::Start : State::Text)
{
}

std::vector<AnswerPiece> ToolCallSplitter::push(std::string_view text)
{
    m_buffer += text;
    while (step(false)) {
    }
    return std::exchange(m_pieces, {});
}

std::vector<AnswerPiece> ToolCallSplitter::finish()
{
    while (step(true)) {
    }
    if (!m_space.empty() && m_calls == 0) m_pieces.push_back({std::exchange(m_space, {}), {}});
    return std::exchange(m_pieces, {});
}

bool ToolCallSplitter::step(bool atEnd)
{
    if (m_buffer.empty()) return false;
    switch (m_state) {
    case State::Start:
        return stepStart(atEnd);
    case State::Text:
        return stepText(atEnd);
    case State::Call:
        return stepCall(atEnd);
    case State::BareCall:
        break;
    }
    if (!atEnd) return false;
    const std::string answer = std::exchange(m_buffer, {});
    if (auto calls = parseBareCall(answer))
        emitCalls(std::move(*calls));
    else
        emitText(answer);
    return false;
}

bool ToolCallSplitter::stepStart(bool atEnd)
{
    if (!mayBeBareCall(m_buffer)) {
        m_state = State::Text;
        return true;
    }
    constexpr std::size_t kDecided = 16; // behind the first key
    if (atEnd || m_buffer.size() >= kDecided + m_buffer.find_first_not_of(kBlank)) {
        m_state = m_buffer.find('{') == std::string::npos ? State::Text : State::BareCall;
        return true;
    }
    return false;
}

bool ToolCallSplitter::stepText(bool atEnd)
{
    const std::vector<std::string_view> markers = openMarkers();
    const MarkerScanner scanner(markers);
    if (const auto found = scanner.find(m_buffer)) {
        emitText(std::string_view(m_buffer).substr(0, found->begin));
        m_buffer.erase(0, found->begin + markers[found->marker].size());
        m_format = found->marker;
        m_state = State::Call;
        return true;
    }
    const std::size_t held = atEnd ? 0 : scanner.undecided(m_buffer);
    emitText(std::string_view(m_buffer).substr(0, m_buffer.size() - held));
    m_buffer.erase(0, m_buffer.size() - held);
    return false;
}

bool ToolCallSplitter::stepCall(bool atEnd)
{
    const ToolCallFormat& format = toolCallFormats()[m_format];
    // Without a mark of its own a call ends where the next begins.
    const std::string_view close = format.close.empty() ? format.open : format.close;
    const std::size_t end = m_buffer.find(close);
    if (end == std::string::npos && !atEnd) return false;
    const std::string_view body = std::string_view(m_buffer).substr(0, end);
    const bool takesClose = end != std::string::npos && !format.close.empty();
    const std::size_t taken = body.size() + (takesClose ? close.size() : 0);
    const std::string written = std::string(format.open) + m_buffer.substr(0, taken);
    endCall(body, written);
    m_buffer.erase(0, taken);
    m_state = State::Text;
    return true;
}

void ToolCallSplitter::endCall(std::string_view body, std::string_view written)
{
    if (auto calls = toolCallFormats()[m_format].parse(body))
        emitCalls(std::move(*calls));
    else
        emitText(written);
}

void ToolCallSplitter::emitText(std::string_view text)
{
    // White space around calls separates them and belongs to no text.
    if (m_followsCall) {
        text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
        m_followsCall = text.empty();
    }
    const std::size_t last = text.find_last_not_of(kBlank);
    const std::size_t visible = last == std::string_view::npos ? 0 : last + 1;
    if (visible == 0) {
        m_space += text;
        return;
    }
    std::string out = std::exchange(m_space, std::string(text.substr(visible)));
    out += text.substr(0, visible);
    if (!m_pieces.empty() && !m_pieces.back().call)
        m_pieces.back().text += out;
    else
        m_pieces.push_back({std::move(out), {}});
}

void ToolCallSplitter::emitCalls(std::vector<ToolCall> calls)
{
    m_space.clear();
    m_followsCall = true;
    for (ToolCall& call : calls) {
        if (call.id.empty()) call.id = std::format("call_{}", m_calls);
        ++m_calls;
        m_pieces.push_back({{}, std::move(call)});
    }
}

} // namespace engine
