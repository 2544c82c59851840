#include "engine/tokenizer/pretokenizer_table.h"

#include <algorithm>

namespace engine {

namespace {

using enum PretokenizerStep;
using Stage = PretokenizerStage;

// The patterns are the models' own (their tokenizer.json), as GGUF files name them, with the
// reference reader's rules: a category of letters stands for all letters, and where its own code
// departs from a pattern, so does the one here. They are written so that no text makes them slow:
// no group is repeated where a class will do.

// Letters, numbers and everything else in runs with one space before them (GPT-2).
constexpr std::string_view kGpt2Words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))";

constexpr std::string_view kLlama3Words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::string_view kQwen2Words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::string_view kDeepSeek3Words =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::string_view kEastAsian = R"([\x{4E00}-\x{9FA5}\x{800}-\x{4E00}\x{AC00}-\x{D7FF}]+)";
constexpr std::string_view kChineseJapanese =
    R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)";
constexpr std::string_view kNewlineRuns = R"([^\n]+|\n+)";
constexpr std::string_view kNotSeparators =
    R"( ?[^(\s|.,!?\x{2026}\x{3002}\x{FF0C}\x{3001}\x{964}\x{6D4}\x{60C})]+)";

// Letters that have case: Latin, Greek, Cyrillic, Armenian, Georgian, Cherokee, ...
constexpr std::string_view kCasedLetters =
    R"(\s?[A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF})"
    R"(\x{1C4}-\x{293}\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F})"
    R"(\x{386}\x{388}-\x{38A}\x{38C}\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481})"
    R"(\x{48A}-\x{52F}\x{531}-\x{556}\x{10A0}-\x{10C5}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD})"
    R"(\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77})"
    R"(\x{1D79}-\x{1D9A}\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45})"
    R"(\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D}\x{1F5F}-\x{1F7D})"
    R"(\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC})"
    R"(\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4})"
    R"(\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124})"
    R"(\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F})"
    R"(\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4})"
    R"(\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F})"
    R"(\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06})"
    R"(\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F})"
    R"(\x{104B0}-\x{104D3}\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2})"
    R"(\x{118A0}-\x{118DF}\x{1E900}-\x{1E943}]+)";

