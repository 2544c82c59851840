#include "engine/huggingface/own_vocabulary.h"

#include "engine/base/base64.h"
#include "engine/base/json_view.h"
#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <unordered_map>

namespace engine {

namespace {

constexpr std::size_t kMostTokens = 2'097'152;
constexpr std::size_t kMostFileBytes = 64U << 20U;
constexpr std::size_t kMostLineBytes = 65'536;
constexpr std::size_t kMostMergedBytes = 256; // longer ones are no words

std::unexpected<Error> corrupt(std::size_t line, std::string_view what)
{
    return fail(ErrorCode::FileCorrupt,
                std::format("the vocabulary: line {}: expected {}", line + 1, what), "vocabulary");
}

/// A whole number that is all of `text`.
std::optional<std::int64_t> wholeNumber(std::string_view text, int base = 10)
{
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || stop != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

/// Calls `take` with each line that holds anything, without its break.
template <typename Take>
Result<void> forEachLine(std::span<const std::byte> file, Take take)
{
    if (file.size() > kMostFileBytes) return corrupt(0, "a file of at most 64 MB");
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (number >= kMostTokens) return corrupt(number, "no more tokens");
        if (line.size() > kMostLineBytes) return corrupt(number, "a shorter line");
        if (!line.empty()) TRY(take(number, line));
        begin = end + 1;
    }
    return {};
}

// --- tiktoken: "BASE64 RANK" ---------------------------------------------------------------------

/// Ranks are ids, and say which two parts are joined first.
class Ranks {
public:
    bool add(std::string bytes, std::int64_t rank)
    {
        return m_ranks.emplace(std::move(bytes), rank).second;
    }

    /// The two parts of which a token of that rank is made, as GGUF writes them; empty where
    /// joining the pairs of lower ranks leads to other parts.
    std::string mergeOf(std::string_view bytes, std::int64_t rank) const
    {
        std::vector<Part> parts(bytes.size());
        for (std::size_t i = 0; i < parts.size(); ++i)
            parts[i].begin = i;
        for (std::size_t i = 0; i < parts.size(); ++i)
            parts[i].joined = rankOfPair(bytes, parts, i);
        while (parts.size() > 2) {
            const auto best = std::ranges::min_element(parts, {}, &Part::joined);
            if (best->joined >= rank) return {};
            const auto at = static_cast<std::size_t>(best - parts.begin());
            parts.erase(best + 1);
            parts[at].joined = rankOfPair(bytes, parts, at);
            if (at > 0) parts[at - 1].joined = rankOfPair(bytes, parts, at - 1);
        }
        if (parts.size() < 2) return {};
        return byte_level::encode(bytes.substr(0, parts[1].begin)) + " " +
               byte_level::encode(bytes.substr(parts[1].begin));
    }

private:
    static constexpr auto kNever = static_cast<std::int64_t>(kMostTokens);

    struct Part {
        std::size_t begin = 0;
        std::int64_t joined = kNever; ///< rank of this part and the next together
    };

    std::int64_t rankOfPair(std::string_view bytes, std::span<const Part> parts,
                            std::size_t at) const
    {
        if (at + 1 >= parts.size()) return kNever;
        const std::size_t begin = parts[at].begin;
        const std::size_t end = at + 2 < parts.size() ? parts[at + 2].begin : bytes.size();
        const auto found = m_ranks.find(std::string(bytes.substr(begin, end - begin)));
        return found == m_ranks.end() ? kNever : found->second;
    }

