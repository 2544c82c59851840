// Made-up vocabularies: a base that covers every byte, then pieces that join two earlier ones.

#include "tests/support/engine/gguf_builder.h"

#include <algorithm>
#include <format>
#include <unordered_set>

namespace test {

namespace {

enum TokenType : std::int64_t { Normal = 1, Unknown = 2, Control = 3, Byte = 6 };

struct Tokens {
    std::vector<std::string> texts;
    std::vector<std::int64_t> types;
    std::vector<double> scores;
    std::vector<std::string> merges;

    void add(std::string text, TokenType type, double score)
    {
        texts.push_back(std::move(text));
        types.push_back(type);
        scores.push_back(score);
    }
};

// Joins random tokens from `first` on until there are `size`, each once.
// REQUIRES: the pairs of those tokens are at least as many as are missing.
void addPairs(Tokens& tokens, std::size_t first, std::size_t size, RandomNumbers& random)
{
    std::unordered_set<std::string> known(tokens.texts.begin(), tokens.texts.end());
    const std::size_t pool = tokens.texts.size();
    const auto pick = [&]() -> std::string {
        return tokens.texts[first + random.next() % (pool - first)];
    };
    for (double score = -1; tokens.texts.size() < size;) {
        const std::string left = pick();
        const std::string right = pick();
        if (!known.insert(left + right).second) continue;
        tokens.merges.push_back(left + " " + right);
        tokens.add(left + right, Normal, score--);
    }
}

std::string utf8(unsigned codePoint) // below U+0800
{
    if (codePoint < 0x80) return {static_cast<char>(codePoint)};
    return {static_cast<char>(0xC0U | codePoint >> 6U),
            static_cast<char>(0x80U | (codePoint & 0x3FU))};
}

// GPT-2's visible stand-in for a byte.
std::string byteCharacter(unsigned byte, unsigned& nextFree)
{
    const bool visible = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
    return utf8(visible ? byte : 256 + nextFree++);
}

void addSentencePiece(GgufBuilder& builder, std::size_t size, RandomNumbers& random)
{
    Tokens tokens;
    tokens.add("<unk>", Unknown, 0);
    tokens.add("<s>", Control, 0);
    tokens.add("</s>", Control, 0);
    for (int byte = 0; byte < 256; ++byte)
        tokens.add(std::format("<0x{:02X}>", byte), Byte, 0);
    const std::size_t first = tokens.texts.size();
    for (const char* letter :
         {"\u2581", "e", "t", "a", "o", "n", "i", "s", "h", "r", "d", "l", "u",
          "c",      "m", "w", "y", "f", "g", "p", "b", "v", "k", "T", ".", ","})
        tokens.add(letter, Normal, -1e6);
    addPairs(tokens, first, size, random);
    builder.set("tokenizer.ggml.model", "llama")
        .set("tokenizer.ggml.pre", "default")
        .set("tokenizer.ggml.tokens", tokens.texts)
        .set("tokenizer.ggml.scores", tokens.scores)
        .set("tokenizer.ggml.token_type", tokens.types)
        .set("tokenizer.ggml.bos_token_id", 1)
        .set("tokenizer.ggml.eos_token_id", 2)
        .set("tokenizer.ggml.unknown_token_id", 0)
        .set("tokenizer.ggml.add_bos_token", engine::MetadataValue(true));
}

void addBytePairs(GgufBuilder& builder, std::size_t size, RandomNumbers& random)
{
    Tokens tokens;
    unsigned nextFree = 0;
    for (unsigned byte = 0; byte < 256; ++byte)
        tokens.add(byteCharacter(byte, nextFree), Normal, 0);
    // Only ASCII is joined, so that merges happen in English text.
    const std::size_t special = 3;
    Tokens ascii;
    for (unsigned c = 'a'; c <= 'z'; ++c)
        ascii.add(utf8(c), Normal, 0);
    ascii.add("\u0120", Normal, 0); // the space
    addPairs(ascii, 0, ascii.texts.size() + size - 256 - special, random);
    for (std::size_t i = 27; i < ascii.texts.size(); ++i)
        tokens.add(ascii.texts[i], Normal, 0);
    for (const char* text : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"})
        tokens.add(text, Control, 0);
    builder.set("tokenizer.ggml.model", "gpt2")
        .set("tokenizer.ggml.pre", "gpt-2")
        .set("tokenizer.ggml.tokens", tokens.texts)
        .set("tokenizer.ggml.token_type", tokens.types)
        .set("tokenizer.ggml.merges", ascii.merges)
        .set("tokenizer.ggml.bos_token_id", size - 3)
        .set("tokenizer.ggml.eos_token_id", size - 1)
        .set("tokenizer.ggml.add_bos_token", engine::MetadataValue(false));
}

} // namespace

void addVocabulary(GgufBuilder& builder, Vocabulary vocabulary, int size, std::uint64_t seed)
{
    RandomNumbers random(seed);
    const auto count = static_cast<std::size_t>(std::max(size, 320));
    if (vocabulary == Vocabulary::SentencePiece)
        addSentencePiece(builder, count, random);
    else
        addBytePairs(builder, count, random);
}

} // namespace test
