#include "engine/tokenizer/rwkv.h"

#include <charconv>
#include <deque>

namespace engine {

namespace {

/// Two hexadecimal digits; -1 where they are none.
int hexByte(std::string_view digits)
{
    int value = -1;
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return digits.size() == 2 && parsed.ec == std::errc() && parsed.ptr == end ? value : -1;
}

char controlFor(char c)
{
    switch (c) {
    case 't':
        return '\t';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    default:
        return c;
    }
}

} // namespace

std::string unescapeRwkv(std::string_view stored)
{
    std::string out;
    for (std::size_t i = 0; i < stored.size(); ++i) {
        if (stored[i] != '\\' || i + 1 == stored.size()) {
            out.push_back(stored[i]);
            continue;
        }
        const char c = stored[++i];
        const int byte = c == 'x' ? hexByte(stored.substr(i + 1, 2)) : -1;
        out.push_back(byte < 0 ? controlFor(c) : static_cast<char>(byte));
        if (byte >= 0) i += 2;
    }
    return out;
}

RwkvEncoder::RwkvEncoder(const Vocabulary& vocabulary, const TokenizerSettings& settings)
    : m_unknown(settings.unknown)
{
    std::deque<std::string> texts; // keeps its elements where they are
    std::vector<TokenTrie::Entry> entries;
    entries.reserve(static_cast<std::size_t>(vocabulary.size()));
    for (TokenId id = 0; id < vocabulary.size(); ++id)
        entries.push_back({texts.emplace_back(unescapeRwkv(vocabulary.text(id))), id});
    m_trie = TokenTrie(std::move(entries));
}

void RwkvEncoder::encode(std::string_view text, TextPlace, std::vector<TokenId>& out) const
{
    while (!text.empty()) {
        const TokenTrie::Match match = m_trie.longestPrefix(text);
        const TokenId id = match.id != kNoToken ? match.id : m_unknown;
        if (id != kNoToken) out.push_back(id);
        text.remove_prefix(match.id != kNoToken ? match.bytes : 1);
    }
}

} // namespace engine
