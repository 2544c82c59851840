#include "engine/tokenizer/wordpiece.h"

#include "engine/tokenizer/steps/words.h"
#include "engine/tokenizer/unicode.h"

namespace engine {

namespace {

constexpr std::string_view kWordStart = "\xE2\x96\x81"; // U+2581

using unicode::Category;

bool isWordOfItsOwn(char32_t c, Category category)
{
    return category == Category::Punctuation || (category == Category::Symbol && c < 0x7F) ||
           words::isIdeograph(c);
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

void WordPieceEncoder::encode(std::string_view text, TextPlace, std::vector<TokenId>& out) const
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
