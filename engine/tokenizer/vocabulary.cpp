#include "engine/tokenizer/vocabulary.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <format>
#include <limits>

namespace engine {

namespace {

constexpr std::string_view kTokensKey = "tokenizer.ggml.tokens";
constexpr std::string_view kScoresKey = "tokenizer.ggml.scores";
constexpr std::string_view kTypesKey = "tokenizer.ggml.token_type";

std::unexpected<Error> bad(std::string_view key, std::string_view what, std::uint64_t expected = 0,
                           std::uint64_t found = 0)
{
    return fail(ErrorCode::BadMetadata, std::format("{}: {}", key, what), std::string(key),
                expected, found);
}

/// tokenizer.ggml.token_type, as the format numbers it; anything else has no attribute at all.
std::uint8_t attributesOfType(std::int64_t type)
{
    constexpr TokenAttribute kByType[] = {TokenAttribute::Normal,  TokenAttribute::Unknown,
                                          TokenAttribute::Control, TokenAttribute::UserDefined,
                                          TokenAttribute::Unused,  TokenAttribute::Byte};
    if (type < 1 || type > 6) return 0;
    return static_cast<std::uint8_t>(kByType[type - 1]);
}

/// The byte of a text like "<0x0A>"; -1 for any other text.
int parseByteText(std::string_view text)
{
    if (text.size() != 6 || !text.starts_with("<0x") || !text.ends_with('>')) return -1;
    int value = -1;
    const char* const end = text.data() + 5;
    const auto parsed = std::from_chars(text.data() + 3, end, value, 16);
    return parsed.ec == std::errc() && parsed.ptr == end && value >= 0 ? value : -1;
}

/// Scores of one byte each are no scores: they come from files made to be read beyond their end.
bool looksLikeBytes(const Metadata& metadata)
{
    const MetadataValue* const value = metadata.find(kScoresKey);
    const auto* const integers = std::get_if<std::vector<std::int64_t>>(value);
    const auto small = [](std::int64_t x) { return x >= -128 && x <= 127; };
    return std::holds_alternative<std::vector<std::uint64_t>>(*value) ||
           std::holds_alternative<std::vector<bool>>(*value) ||
           (integers && std::ranges::all_of(*integers, small));
}

} // namespace

Result<Vocabulary> Vocabulary::read(const Metadata& metadata)
{
    Vocabulary vocabulary;
    TRY(vocabulary.readTexts(metadata));
    TRY(vocabulary.readScores(metadata));
    TRY(vocabulary.readTypes(metadata));
    return vocabulary;
}

TokenTrie Vocabulary::makeTrie() const
{
    std::vector<TokenTrie::Entry> entries;
    entries.reserve(m_attributes.size());
    for (TokenId id = 0; id < size(); ++id)
        entries.push_back({text(id), id});
    return TokenTrie(std::move(entries));
}

Result<void> Vocabulary::readTexts(const Metadata& metadata)
{
    const MetadataValue* const value = metadata.find(kTokensKey);
    if (!value)
        return fail(ErrorCode::MissingMetadata, std::format("{}: the key is absent", kTokensKey),
                    std::string(kTokensKey));
    const auto* const tokens = std::get_if<std::vector<std::string>>(value);
    if (!tokens) return bad(kTokensKey, "expected strings, found another type");
    if (tokens->empty() || tokens->size() > kMaxTokens)
        return bad(kTokensKey,
                   std::format("expected 1 to {} tokens, found {}", kMaxTokens, tokens->size()),
                   kMaxTokens, tokens->size());
    std::size_t total = 0;
    for (const std::string& token : *tokens) {
        total += token.size() + (token.empty() ? 20 : 0);
        if (token.size() > kMaxTokenBytes)
            return bad(kTokensKey,
                       std::format("expected tokens of at most {} bytes, found one of {}",
                                   kMaxTokenBytes, token.size()),
                       kMaxTokenBytes, token.size());
    }
    if (total > kMaxTextBytes)
        return bad(kTokensKey,
                   std::format("expected at most {} bytes of text, found {}", kMaxTextBytes, total),
                   kMaxTextBytes, total);
    m_texts.reserve(total);
    m_ends.reserve(tokens->size() + 1);
    for (const std::string& token : *tokens) {
        m_texts += token.empty() ? std::format("[EMPTY_{}]", m_ends.size() - 1) : token;
        m_ends.push_back(static_cast<std::uint32_t>(m_texts.size()));
    }
    return {};
}

Result<void> Vocabulary::readScores(const Metadata& metadata)
{
    const std::size_t count = m_ends.size() - 1;
    m_scores.assign(count, 0.0f);
    if (!metadata.contains(kScoresKey)) return {};
    if (looksLikeBytes(metadata)) return bad(kScoresKey, "expected floats, found another type");
    const auto scores = metadata.numbers(kScoresKey);
    if (!scores) return bad(kScoresKey, "expected floats, found another type");
    if (scores->size() < count)
        return bad(kScoresKey, std::format("expected {} scores, found {}", count, scores->size()),
                   count, scores->size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto score = static_cast<float>((*scores)[i]);
        m_scores[i] = std::isfinite(score) ? score : std::numeric_limits<float>::lowest();
    }
    return {};
}

Result<void> Vocabulary::readTypes(const Metadata& metadata)
{
    const std::size_t count = m_ends.size() - 1;
    m_attributes.assign(count, bit(TokenAttribute::Normal));
    if (!metadata.contains(kTypesKey)) return {};
    const MetadataValue& value = *metadata.find(kTypesKey);
    const auto types = metadata.integers(kTypesKey);
    if (!types || std::holds_alternative<std::vector<double>>(value) ||
        std::holds_alternative<std::vector<bool>>(value))
        return bad(kTypesKey, "expected integers, found another type");
    if (types->size() < count)
        return bad(kTypesKey, std::format("expected {} types, found {}", count, types->size()),
                   count, types->size());
    for (std::size_t i = 0; i < count; ++i) {
        m_attributes[i] = attributesOfType((*types)[i]);
        const auto id = static_cast<TokenId>(i);
        if (is(id, TokenAttribute::Byte) && byteOf(id) < 0)
            return bad(kTokensKey,
                       std::format("token {} should stand for a byte like <0x0A>, found \"{}\"", id,
                                   text(id).substr(0, 40)));
    }
    return {};
}

std::vector<TokenId> Vocabulary::withAny(std::initializer_list<TokenAttribute> attributes) const
{
    std::uint8_t mask = 0;
    for (const TokenAttribute attribute : attributes)
        mask |= bit(attribute);
    std::vector<TokenId> ids;
    for (TokenId id = 0; id < size(); ++id)
        if ((m_attributes[static_cast<std::size_t>(id)] & mask) != 0) ids.push_back(id);
    return ids;
}

int Vocabulary::byteOf(TokenId id) const
{
    return is(id, TokenAttribute::Byte) ? parseByteText(text(id)) : -1;
}

} // namespace engine