constexpr Stage kDefault[] = {
    {Classes, R"([\p{P}\$\+<=>\^~\|]+)"},
    {Classes, kGpt2Words},
    {Classes, R"(\p{N}+)"},
    {Classes, R"([0-9][0-9][0-9])"},
};
constexpr Stage kGpt2[] = {{Classes, kGpt2Words}};
constexpr Stage kLlama3[] = {{Classes, kLlama3Words}};
constexpr Stage kQwen2[] = {{Classes, kQwen2Words}};
// Qwen2's without English contractions.
constexpr Stage kUfakZeka[] = {
    {Classes, R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
              R"(|\s*[\r\n]+|\s+(?!\S)|\s+)"},
};
constexpr Stage kQwen35[] = {
    {Classes, R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N})"
              R"(| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
};
constexpr Stage kStarCoder[] = {{Classes, R"(\p{N})"}, {Classes, kGpt2Words}};
constexpr Stage kFalcon[] = {
    {Classes, R"([\p{P}\$\+<=>\^~\|`]+)"},
    {Classes, kGpt2Words},
    {Classes, R"([0-9][0-9][0-9])"},
};
// The second stage cuts runs of white space into the largest powers of two; it leaves words and
// lines alone.
constexpr Stage kJais2[] = {
    {Classes, kLlama3Words},
    {Classes, R"(^\s*+\S[\s\S]*|^\s*[\r\n]+|\s{512}|\s{256}|\s{128}|\s{64}|\s{32}|\s{16}|\s{8})"
              R"(|\s{4}|\s{1,2})"},
};
constexpr Stage kDeepSeekLlm[] = {
    {Classes, R"([\r\n])"},
    {Characters, kCasedLetters},
    {Characters,
     R"(\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3000}-\x{3002}]+)"},
    {Classes, R"((?<!\s)\s++\z)"},
    {Characters, kEastAsian},
    {Classes, R"(\p{N}+)"},
};
constexpr Stage kDeepSeekCoder[] = {
    {Classes, R"([\r\n])"},   {Classes, R"(\s?\p{L}+)"}, {Classes, R"(\s?\p{P}+)"},
    {Characters, kEastAsian}, {Classes, R"(\p{N})"},
};
constexpr Stage kDeepSeek3[] = {
    {Classes, R"(\p{N}{1,3})"},
    {Characters, kChineseJapanese},
    {Classes, kDeepSeek3Words},
};
constexpr Stage kYoutu[] = {
    {Characters,
     R"([\x{AC00}-\x{D7A3}\x{3131}-\x{318E}]+)"
     R"(|[\x{FF01}\x{2026}\x{201C}\x{201D}\x{2018}\x{2019}\x{2014}\x{FF1A}\x{FF1B}\x{FF0C})"
     R"(\x{3001}-\x{303F}\x{FE30}-\x{FE4F}]+|[\x{3105}-\x{312F}]+)"
     R"(|[\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)"},
    {Classes, R"([^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N})"
              R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
};
constexpr Stage kPoro[] = {{Characters, kNotSeparators}};
constexpr Stage kViking[] = {{Characters, kNotSeparators}, {Classes, R"(\p{N})"}};
constexpr Stage kTekken[] = {
    {Classes, R"([^\r\n\p{L}\p{N}]?[A-Z\p{LX}]*[a-z\p{LX}]+)"
              R"(|[^\r\n\p{L}\p{N}]?[A-Z\p{LX}]+[a-z\p{LX}]*|\p{N})"
              R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
};
constexpr Stage kChameleon[] = {
    {Classes, R"(<sentinel:[0-9]+>)"},    {Classes, R"(IMGIMG[A-I]{1,4}Z)"},
    {Classes, R"([\t\n]|    |  )"},       {Classes, R"(\p{N})"},
    {Classes, R"([\p{P}!-/:-@\[-`{-~])"}, {Classes, kGpt2Words},
};
constexpr Stage kGpt4o[] = {
    {Classes,
     R"([^\r\n\p{L}\p{N}]?[A-Z\p{LX}]*[a-z\p{LX}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
     R"(|[^\r\n\p{L}\p{N}]?[A-Z\p{LX}]+[a-z\p{LX}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3})"
     R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
};
constexpr Stage kGraniteEmbedding[] = {
    {Classes,
     R"([^\r\n\p{L}\p{N}]?[A-Z\p{LX}\p{M}]*[a-z\p{LX}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
     R"(|[^\r\n\p{L}\p{N}]?[A-Z\p{LX}\p{M}]+[a-z\p{LX}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
     R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
};
constexpr Stage kTinyAya[] = {
    {NumbersFromRight, {}},
    {Classes, R"([^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3})"
              R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
};
constexpr Stage kKimiK2[] = {
    {ClassesWithHan,
     R"(\p{Han}+|[^\r\n\p{L}\p{HanL}\p{N}]?\p{L}+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3})"
     R"(| ?[^\s\p{L}\p{HanL}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
};
constexpr Stage kSuperBpe[] = {{Classes, R"(\p{N}+)"}, {DigitsFromRight, {}}};
constexpr Stage kBailingMoe[] = {
    {Classes, R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
              R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"},
};
constexpr Stage kSeedCoder[] = {
    {Classes, R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
              R"(| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)"},
};
constexpr Stage kAfmoe[] = {
    {NumbersFromRight, {}},
    {Characters,
     R"([\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{8C48}-\x{FAFF}\x{3040}-\x{309F}\x{30A0}-\x{30FF})"
     R"(\x{FF65}-\x{FF9F}\x{2F00}-\x{2FDF}\x{E40}-\x{E7F}\x{E80}-\x{EFF}\x{1780}-\x{17FF})"
     R"(\x{1000}-\x{109F}\x{AA60}-\x{AA7F}\x{A9E0}-\x{A9FF}\x{AC00}-\x{D7AF}\x{1100}-\x{11FF}]+)"},
    {Classes, kDeepSeek3Words},
};
constexpr Stage kLaguna[] = {{Classes, kNewlineRuns}, {Classes, kQwen2Words}};
constexpr Stage kExaoneMoe[] = {
    {Classes, R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}(?:[\p{L}\p{M}]++| \p{L})*+)"
              R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)"},
};
constexpr Stage kNewlines[] = {{Classes, kNewlineRuns}};
constexpr Stage kMiniCpm5[] = {
    {Classes, R"(\p{N}{1,3})"},
    {Classes, R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+)"
              R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
};

constexpr std::uint8_t kLlama3Flags = kIgnoreMerges | kAddBos | kCleanSpaces;
constexpr std::uint8_t kGemma4Flags = kForceBos | kCleanSpaces | kRawText | kWholeNewlines;

constexpr PretokenizerInfo kPretokenizers[] = {
    {"default", kDefault, kCleanSpaces},

    {"llama3", kLlama3, kLlama3Flags},
    {"llama-v3", kLlama3, kLlama3Flags},
    {"llama-bpe", kLlama3, kLlama3Flags},
    {"falcon3", kLlama3, kLlama3Flags},
    {"falcon-h1", kLlama3, kLlama3Flags},
    {"pixtral", kLlama3, kLlama3Flags},
    {"midm-2.0", kLlama3, kLlama3Flags},
    {"lfm2", kLlama3, kLlama3Flags},
    {"jina-v5-nano", kLlama3, kLlama3Flags},
    {"dbrx", kLlama3, kCleanSpaces},
    {"smaug-bpe", kLlama3, kCleanSpaces},
    {"glm4", kLlama3, kCleanSpaces},
    {"chatglm-bpe", kLlama3, kCleanSpaces},
    {"jais-2", kJais2, kCleanSpaces},
    {"glm5", kLlama3, kIgnoreMerges | kCleanSpaces},
    {"minicpm5", kMiniCpm5, kIgnoreMerges | kCleanSpaces},

    {"gpt-2", kGpt2, kCleanSpaces},
    {"mpt", kGpt2, kCleanSpaces},
    {"olmo", kGpt2, kCleanSpaces},
    {"jais", kGpt2, kCleanSpaces},
    {"phi-2", kGpt2, kCleanSpaces},
    {"jina-es", kGpt2, kCleanSpaces},
    {"jina-de", kGpt2, kCleanSpaces},
    {"jina-v2-es", kGpt2, kCleanSpaces},
    {"jina-v2-de", kGpt2, kCleanSpaces},
    {"jina-v1-en", kGpt2, kCleanSpaces},
    {"jina-v2-code", kGpt2, kCleanSpaces},
    {"roberta-bpe", kGpt2, kCleanSpaces},
    {"gigachat", kGpt2, kCleanSpaces},
    {"a.x-4.0", kGpt2, kCleanSpaces},
    {"mellum", kGpt2, kCleanSpaces},
    {"modern-bert", kGpt2, kCleanSpaces},
    {"exaone4", kGpt2, kCleanSpaces},
    {"trillion", kGpt2, 0},
    {"granite-docling", kGpt2, 0},

    {"starcoder", kStarCoder, kCleanSpaces},
    {"refact", kStarCoder, kCleanSpaces},
    {"command-r", kStarCoder, 0},
    {"smollm", kStarCoder, 0},
    {"codeshell", kStarCoder, kCleanSpaces},
    {"exaone", kStarCoder, kCleanSpaces},
    {"minerva-7b", kStarCoder, kCleanSpaces},
    {"mellum2", kStarCoder, kCleanSpaces},
    {"falcon", kFalcon, kCleanSpaces},

    {"qwen2", kQwen2, 0},
    {"deepseek-r1-qwen", kQwen2, 0},
    {"kormo", kQwen2, 0},
    {"f2llmv2", kQwen2, 0},
    {"megrez", kQwen2, kCleanSpaces},
    {"stablelm2", kQwen2, kCleanSpaces},
    {"hunyuan", kQwen2, 0},
    {"solar-open", kQwen2, 0},
    {"grok-2", kQwen2, 0},
    {"ufakzeka", kUfakZeka, 0},
    {"qwen35", kQwen35, 0},
    {"laguna", kLaguna, 0},
    {"bailingmoe", kBailingMoe, 0},
    {"bailingmoe2", kBailingMoe, 0},
    {"llada-moe", kBailingMoe, 0},
    {"seed-coder", kSeedCoder, 0},
    {"exaone-moe", kExaoneMoe, kCleanSpaces},

    {"deepseek-llm", kDeepSeekLlm, 0},
    {"deepseek-coder", kDeepSeekCoder, 0},
    {"deepseek-v3", kDeepSeek3, 0},
    {"hunyuan-dense", kDeepSeek3, 0},
    {"joyai-llm", kDeepSeek3, 0},
    {"youtu", kYoutu, kIgnoreMerges},
    {"afmoe", kAfmoe, 0},

    {"poro-chat", kPoro, 0},
    {"bloom", kPoro, kCleanSpaces},
    {"gpt3-finnish", kPoro, kCleanSpaces},
    {"viking", kViking, 0},

    {"tekken", kTekken, kIgnoreMerges | kAddBos},
    {"gpt-4o", kGpt4o, 0},
    {"llama4", kGpt4o, 0},
    {"kanana2", kGpt4o, 0},
    {"talkie", kGpt4o, 0},
    {"minimax-m2", kGpt4o, 0},
    {"granite-embed-multi-97m", kGraniteEmbedding, kIgnoreMerges},
    {"tiny_aya", kTinyAya, 0},
    {"cohere2moe", kTinyAya, 0},

    {"chameleon", kChameleon, kAddBos},
    {"superbpe", kSuperBpe, 0},
    {"kimi-k2", kKimiK2, kMergesOptional},

    {"gemma4", kNewlines, kGemma4Flags},
    {"granite-embed-multi-311m", kNewlines, kGemma4Flags},
    {"sarvam-moe", kNewlines, kRawText},
};

} // namespace

const PretokenizerInfo* findPretokenizer(std::string_view name)
{
    if (name.empty()) name = "default";
    const auto* const found = std::ranges::find(kPretokenizers, name, &PretokenizerInfo::name);
    return found == std::end(kPretokenizers) ? nullptr : found;
}

std::span<const PretokenizerInfo> pretokenizers()
{
    return kPretokenizers;
}

} // namespace engine
