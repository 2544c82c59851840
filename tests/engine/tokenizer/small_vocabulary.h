#pragma once

#include "engine/gguf/metadata.h"
#include "engine/tokenizer/tokenizer.h"

#include <format>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// tokenizer.ggml.token_type.
enum class TokenType : std::int64_t {
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6,
};

/// A vocabulary written out by hand, as a GGUF's metadata.
class SmallVocabulary {
public:
    explicit SmallVocabulary(std::string model, std::string pre = {})
    {
        m_metadata.set("tokenizer.ggml.model", std::move(model));
        if (!pre.empty()) m_metadata.set("tokenizer.ggml.pre", std::move(pre));
    }

    SmallVocabulary& add(std::string text, TokenType type = TokenType::Normal, double score = 0)
    {
        m_tokens.push_back(std::move(text));
        m_types.push_back(static_cast<std::int64_t>(type));
        m_scores.push_back(score);
        return *this;
    }
    SmallVocabulary& addAll(const std::vector<std::string>& texts)
    {
        for (const std::string& text : texts)
            add(text);
        return *this;
    }
    /// "<0x00>" to "<0xFF>".
    SmallVocabulary& addBytes()
    {
        for (unsigned byte = 0; byte < 256; ++byte)
            add(std::format("<0x{:02X}>", byte), TokenType::Byte);
        return *this;
    }
    SmallVocabulary& merge(std::string line)
    {
        m_merges.push_back(std::move(line));
        return *this;
    }
    SmallVocabulary& set(const std::string& key, engine::MetadataValue value)
    {
        m_metadata.set(key, std::move(value));
        return *this;
    }

    engine::Metadata metadata() const
    {
        engine::Metadata metadata = m_metadata;
        metadata.insert("tokenizer.ggml.tokens", m_tokens);
        metadata.insert("tokenizer.ggml.token_type", m_types);
        metadata.insert("tokenizer.ggml.scores", m_scores);
        if (metadata.stringOr("tokenizer.ggml.model", "") == "gpt2")
            metadata.insert("tokenizer.ggml.merges", m_merges);
        return metadata;
    }
    /// Fails the test where it is refused.
    std::unique_ptr<const engine::Tokenizer> create() const
    {
        auto tokenizer = engine::Tokenizer::create(metadata());
        if (!tokenizer) ADD_FAILURE() << tokenizer.error().message;
        return tokenizer ? std::move(*tokenizer) : nullptr;
    }

private:
    engine::Metadata m_metadata;
    std::vector<std::string> m_tokens;
    std::vector<std::int64_t> m_types;
    std::vector<double> m_scores;
    std::vector<std::string> m_merges;
};

} // namespace test
