#include "ui/transcript/inline_parser.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {

namespace {

constexpr QStringView kSchemes[] = {u"https://", u"http://", u"mailto:"};

bool isAsciiPunctuation(QChar c)
{
    return (c >= u'!' && c <= u'/') || (c >= u':' && c <= u'@') || (c >= u'[' && c <= u'`') ||
           (c >= u'{' && c <= u'~');
}

bool isPunctuation(QChar c)
{
    return c.isPunct() || c.isSymbol();
}

struct Entity {
    QStringView name;
    char16_t character;
};
constexpr Entity kEntities[] = {
    {u"amp", u'&'},      {u"lt", u'<'},       {u"gt", u'>'},       {u"quot", u'"'},
    {u"apos", u'\''},    {u"nbsp", 0x00A0},   {u"copy", 0x00A9},   {u"reg", 0x00AE},
    {u"deg", 0x00B0},    {u"plusmn", 0x00B1}, {u"middot", 0x00B7}, {u"times", 0x00D7},
    {u"divide", 0x00F7}, {u"ndash", 0x2013},  {u"mdash", 0x2014},  {u"lsquo", 0x2018},
    {u"rsquo", 0x2019},  {u"ldquo", 0x201C},  {u"rdquo", 0x201D},  {u"bull", 0x2022},
    {u"hellip", 0x2026}, {u"euro", 0x20AC},   {u"trade", 0x2122},  {u"larr", 0x2190},
    {u"uarr", 0x2191},   {u"rarr", 0x2192},   {u"darr", 0x2193},   {u"minus", 0x2212},
    {u"infin", 0x221E},  {u"asymp", 0x2248},  {u"ne", 0x2260},     {u"le", 0x2264},
    {u"ge", 0x2265},
};

/// The character `&name;` or `&#number;` stands for; empty if it is none.
QString entity(QStringView name)
{
    if (name.startsWith(u'#')) {
        const bool hex = name.size() > 1 && name[1].toLower() == u'x';
        bool valid = false;
        const uint code = name.sliced(hex ? 2 : 1).toUInt(&valid, hex ? 16 : 10);
        if (!valid) return {};
        const bool known =
            code > 0 && code <= QChar::LastValidCodePoint && !QChar::isSurrogate(code);
        const char32_t character = known ? code : char32_t{QChar::ReplacementCharacter};
        return QString::fromUcs4(&character, 1);
    }
    const auto* const found = std::ranges::find(kEntities, name, &Entity::name);
    return found == std::end(kEntities) ? QString() : QString(QChar(found->character));
}

qsizetype runAt(QStringView text, qsizetype position)
{
    qsizetype end = position;
    while (end < text.size() && text[end] == text[position])
        ++end;
    return end - position;
}

/// How much of a bare address belongs to it: no closing punctuation, no bracket it did not open.
qsizetype addressLength(QStringView text)
{
    qsizetype end = 0;
    while (end < text.size()) {
        const QChar c = text[end];
        const bool foreign = c.unicode() > 0x7F && !c.isLetterOrNumber();
        if (c.isSpace() || foreign || QStringView(u"<>\"`|\\").contains(c)) break;
        ++end;
    }
    while (end > 0) {
        const QChar c = text[end - 1];
        const QStringView before = text.first(end);
        const bool unopened = (c == u')' && before.count(u'(') < before.count(u')')) ||
                              (c == u']' && before.count(u'[') < before.count(u']'));
        if (!unopened && !QStringView(u"?!.,:;*_~'").contains(c)) break;
        --end;
    }
    return end;
}

} // namespace

InlineParser::InlineParser(QStringView source, InlineOptions options)
    : m_source(source)
    , m_options(options)
{
}

InlineText InlineParser::parse()
{
    if (m_options.open) holdBackEnd();
    for (qsizetype i = 0; i < m_source.size();) {
        const qsizetype run = m_source[i] == u'`' ? runAt(m_source, i) : 0;
        if (run > 0) m_backticks[run].append(i);
        i += std::max<qsizetype>(run, 1);
    }
    while (m_position < m_source.size())
        readNext();
    if (m_options.open) holdBackBracket();
    pairDelimiters(0);
    if (m_options.open) closeOpenDelimiters();
    return joined();
}

void InlineParser::readNext()
{
    const QChar c = m_source[m_position];
    if (readMark(c)) return;
    // Plain text up to the next character that could be a mark.
    qsizetype end = m_position + 1;
    while (end < m_source.size() && !QStringView(u"\\`*_~[]!<&\n$h").contains(m_source[end]))
        ++end;
    addText(m_source.sliced(m_position, end - m_position));
    m_position = end;
}

