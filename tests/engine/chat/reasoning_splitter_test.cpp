#include "engine/chat/reasoning_splitter.h"

#include <gtest/gtest.h>

namespace {

using engine::ReasoningSplitter;
using engine::ReplyPart;
using engine::ReplyPiece;

struct Split {
    std::string reasoning;
    std::string answer;
    bool operator==(const Split&) const = default;
};

void PrintTo(const Split& split, std::ostream* stream)
{
    *stream << "reasoning \"" << split.reasoning << "\" answer \"" << split.answer << '"';
}

/// The parts of a reply that comes in pieces of `size` bytes.
Split splitBy(std::size_t size, std::string_view prompt, std::string_view reply)
{
    ReasoningSplitter splitter(prompt);
    Split split;
    const auto add = [&split](const std::vector<ReplyPiece>& pieces) {
        for (const ReplyPiece& piece : pieces)
            (piece.part == ReplyPart::Reasoning ? split.reasoning : split.answer) += piece.text;
    };
    for (std::size_t at = 0; at < reply.size(); at += size)
        add(splitter.push(reply.substr(at, size)));
    add(splitter.finish());
    return split;
}

struct Row {
    const char* name;
    const char* prompt;
    const char* reply;
    Split expected;
};

const Row kRows[] = {
    {"no reasoning", "", "Hello there", {"", "Hello there"}},
    {"a block", "", "<think>\nhm\n</think>\n\nHello", {"hm", "Hello"}},
    {"an empty block", "", "<think>\n\n</think>\n\nHello", {"", "Hello"}},
    {"opened by the template",
     "<|im_start|>assistant\n<think>\n",
     "hm\n</think>\n\nHello",
     {"hm", "Hello"}},
    {"closed by the template", "<think>\n\n</think>\n\n", "Hello", {"", "Hello"}},
    {"never closed", "", "<think>hm, hm", {"hm, hm", ""}},
    {"two blocks", "", "<think>a</think><think>b</think>c", {"a\n\nb", "c"}},
    {"a tag within an answer", "", "Write <think> to think", {"", "Write <think> to think"}},
    {"a lone closing tag", "", "a</think>b", {"", "a</think>b"}},
    {"a tag that is none", "", "<thin", {"", "<thin"}},
    {"a closing tag that is none", "", "<think>a</thin", {"a</thin", ""}},
    {"Seed-OSS", "", "<seed:think>a</seed:think>b", {"a", "b"}},
    {"Magistral", "", "[THINK]a[/THINK]b", {"a", "b"}},
    {"Command R", "", "<|START_THINKING|>a<|END_THINKING|>b", {"a", "b"}},
    {"white space inside", "", "<think>a\n\nb</think>c\n\nd\n", {"a\n\nb", "c\n\nd\n"}},
    {"only white space", "", " \n", {"", " \n"}},
    {"white space without a tag", "", "\n  Hello \n", {"", "\n  Hello \n"}},
    {"white space behind a tag opened by the template", "<think>", "a</think>\n \n", {"a", ""}},
    {"Apertus", "", "<|inner_prefix|>a<|inner_suffix|>b", {"a", "b"}},
    {"Gemma 4", "<|turn>model\n", "<|channel>thought\na\n<channel|>b", {"a", "b"}},
    {"Kimi-VL", "", "◁think▷a◁/think▷b", {"a", "b"}},
    {"gpt-oss",
     "<|start|>assistant",
     "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hello",
     {"hm", "Hello"}},
    {"gpt-oss, its end visible",
     "<|start|>assistant",
     "<|channel|>final<|message|>Hello<|return|>",
     {"", "Hello"}},
    {"gpt-oss, a remark before a call",
     "<|start|>assistant",
     "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|>Wait"
     "<|end|>",
     {"a", "Wait"}},
    {"gpt-oss, a call",
     "<|start|>assistant",
     "<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}<|call|>",
     {"", "<|start|>assistant<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}"
          "<|call|>"}},
    {"gpt-oss, a remark before the answer",
     "<|start|>assistant",
     "<|channel|>commentary<|message|>Wait<|end|><|start|>assistant<|channel|>final<|message|>"
     "Hello",
     {"", "Wait\n\nHello"}},
    {"gpt-oss, its header in the prompt",
     "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>analysis<|message|>",
     "hm<|end|><|start|>assistant<|channel|>final<|message|>Hello",
     {"hm", "Hello"}},
    {"gpt-oss, no turn of its own opened",
     "<|start|>assistant<|channel|>final<|message|>a<|end|><|start|>user<|message|>",
     "Hello",
     {"", "Hello"}},
    {"gpt-oss without its prompt", "", "<|channel|>analysis<|message|>a<|end|>", {"a", ""}},
    {"gpt-oss that forgets its marks", "<|start|>assistant", "Hello", {"", "Hello"}},
};

TEST(ReasoningSplitterTest, SplitsTheSameHoweverTheReplyIsCut)
{
    for (const Row& row : kRows)
        for (const std::size_t size : {1U, 2U, 3U, 7U, 1000U})
            EXPECT_EQ(splitBy(size, row.prompt, row.reply), row.expected)
                << row.name << ", pieces of " << size;
}

TEST(ReasoningSplitterTest, HoldsBackOnlyWhatMayBecomeATag)
{
    ReasoningSplitter splitter;
    EXPECT_TRUE(splitter.push("<th").empty());
    EXPECT_TRUE(splitter.push("ink>").empty());
    EXPECT_EQ(splitter.push("because"),
              (std::vector<ReplyPiece>{{ReplyPart::Reasoning, "because"}}));
    EXPECT_EQ(splitter.push(" of </"), (std::vector<ReplyPiece>{{ReplyPart::Reasoning, " of"}}));
    EXPECT_EQ(splitter.push("b>"), (std::vector<ReplyPiece>{{ReplyPart::Reasoning, " </b>"}}));
    EXPECT_TRUE(splitter.push("</think>").empty());
    EXPECT_EQ(splitter.push("So"), (std::vector<ReplyPiece>{{ReplyPart::Answer, "So"}}));
    EXPECT_EQ(splitter.push(" <th"), (std::vector<ReplyPiece>{{ReplyPart::Answer, " <th"}}));
    EXPECT_EQ(splitter.push("\n"), (std::vector<ReplyPiece>{{ReplyPart::Answer, "\n"}}));
}

} // namespace
