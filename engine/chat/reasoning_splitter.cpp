#include "engine/chat/reasoning_splitter.h"

#include "engine/chat/marker_scanner.h"

#include <algorithm>
#include <array>
#include <utility>

namespace engine {

namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kBetweenParts = "\n\n";
constexpr std::string_view kFinalResponse = "[BEGIN FINAL RESPONSE]";

constexpr std::array<std::string_view, 20> kOpenTags = {
    "<think>",
    "<thinking>",
    "<thought>",
    "<reasoning>",
    "<seed:think>",
    "[THINK]",
    "<|START_THINKING|>",
    "<|begin_of_thought|>",
    "<|channel>thought",
    "<|inner_prefix|>",
    "◁think▷",
    "Here are my reasoning steps:",
    "Here is my thought process:",
    "<mm:think>",
    "<ifm|think>",
    "<ifm|think_fast>",
    "<ifm|think_faster>",
    "<|open|>think<|sep|>",
    "<think:opensource>",
    "<|think|>",
};
constexpr std::array<std::string_view, 20> kCloseTags = {
    "</think>",
    "</thinking>",
    "</thought>",
    "</reasoning>",
    "</seed:think>",
    "[/THINK]",
    "<|END_THINKING|>",
    "<|end_of_thought|>",
    "<channel|>",
    "<|inner_suffix|>",
    "◁/think▷",
    kFinalResponse,
    "Here is my response:",
    "</mm:think>",
    "</ifm|think>",
    "</ifm|think_fast>",
    "</ifm|think_faster>",
    "<|close|>think<|sep|>",
    "</think:opensource>",
    "<|end|>",
};

// Solar Open: <|begin|>assistant, then a part between its mark and <|end|>, and so on.
constexpr std::string_view kTurnMark = "<|begin|>assistant";
constexpr std::string_view kContentMark = "<|content|>";

/// What some models write their answer between, behind a thought.
constexpr std::array<std::string_view, 5> kAnswerOpen = {"<response>", "<answer>", kFinalResponse,
                                                         "<|open|>response<|sep|>", kContentMark};
constexpr std::array<std::string_view, 5> kAnswerClose = {
    "</response>", "</answer>", "[END FINAL RESPONSE]", "<|close|>response<|sep|>", "<|end|>"};

/// What stands at the very end of a reply with marks of that kind (Kimi K3).
std::string_view replyCloseOf(std::string_view mark)
{
    return mark.starts_with("<|open|>") ? "<|close|>message<|sep|>" : std::string_view{};
}

// gpt-oss ("harmony"): <|start|>role<|channel|>name<|message|>text<|end|>
constexpr std::string_view kAssistantStart = "<|start|>assistant";
constexpr std::array<std::string_view, 1> kChannelMark = {"<|channel|>"};
constexpr std::array<std::string_view, 1> kMessageMark = {"<|message|>"};
constexpr std::array<std::string_view, 5> kMessageEnds = {"<|end|>", "<|return|>", "<|call|>",
                                                          "<|start|>", "<|eom|>"};

std::string_view trimmedRight(std::string_view text)
{
    const std::size_t last = text.find_last_not_of(kBlank);
    return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

bool mayBecome(std::string_view text, std::string_view marker)
{
    return marker.starts_with(text);
}

} // namespace

bool isReasoningTag(std::string_view text)
{
    // A tag may be a token and a word behind it.
    const auto begins = [text](std::string_view tag) { return tag.starts_with(text); };
    return text.size() > 2 &&
           (std::ranges::any_of(kOpenTags, begins) || std::ranges::any_of(kCloseTags, begins));
}

ReasoningSplitter::ReasoningSplitter(std::string_view prompt)
{
    const std::string_view end = trimmedRight(prompt);
    for (std::size_t i = 0; i < kOpenTags.size(); ++i) {
        if (!end.ends_with(kOpenTags[i])) continue;
        m_isTagged = true;
        m_tag = i;
        m_state = State::Reasoning;
        m_part = ReplyPart::Reasoning;
    }
    openAnswerAtEnd(end);
    const std::size_t start = end.rfind(kAssistantStart);
    if (start == std::string_view::npos) return;
    // What follows it belongs to the header of the first message.
    const std::string_view rest = end.substr(start + kAssistantStart.size());
    const bool ended = MarkerScanner(kMessageEnds).find(rest).has_value();
    if (ended) return;
    m_state = State::Header;
    m_buffer = rest;
    while (step(false)) {
    }
}

/// What was understood leaves the buffer.
void ReasoningSplitter::take(std::size_t bytes)
{
    m_buffer.erase(0, bytes);
    m_seen = 0;
}

std::vector<ReplyPiece> ReasoningSplitter::push(std::string_view text)
{
    m_buffer += text;
    while (step(false)) {
    }
    return std::exchange(m_pieces, {});
}

std::vector<ReplyPiece> ReasoningSplitter::finish()
{
    while (step(true)) {
    }
    // White space may end an answer (the text is the model's), but says nothing after a thought.
    if (m_part == ReplyPart::Answer && m_hasText && !m_space.empty())
        m_pieces.push_back({m_part, std::exchange(m_space, {})});
    endPart();
    return std::exchange(m_pieces, {});
}

/// Takes from the buffer what can be decided; false where nothing more can be.
bool ReasoningSplitter::step(bool atEnd)
{
    if (m_buffer.empty()) return false;
    switch (m_state) {
    case State::Start:
        return stepStart(atEnd);
    case State::Reasoning:
        return stepReasoning(atEnd);
    case State::Answer:
        return stepAnswer(atEnd);
    case State::Header:
        return stepHeader(atEnd);
    case State::Message:
        return stepMessage(atEnd);
    }
    return false;
}

bool ReasoningSplitter::stepStart(bool atEnd)
{
    const std::size_t first = m_buffer.find_first_not_of(kBlank, m_seen);
    m_seen = std::min(first, m_buffer.size());
    if (first == std::string::npos) {
        if (atEnd) m_state = State::Answer;
        return atEnd;
    }
    const std::string_view text = std::string_view(m_buffer).substr(first);
    for (std::size_t i = 0; i < kOpenTags.size(); ++i) {
        if (!text.starts_with(kOpenTags[i])) continue;
        take(first + kOpenTags[i].size());
        m_isTagged = true;
        m_tag = i;
        m_state = State::Reasoning;
        endPart();
        m_part = ReplyPart::Reasoning;
        return true;
    }
    if ((m_isTagged || text.starts_with(kContentMark)) && openAnswer(text)) {
        m_isTagged = true;
        take(first + m_answerOpen.size());
        return true;
    }
    if (text.starts_with(kTurnMark)) {
        m_isTagged = true;
        take(first + kTurnMark.size());
        return true;
    }
    const bool isChannel = text.starts_with(kChannelMark[0]) || text.starts_with(kAssistantStart);
    if (isChannel) {
        m_state = State::Header;
        m_seen = 0;
        return true;
    }
    const auto undecided = [&](std::string_view marker) { return mayBecome(text, marker); };
    if (!atEnd && (std::ranges::any_of(kOpenTags, undecided) || undecided(kChannelMark[0]) ||
                   undecided(kAssistantStart) || undecided(kTurnMark) || undecided(kContentMark) ||
                   (m_isTagged && std::ranges::any_of(kAnswerOpen, undecided))))
        return false;
    m_state = State::Answer;
    if (m_isTagged) m_answerClose = replyCloseOf(kOpenTags[m_tag]);
    return true;
}

bool ReasoningSplitter::stepReasoning(bool atEnd)
{
    const std::array<std::string_view, 1> close = {kCloseTags[m_tag]};
    const MarkerScanner scanner(close);
    if (const auto found = scanner.find(m_buffer)) {
        emit(ReplyPart::Reasoning, std::string_view(m_buffer).substr(0, found->begin));
        m_buffer.erase(0, found->begin + close[0].size());
        endPart();
        if (!openAnswer(close[0])) m_state = State::Start; // a second thought may follow
        return true;
    }
    const std::size_t held = atEnd ? 0 : scanner.undecided(m_buffer);
    emit(ReplyPart::Reasoning, std::string_view(m_buffer).substr(0, m_buffer.size() - held));
    m_buffer.erase(0, m_buffer.size() - held);
    return false;
}

bool ReasoningSplitter::stepHeader(bool atEnd)
{
    const std::size_t mark = m_buffer.find(kMessageMark[0], m_seen);
    if (mark == std::string::npos) {
        m_seen = m_buffer.size() - std::min(m_buffer.size(), kMessageMark[0].size());
        // A reply that ends in a header said nothing more; one that has no marks at all is an
        // answer.
        if (!atEnd) return false;
        if (m_buffer.find("<|") == std::string::npos && m_buffer.find_first_not_of(kBlank) == 0)
            emit(ReplyPart::Answer, m_buffer);
        m_buffer.clear();
        return false;
    }
    const std::string header = m_buffer.substr(0, mark);
    take(mark + kMessageMark[0].size());
    openMessage(header);
    return true;
}

void ReasoningSplitter::openMessage(std::string_view header)
{
    endPart();
    m_state = State::Message;
    const auto isTo = [header](std::string_view recipient) {
        const std::size_t to = header.find(recipient);
        return to != std::string_view::npos && trimmedRight(header.substr(to)) == recipient;
    };
    // Muse writes to itself and to the user, where gpt-oss has channels.
    const bool isToSelf = isTo(" to=self");
    m_keepsMarks = header.find(" to=") != std::string_view::npos && !isToSelf && !isTo(" to=user");
    const std::size_t channel = header.find(kChannelMark[0]);
    const std::string_view name = channel == std::string_view::npos
                                      ? std::string_view{}
                                      : header.substr(channel + kChannelMark[0].size());
    const bool isThought = isToSelf || (name.starts_with("analysis") && !m_keepsMarks);
    m_part = isThought ? ReplyPart::Reasoning : ReplyPart::Answer;
    if (!m_keepsMarks) return;
    m_hasText = true; // every character counts from here on
    std::string marks(header);
    if (!header.starts_with(kAssistantStart)) marks.insert(0, kAssistantStart);
    emit(ReplyPart::Answer, marks + std::string(kMessageMark[0]));
}

bool ReasoningSplitter::stepMessage(bool atEnd)
{
    const MarkerScanner scanner(kMessageEnds);
    const auto found = scanner.find(m_buffer);
    if (!found) {
        const std::size_t held = atEnd ? 0 : scanner.undecided(m_buffer);
        emit(m_part, std::string_view(m_buffer).substr(0, m_buffer.size() - held));
        m_buffer.erase(0, m_buffer.size() - held);
        return false;
    }
    emit(m_part, std::string_view(m_buffer).substr(0, found->begin));
    const std::string_view mark = kMessageEnds[found->marker];
    if (m_keepsMarks) emit(ReplyPart::Answer, "<|call|>");
    endPart();
    const bool begins = mark == "<|start|>";
    m_buffer.erase(0, found->begin + (begins ? 0 : mark.size()));
    m_keepsMarks = false;
    m_state = State::Header;
    return true;
}

/// Whether `text` begins with a mark in front of an answer.
bool ReasoningSplitter::openAnswer(std::string_view text)
{
    for (std::size_t i = 0; i < kAnswerOpen.size(); ++i) {
        if (!text.starts_with(kAnswerOpen[i])) continue;
        m_state = State::Answer;
        m_answerOpen = kAnswerOpen[i];
        m_answerClose = kAnswerClose[i];
        return true;
    }
    return false;
}

/// A template may open the answer too.
void ReasoningSplitter::openAnswerAtEnd(std::string_view prompt)
{
    for (const std::string_view mark : kAnswerOpen) {
        const bool isToken = mark == kContentMark || !replyCloseOf(mark).empty();
        if (isToken && prompt.ends_with(mark)) m_isTagged = openAnswer(mark);
    }
}

/// All of it is the answer, but for the mark behind it where there was one before it.
bool ReasoningSplitter::stepAnswer(bool atEnd)
{
    if (m_answerClose.empty()) {
        answer(std::exchange(m_buffer, {}));
        return false;
    }
    const std::array<std::string_view, 1> close = {m_answerClose};
    const MarkerScanner scanner(close);
    const auto found = scanner.find(m_buffer);
    const std::size_t held = found || atEnd ? 0 : scanner.undecided(m_buffer);
    const std::size_t size = found ? found->begin : m_buffer.size() - held;
    answer(m_buffer.substr(0, size));
    m_buffer.erase(0, found ? size + close[0].size() : size);
    if (!found) return false;
    if (m_answerOpen == kContentMark) m_state = State::Start; // another part may follow
    const std::string_view last = replyCloseOf(m_answerOpen);
    m_answerClose = m_answerClose == last ? std::string_view{} : last;
    return true;
}

/// No other part follows: all of it is the answer, but for white space behind a tag.
void ReasoningSplitter::answer(std::string text)
{
    if (m_isTagged && !m_hasText) text.erase(0, text.find_first_not_of(kBlank));
    if (text.empty()) return;
    m_hasText = true;
    m_pieces.push_back({ReplyPart::Answer, std::move(text)});
}

/// White space at the beginning and at the end of a part is left out; a second part of its kind
/// begins a paragraph.
void ReasoningSplitter::emit(ReplyPart part, std::string_view text)
{
    m_part = part;
    if (!m_hasText) {
        const std::size_t first = text.find_first_not_of(kBlank);
        if (first == std::string_view::npos) return;
        text.remove_prefix(first);
        m_hasText = true;
        if (wasWritten(part)) m_space = kBetweenParts;
    }
    const std::string_view visible = trimmedRight(text);
    if (visible.empty()) {
        m_space += text;
        return;
    }
    std::string out = std::exchange(m_space, std::string(text.substr(visible.size())));
    out += visible;
    wasWritten(part) = true;
    if (!m_pieces.empty() && m_pieces.back().part == part)
        m_pieces.back().text += out;
    else
        m_pieces.push_back({part, std::move(out)});
}

void ReasoningSplitter::endPart()
{
    m_space.clear();
    m_hasText = false;
    m_part = ReplyPart::Answer;
}

} // namespace engine