bool InlineParser::readMark(QChar c)
{
    switch (c.unicode()) {
    case u'\\':
        readBackslash();
        return true;
    case u'`':
        readBackticks();
        return true;
    case u'*':
    case u'_':
    case u'~':
        readDelimiters();
        return true;
    case u'[':
        readOpenBracket(false);
        return true;
    case u']':
        readCloseBracket();
        return true;
    case u'<':
        readAngle();
        return true;
    case u'&':
        readEntity();
        return true;
    case u'\n':
        readLineEnd();
        return true;
    case u'$':
        return readDollars();
    case u'h':
        return readAddress();
    case u'!':
        if (!ahead().startsWith(u"![")) return false;
        readOpenBracket(true);
        return true;
    default:
        return false;
    }
}

void InlineParser::readBackslash()
{
    if (ahead().startsWith(u"\\(") && readMath(u"\\)", 2)) return;
    if (ahead().startsWith(u"\\[") && readMath(u"\\]", 2)) return;
    const QChar next = m_position + 1 < m_source.size() ? m_source[m_position + 1] : QChar();
    if (next == u'\n') {
        addText(QString(QChar::LineSeparator));
        m_position += 2;
    } else if (isAsciiPunctuation(next)) {
        addText(m_source.sliced(m_position + 1, 1));
        m_position += 2;
    } else {
        addText(u"\\");
        ++m_position;
    }
}

void InlineParser::readBackticks()
{
    const qsizetype run = runAt(m_source, m_position);
    const QList<qsizetype>& places = m_backticks[run];
    const auto closer = std::ranges::upper_bound(places, m_position);
    if (closer == places.end()) {
        if (m_options.open) {
            readRest(InlineStyle::Code, m_position + run);
        } else {
            addText(m_source.sliced(m_position, run));
            m_position += run;
        }
        return;
    }
    QString code = m_source.sliced(m_position + run, *closer - m_position - run).toString();
    code.replace(u'\n', u' ');
    if (code.startsWith(u' ') && code.endsWith(u' ') && !code.trimmed().isEmpty())
        code = code.sliced(1).chopped(1);
    addPiece(code, InlineStyle::Code);
    m_position = *closer + run;
}

void InlineParser::readRest(InlineStyle style, qsizetype start)
{
    QString rest = m_source.sliced(start).toString();
    addPiece(rest.replace(u'\n', u' '), style);
    m_position = m_source.size();
}

bool InlineParser::readMath(QStringView closer, qsizetype opener)
{
    const qsizetype start = m_position + opener;
    const qsizetype end = m_source.indexOf(closer, start);
    if (end < 0) {
        if (!m_options.open) return false;
        readRest(InlineStyle::Math, start);
        return true;
    }
    QString source = m_source.sliced(start, end - start).trimmed().toString();
    addPiece(source.replace(u'\n', u' '), InlineStyle::Math);
    m_position = end + closer.size();
    return true;
}

/// Dollars are money unless they hug what is between them, as Pandoc reads them.
bool InlineParser::readDollars()
{
    if (ahead().startsWith(u"$$") && m_source.indexOf(u"$$", m_position + 2) > m_position + 2)
        return readMath(u"$$", 2);
    const qsizetype end = m_source.indexOf(u'$', m_position + 1);
    if (end <= m_position + 1) return false;
    const bool hugs = !m_source[m_position + 1].isSpace() && !m_source[end - 1].isSpace();
    const bool digitFollows = end + 1 < m_source.size() && m_source[end + 1].isDigit();
    if (!hugs || digitFollows) return false;
    return readMath(u"$", 1);
}

void InlineParser::readDelimiters()
{
    const QChar c = m_source[m_position];
    const qsizetype run = runAt(m_source, m_position);
    const QChar before = m_position > 0 ? m_source[m_position - 1] : QChar(u' ');
    const qsizetype end = m_position + run;
    const QChar after = end < m_source.size() ? m_source[end] : QChar(u' ');
    const QStringView marks = m_source.sliced(m_position, run);
    m_position = end;
    if (c == u'~' && run != 2) {
        addText(marks);
        return;
    }
    const bool left =
        !after.isSpace() && (!isPunctuation(after) || before.isSpace() || isPunctuation(before));
    const bool right =
        !before.isSpace() && (!isPunctuation(before) || after.isSpace() || isPunctuation(after));
    const bool inWord = c == u'_';
    addPiece(marks.toString());
    m_delimiters.push_back({.piece = m_pieces.size() - 1,
                            .character = c,
                            .length = static_cast<int>(run),
                            .original = static_cast<int>(run),
                            .canOpen = left && (!inWord || !right || isPunctuation(before)),
                            .canClose = right && (!inWord || !left || isPunctuation(after))});
}

