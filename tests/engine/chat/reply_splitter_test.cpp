#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/processor_time.h"

#include "engine/chat/reply_markers.h"
#include "engine/chat/reply_splitter.h"

#include <gtest/gtest.h>
#include <initializer_list>

using namespace engine;

namespace {

struct Parts {
    std::string reasoning;
    std::string text;
    std::string calls; ///< each as "name arguments\n"
    bool operator==(const Parts&) const = default;
};

std::ostream& operator<<(std::ostream& stream, const Parts& parts)
{
    return stream << "\n  reasoning \"" << parts.reasoning << "\"\n  text \"" << parts.text
                  << "\"\n  calls \"" << parts.calls << '"';
}

/// The parts of a reply that arrives in pieces, each but the last of the length that `next` gives.
template <typename Next>
Parts split(std::string_view promptEnd, std::string_view reply, const Next& next)
{
    ReplySplitter splitter(ReplyFormat{.promptEnd = std::string(promptEnd), .toolsOffered = true});
    ReplyDelta delta;
    while (!reply.empty()) {
        const std::string_view piece = reply.substr(0, next());
        splitter.push(piece, delta);
        reply.remove_prefix(piece.size());
    }
    splitter.finish(delta);
    Parts parts{delta.reasoning, delta.text, {}};
    for (const ToolCall& call : delta.toolCalls)
        parts.calls += call.name + ' ' + call.arguments + '\n';
    return parts;
}

struct Row {
    const char* name;
    const char* promptEnd;
    const char* reply;
    Parts expected;
};

// As the models' templates write an assistant's turn, behind what they end the prompt with.
const Row kRows[] = {
    {"K2 Horizon",
     "<|ifm|im_start|>assistant\n<ifm|think_fast>\n",
     "hm\n</ifm|think_fast>\nOne moment.\n<ifm|tool_calls>\n<ifm|tool_call>get\n"
     "<ifm|arg_key>city</ifm|arg_key>\n<ifm|arg_value>Oslo</ifm|arg_value>\n"
     "<ifm|arg_key>id</ifm|arg_key>\n<ifm|arg_type>string</ifm|arg_type>\n"
     "<ifm|arg_value>12</ifm|arg_value>\n</ifm|tool_call>\n<ifm|tool_call>"
     "{\"name\": \"now\", \"arguments\": {\"s\": \"</ifm|tool_calls>\"}}</ifm|tool_call>\n"
     "</ifm|tool_calls>",
     {"hm", "One moment.",
      "get {\"city\":\"Oslo\",\"id\":\"12\"}\nnow {\"s\":\"</ifm|tool_calls>\"}\n"}},
    {"Kimi K3",
     "<|open|>message role=\"assistant\"<|sep|><|open|>think<|sep|>",
     "hm<|close|>think<|sep|><|open|>response<|sep|>On it.<|close|>response<|sep|>"
     "<|open|>tools<|sep|><|open|>call tool=\"a&amp;b\" index=\"1\"<|sep|>"
     "<|open|>argument key=\"city\" type=\"string\"<|sep|> 12 <|close|>argument<|sep|>"
     "<|open|>argument key=\"days\" type=\"number\"<|sep|>2<|close|>argument<|sep|>"
     "<|close|>call<|sep|><|open|>call tool=\"g\" index=\"2\"<|sep|>"
     "<|open|>json type=\"object\"<|sep|>{\"q\": [1]}<|close|>json<|sep|><|close|>call<|sep|>"
     "<|close|>tools<|sep|><|close|>message<|sep|>",
     {"hm", "On it.", "a&b {\"city\":\" 12 \",\"days\":2}\ng {\"q\":[1]}\n"}},
    {"Kimi K3, no thought",
     "<|open|>message role=\"assistant\"<|sep|><|open|>response<|sep|>",
     "Hello.<|close|>response<|sep|><|close|>message<|sep|>",
     {"", "Hello.", ""}},
    {"Kimi K3, a thought and a call",
     "<|open|>message role=\"assistant\"<|sep|><|open|>think<|sep|>",
     "hm<|close|>think<|sep|><|open|>tools<|sep|><|open|>call tool=\"f\" index=\"1\"<|sep|>"
     "<|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>",
     {"hm", "", "f {}\n"}},
    {"MiniMax M3",
     "]~b]ai\n",
     "<mm:think>hm</mm:think>Wait.\n]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"f\">"
     "]<]minimax[>[<city>Oslo]<]minimax[>[</city>]<]minimax[>[<n>2]<]minimax[>[</n>"
     "]<]minimax[>[<tags>]<]minimax[>[<item>a]<]minimax[>[</item>]<]minimax[>[<item>"
     "]<]minimax[>[<x>1]<]minimax[>[</x>]<]minimax[>[</item>]<]minimax[>[</tags>"
     "]<]minimax[>[</invoke>\n]<]minimax[>[<invoke name=\"g\">]<]minimax[>[</invoke>\n"
     "]<]minimax[>[</tool_call>",
     {"hm", "Wait.", "f {\"city\":\"Oslo\",\"n\":2,\"tags\":[\"a\",{\"x\":1}]}\ng {}\n"}},
    {"Muse",
     "<|start|>assistant",
     " to=self<|message|>hm<|eom|><|start|>assistant to=user<|message|>One moment.<|eom|>"
     "<|start|>assistant to=get<|message|><atem:function_calls>\n<atem:invoke name=\"get\">\n"
     "<atem:parameter name=\"city\">Oslo</atem:parameter>\n</atem:invoke>\n"
     "</atem:function_calls><|eom|>",
     {"hm", "One moment.", "get {\"city\":\"Oslo\"}\n"}},
    {"MiniCPM5",
     "<|im_start|>assistant\n",
     "<think>hm</think>\nOne moment.\n<function name=\"get\"><param name=\"city\">Oslo</param>"
     "<param name=\"n\">3</param></function>\n<function name=\"now\"></function>",
     {"hm", "One moment.", "get {\"city\":\"Oslo\",\"n\":3}\nnow {}\n"}},
    {"XML that is no call",
     "<|im_start|>assistant\n",
     "<function name=\"f\"><summary>x</summary></function> is a part of it.",
     {"", "<function name=\"f\"><summary>x</summary></function> is a part of it.", ""}},
    {"MiniMax M3, a tag that is not closed",
     "]~b]ai\n",
     "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"f\">]<]minimax[>[<a>1]<]minimax[>[</b>"
     "]<]minimax[>[</invoke>]<]minimax[>[</tool_call>",
     {"",
      "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"f\">]<]minimax[>[<a>1]<]minimax[>[</b>"
      "]<]minimax[>[</invoke>]<]minimax[>[</tool_call>",
      ""}},
    {"Qwen3",
     "<|im_start|>assistant\n",
     "<think>\nhm\n</think>\n\nLet me look.\n<tool_call>\n{\"name\": \"get_weather\", "
     "\"arguments\": "
     "{\"city\": \"Zürich\", \"days\": [1, {\"a\": null}]}}\n</tool_call>\n<tool_call>\n{\"name\": "
     "\"now\", \"arguments\": {}}\n</tool_call>",
     {"hm", "Let me look.",
      "get_weather {\"city\":\"Zürich\",\"days\":[1,{\"a\":null}]}\nnow {}\n"}},
    {"QwQ, opened by the template",
     "<|im_start|>assistant\n<think>\n",
     "hm\n</think>\n\n<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>",
     {"hm", "", "now {}\n"}},
    {"an end within a string",
     "",
     "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"code\": \"\\\\\\\"</tool_call>\\\" \"}}\n"
     "</tool_call> done",
     {"", "done", "f {\"code\":\"\\\\\\\"</tool_call>\\\" \"}\n"}},
    {"an end within a value",
     "",
     "<tool_call>\n<function=f>\n<parameter=code>\n</tool_call></function>\n</parameter>\n"
     "</function>\n</tool_call>",
     {"", "", "f {\"code\":\"</tool_call></function>\"}\n"}},
    {"a string that never ends hides no call",
     "",
     "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"x}}\n</tool_call>\nand\n<tool_call>\n"
     "{\"name\": \"g\", \"arguments\": {}}\n</tool_call>",
     {"", "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"x}}\n</tool_call>\nand",
      "g {}\n"}},
    {"a call that was cut short",
     "",
     "Hm. <tool_call>\n{\"name\": \"f\", \"argum",
     {"", "Hm. <tool_call>\n{\"name\": \"f\", \"argum", ""}},
    {"an end that is missing",
     "",
     "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"</tool_call>\"}}",
     {"", "", "f {\"a\":\"</tool_call>\"}\n"}},
    {"what resembles tags",
     "",
     "a <tool b </tool_call> <thin [TOOL <|python_ta {\"name\": 1} <fun",
     {"", "a <tool b </tool_call> <thin [TOOL <|python_ta {\"name\": 1} <fun", ""}},
    {"JSON that is no call, then one",
     "",
     "{\"name\": \"Oslo\"}\n<tool_call>{\"name\": \"f\"}</tool_call>",
     {"", "{\"name\": \"Oslo\"}", "f {}\n"}},
    {"Qwen3-Coder",
     "",
     "I look.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nZürich\n</parameter>\n"
     "<parameter=n>\n3\n</parameter>\n</function>\n</tool_call>",
     {"", "I look.", "get_weather {\"city\":\"Zürich\",\"n\":3}\n"}},
    {"Seed-OSS",
     "",
     "<seed:think>hm</seed:think>\n<seed:tool_call>\n<function=f>\n<parameter=a>x\ny</parameter>\n"
     "</function>\n</seed:tool_call>",
     {"hm", "", "f {\"a\":\"x\\ny\"}\n"}},
    {"GLM-4.6",
     "",
     "\n<think>hm</think>\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Zürich"
     "</arg_value>\n<arg_key>q</arg_key>\n<arg_value>5\" </tool_call> {</arg_value>\n</tool_call>",
     {"hm", "", "get_weather {\"city\":\"Zürich\",\"q\":\"5\\\" </tool_call> {\"}\n"}},
    {"Laguna",
     "<assistant><think>",
     "hm</think><tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>",
     {"hm", "", "f {\"a\":1}\n"}},
    {"Kimi K2",
     "",
     "Hm.<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
     "{\"a\": \"<|tool_calls_section_end|>\"}<|tool_call_end|><|tool_call_begin|>functions.g:1"
     "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
     {"", "Hm.", "f {\"a\": \"<|tool_calls_section_end|>\"}\ng {}\n"}},
    {"DeepSeek R1",
     "<｜Assistant｜><think>\n",
     "hm\n</think>\n\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n"
     "{\"a\": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
     {"hm", "", "f {\"a\": 1}\n"}},
    {"DeepSeek V3.1",
     "<｜Assistant｜></think>",
     "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\": 1}<｜tool▁call▁end｜>"
     "<｜tool▁call▁begin｜>g<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
     {"", "", "f {\"a\": 1}\ng {}\n"}},
    {"DeepSeek V3.2",
     "<｜Assistant｜><think>",
     "hm</think>\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n<｜DSML｜parameter "
     "name=\"a\" string=\"true\">1</｜DSML｜parameter>\n<｜DSML｜parameter name=\"b\" "
     "string=\"false\">[1, 2]</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name=\"g\">\n"
     "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
     {"hm", "", "f {\"a\":\"1\",\"b\":[1,2]}\ng {}\n"}},
    {"DeepSeek V4",
     "</think>",
     "\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"f\">\n<｜DSML｜parameter name=\"a\" "
     "string=\"true\">x</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
     {"", "", "f {\"a\":\"x\"}\n"}},
    {"MiniMax M1",
     "",
     "<think>\nhm\n</think>\n\n<tool_calls>\n{\"name\": \"f\", \"arguments\": {\"a\": \"};{\"}}\n"
     "{\"name\": \"g\", \"arguments\": {}}\n</tool_calls>",
     {"hm", "", "f {\"a\":\"};{\"}\ng {}\n"}},
    {"MiniMax M2",
     "]~b]ai\n<think>\n",
     "hm\n</think>\n\n<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">x "
     "y</parameter>"
     "\n<parameter name=\"b\">{\"c\": 1}</parameter>\n</invoke>\n</minimax:tool_call>",
     {"hm", "", "f {\"a\":\"x y\",\"b\":{\"c\":1}}\n"}},
    {"Apriel",
     "<|begin_assistant|>\nHere are my reasoning steps:\n",
     "hm\n[BEGIN FINAL RESPONSE]\nHello <b>\n<tool_calls>[{\"name\": \"f\", \"arguments\": {}}]"
     "</tool_calls>\n[END FINAL RESPONSE]\n",
     {"hm", "Hello <b>", "f {}\n"}},
    {"Granite 3.3", "", "<think>hm</think><response>Hello\n</response>", {"hm", "Hello\n", ""}},
    {"Granite 3.2",
     "",
     "Here is my thought process: hm\nHere is my response: Hello",
     {"hm", "Hello", ""}},
    {"Hunyuan",
     "",
     "<think>\nhm\n</think>\n<answer>\nHello\n<tool_calls>\n<tool_call>f\n```json\n{\"a\": "
     "1}\n```\n"
     "</tool_call>\n</tool_calls>\n</answer>",
     {"hm", "Hello", "f {\"a\": 1}\n"}},
    {"an answer's mark without a thought",
     "",
     "<answer>a</answer>",
     {"", "<answer>a</answer>", ""}},
    {"an answer's end without a beginning",
     "",
     "<think>a</think>b</response>",
     {"a", "b</response>", ""}},
    {"Granite 3",
     "",
     "<|tool_call|>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]",
     {"", "", "f {\"a\":1}\n"}},
    {"Phi-4",
     "",
     "<|tool_call|>[{\"name\": \"f\", \"arguments\": {}}]<|/tool_call|>",
     {"", "", "f {}\n"}},
    {"Command R7B",
     "",
     "<|START_THINKING|>hm<|END_THINKING|><|START_ACTION|>[\n    {\"tool_call_id\": \"0\", "
     "\"tool_name\": \"f\", \"parameters\": {\"a\": \"<|END_ACTION|>\"}}\n]<|END_ACTION|>",
     {"hm", "", "f {\"a\":\"<|END_ACTION|>\"}\n"}},
    {"Nemotron",
     "<SPECIAL_11>Assistant\n<think>\n",
     "hm\n</think>\n\n<TOOLCALL>[{\"name\": \"f\", \"arguments\": {}}, {\"name\": \"g\", "
     "\"arguments\": {\"a\": \"b\"}}]</TOOLCALL>",
     {"hm", "", "f {}\ng {\"a\":\"b\"}\n"}},
    {"LFM2",
     "",
     "<|tool_call_start|>[f(city=\"Zürich, \\\"(CH)\\\"\", n=-3.5, on=True, x=None, l=[1, 'a'], "
     "d={'k': (2,)}), g()]<|tool_call_end|>Wait.",
     {"", "Wait.",
      "f {\"city\":\"Zürich, \\\"(CH)\\\"\",\"n\":-3.5,\"on\":true,\"x\":null,\"l\":[1,\"a\"],"
      "\"d\":{\"k\":[2]}}\ng {}\n"}},
    {"Llama 4, Python",
     "",
     "[get_weather(city='Oslo'), now()]",
     {"", "", "get_weather {\"city\":\"Oslo\"}\nnow {}\n"}},
    {"a list that is no Python",
     "",
     "[link](https://example.org) is f(x)",
     {"", "[link](https://example.org) is f(x)", ""}},
    {"Python that is no call", "", "[f(x) for x in y]", {"", "[f(x) for x in y]", ""}},
    {"Llama 3, several",
     "",
     "{\"name\": \"f\", \"parameters\": {\"a\": \"};\"}}; {\"name\": \"g\", \"parameters\": {}}",
     {"", "", "f {\"a\":\"};\"}\ng {}\n"}},
    {"Functionary",
     "",
     "<function=f>{\"a\": \"</function>\"}</function><function=g>{}</function>",
     {"", "", "f {\"a\": \"</function>\"}\ng {}\n"}},
    {"Firefunction",
     "",
     " functools[{\"name\": \"f\", \"arguments\": {\"a\": [1]}}]",
     {"", "", "f {\"a\":[1]}\n"}},
    {"Mistral",
     "",
     "Wait.[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {\"a\": \"[TOOL_CALLS]\"}}]",
     {"", "Wait.", "f {\"a\":\"[TOOL_CALLS]\"}\n"}},
    {"Magistral",
     "",
     "[THINK]hm[/THINK]Hello[TOOL_CALLS]f[ARGS]{\"a\": 1}[TOOL_CALLS]g[CALL_ID]123456789[ARGS]{}",
     {"hm", "Hello", "f {\"a\": 1}\ng {}\n"}},
    {"Gemma 4",
     "<|turn>model\n",
     "<|channel>thought\nhm\n<channel|><|tool_call>call:f{city:<|\"|>Zü,{}<|\"|>,n:3,on:true,l:[1,"
     "<|\"|><tool_call|><|\"|>],d:{k:<|\"|><|\"|>}}<tool_call|><|tool_call>call:g{}<tool_call|>",
     {"hm", "",
      "f {\"city\":\"Zü,{}\",\"n\":3,\"on\":true,\"l\":[1,\"<tool_call|>\"],\"d\":{\"k\":\"\"}}\n"
      "g {}\n"}},
    {"GigaChat 3",
     "",
     "Hm.<|message_sep|>\n\nfunction call<|role_sep|>\n{\"name\": \"f\", \"arguments\": {}}"
     "<|message_sep|>",
     {"", "Hm.", "f {}\n"}},
    {"GigaChat 3.1",
     "assistant<|role_sep|>",
     "Hm.<|function_call|>{\"name\": \"f\", \"arguments\": {\"a\": 1}}",
     {"", "Hm.", "f {\"a\":1}\n"}},
    {"GigaChat 3.5",
     "assistant<|role_sep|>\n<think>",
     "hm</think>\n\nLooking.\n\n<｜GCML｜tool_calls>\n<｜GCML｜invoke name=\"f\">\n"
     "<｜GCML｜parameter name=\"a\" string=\"true\">1</｜GCML｜parameter>\n"
     "<｜GCML｜parameter name=\"b\" string=\"false\">[1]</｜GCML｜parameter>\n"
     "</｜GCML｜invoke>\n<｜GCML｜invoke name=\"g\">\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>",
     {"hm", "Looking.", "f {\"a\":\"1\",\"b\":[1]}\ng {}\n"}},
    {"Solar Open",
     "<|begin|>assistant",
     "<|think|>hm<|end|><|begin|>assistant<|content|>I look.<|end|><|begin|>assistant"
     "<|tool_calls|><|tool_call:begin|>a1<|tool_call:name|>f<|tool_call:args|>"
     "{\"a\": \"<|tool_call:end|>\"}<|tool_call:end|><|tool_call:begin|>a2<|tool_call:name|>g"
     "<|tool_call:args|>{}<|tool_call:end|><|calls|>",
     {"hm", "I look.", "f {\"a\": \"<|tool_call:end|>\"}\ng {}\n"}},
    {"Solar Open without a thought",
     "<|begin|>assistant<|think|><|end|>",
     "<|begin|>assistant<|content|>Hello<|end|>",
     {"", "Hello", ""}},
    {"Solar Open, the answer opened",
     "<|begin|>assistant<|content|>",
     "Hello\n<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>0<|tool_call:name|>f"
     "<|tool_call:args|>{}<|tool_call:end|>",
     {"", "Hello", "f {}\n"}},
    {"Apertus",
     "<|assistant_start|>",
     "<|inner_prefix|>hm<|inner_suffix|>Wait.<|tools_prefix|>[{\"f\": {\"a\": [1]}}, {\"g\": {}}]"
     "<|tools_suffix|>",
     {"hm", "Wait.", "f {\"a\":[1]}\ng {}\n"}},
    {"Hunyuan 3",
     "",
     "<think:opensource>hm</think:opensource>\n<tool_calls:opensource>\n<tool_call:opensource>f"
     "<tool_sep:opensource>\n<arg_key:opensource>city</arg_key:opensource>\n"
     "<arg_value:opensource>Oslo</arg_value:opensource>\n</tool_call:opensource>\n"
     "<tool_call:opensource>g<tool_sep:opensource>\n</tool_call:opensource>\n"
     "</tool_calls:opensource>",
     {"hm", "", "f {\"city\":\"Oslo\"}\ng {}\n"}},
    {"InternLM",
     "",
     "Wait.<|action_start|><|plugin|>\n{\"name\": \"f\", \"parameters\": {\"a\": "
     "1}}<|action_end|>\n",
     {"", "Wait.", "f {\"a\":1}\n"}},
    {"MiroThinker",
     "",
     "<think>hm</think>\n\n<use_mcp_tool>\n<server_name>s</server_name>\n<tool_name>f</tool_name>\n"
     "<arguments>\n{\"a\": \"</use_mcp_tool>\"}\n</arguments>\n</use_mcp_tool>",
     {"hm", "", "f {\"a\": \"</use_mcp_tool>\"}\n"}},
    {"gpt-oss",
     "<|start|>assistant",
     "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary<|message|>I "
     "look.<|end|><|start|>assistant to=functions.f<|channel|>commentary json<|message|>{\"a\": "
     "\"x\"}<|call|>",
     {"hm", "I look.", "f {\"a\": \"x\"}\n"}},
};

} // namespace

