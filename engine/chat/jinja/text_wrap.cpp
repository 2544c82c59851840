#include "engine/chat/jinja/text_wrap.h"

#include "engine/chat/jinja/unicode.h"

#include <algorithm>
#include <deque>

namespace engine::jinja {

namespace {

/// textwrap breaks at the white space of ASCII alone.
bool isSpace(char32_t character)
{
    return (character >= 0x09 && character <= 0x0D) || character == U' ';
}

bool isWordOrQuote(char32_t character)
{
    return unicode::isWord(character) || character == U'!' || character == U'"' ||
           character == U'\'' || character == U'&' || character == U'.' || character == U',' ||
           character == U'?';
}

bool isLetter(char32_t character)
{
    return unicode::isWord(character) && !unicode::has(character, unicode::Property::Decimal);
}

std::u32string decodeAll(std::string_view text)
{
    std::u32string characters;
    for (std::size_t at = 0; at < text.size();) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        characters.push_back(decoded.character);
        at += decoded.bytes;
    }
    return characters;
}

using Chunk = std::u32string_view;

/// Cuts a line into the pieces that stay together: white space, words, parts of hyphenated words,
/// long dashes.
class Chunker {
public:
    Chunker(std::u32string_view text, bool onHyphens)
        : m_text(text)
        , m_onHyphens(onHyphens)
    {
    }

    std::deque<Chunk> run()
    {
        std::deque<Chunk> chunks;
        for (std::size_t at = 0; at < m_text.size();) {
            const std::size_t end = chunkEnd(at);
            chunks.push_back(m_text.substr(at, end - at));
            at = end;
        }
        return chunks;
    }

private:
    char32_t at(std::size_t index) const { return index < m_text.size() ? m_text[index] : 0; }
    bool isEnd(std::size_t index) const { return index >= m_text.size(); }

    std::size_t skipDashes(std::size_t index) const
    {
        while (at(index) == U'-')
            ++index;
        return index;
    }

    /// Two or more hyphens between words.
    bool isLongDash(std::size_t index) const
    {
        const std::size_t end = skipDashes(index);
        return end - index >= 2 && !isEnd(end) && unicode::isWord(at(end));
    }

    /// A hyphen between letters, behind which the word may be broken.
    bool breaksBehind(std::size_t index, std::size_t begin) const
    {
        const auto letter = [this](std::size_t i) { return !isEnd(i) && isLetter(at(i)); };
        const bool before =
            (index >= begin + 2 && letter(index - 1) && letter(index - 2)) ||
            (index >= begin + 3 && letter(index - 1) && at(index - 2) == U'-' && letter(index - 3));
        const bool after = letter(index + 1) &&
                           (letter(index + 2) || (at(index + 2) == U'-' && letter(index + 3)));
        return before && after;
    }

    std::size_t chunkEnd(std::size_t begin) const
    {
        std::size_t end = begin;
        if (isSpace(at(begin))) {
            while (!isEnd(end) && isSpace(at(end)))
                ++end;
            return end;
        }
        if (m_onHyphens && begin > 0 && isWordOrQuote(at(begin - 1)) && isLongDash(begin))
            return skipDashes(begin);
        for (end = begin + 1; !isEnd(end) && !isSpace(at(end)); ++end) {
            if (!m_onHyphens) continue;
            if (at(end) == U'-' && isWordOrQuote(at(end - 1)) && isLongDash(end)) return end;
            if (at(end) == U'-' && at(end + 1) != U'-' && breaksBehind(end, begin)) return end + 1;
        }
        return end;
    }

    std::u32string_view m_text;
    bool m_onHyphens;
};

std::string encode(const std::vector<Chunk>& chunks)
{
    std::string text;
    for (const Chunk chunk : chunks)
        for (const char32_t character : chunk)
            unicode::append(text, character);
    return text;
}

bool isBlank(Chunk chunk)
{
    return std::ranges::all_of(chunk, unicode::isSpace);
}

/// Takes from a word too long for any line what still fits on this one.
Chunk splitLongWord(Chunk& word, std::size_t room, bool onHyphens)
{
    std::size_t end = room;
    if (onHyphens && word.size() > room) {
        std::size_t hyphen = room; // the last one that fits, with something other before it
        while (hyphen > 0 && word[hyphen - 1] != U'-')
            --hyphen;
        bool other = false;
        for (std::size_t i = 0; i + 1 < hyphen; ++i)
            other |= word[i] != U'-';
        if (hyphen > 1 && other) end = hyphen;
    }
    const Chunk head = word.substr(0, end);
    word.remove_prefix(end);
    return head;
}

} // namespace

std::vector<std::string> wrapLine(std::string_view line, const WrapStyle& style)
{
    const std::u32string text = decodeAll(line);
    std::deque<Chunk> chunks = Chunker(text, style.breakOnHyphens).run();
    const auto width = static_cast<std::size_t>(style.width);
    std::vector<std::string> lines;
    while (!chunks.empty()) {
        std::vector<Chunk> current;
        std::size_t length = 0;
        if (isBlank(chunks.front()) && !lines.empty()) chunks.pop_front();
        while (!chunks.empty() && chunks.front().size() <= width - length) {
            length += chunks.front().size();
            current.push_back(chunks.front());
            chunks.pop_front();
        }
        if (!chunks.empty() && chunks.front().size() > width) {
            // Where no room is left this adds an empty piece, which textwrap drops in place of the
            // white space before it.
            if (style.breakLongWords) {
                current.push_back(
                    splitLongWord(chunks.front(), width - length, style.breakOnHyphens));
            } else if (current.empty()) {
                current.push_back(chunks.front());
                chunks.pop_front();
            }
        }
        if (!current.empty() && isBlank(current.back())) current.pop_back();
        if (!current.empty()) lines.push_back(encode(current));
    }
    return lines;
}

} // namespace engine::jinja
