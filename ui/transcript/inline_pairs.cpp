// The second half of InlineParser: what pairs with what.
#include "ui/transcript/inline_parser.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {

namespace {

/// An address longer than this is shown cut (data: addresses hold whole pictures).
constexpr qsizetype kMaxShownAddress = 120;
/// Behind an open bracket this much is held back, hoping for its partner.
constexpr qsizetype kMaxHeldBack = 200;
constexpr qsizetype kMaxDestination = 2048;

QString pictureText(const QString& address)
{
    const QString shown = address.size() > kMaxShownAddress
                              ? address.first(kMaxShownAddress) + QChar(0x2026)
                              : address;
    return QCoreApplication::translate("Transcript", "Picture: %1").arg(displayableCode(shown));
}

bool skipSpace(QStringView text, qsizetype& position)
{
    while (position < text.size() && text[position].isSpace())
        ++position;
    return position < text.size();
}

/// Goes behind a title in quotes or brackets; false if it does not end.
bool skipTitle(QStringView text, qsizetype& position)
{
    const QChar opener = text[position];
    if (!QStringView(u"\"'(").contains(opener)) return true;
    const QChar closer = opener == u'(' ? QChar(u')') : opener;
    for (++position; position < text.size(); ++position) {
        if (text[position] == u'\\')
            ++position;
        else if (text[position] == closer)
            return ++position, true;
    }
    return false;
}

} // namespace

void InlineParser::readOpenBracket(bool image)
{
    m_brackets.push_back({.piece = m_pieces.size(),
                          .delimiters = m_delimiters.size(),
                          .source = m_position,
                          .image = image});
    addPiece(image ? QStringLiteral("![") : QStringLiteral("["));
    m_position += image ? 2 : 1;
}

void InlineParser::readCloseBracket()
{
    ++m_position;
    if (m_brackets.empty()) {
        addText(u"]");
        return;
    }
    const Bracket bracket = m_brackets.back();
    m_brackets.pop_back();
    if (bracket.active && m_options.open && m_position == m_source.size()) {
        dropFrom(bracket);
        return;
    }
    if (bracket.active && m_position < m_source.size() && m_source[m_position] == u'(') {
        qsizetype after = m_position + 1;
        const std::optional<QString> address = readDestination(after);
        if (address && bracket.image) {
            closePicture(bracket, *address, after);
            return;
        }
        if (const auto url = address ? openableUrl(*address) : std::nullopt) {
            closeLink(bracket, *url, after);
            return;
        }
        if (!address && after >= m_source.size() && m_options.open) {
            m_position = m_source.size();
            if (bracket.image)
                dropFrom(bracket);
            else
                linkFrom(bracket, QUrl()); // leads nowhere yet
            return;
        }
    }
    addText(u"]");
}

namespace {

/// Reads an address up to what ends it; `position` is there then, or at the end of the text.
QString addressAt(QStringView text, qsizetype& position, bool angles)
{
    QString address;
    int depth = 0;
    for (; position < text.size(); ++position) {
        const QChar c = text[position];
        if (c == u'\\' && position + 1 < text.size() && text[position + 1].isPunct()) {
            address += text[++position];
            continue;
        }
        if (angles ? c == u'>' || c == u'\n' : c.isSpace()) break;
        if (!angles && c == u'(') ++depth;
        if (!angles && c == u')' && depth-- == 0) break;
        if (c == u' ')
            address += QLatin1String("%20");
        else
            address += c;
    }
    return address;
}

} // namespace

/// Reads `address "title")`; `position` ends behind it, or at the end of the source if that comes
/// first. Nothing if it is not of this form.
std::optional<QString> InlineParser::readDestination(qsizetype& position) const
{
    const QStringView text = m_source.first(std::min(m_source.size(), position + kMaxDestination));
    if (!skipSpace(text, position)) return {};
    const bool angles = text[position] == u'<';
    if (angles) ++position;
    QString address = addressAt(text, position, angles);
    if (position >= text.size()) return {};
    if (angles) {
        if (text[position] != u'>') return {};
        ++position;
    }
    if (!skipSpace(text, position) || !skipTitle(text, position) || !skipSpace(text, position)) {
        position = std::max(position, text.size());
        return {};
    }
    if (text[position] != u')') return {};
    ++position;
    return address.replace(QLatin1String("&amp;"), QLatin1String("&"));
}

void InlineParser::closeLink(const Bracket& bracket, const QUrl& url, qsizetype after)
{
    const auto label = m_pieces.begin() + static_cast<std::ptrdiff_t>(bracket.piece) + 1;
    const bool empty = std::all_of(
        label, m_pieces.end(), [](const Piece& piece) { return piece.text.trimmed().isEmpty(); });
    if (empty) addPiece(url.toString());
    linkFrom(bracket, url);
    for (Bracket& outer : m_brackets)
        outer.active = outer.active && outer.image;
    m_position = after;
}

void InlineParser::closePicture(const Bracket& bracket, const QString& address, qsizetype after)
{
    dropFrom(bracket);
    addPiece(pictureText(address));
    if (const auto url = openableUrl(address)) m_pieces.back().link = linkOf(*url);
    m_position = after;
}

