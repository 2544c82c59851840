#include "engine/chat/jinja/lexer.h"

#include "engine/chat/jinja/representation.h"
#include "engine/chat/jinja/string_literal.h"
#include "engine/chat/jinja/unicode.h"

#include <algorithm>
#include <array>
#include <format>

namespace engine::jinja {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool isDigit(char c, unsigned base)
{
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0') < base;
    const char lower = static_cast<char>(c | 0x20);
    return base == 16 && lower >= 'a' && lower <= 'f';
}

/// `_?[digit]` as often as it goes; where it ends.
std::size_t skipDigits(std::string_view text, std::size_t at, unsigned base)
{
    for (;;) {
        const std::size_t digit = at < text.size() && text[at] == '_' ? at + 1 : at;
        if (digit >= text.size() || !isDigit(text[digit], base)) return at;
        at = digit + 1;
    }
}

/// Digits that begin with one; `at` where there are none.
std::size_t skipNumber(std::string_view text, std::size_t at)
{
    if (at >= text.size() || !isDigit(text[at], 10)) return at;
    return skipDigits(text, at + 1, 10);
}

/// Where the float at `at` ends; `at` where none is there.
std::size_t skipFloat(std::string_view text, std::size_t at)
{
    if (at > 0 && text[at - 1] == '.') return at; // d.0.1 is two steps
    const std::size_t whole = skipNumber(text, at);
    if (whole == at) return at;
    std::size_t end = whole;
    if (end < text.size() && text[end] == '.') {
        const std::size_t fraction = skipNumber(text, end + 1);
        if (fraction > end + 1) end = fraction;
    }
    if (end < text.size() && (text[end] | 0x20) == 'e') {
        std::size_t digits = end + 1;
        if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
        const std::size_t exponent = skipNumber(text, digits);
        if (exponent > digits) return exponent;
    }
    return end > whole ? end : at;
}

/// Zeros, with single underscores between them, from one on.
std::size_t skipZeros(std::string_view text, std::size_t at)
{
    std::size_t end = at + 1;
    while (end < text.size()) {
        const std::size_t zero = text[end] == '_' ? end + 1 : end;
        if (zero >= text.size() || text[zero] != '0') break;
        end = zero + 1;
    }
    return end;
}

std::size_t skipInteger(std::string_view text, std::size_t at)
{
    if (at >= text.size() || !isDigit(text[at], 10)) return at;
    if (text[at] == '0') {
        const char kind = at + 1 < text.size() ? static_cast<char>(text[at + 1] | 0x20) : ' ';
        const unsigned base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 0;
        if (base > 0) {
            const std::size_t end = skipDigits(text, at + 2, base);
            if (end > at + 2) return end;
        }
        return skipZeros(text, at); // nothing else may follow a zero
    }
    return skipDigits(text, at + 1, 10);
}

std::size_t skipName(std::string_view text, std::size_t at)
{
    while (at < text.size()) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        if (!unicode::isWord(decoded.character)) break;
        at += decoded.bytes;
    }
    return at;
}

std::size_t skipSpace(std::string_view text, std::size_t at)
{
    if (at >= text.size()) return at;
    return text.size() - unicode::stripLeft(text.substr(at)).size();
}

class Lexer {
public:
    explicit Lexer(std::string_view source)
        : m_source(source)
    {
    }

    Outcome<std::vector<Token>> run();

private:
    enum class Sign : std::uint8_t { None, Minus, Plus };

    bool startsWith(std::size_t at, std::string_view text) const
    {
        return at <= m_source.size() && m_source.substr(at, text.size()) == text;
    }
    Sign signAt(std::size_t at) const
    {
        if (startsWith(at, "-")) return Sign::Minus;
        return startsWith(at, "+") ? Sign::Plus : Sign::None;
    }
    Position positionOf(std::size_t at);
    std::unexpected<Failure> fail(std::size_t at, std::string message);
    void add(TokenType type, std::size_t at, std::size_t end);

    void addData(std::size_t begin, std::size_t end, Sign sign, bool stripsLine);
    Outcome<void> comment(std::size_t tag);
    std::size_t rawBegin(std::size_t tag) const;
    Outcome<void> raw(std::size_t tag, std::size_t content);
    /// Past `close` with its sign and what it strips, if that is at m_at; else 0.
    std::size_t closing(std::size_t at, std::string_view close, bool isBlock) const;
    Outcome<void> tag(bool isBlock);
    Outcome<void> tagToken();
    Outcome<void> string();
    Outcome<void> operatorToken();

