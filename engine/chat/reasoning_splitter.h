#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

enum class ReplyPart : std::uint8_t { Answer, Reasoning };

struct ReplyPiece {
    ReplyPart part = ReplyPart::Answer;
    std::string text;
    bool operator==(const ReplyPiece&) const = default;
};

/// Whether a text is a tag that opens or closes reasoning, or the token that one begins with.
bool isReasoningTag(std::string_view text);

/// Separates what a model thinks from what it answers, while the reply arrives: <think>...</think>
/// and its kin at the beginning of a reply, the channels of gpt-oss, the parts of Solar Open. The
/// tags themselves, those around an answer behind a thought, and white space next to them, belong
/// to neither. Tags may be split over pieces; text is held back only while it may become one. One
/// reply, one thread.
///
/// Calls of tools stay in the answer as they are written (see ToolCallSplitter).
class ReasoningSplitter {
public:
    /// `prompt`: what the model was given; a template may end with the opening tag.
    explicit ReasoningSplitter(std::string_view prompt = {});

    std::vector<ReplyPiece> push(std::string_view text);
    /// What was held back, at the end of the reply.
    std::vector<ReplyPiece> finish();

private:
    enum class State : std::uint8_t {
        Start,     ///< nothing but white space yet: a tag may open
        Reasoning, ///< until m_tag closes
        Answer,
        Header,  ///< of a gpt-oss message, until its text begins
        Message, ///< of gpt-oss
    };

    void take(std::size_t bytes);
    bool step(bool atEnd);
    bool stepStart(bool atEnd);
    bool stepReasoning(bool atEnd);
    bool stepAnswer(bool atEnd);
    bool openAnswer(std::string_view text);
    void openAnswerAtEnd(std::string_view prompt);
    bool stepHeader(bool atEnd);
    bool stepMessage(bool atEnd);
    void openMessage(std::string_view header);
    void answer(std::string text);
    void emit(ReplyPart part, std::string_view text);
    void endPart();
    bool& wasWritten(ReplyPart part) { return m_written[static_cast<std::size_t>(part)]; }

    State m_state = State::Start;
    std::size_t m_tag = 0;          // of the table, while reasoning
    std::string_view m_answerOpen;  // the mark the answer began with, if it did
    std::string_view m_answerClose; // the mark that will end it, or the reply; empty: none
    ReplyPart m_part = ReplyPart::Answer;
    bool m_isTagged = false;         // there was reasoning, or may have been
    bool m_keepsMarks = false;       // a call of a tool, passed on as written
    std::array<bool, 2> m_written{}; // by part: it has text
    bool m_hasText = false;          // the part being written has more than white space
    std::string m_space;             // white space that may turn out to end the part
    std::string m_buffer;
    std::size_t m_seen = 0; // of the buffer: looked at and undecided, at the start or in a header
    std::vector<ReplyPiece> m_pieces;
};

} // namespace engine