void InlineParser::dropFrom(const Bracket& bracket)
{
    m_pieces.resize(bracket.piece);
    m_delimiters.resize(bracket.delimiters);
    std::erase_if(m_ranges,
                  [&bracket](const StyledRange& range) { return range.end > bracket.piece; });
    std::erase_if(m_brackets,
                  [&bracket](const Bracket& other) { return other.piece >= bracket.piece; });
    m_lastIsText = false;
}

void InlineParser::holdBackBracket()
{
    const auto open = std::ranges::find_if(m_brackets, [this](const Bracket& bracket) {
        return bracket.active && m_source.size() - bracket.source <= kMaxHeldBack;
    });
    if (open != m_brackets.end()) dropFrom(Bracket(*open));
}

void InlineParser::pairDelimiters(size_t bottom)
{
    for (size_t i = bottom; i < m_delimiters.size(); ++i) {
        while (m_delimiters[i].canClose && m_delimiters[i].length > 0 && pairCloser(i, bottom)) {
        }
    }
    for (size_t i = bottom; i < m_delimiters.size(); ++i) {
        const Delimiter& delimiter = m_delimiters[i];
        m_pieces[delimiter.piece].text = QString(delimiter.length, delimiter.character);
    }
}

/// Makes everything from the bracket on a link. What lies inside pairs with nothing outside.
void InlineParser::linkFrom(const Bracket& bracket, const QUrl& url)
{
    pairDelimiters(bracket.delimiters);
    m_delimiters.resize(bracket.delimiters);
    m_pieces[bracket.piece].text.clear();
    const int link = linkOf(url);
    for (size_t i = bracket.piece; i < m_pieces.size(); ++i)
        m_pieces[i].link = link;
    m_lastIsText = false;
}

/// Pairs a closing mark with the nearest opening one (CommonMark, rules 9 to 17).
bool InlineParser::pairCloser(size_t closer, size_t bottom)
{
    Delimiter& end = m_delimiters[closer];
    for (size_t i = closer; i-- > bottom;) {
        Delimiter& start = m_delimiters[i];
        if (start.removed || !start.canOpen || start.length == 0) continue;
        if (start.character != end.character) continue;
        const bool both = start.canClose || end.canOpen;
        if (both && (start.original + end.original) % 3 == 0 && end.original % 3 != 0) continue;
        const bool strike = end.character == u'~';
        const int used = strike || (start.length >= 2 && end.length >= 2) ? 2 : 1;
        start.length -= used;
        end.length -= used;
        m_ranges.push_back({.first = start.piece + 1,
                            .end = end.piece,
                            .style = strike      ? InlineStyle::Strike
                                     : used == 2 ? InlineStyle::Bold
                                                 : InlineStyle::Italic});
        for (size_t between = i + 1; between < closer; ++between)
            m_delimiters[between].removed = true;
        return true;
    }
    // Nothing opens it, and nothing will: later searches need not look at it.
    if (!end.canOpen) end.removed = true;
    return false;
}

void InlineParser::closeOpenDelimiters()
{
    for (Delimiter& delimiter : m_delimiters) {
        if (delimiter.removed || !delimiter.canOpen || delimiter.length == 0) continue;
        const auto style = [&](InlineStyle s) {
            m_ranges.push_back({.first = delimiter.piece + 1, .end = m_pieces.size(), .style = s});
        };
        if (delimiter.character == u'~') {
            style(InlineStyle::Strike);
        } else {
            if (delimiter.length >= 2) style(InlineStyle::Bold);
            if (delimiter.length % 2 == 1) style(InlineStyle::Italic);
        }
        m_pieces[delimiter.piece].text.clear();
    }
}

InlineText InlineParser::joined() const
{
    constexpr std::array kStyles{InlineStyle::Bold, InlineStyle::Italic, InlineStyle::Strike};
    std::vector<std::array<int, kStyles.size()>> steps(m_pieces.size() + 1);
    for (const StyledRange& range : m_ranges) {
        const auto style =
            static_cast<size_t>(std::ranges::find(kStyles, range.style) - kStyles.begin());
        ++steps[range.first][style];
        --steps[range.end][style];
    }
    InlineText result;
    result.links = m_links;
    QString source;
    std::array<int, kStyles.size()> depth{};
    for (size_t i = 0; i < m_pieces.size(); ++i) {
        InlineStyles styles = m_pieces[i].styles;
        for (size_t style = 0; style < kStyles.size(); ++style) {
            depth[style] += steps[i][style];
            styles.setFlag(kStyles[style], depth[style] > 0);
        }
        if (m_pieces[i].text.isEmpty()) continue;
        source += m_pieces[i].text;
        const bool code =
            bool(m_pieces[i].styles & (InlineStyles(InlineStyle::Code) | InlineStyle::Math));
        const QString text =
            code ? displayableCode(m_pieces[i].text) : displayable(m_pieces[i].text);
        const InlineSpan span{.start = result.text.size(),
                              .length = text.size(),
                              .styles = styles,
                              .link = m_pieces[i].link};
        result.text += text;
        if (!span.styles && span.link < 0) continue;
        const bool joins = !result.spans.isEmpty() && result.spans.last().styles == styles &&
                           result.spans.last().link == span.link &&
                           result.spans.last().start + result.spans.last().length == span.start;
        if (joins)
            result.spans.last().length += span.length;
        else
            result.spans.append(span);
    }
    if (source != result.text) result.source = source.replace(QChar::LineSeparator, u'\n');
    return result;
}

} // namespace ui
