#include "engine/tokenizer/wordpiece.h"

#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <utility>

namespace engine {

namespace {

constexpr std::string_view kWordStart = "\xE2\x96\x81"; // U+2581

using unicode::Category;

/// The blocks whose characters are words of their own (BERT's basic tokenizer, with the bound its
/// common implementation has for extension E).
bool isIdeograph(char32_t c)
{
    constexpr std::pair<char32_t, char32_t> kRanges[] = {
        {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},   {0x20000, 0x2A6DF},
        {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F},
    };
    return std::ranges::any_of(kRanges,
                               [c](auto range) { return c >= range.first && c <= range.second; });
}

bool isWordOfItsOwn(char32_t c, Category category)
{
    return category == Category::Punctuation || (category == Category::Symbol && c < 0x7F) ||
           isIdeograph(c);
}

bool isDropped(char32_t c, Category category, bool stripAccents)
{
    return c == 0 || c == unicode::kReplacement || category == Category::Control ||
           (stripAccents && category == Category::Mark);
}

} // namespace

WordPieceEncoder::WordPieceEncoder(const Vocabulary& vocabulary, const TokenizerSettings& settings)
    : m_trie(vocabulary.makeTrie())
    , m_unknown(settings.unknown)
    , m_lowercase(settings.lowercase)
    , m_stripAccents(settings.stripAccents)
{
}

void WordPieceEncoder::encode(std::string_view text, bool, std::vector<TokenId>& out) const
{
    std::string word(kWordStart);
    const auto endWord = [&] {
        if (word.size() > kWordStart.size()) encodeWord(word, out);
        word = kWordStart;
    };
    for (std::size_t i = 0; i < text.size();) {
        const unicode::Decoded decoded = unicode::decode(text, i);
        i += decoded.bytes;
        const char32_t c = m_stripAccents ? unicode::baseCharacter(decoded.value) : decoded.value;
        const Category category = unicode::category(c);
        if (unicode::isWhitespace(c)) {
            endWord();
            continue;
        }
        if (isDropped(c, category, m_stripAccents)) continue;
        const bool alone = isWordOfItsOwn(c, category);
        if (alone) endWord();
        unicode::append(word, m_lowercase ? unicode::toLower(c) : c);
        if (alone) endWord();
    }
    endWord();
}

void WordPieceEncoder::encodeWord(std::string_view word, std::vector<TokenId>& out) const
{
    const std::size_t before = out.size();
    while (!word.empty()) {
        const TokenTrie::Match match = m_trie.longestPrefix(word);
        if (match.id == kNoToken) {
            out.resize(before);
            if (m_unknown != kNoToken) out.push_back(m_unknown);
            return;
        }
        out.push_back(match.id);
        word.remove_prefix(match.bytes);
    }
}

} // namespace engine