    std::string_view m_source;
    std::size_t m_at = 0;
    std::vector<Token> m_tokens;
    std::string m_open; // brackets that wait for their partner
    // Where positionOf was asked last; tokens come in order.
    std::size_t m_counted = 0;
    Position m_position{1, 1};
};

Position Lexer::positionOf(std::size_t at)
{
    while (m_counted < at) {
        const unicode::Decoded decoded = unicode::decode(m_source, m_counted);
        m_counted += decoded.bytes;
        ++m_position.column;
        if (decoded.character == U'\n') m_position = {m_position.line + 1, 1};
    }
    return m_position;
}

std::unexpected<Failure> Lexer::fail(std::size_t at, std::string message)
{
    return std::unexpected(Failure{FailureKind::Syntax, std::move(message), positionOf(at)});
}

void Lexer::add(TokenType type, std::size_t at, std::size_t end)
{
    m_tokens.push_back({type, positionOf(at), m_source.substr(at, end - at), {}});
}

void Lexer::addData(std::size_t begin, std::size_t end, Sign sign, bool stripsLine)
{
    std::string_view text = m_source.substr(begin, end - begin);
    if (sign == Sign::Minus) {
        text = unicode::stripRight(text);
    } else if (sign == Sign::None && stripsLine) {
        const std::size_t line = text.rfind('\n') + 1; // npos + 1 is 0
        const bool lineStarts = line > 0 || begin == 0 || m_source[begin - 1] == '\n';
        if (lineStarts && unicode::stripLeft(text.substr(line)).empty())
            text = text.substr(0, line);
    }
    if (!text.empty()) add(TokenType::Data, begin, begin + text.size());
}

Outcome<std::vector<Token>> Lexer::run()
{
    while (m_at < m_source.size()) {
        std::size_t open = m_at;
        do {
            open = m_source.find('{', open);
            if (open == kNone) break;
            if (startsWith(open, "{{") || startsWith(open, "{%") || startsWith(open, "{#")) break;
            ++open;
        } while (true);
        if (open == kNone) {
            add(TokenType::Data, m_at, m_source.size());
            break;
        }
        const char kind = m_source[open + 1];
        const Sign sign = signAt(open + 2);
        addData(m_at, open, sign, kind != '{');
        if (const std::size_t content = rawBegin(open); content > 0) {
            TRY(raw(open, content));
            continue;
        }
        m_at = open + (sign == Sign::None ? 2 : 3);
        if (kind == '#') {
            TRY(comment(open));
            continue;
        }
        add(kind == '%' ? TokenType::BlockBegin : TokenType::VariableBegin, open, m_at);
        TRY(tag(kind == '%'));
    }
    add(TokenType::End, m_source.size(), m_source.size());
    return std::move(m_tokens);
}

std::size_t Lexer::closing(std::size_t at, std::string_view close, bool isBlock) const
{
    const bool stripsNewline = isBlock;
    if (startsWith(at, close)) {
        const std::size_t end = at + close.size();
        return stripsNewline && startsWith(end, "\n") ? end + 1 : end;
    }
    if (!startsWith(at + 1, close)) return 0;
    const std::size_t end = at + 1 + close.size();
    switch (signAt(at)) {
    case Sign::Minus:
        return skipSpace(m_source, end);
    case Sign::Plus:
        return isBlock ? end : 0;
    case Sign::None:
        break;
    }
    return 0;
}

Outcome<void> Lexer::comment(std::size_t tag)
{
    if (m_at == m_source.size()) return {}; // as Jinja2, which looks no further
    const std::size_t close = m_source.find("#}", m_at);
    if (close == kNone) return fail(tag, "Missing end of comment tag");
    const bool hasSign = close > m_at && signAt(close - 1) != Sign::None;
    m_at = closing(hasSign ? close - 1 : close, "#}", true);
    return {};
}

/// Where the text of `{% raw %}` begins; 0 where the tag is another.
std::size_t Lexer::rawBegin(std::size_t tag) const
{
    if (!startsWith(tag, "{%")) return 0;
    std::size_t at = tag + (signAt(tag + 2) == Sign::None ? 2 : 3);
    at = skipSpace(m_source, at);
    if (!startsWith(at, "raw")) return 0;
    at = skipSpace(m_source, at + 3);
    if (startsWith(at, "-%}")) return skipSpace(m_source, at + 3);
    return startsWith(at, "%}") ? at + 2 : 0;
}