void InlineParser::readAngle()
{
    const QStringView rest = ahead().sliced(1);
    const bool address = std::ranges::any_of(kSchemes, [rest](QStringView scheme) {
        return rest.startsWith(scheme, Qt::CaseInsensitive);
    });
    const qsizetype end =
        address ? std::ranges::find_if(
                      rest, [](QChar c) { return c.isSpace() || c == u'<' || c == u'>'; }) -
                      rest.begin()
                : 0;
    const bool closed = end < rest.size() && rest[end] == u'>';
    const bool growing = end == rest.size() && m_options.open;
    const auto url = address && (closed || growing) ? openableUrl(rest.first(end)) : std::nullopt;
    if (url) {
        addLink(rest.first(end).toString(), *url);
        m_position += 1 + end + (closed ? 1 : 0);
        return;
    }
    if (m_options.breakTags) {
        for (const QStringView tag : {u"<br>", u"<br/>", u"<br />"}) {
            if (!ahead().startsWith(tag, Qt::CaseInsensitive)) continue;
            addText(QString(QChar::LineSeparator));
            m_position += tag.size();
            return;
        }
    }
    addText(u"<");
    ++m_position;
}

void InlineParser::readEntity()
{
    constexpr qsizetype kLongest = 10;
    const QStringView name = ahead().sliced(1, std::min(kLongest, ahead().size() - 1));
    const qsizetype end = name.indexOf(u';');
    const QString character = end > 0 ? entity(name.first(end)) : QString();
    if (character.isEmpty()) {
        addText(u"&");
        ++m_position;
        return;
    }
    addText(character);
    m_position += end + 2;
}

void InlineParser::readLineEnd()
{
    ++m_position;
    qsizetype spaces = 0;
    if (m_lastIsText) {
        QString& text = m_pieces.back().text;
        while (spaces < text.size() && text[text.size() - 1 - spaces] == u' ')
            ++spaces;
        text.chop(spaces);
    }
    const bool hard = m_options.hardBreaks || spaces >= 2;
    addText(hard ? QString(QChar::LineSeparator) : QStringLiteral(" "));
}

bool InlineParser::readAddress()
{
    const QChar before = m_position > 0 ? m_source[m_position - 1] : QChar(u' ');
    if (before.isLetterOrNumber()) return false;
    if (!ahead().startsWith(u"https://") && !ahead().startsWith(u"http://")) return false;
    const QStringView address = ahead().first(addressLength(ahead()));
    const auto url = openableUrl(address);
    if (!url) return false;
    addLink(address.toString(), *url);
    m_position += address.size();
    return true;
}

// --- pieces --------------------------------------------------------------------------------------

void InlineParser::addText(QStringView text)
{
    if (!m_lastIsText) addPiece({});
    m_pieces.back().text += text;
    m_lastIsText = true;
}

void InlineParser::addPiece(const QString& text, InlineStyles styles)
{
    m_pieces.push_back({.text = text, .styles = styles});
    m_lastIsText = false;
}

void InlineParser::addLink(const QString& text, const QUrl& url)
{
    addPiece(text);
    m_pieces.back().link = linkOf(url);
}

int InlineParser::linkOf(const QUrl& url)
{
    m_links.append(url);
    return static_cast<int>(m_links.size()) - 1;
}

/// Holds back marks at the very end: they mean nothing before the next character.
void InlineParser::holdBackEnd()
{
    const auto last = [this](QStringView characters) {
        return !m_source.isEmpty() && characters.contains(m_source.back());
    };
    while (last(u"*_~`\\[$"))
        m_source.chop(1);
    const bool alone = m_source.size() < 2 || m_source[m_source.size() - 2].isSpace();
    if (last(u"!") && alone) m_source.chop(1); // of a picture

    constexpr qsizetype kLongest = 9;
    const QStringView end = m_source.last(std::min(kLongest, m_source.size()));
    const qsizetype start = m_source.size() - end.size();
    if (const qsizetype mark = end.lastIndexOf(u'&'); mark >= 0) {
        const QStringView name = end.sliced(mark + 1);
        const bool grows = std::ranges::all_of(
            name, [](QChar c) { return c == u'#' || (c.isLetterOrNumber() && c < QChar(0x80)); });
        if (grows) m_source.truncate(start + mark);
    } else if (const qsizetype angle = end.lastIndexOf(u'<'); angle >= 0) {
        const QStringView rest = end.sliced(angle + 1);
        const bool grows = std::ranges::any_of(kSchemes, [rest](QStringView scheme) {
            return scheme.startsWith(rest, Qt::CaseInsensitive);
        });
        if (grows) m_source.truncate(start + angle);
    }
}

} // namespace ui
