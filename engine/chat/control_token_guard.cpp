#include "engine/chat/control_token_guard.h"

#include "engine/chat/reasoning_splitter.h"
#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <vector>

namespace engine {

namespace {

// What an entry stands for, in place of a token.
constexpr TokenId kMark = 0;
constexpr TokenId kReasoningTag = 1;

// Values of tokenizer.ggml.token_type.
constexpr std::int64_t kUnknown = 2;
constexpr std::int64_t kControl = 3;
constexpr std::int64_t kUserDefined = 4;

constexpr std::string_view kLinearA = "\xF0\x90\x98"; // U+10600 to U+1063F, printable letters

/// User-defined tokens are words, runs of spaces and marks; only marks are told apart here.
bool isTemplateMark(std::string_view token, std::string_view templateText)
{
    return token.size() > 2 && (token.front() == '<' || token.front() == '[') &&
           templateText.find(token) != std::string_view::npos;
}

std::size_t characterBytes(std::string_view text, std::size_t at)
{
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
        ++end;
    return end - at;
}

} // namespace

ControlTokenGuard::ControlTokenGuard(const Metadata& metadata, const Tokenizer& tokenizer,
                                     std::string_view templateText)
{
    const auto types = metadata.integers("tokenizer.ggml.token_type");
    const auto typeOf = [&](TokenId id) -> std::int64_t {
        const auto i = static_cast<std::size_t>(id);
        return types && i < types->size() ? (*types)[i] : 0;
    };
    std::vector<std::string> texts;
    for (TokenId id = 0; id < tokenizer.size(); ++id) {
        const std::int64_t type = typeOf(id);
        const bool special = type == kControl || type == kUnknown || tokenizer.isControl(id) ||
                             tokenizer.isEndOfGeneration(id);
        if (!special && type != kUserDefined) continue;
        std::string text = tokenizer.piece(id, true);
        if (text.empty() || (!special && !isTemplateMark(text, templateText))) continue;
        if (m_firstBytes.find(text.front()) == std::string::npos) m_firstBytes += text.front();
        texts.push_back(std::move(text));
    }
    std::vector<TokenTrie::Entry> entries;
    entries.reserve(texts.size());
    for (const std::string& text : texts)
        entries.push_back({text, isReasoningTag(text) ? kReasoningTag : kMark});
    m_tokens = TokenTrie(std::move(entries));
}

std::string ControlTokenGuard::unusedMark(std::span<const std::string_view> texts)
{
    std::string mark;
    for (int letter = 0; letter < 64; ++letter) {
        mark = kLinearA;
        mark += static_cast<char>(0x80 + letter);
        const auto isUsed = [&](std::string_view text) {
            return text.find(mark) != std::string_view::npos;
        };
        if (std::ranges::none_of(texts, isUsed)) break;
    }
    return mark;
}

bool ControlTokenGuard::isTokenAt(std::string_view text, std::size_t at, bool byModel) const
{
    TokenTrie::Node node = TokenTrie::kRoot;
    for (; at < text.size(); ++at) {
        node = m_tokens.child(node, text[at]);
        if (node == TokenTrie::kNoNode) return false;
        const TokenId kind = m_tokens.token(node);
        if (kind == kMark || (kind == kReasoningTag && !byModel)) return true;
    }
    return false;
}

std::string ControlTokenGuard::marked(std::string_view text, std::string_view mark,
                                      bool byModel) const
{
    std::string out;
    std::size_t written = 0;
    for (std::size_t at = text.find_first_of(m_firstBytes); at != std::string_view::npos;
         at = text.find_first_of(m_firstBytes, at + 1)) {
        if (!isTokenAt(text, at, byModel)) continue;
        const std::size_t behind = at + characterBytes(text, at);
        out += text.substr(written, behind - written);
        out += mark;
        written = behind;
    }
    out += text.substr(written);
    return out;
}

RenderedChat ControlTokenGuard::unmarked(std::string_view text, std::string_view mark)
{
    RenderedChat chat;
    chat.text.reserve(text.size());
    for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark)) {
        chat.text += text.substr(0, at);
        text.remove_prefix(at + mark.size());
        if (chat.text.empty()) continue;
        std::size_t begin = chat.text.size() - 1;
        while (begin > 0 && (static_cast<unsigned char>(chat.text[begin]) & 0xC0U) == 0x80U)
            --begin;
        if (chat.literals.empty() || chat.literals.back() < begin) chat.literals.push_back(begin);
    }
    chat.text += text;
    return chat;
}

} // namespace engine
