#include "engine/huggingface/pretokenizer_names.h"

#include "engine/tokenizer/pretokenizer_table.h"

#include <algorithm>
#include <array>

namespace engine {

namespace {

// Steps are written as one text: "D" digits in runs, "D1" one by one, "P" punctuation, "B" GPT-2's
// own pattern, "S" and a pattern; a line each.

constexpr std::string_view kGpt2 = "B";
constexpr std::string_view kDigitsThenGpt2 = "D1\nB";
constexpr std::string_view kFalcon = "P\nB\nD\nS[0-9][0-9][0-9]";
constexpr std::string_view kLlama3 =
    R"(S(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"(S(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen35 =
    R"(S(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kDeepSeek3 =
    "S\\p{N}{1,3}\n"
    "S[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+\n"
    R"(S[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kDeepSeekCoder = "S[\\r\\n]\n"
                                            "S\\s?\\p{L}+\n"
                                            "S\\s?\\p{P}+\n"
                                            "S[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+\n"
                                            "D1";
constexpr std::string_view kBailingMoe =
    R"(S'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view kSeedCoder =
    R"(S(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kExaoneMoe =
    R"(S(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view kJais2 =
    R"(S(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})";
constexpr std::string_view kMiniCpm5 =
    "S\\p{N}{1,3}\n"
    R"(S(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kBloom = "S ?[^(\\s|[.,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C])]+";
constexpr std::string_view kViking =
    "S ?[^(\\s|[.,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C])]+\nD1";

// Patterns that tell large letters from small ones are not here: what GGUF's names mean by them
// knows the case of ASCII alone.

// The letters of DeepSeek's first pattern are spelt out; its beginning tells it.
constexpr std::string_view kDeepSeekLlmBegins = "S[\\r\\n]\nS\\s?[A-Za-z";

struct NameRow {
    std::string_view steps;
    std::string_view name;              ///< where decoding cleans spaces, or either way
    std::string_view withoutCleaning{}; ///< where it does not
};

constexpr std::array kNames = {
    NameRow{kGpt2, "gpt-2", "trillion"},
    NameRow{kDigitsThenGpt2, "starcoder", "smollm"},
    NameRow{kFalcon, "falcon"},
    NameRow{kQwen2, "stablelm2", "qwen2"},
    NameRow{kQwen35, "qwen35"},
    NameRow{kDeepSeek3, "deepseek-v3"},
    NameRow{kDeepSeekCoder, "deepseek-coder"},
    NameRow{kBailingMoe, "bailingmoe"},
    NameRow{kSeedCoder, "seed-coder"},
    NameRow{kExaoneMoe, "exaone-moe"},
    NameRow{kJais2, "jais-2"},
    NameRow{kMiniCpm5, "minicpm5"},
    NameRow{kBloom, "bloom", "poro-chat"},
    NameRow{kViking, "viking"},
};

// A line break may stand in a pattern as itself or as its escape.
std::string escapedBreaks(const std::string& pattern)
{
    std::string escaped;
    for (const char c : pattern) {
        if (c == '\r')
            escaped += "\\r";
        else if (c == '\n')
            escaped += "\\n";
        else
            escaped += c;
    }
    return escaped;
}

std::string describeStep(const JsonView& step)
{
    const std::string type = step["type"].stringOr("");
    if (type == "ByteLevel") {
        if (step["add_prefix_space"].boolean().value_or(false)) return "?prefix";
        return step["use_regex"].boolean().value_or(true) ? "B" : "";
    }
    if (type == "Digits") return step["individual_digits"].boolean().value_or(false) ? "D1" : "D";
    if (type == "Punctuation") return "P";
    const bool inverted = step["invert"].boolean().value_or(false);
    const bool keepsAll = step["behavior"].stringOr("Isolated") == "Isolated" && !inverted;
    const bool keepsMatches = step["behavior"].stringOr("") == "Removed" && inverted;
    if (type == "Split" && (keepsAll || keepsMatches))
        return "S" + escapedBreaks(step["pattern"].any({"Regex", "String"}).stringOr(""));
    return "?" + type;
}

// Steps in a row; a sequence may hold sequences, in the format though not in any file seen.
void describeSteps(const JsonView& step, int depth, std::string& text)
{
    if (const auto* steps = step["pretokenizers"].array(); steps && depth < 4) {
        for (const nlohmann::json& inner : *steps)
            describeSteps(JsonView(inner), depth + 1, text);
        return;
    }
    const std::string one = describeStep(step);
    if (one.empty()) return;
    if (!text.empty()) text += '\n';
    text += one;
}

std::optional<std::string> nameOf(const JsonView& tokenizer, bool cleanSpaces)
{
    std::string steps;
    describeSteps(tokenizer["pre_tokenizer"], 0, steps);
    if (steps == kLlama3) {
        // Whole tokens are taken before any merge in Llama 3's, not in the others of its pattern.
        const bool whole = tokenizer["model"]["ignore_merges"].boolean().value_or(false);
        return std::string(whole ? "llama-bpe" : "dbrx");
    }
    if (steps.starts_with(kDeepSeekLlmBegins)) return std::string("deepseek-llm");
    for (const NameRow& row : kNames) {
        if (row.steps != steps) continue;
        const bool other = !cleanSpaces && !row.withoutCleaning.empty();
        return std::string(other ? row.withoutCleaning : row.name);
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> knownPretokenizer(const JsonView& tokenizer, bool cleanSpaces)
{
    const JsonView model = tokenizer["model"];
    const bool plain = model["continuing_subword_prefix"].stringOr("").empty() &&
                       model["end_of_word_suffix"].stringOr("").empty() &&
                       tokenizer["decoder"]["type"].stringOr("ByteLevel") == "ByteLevel";
    auto name = nameOf(tokenizer, cleanSpaces);
    if (!plain || !name) return std::nullopt;
    const PretokenizerInfo* const info = findPretokenizer(*name);
    const bool whole = model["ignore_merges"].boolean().value_or(false);
    return info && info->has(kIgnoreMerges) == whole ? std::move(name) : std::nullopt;
}

} // namespace engine
