#include "engine/huggingface/vocabulary_builder.h"

#include <algorithm>
#include <format>

namespace engine {

VocabularyBuilder::VocabularyBuilder(std::int64_t size)
    : m_texts(static_cast<std::size_t>(size))
    , m_types(static_cast<std::size_t>(size), static_cast<std::int64_t>(TokenType::Unused))
    , m_scores(static_cast<std::size_t>(size), -10000.0)
{
}

Result<void> VocabularyBuilder::set(std::int64_t id, std::string text, TokenType type, double score)
{
    if (id < 0 || id >= size())
        return fail(ErrorCode::BadMetadata,
                    std::format("token \"{}\": expected an id below {}, the rows of the embedding, "
                                "found {}",
                                text.substr(0, 80), size(), id),
                    "vocab_size", static_cast<std::uint64_t>(size()),
                    static_cast<std::uint64_t>(std::max<std::int64_t>(id, 0)));
    const auto index = static_cast<std::size_t>(id);
    m_ids.try_emplace(text, id);
    m_texts[index] = std::move(text);
    m_types[index] = static_cast<std::int64_t>(type);
    m_scores[index] = score;
    return {};
}

void VocabularyBuilder::setType(std::int64_t id, TokenType type)
{
    m_types[static_cast<std::size_t>(id)] = static_cast<std::int64_t>(type);
}

void VocabularyBuilder::setScore(std::int64_t id, double score)
{
    m_scores[static_cast<std::size_t>(id)] = score;
}

TokenType VocabularyBuilder::type(std::int64_t id) const
{
    return static_cast<TokenType>(m_types[static_cast<std::size_t>(id)]);
}

std::optional<std::int64_t> VocabularyBuilder::find(std::string_view text) const
{
    const auto found = m_ids.find(std::string(text));
    return found == m_ids.end() ? std::nullopt : std::optional(found->second);
}

void VocabularyBuilder::write(Metadata& metadata, bool withScores)
{
    for (std::size_t i = 0; i < m_texts.size(); ++i) {
        if (m_types[i] == static_cast<std::int64_t>(TokenType::Unused) && m_texts[i].empty())
            m_texts[i] = std::format("[PAD{}]", i);
    }
    metadata.set("tokenizer.ggml.tokens", m_texts);
    metadata.set("tokenizer.ggml.token_type", m_types);
    if (withScores) metadata.set("tokenizer.ggml.scores", m_scores);
}

} // namespace engine