    std::unordered_map<std::string, std::int64_t> m_ranks;
};

Result<OwnVocabulary> readTiktoken(std::span<const std::byte> file)
{
    Ranks ranks;
    std::vector<std::pair<std::int64_t, std::string>> tokens;
    TRY(forEachLine(file, [&](std::size_t number, std::string_view line) -> Result<void> {
        const std::size_t space = line.find(' ');
        const auto rank =
            space == std::string_view::npos ? std::nullopt : wholeNumber(line.substr(space + 1));
        const std::vector<std::byte> decoded = decodeBase64(line.substr(0, space));
        if (!rank || *rank >= static_cast<std::int64_t>(kMostTokens) || decoded.empty())
            return corrupt(number, "a token in base64 and its rank");
        std::string bytes(reinterpret_cast<const char*>(decoded.data()), decoded.size());
        tokens.emplace_back(*rank, bytes);
        if (!ranks.add(std::move(bytes), *rank)) return corrupt(number, "every token once");
        return {};
    }));
    std::ranges::sort(tokens);
    OwnVocabulary vocabulary;
    for (const auto& [rank, bytes] : tokens) {
        vocabulary.tokens.push_back({rank, byte_level::encode(bytes)});
        if (bytes.size() > kMostMergedBytes) continue;
        if (std::string merge = ranks.mergeOf(bytes, rank); !merge.empty())
            vocabulary.merges.push_back(std::move(merge));
    }
    return vocabulary;
}

/// Qwen's code has its other tokens behind those of the file.
Result<OwnVocabulary> readQwen(std::span<const std::byte> file)
{
    constexpr int kExtras = 205;
    TRY_ASSIGN(OwnVocabulary vocabulary, readTiktoken(file));
    std::int64_t next = vocabulary.tokens.empty() ? 0 : vocabulary.tokens.back().id + 1;
    for (const char* text : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"})
        vocabulary.tokens.push_back({next++, text, TokenType::Control});
    for (int i = 0; i < kExtras; ++i)
        vocabulary.tokens.push_back({next++, std::format("<|extra_{}|>", i), TokenType::Control});
    return vocabulary;
}

// --- RWKV's world: "ID LITERAL BYTES", the literal as Python writes text or bytes ---------------

struct Escape {
    char letter;
    std::size_t digits; ///< hexadecimal ones that follow
    std::int64_t value; ///< where none follow
};

constexpr std::array kEscapes = {
    Escape{'n', 0, '\n'},  Escape{'t', 0, '\t'},  Escape{'r', 0, '\r'},
    Escape{'\\', 0, '\\'}, Escape{'\'', 0, '\''}, Escape{'"', 0, '"'},
    Escape{'x', 2, 0},     Escape{'u', 4, 0},     Escape{'U', 8, 0},
};

/// The bytes of a literal; nothing where it is none.
std::optional<std::string> bytesOfLiteral(std::string_view literal)
{
    constexpr std::int64_t kMostPoint = 0x10FFFF;
    const bool isBytes = literal.starts_with('b');
    if (isBytes) literal.remove_prefix(1);
    const bool quoted = literal.size() >= 2 && literal.front() == literal.back() &&
                        (literal.front() == '\'' || literal.front() == '"');
    if (!quoted) return std::nullopt;
    literal = literal.substr(1, literal.size() - 2);
    std::string out;
    while (!literal.empty()) {
        if (literal.front() != '\\') {
            out.push_back(literal.front());
            literal.remove_prefix(1);
            continue;
        }
        const char letter = literal.size() > 1 ? literal[1] : '\0';
        const auto* const escape = std::ranges::find(kEscapes, letter, &Escape::letter);
        if (escape == kEscapes.end() || literal.size() < 2 + escape->digits) return std::nullopt;
        const auto value = escape->digits == 0 ? std::optional(escape->value)
                                               : wholeNumber(literal.substr(2, escape->digits), 16);
        if (!value || *value > kMostPoint) return std::nullopt;
        if (isBytes)
            out.push_back(static_cast<char>(*value));
        else
            unicode::append(out, static_cast<char32_t>(*value));
        literal.remove_prefix(2 + escape->digits);
    }
    return out;
}

std::string escaped(std::string_view bytes)
{
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\')
            out += "\\\\";
        else if (byte >= 0x20 && byte < 0x7F)
            out += c;
        else
            out += std::format("\\x{:02x}", byte);
    }
    return out;
}

Result<OwnVocabulary> readRwkvWorld(std::span<const std::byte> file)
{
    OwnVocabulary vocabulary;
    vocabulary.tokens.push_back({0, "<s>", TokenType::Control}); // ends a text; not in the file
    TRY(forEachLine(file, [&](std::size_t number, std::string_view line) -> Result<void> {
        const std::size_t first = line.find(' ');
        const std::size_t last = line.rfind(' ');
        if (first == std::string_view::npos || first == last)
            return corrupt(number, "an id, a text and its length");
        const auto id = wholeNumber(line.substr(0, first));
        const auto size = wholeNumber(line.substr(last + 1));
        const auto bytes = bytesOfLiteral(line.substr(first + 1, last - first - 1));
        if (!id || !size || !bytes || std::cmp_not_equal(bytes->size(), *size))
            return corrupt(number, "an id, a text and its length");
        vocabulary.tokens.push_back({*id, escaped(*bytes)});
        return {};
    }));
    return vocabulary;
}

// --- PLaMo: ["TEXT", SCORE, "TYPE", ...] in the order of ids -------------------------------------

TokenType plamoType(const std::string& text, const std::string& name)
{
    struct Row {
        std::string_view name;
        TokenType type;
    };
    constexpr std::array kTypes = {Row{"UNKNOWN", TokenType::Unknown},
                                   Row{"CONTROL", TokenType::Control},
                                   Row{"BYTE", TokenType::Byte}};
    const auto* const row = std::ranges::find(kTypes, name, &Row::name);
    if (row != kTypes.end()) return row->type;
    const bool control = text.starts_with("<|plamo:") && text.ends_with("|>");
    return control ? TokenType::Control : TokenType::Normal;
}

Result<OwnVocabulary> readPlamo(std::span<const std::byte> file)
{
    OwnVocabulary vocabulary;
    TRY(forEachLine(file, [&](std::size_t number, std::string_view line) -> Result<void> {
        const nlohmann::json entry = nlohmann::json::parse(line, nullptr, false);
        const auto* const parts = JsonView(entry).array();
        if (parts == nullptr || parts->size() < 2) return corrupt(number, "a text and its score");
        const std::string* const text = JsonView((*parts)[0]).string();
        const auto score = JsonView((*parts)[1]).number();
        if (text == nullptr || !score) return corrupt(number, "a text and its score");
        const std::string type = parts->size() > 2 ? JsonView((*parts)[2]).stringOr("") : "";
        vocabulary.tokens.push_back({static_cast<std::int64_t>(vocabulary.tokens.size()), *text,
                                     plamoType(*text, type), *score});
        return {};
    }));
    return vocabulary;
}

constexpr std::int64_t kPlamoOperation = 4;
constexpr std::int64_t kRwkvTwoBreaks = 261;

constexpr std::array kForms = {
    OwnVocabularyForm{"qwen.tiktoken", "gpt2", "qwen2", readQwen},
    OwnVocabularyForm{"tiktoken.model", "gpt2", "kimi-k2", readTiktoken},
    OwnVocabularyForm{"rwkv_vocab_v20230424.txt", "rwkv", "default", readRwkvWorld, kRwkvTwoBreaks},
    OwnVocabularyForm{"tokenizer.jsonl", "plamo2", "default", readPlamo, kPlamoOperation, true},
};

} // namespace

std::span<const OwnVocabularyForm> ownVocabularyForms()
{
    return kForms;
}

} // namespace engine
