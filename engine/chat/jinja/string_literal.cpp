#include "engine/chat/jinja/string_literal.h"

#include "engine/chat/jinja/unicode.h"

#include <array>
#include <cstdint>
#include <format>
#include <optional>

namespace engine::jinja {

namespace {

struct ShortEscape {
    char letter;
    char means;
};
constexpr std::array<ShortEscape, 10> kShortEscapes = {{{'n', '\n'},
                                                        {'t', '\t'},
                                                        {'r', '\r'},
                                                        {'\\', '\\'},
                                                        {'\'', '\''},
                                                        {'"', '"'},
                                                        {'a', '\a'},
                                                        {'b', '\b'},
                                                        {'f', '\f'},
                                                        {'v', '\v'}}};

std::optional<unsigned> digit(std::string_view text, std::size_t at, unsigned base)
{
    if (at >= text.size()) return std::nullopt;
    const char c = text[at];
    const char lower = static_cast<char>(c | 0x20);
    unsigned value = base;
    if (c >= '0' && c <= '9') value = static_cast<unsigned>(c - '0');
    if (lower >= 'a' && lower <= 'f') value = static_cast<unsigned>(lower - 'a') + 10;
    if (value >= base) return std::nullopt;
    return value;
}

std::size_t hexDigits(char letter)
{
    switch (letter) {
    case 'x':
        return 2;
    case 'u':
        return 4;
    case 'U':
        return 8;
    default:
        return 0;
    }
}

class Unescaper {
public:
    explicit Unescaper(std::string_view literal)
        : m_literal(literal)
    {
    }

    std::expected<std::string, std::string> run()
    {
        while (m_at < m_literal.size()) {
            if (m_literal[m_at] != '\\' || m_at + 1 == m_literal.size())
                m_out += m_literal[m_at++];
            else if (const std::string wrong = escape(); !wrong.empty())
                return std::unexpected(wrong);
        }
        return std::move(m_out);
    }

private:
    /// Takes the escape at m_at; what is wrong with it, or nothing.
    std::string escape()
    {
        const char letter = m_literal[m_at + 1];
        for (const ShortEscape& known : kShortEscapes) {
            if (known.letter != letter) continue;
            m_out += known.means;
            m_at += 2;
            return {};
        }
        if (letter == '\n') { // a line that goes on
            m_at += 2;
            return {};
        }
        if (digit(m_literal, m_at + 1, 8)) {
            octal();
            return {};
        }
        if (const std::size_t digits = hexDigits(letter); digits > 0) return hex(letter, digits);
        if (letter == 'N') return "character names are not supported";
        m_out += '\\';
        ++m_at;
        if (static_cast<unsigned char>(letter) >= 0x80) spelled();
        return {};
    }

    /// A character beyond ASCII behind a backslash becomes the digits of its escape: Jinja2 escapes
    /// such characters before it reads escapes.
    void spelled()
    {
        const unicode::Decoded decoded = unicode::decode(m_literal, m_at);
        const auto code = static_cast<std::uint32_t>(decoded.character);
        m_out += code < 0x100     ? std::format("x{:02x}", code)
                 : code < 0x10000 ? std::format("u{:04x}", code)
                                  : std::format("U{:08x}", code);
        m_at += decoded.bytes;
    }

    void octal()
    {
        std::uint32_t code = 0;
        std::size_t at = m_at + 1;
        for (; at < m_at + 4; ++at) {
            const auto value = digit(m_literal, at, 8);
            if (!value) break;
            code = code * 8 + *value;
        }
        unicode::append(m_out, static_cast<char32_t>(code));
        m_at = at;
    }

    std::optional<std::uint32_t> hexAt(std::size_t at, std::size_t digits) const
    {
        std::uint32_t code = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            const auto value = digit(m_literal, at + i, 16);
            if (!value) return std::nullopt;
            code = code * 16 + *value;
        }
        return code;
    }

    std::string hex(char letter, std::size_t digits)
    {
        const auto code = hexAt(m_at + 2, digits);
        if (!code || *code > 0x10FFFF)
            return std::format("(unicode error) bad \\{} escape in a string", letter);
        m_at += 2 + digits;
        unicode::append(m_out, static_cast<char32_t>(*code));
        return {};
    }

    std::string_view m_literal;
    std::size_t m_at = 0;
    std::string m_out;
};

} // namespace

std::expected<std::string, std::string> unescape(std::string_view literal)
{
    return Unescaper(literal).run();
}

} // namespace engine::jinja