TEST(ReplySplitter, SplitsTheSameHoweverTheReplyIsCut)
{
    test::RandomNumbers random(9);
    for (const Row& row : kRows) {
        const std::string_view reply = row.reply;
        ASSERT_EQ(split(row.promptEnd, reply, [] { return 1U; }), row.expected) << row.name;
        for (std::size_t first = 1; first <= reply.size(); ++first) {
            std::size_t pieces = 0;
            const auto twice = [&] { return ++pieces == 1 ? first : reply.size(); };
            ASSERT_EQ(split(row.promptEnd, reply, twice), row.expected)
                << row.name << ", cut at " << first;
        }
        for (int round = 0; round < 50; ++round)
            ASSERT_EQ(split(row.promptEnd, reply, [&] { return 1 + random.next() % 12; }),
                      row.expected)
                << row.name;
    }
}

// The beginning of any reply is split the same however it is cut, and what is no tag is not lost.
TEST(ReplySplitter, RepliesThatWereCutShortTellNoOtherTale)
{
    for (const Row& row : kRows)
        for (std::size_t size = 0; size < std::string_view(row.reply).size(); ++size) {
            const std::string_view reply = std::string_view(row.reply).substr(0, size);
            const Parts whole = split(row.promptEnd, reply, [&] { return reply.size(); });
            ASSERT_EQ(split(row.promptEnd, reply, [] { return 1U; }), whole)
                << row.name << ", up to " << size;
        }
}

