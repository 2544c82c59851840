#include "engine/chat/tool_call_splitter.h"

#include <gtest/gtest.h>

namespace {

using engine::AnswerPiece;
using engine::ToolCallSplitter;

/// The answer with each call written as [id name arguments].
std::string splitBy(std::size_t size, bool offered, std::string_view answer)
{
    ToolCallSplitter splitter(offered);
    std::string out;
    const auto add = [&out](const std::vector<AnswerPiece>& pieces) {
        for (const AnswerPiece& piece : pieces)
            out += piece.call ? "[" + piece.call->id + " " + piece.call->name + " " +
                                    piece.call->arguments + "]"
                              : piece.text;
    };
    for (std::size_t at = 0; at < answer.size(); at += size)
        add(splitter.push(answer.substr(at, size)));
    add(splitter.finish());
    return out;
}

struct Row {
    const char* name;
    const char* answer;
    const char* expected;
};

const Row kRows[] = {
    {"no call", "Hello\n", "Hello\n"},
    {"Hermes", "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>",
     "[call_0 f {\"a\":1}]"},
    {"text before and after",
     "Let me see.\n<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>\nDone.",
     "Let me see.[call_0 f {}]Done."},
    {"two calls",
     "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n"
     "{\"name\": \"g\", \"arguments\": {\"b\": [1, null]}}\n</tool_call>",
     "[call_0 f {}][call_1 g {\"b\":[1,null]}]"},
    {"arguments as a text",
     "<tool_call>{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}</tool_call>",
     "[call_0 f {\"a\":1}]"},
    {"no arguments", "<tool_call>{\"name\":\"f\"}</tool_call>", "[call_0 f {}]"},
    {"never closed", "<tool_call>{\"name\":\"f\",\"arguments\":{}}", "[call_0 f {}]"},
    {"no JSON stays text", "<tool_call>oh, dear {</tool_call> x",
     "<tool_call>oh, dear {</tool_call> x"},
    {"a tag cut short stays text", "a <tool_", "a <tool_"},
    {"Qwen3-Coder",
     "<tool_call>\n<function=get>\n<parameter=city>\nOslo\n</parameter>\n<parameter=n>\n3\n"
     "</parameter>\n</function>\n</tool_call>",
     "[call_0 get {\"city\":\"Oslo\",\"n\":3}]"},
    {"GLM",
     "<tool_call>get\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n"
     "<arg_key>n</arg_key>\n<arg_value>3</arg_value>\n</tool_call>",
     "[call_0 get {\"city\":\"Oslo\",\"n\":3}]"},
    {"Llama 3, JSON", "{\"name\": \"f\", \"parameters\": {\"a\": 1}}", "[call_0 f {\"a\":1}]"},
    {"Llama 3, two", "{\"name\": \"f\", \"parameters\": {}}; {\"name\": \"g\", \"parameters\": {}}",
     "[call_0 f {}][call_1 g {}]"},
    {"Llama 3, with its type", "{\"type\": \"function\", \"name\": \"f\", \"parameters\": {}}",
     "[call_0 f {}]"},
    {"a JSON answer that is no call", "{\"name\": \"Oslo\", \"size\": 5}",
     "{\"name\": \"Oslo\", \"size\": 5}"},
    {"another JSON answer", "{\"city\": \"Oslo\"}", "{\"city\": \"Oslo\"}"},
    {"a brace", "{", "{"},
    {"Llama 3, python tag", "<|python_tag|>{\"name\": \"f\", \"parameters\": {}}", "[call_0 f {}]"},
    {"Llama 3, a tool of its own", "<|python_tag|>brave_search.call(query=\"Oslo\")",
     "[call_0 brave_search {\"query\":\"Oslo\"}]"},
    {"Llama 3, code", "<|python_tag|>print(1)",
     "[call_0 code_interpreter {\"code\":\"print(1)\"}]"},
    {"Llama 3, function element", "<function=f>{\"a\": 1}</function>", "[call_0 f {\"a\": 1}]"},
    {"Mistral", "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {\"a\": 1}, \"id\": \"abcdefghi\"}]",
     "[abcdefghi f {\"a\":1}]"},
    {"Mistral, newer", "[TOOL_CALLS]f[ARGS]{\"a\": 1}", "[call_0 f {\"a\": 1}]"},
    {"Mistral, two", "[TOOL_CALLS]f[CALL_ID]123456789[ARGS]{}[TOOL_CALLS]g{\"b\": 2}",
     "[123456789 f {}][call_1 g {\"b\": 2}]"},
    {"gpt-oss",
     "<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"a\":1}"
     "<|call|>",
     "[call_0 f {\"a\":1}]"},
    {"gpt-oss, the role first",
     "<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{}", "[call_0 f {}]"},
    {"Granite", "<|tool_call|>[{\"name\": \"f\", \"arguments\": {}}]", "[call_0 f {}]"},
    {"Command R",
     "<|START_ACTION|>[{\"tool_call_id\": \"0\", \"tool_name\": \"f\", \"parameters\": {}}]"
     "<|END_ACTION|>",
     "[0 f {}]"},
    {"Kimi",
     "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}"
     "<|tool_call_end|><|tool_calls_section_end|>",
     "[functions.f:0 f {}]"},
    {"DeepSeek",
     "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\": 1}\n```"
     "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
     "[call_0 f {\"a\": 1}]"},
};

TEST(ToolCallSplitterTest, SplitsTheSameHoweverTheAnswerIsCut)
{
    for (const Row& row : kRows)
        for (const std::size_t size : {1U, 2U, 5U, 1000U})
            EXPECT_EQ(splitBy(size, true, row.answer), row.expected)
                << row.name << ", pieces of " << size;
}

TEST(ToolCallSplitterTest, AJsonAnswerIsNoCallWhereNoToolsWereOffered)
{
    const std::string answer = "{\"name\": \"f\", \"parameters\": {}}";
    EXPECT_EQ(splitBy(3, false, answer), answer);
}

TEST(ToolCallSplitterTest, TextIsNotHeldBack)
{
    ToolCallSplitter splitter(true);
    const auto first = splitter.push("Hel");
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].text, "Hel");
    const auto second = splitter.push("lo <tool");
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].text, "lo");
}

} // namespace