Outcome<void> Lexer::raw(std::size_t tag, std::size_t content)
{
    m_at = content;
    if (content == m_source.size()) return {};
    for (std::size_t open = content;; ++open) {
        open = m_source.find("{%", open);
        if (open == kNone) return fail(tag, "Missing end of raw directive");
        const Sign sign = signAt(open + 2);
        std::size_t at = skipSpace(m_source, open + (sign == Sign::None ? 2U : 3U));
        if (!startsWith(at, "endraw")) continue;
        at = skipSpace(m_source, at + 6);
        const std::size_t end = closing(at, "%}", true);
        if (end == 0) continue;
        addData(content, open, sign, true);
        m_at = end;
        return {};
    }
}

Outcome<void> Lexer::tag(bool isBlock)
{
    const std::string_view close = isBlock ? "%}" : "}}";
    for (;;) {
        m_at = skipSpace(m_source, m_at);
        if (m_at >= m_source.size()) return {};
        const std::size_t end = m_open.empty() ? closing(m_at, close, isBlock) : 0;
        if (end > 0) {
            add(isBlock ? TokenType::BlockEnd : TokenType::VariableEnd, m_at, end);
            m_at = end;
            return {};
        }
        TRY(tagToken());
    }
}

Outcome<void> Lexer::tagToken()
{
    const std::size_t begin = m_at;
    if (const std::size_t end = skipFloat(m_source, begin); end > begin) {
        add(TokenType::Float, begin, end);
        m_at = end;
    } else if (const std::size_t whole = skipInteger(m_source, begin); whole > begin) {
        add(TokenType::Integer, begin, whole);
        m_at = whole;
    } else if (const std::size_t name = skipName(m_source, begin); name > begin) {
        if (!unicode::isIdentifier(m_source.substr(begin, name - begin)))
            return fail(begin, "Invalid character in identifier");
        add(TokenType::Name, begin, name);
        m_at = name;
    } else if (m_source[begin] == '"' || m_source[begin] == '\'') {
        return string();
    } else {
        return operatorToken();
    }
    return {};
}

Outcome<void> Lexer::string()
{
    const std::size_t begin = m_at;
    const char quote = m_source[begin];
    std::size_t end = begin + 1;
    while (end < m_source.size() && m_source[end] != quote)
        end += m_source[end] == '\\' ? 2 : 1;
    if (end >= m_source.size())
        return fail(begin,
                    std::format("unexpected char {} at {}", pythonQuoted(m_source.substr(begin, 1)),
                                unicode::count(m_source.substr(0, begin))));
    auto value = unescape(m_source.substr(begin + 1, end - begin - 1));
    if (!value) return fail(begin, value.error());
    add(TokenType::String, begin, end + 1);
    m_tokens.back().value = std::move(*value);
    m_at = end + 1;
    return {};
}

Outcome<void> Lexer::operatorToken()
{
    static constexpr std::array<std::string_view, 26> kOperators = {
        "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
        "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};
    std::string_view found;
    for (const std::string_view sign : kOperators) {
        if (!startsWith(m_at, sign)) continue;
        found = sign;
        break;
    }
    if (found.empty()) {
        const std::size_t bytes = unicode::decode(m_source, m_at).bytes;
        return fail(m_at, std::format("unexpected char {} at {}",
                                      pythonQuoted(m_source.substr(m_at, bytes)),
                                      unicode::count(m_source.substr(0, m_at))));
    }
    static constexpr std::string_view kOpening = "([{";
    static constexpr std::string_view kClosing = ")]}";
    if (const std::size_t opens = kOpening.find(found.front()); opens != kNone)
        m_open += kClosing[opens];
    else if (kClosing.find(found.front()) != kNone) {
        if (m_open.empty()) return fail(m_at, std::format("unexpected '{}'", found));
        const char expected = m_open.back();
        m_open.pop_back();
        if (expected != found.front())
            return fail(m_at, std::format("unexpected '{}', expected '{}'", found, expected));
    }
    add(TokenType::Operator, m_at, m_at + found.size());
    m_at += found.size();
    return {};
}

} // namespace

std::string normalizeNewlines(std::string_view source)
{
    std::string out;
    out.reserve(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != '\r') {
            out += source[i];
            continue;
        }
        out += '\n';
        if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    }
    if (out.ends_with('\n')) out.pop_back();
    return out;
}

Outcome<std::vector<Token>> tokenize(std::string_view source)
{
    return Lexer(source).run();
}

} // namespace engine::jinja