TEST(ReplySplitter, MarksInDisorderAreSplitTheSameHoweverTheyAreCut)
{
    constexpr std::string_view kParts[] = {"<think>",
                                           "</think>",
                                           "<tool_call>",
                                           "</tool_call>",
                                           "{\"name\": \"f\", \"arguments\": {",
                                           "}}",
                                           "\"",
                                           "\\",
                                           "<function=f>",
                                           "</function>",
                                           "<parameter=a>",
                                           "</parameter>",
                                           "[TOOL_CALLS]",
                                           "[ARGS]",
                                           "<|channel|>",
                                           "<|message|>",
                                           "<|start|>assistant",
                                           "<|end|>",
                                           " to=f",
                                           "<|tool_call>",
                                           "<|\"|>",
                                           "call:f{",
                                           "<tool_call|>",
                                           "<response>",
                                           "</response>",
                                           "functools[",
                                           "]",
                                           " ",
                                           "\n",
                                           "text",
                                           "<",
                                           "[f(",
                                           "a=1)",
                                           " to=self",
                                           "<|eom|>",
                                           "<|open|>think<|sep|>",
                                           "<|close|>think<|sep|>",
                                           "<|open|>response<|sep|>",
                                           "<|close|>response<|sep|>",
                                           "<|close|>message<|sep|>",
                                           "<|open|>tools<|sep|>",
                                           "<|open|>call tool=\"f\"<|sep|>",
                                           "<|open|>argument key=\"a\"<|sep|>",
                                           "<|close|>",
                                           "]<]minimax[>[",
                                           "<invoke name=\"f\">",
                                           "<ifm|tool_calls>",
                                           "<ifm|tool_call>f",
                                           "</ifm|tool_call>",
                                           "<function name=\"f\">",
                                           "<param name=\"a\">",
                                           "</param>"};
    test::RandomNumbers random(31);
    for (int round = 0; round < 8000; ++round) {
        std::string reply;
        for (std::size_t i = 0, n = random.next() % 14; i < n; ++i)
            reply += kParts[random.next() % std::size(kParts)];
        const std::string_view prompt = random.next() % 4 == 0 ? "<|start|>assistant" : "";
        const Parts whole = split(prompt, reply, [&] { return reply.size(); });
        ASSERT_EQ(split(prompt, reply, [] { return 1U; }), whole) << reply;
        ASSERT_EQ(split(prompt, reply, [&] { return 1 + random.next() % 9; }), whole) << reply;
    }
}

