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

/// Whether an answer begins [name( ... Nothing where that is not sure yet.
std::optional<bool> beginsPython(std::string_view text)
{
    constexpr std::size_t kLongestName = 128;
    const std::size_t end = text.find_first_not_of(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.", 1);
    if (end != std::string_view::npos) return end > 1 && text[end] == '(';
    return text.size() < kLongestName ? std::nullopt : std::optional(false);
}

/// Whether an answer begins {"name" ..., {"type" ..., {"function" ... or [name( ... Nothing where
/// that is not sure yet.
std::optional<bool> beginsBareCall(std::string_view text)
{
    constexpr std::array<std::string_view, 3> kFirstKeys = {"\"name\"", "\"type\"", "\"function\""};
    const std::size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return std::nullopt;
    if (text[begin] == '[') return beginsPython(text.substr(begin));
    if (text[begin] != '{') return false;
    const std::size_t key = text.find_first_not_of(kBlank, begin + 1);
    if (key == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(key);
    for (const std::string_view first : kFirstKeys) {
        if (rest.starts_with(first)) return true;
        if (first.starts_with(rest)) return std::nullopt;
    }
    return false;
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
        return stepBareCall(atEnd);
    }
    return false;
}

bool ToolCallSplitter::stepStart(bool atEnd)
{
    const std::optional<bool> bare = beginsBareCall(m_buffer);
    constexpr std::size_t kMostBlank = 4096; // more white space begins no call
    if (!bare && !atEnd && m_buffer.size() < kMostBlank) return false;
    m_state = bare.value_or(false) ? State::BareCall : State::Text;
    return true;
}

bool ToolCallSplitter::stepBareCall(bool atEnd)
{
    if (!atEnd) return false;
    m_state = State::Text;
    auto calls = parseBareCall(m_buffer);
    if (!calls) return true;
    m_buffer.clear();
    emitCalls(std::move(*calls));
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
        const ToolCallFormat& format = toolCallFormats()[m_format];
        m_body.emplace(format.close.empty() ? format.open : format.close, format.namedFirst);
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
    constexpr std::size_t kNone = std::string::npos;
    std::size_t end = m_looksForFirst ? kNone : m_body->find(m_buffer).value_or(kNone);
    if (end == kNone && !atEnd) return false;
    if (end == kNone) {
        // A string that never ends hides no mark, unless all of it is a call that was cut short.
        m_looksForFirst = m_looksForFirst || !format.parse(m_buffer);
        if (m_looksForFirst) end = m_buffer.find(close);
    }
    const std::size_t size = std::min(end, m_buffer.size());
    const std::size_t taken = size + (end == kNone || format.close.empty() ? 0 : close.size());
    const std::string written = std::string(format.open) + m_buffer.substr(0, taken);
    endCall(std::string_view(m_buffer).substr(0, size), written);
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