TEST(ReplySplitter, ALongCallTakesNoLongerThanItsLength)
{
    const auto seconds = [](std::size_t bytes, std::string_view part) {
        std::string reply = "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"";
        while (reply.size() < bytes)
            reply += part;
        const test::ProcessorTime time;
        split("", reply, [] { return 4U; });
        return time.seconds();
    };
    for (const std::string_view part : {"x", "</tool_call>", "\"</tool_call><tool_call>{\""}) {
        seconds(50'000, part);
        EXPECT_LT(seconds(400'000, part), 16 * seconds(50'000, part) + 0.05) << part;
    }
}

TEST(ReplySplitter, WhatStaysUndecidedTakesNoLongerThanItsLength)
{
    const auto seconds = [](std::size_t bytes, std::string_view begin, std::string_view part) {
        std::string reply(begin);
        while (reply.size() < bytes)
            reply += part;
        const test::ProcessorTime time;
        split(begin.starts_with("<|channel|>") ? "<|start|>assistant" : "", reply,
              [] { return 4U; });
        return time.seconds();
    };
    for (const std::string_view begin : {"", "<|channel|>", "{", "<think>", "[f"}) {
        for (const std::string_view part : {"\n", "x", "<|", "<|end|"}) {
            seconds(100'000, begin, part);
            EXPECT_LT(seconds(800'000, begin, part), 16 * seconds(100'000, begin, part) + 0.05)
                << begin << part;
        }
    }
}

TEST(ReplyMarkers, EveryTokenOfAMarkIsWrittenOut)
{
    for (const std::string_view token : {"<think>",
                                         "<|channel>",
                                         "<channel|>",
                                         "<|channel|>",
                                         "<|tool_call>",
                                         "<|\"|>",
                                         "｜DSML｜",
                                         "[TOOL_CALLS]",
                                         "[ARGS]",
                                         "<tool_call>",
                                         "<|tool_call_start|>",
                                         "<|START_ACTION|>",
                                         "<|open|>",
                                         "<|sep|>",
                                         "]<]minimax[>[",
                                         "<ifm|arg_key>",
                                         "<|think|>",
                                         "<|content|>",
                                         "<|begin|>",
                                         "<|tool_call:args|>",
                                         "<|tools_prefix|>",
                                         "<|plugin|>",
                                         "｜GCML｜"})
        EXPECT_TRUE(isReplyMarker(token)) << token;
    for (const std::string_view token : {"<|im_end|>", "<s>", "", "<", "<|", "<|eot_id|>"})
        EXPECT_FALSE(isReplyMarker(token)) << token;
}
