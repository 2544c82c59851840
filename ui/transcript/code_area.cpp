#include "ui/transcript/code_area.h"

#include <QElapsedTimer>
#include <QFontMetricsF>
#include <QPaintEvent>

#include <algorithm>

namespace ui {

namespace {

using Token = Theme::Token;

/// Rows are cut here: shaping is done for a row at a time.
constexpr qsizetype kMaxRow = 2000;
/// Rows kept laid out; more than any screen shows.
constexpr size_t kMaxLaid = 600;
/// Of the UI thread, at a time.
constexpr qint64 kSliceMs = 4;

/// At most so many letters wide; exact for plain code.
int lettersWide(QStringView row)
{
    int letters = 0;
    for (const QChar c : row)
        letters += c == u'\t' ? 4 : c.unicode() >= 0x1100 ? 2 : 1;
    return letters;
}

/// How much of a line fits into its first row.
qsizetype rowLength(QStringView line)
{
    const qsizetype length = std::min(line.size(), kMaxRow);
    return length < line.size() && line[length - 1].isHighSurrogate() ? length - 1 : length;
}

Token colorToken(CodeToken token)
{
    switch (token) {
    case CodeToken::Keyword:
        return Token::SynKeyword;
    case CodeToken::String:
        return Token::SynString;
    case CodeToken::Number:
        return Token::SynNumber;
    case CodeToken::Comment:
        return Token::SynComment;
    case CodeToken::Function:
        return Token::SynFunc;
    case CodeToken::Type:
        return Token::SynType;
    case CodeToken::None:
        break;
    }
    return Token::Text;
}

} // namespace

QList<QStringView> rowsOfCode(QStringView text)
{
    QList<QStringView> rows;
    for (QStringView line : text.split(u'\n')) {
        do {
            const qsizetype length = rowLength(line);
            rows.append(line.first(length));
            line = line.sliced(length);
        } while (!line.isEmpty());
    }
    return rows;
}

CodeArea::CodeArea(const TranscriptStyle& style, QWidget* parent)
    : WideSurface(style, parent)
{
    m_more.setSingleShot(true);
    m_more.setInterval(0);
    connect(&m_more, &QTimer::timeout, this, qOverload<>(&QWidget::update));
}

void CodeArea::setHighlighter(std::unique_ptr<CodeHighlighter> highlighter)
{
    m_highlighter = std::move(highlighter);
    m_highlights.clear();
    forgetLaid(0);
    update();
}

void CodeArea::setText(const QString& text, bool open)
{
    const bool grew = !m_rows.empty() && text.startsWith(m_text);
    const int kept = grew ? static_cast<int>(m_firstRow.size()) - 1 : 0;
    qsizetype from = 0;
    size_t keptRows = 0;
    if (grew) {
        keptRows = static_cast<size_t>(m_firstRow.back());
        from = m_rows[keptRows].start;
    }
    m_open = open;
    m_text = text;
    m_rows.resize(keptRows);
    m_firstRow.resize(static_cast<size_t>(kept));
    if (!grew) m_widest = 0;
    addRows(from, kept);
    forgetLaid(static_cast<int>(keptRows));
    if (highlightedLines() > kept) {
        m_highlights.clear();
        if (m_highlighter) m_highlighter->reset();
        forgetLaid(0);
    }
    textChangedFrom(static_cast<int>(keptRows));
    updateScrollBar();
    updateFragments(static_cast<int>(keptRows), fragmentCount() - 1);
}

void CodeArea::addRows(qsizetype from, int line)
{
    for (bool more = true; more; ++line) {
        const qsizetype newline = m_text.indexOf(u'\n', from);
        const qsizetype end = newline < 0 ? m_text.size() : newline;
        m_firstRow.push_back(static_cast<int>(m_rows.size()));
        do {
            const qsizetype length = rowLength(QStringView(m_text).sliced(from, end - from));
            const bool goesOn = from + length < end;
            m_rows.push_back({.start = from, .length = length, .line = line, .goesOn = goesOn});
            m_widest = std::max(m_widest, lettersWide(QStringView(m_text).sliced(from, length)));
            from += length;
        } while (from < end);
        more = newline >= 0;
        from = end + 1;
    }
}

QString CodeArea::lineText(int line) const
{
    const Row& first = m_rows[static_cast<size_t>(m_firstRow[static_cast<size_t>(line)])];
    const bool isLast = static_cast<size_t>(line) + 1 == m_firstRow.size();
    const qsizetype end =
        isLast ? m_text.size()
               : m_rows[static_cast<size_t>(m_firstRow[static_cast<size_t>(line) + 1])].start - 1;
    return m_text.sliced(first.start, end - first.start);
}

/// Goes on highlighting for a slice of time; what is left follows soon.
void CodeArea::highlightUpTo(int line)
{
    if (!m_highlighter) return;
    const int ended = static_cast<int>(m_firstRow.size()) - (m_open ? 1 : 0);
    const int wanted = std::min(line + 1, ended);
    QElapsedTimer clock;
    clock.start();
    while (highlightedLines() < wanted) {
        if (clock.elapsed() >= kSliceMs) {
            m_more.start();
            return;
        }
        const int next = highlightedLines();
        const QString text = lineText(next);
        m_highlights.push_back(text.size() <= kMaxRow ? m_highlighter->next(text)
                                                      : QList<CodeSpan>());
        m_laid.erase(m_firstRow[static_cast<size_t>(next)]);
    }
}

QList<ColoredSpan> CodeArea::colorsOf(const Row& row) const
{
    QList<ColoredSpan> colors;
    if (static_cast<size_t>(row.line) >= m_highlights.size()) return colors;
    for (const CodeSpan& span : m_highlights[static_cast<size_t>(row.line)])
        colors.append({.start = span.start,
                       .length = span.length,
                       .color = style().color(colorToken(span.token))});
    return colors;
}

void CodeArea::forgetLaid(int fromRow)
{
    std::erase_if(m_laid, [fromRow](const auto& entry) { return entry.first >= fromRow; });
}

const LaidText& CodeArea::fragment(int index) const
{
    auto& laid = m_laid[index];
    if (!laid) {
        const Row& row = m_rows[static_cast<size_t>(index)];
        laid = std::make_unique<LaidText>(m_text.sliced(row.start, row.length),
                                          style().look(TextRole::Code), colorsOf(row));
        laid->layOut(0);
    }
    return *laid;
}

QPointF CodeArea::origin(int index) const
{
    return {style().px(14) - scrolled(),
            style().px(10) + index * style().look(TextRole::Code).lineHeight};
}

int CodeArea::fragmentAt(QPointF point) const
{
    const double row = (point.y() - style().px(10)) / style().look(TextRole::Code).lineHeight;
    return std::clamp(static_cast<int>(std::floor(row)), 0, std::max(fragmentCount() - 1, 0));
}

QString CodeArea::separatorAfter(int index) const
{
    return m_rows[static_cast<size_t>(index)].goesOn ? QString() : QStringLiteral("\n");
}

QString CodeArea::sourceOf(int index) const
{
    const Row& row = m_rows[static_cast<size_t>(index)];
    return m_text.sliced(row.start, row.length);
}

double CodeArea::contentWidth() const
{
    const double letter = QFontMetricsF(style().look(TextRole::Code).font).horizontalAdvance(u'0');
    return m_widest * letter + 2.0 * style().px(14);
}

int CodeArea::heightOfText() const
{
    return 2 * style().px(10) +
           static_cast<int>(fragmentCount() * style().look(TextRole::Code).lineHeight);
}

void CodeArea::setCaret(bool shown)
{
    if (shown == m_caret) return;
    m_caret = shown;
    update();
}

void CodeArea::updateFragments(int first, int last)
{
    const double line = style().look(TextRole::Code).lineHeight;
    const double top = origin(first).y();
    update(
        QRect(0, static_cast<int>(top), width(), static_cast<int>((last - first + 1) * line) + 1));
}

void CodeArea::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF clip = event->rect();
    const int first = fragmentAt(clip.topLeft());
    const int last = fragmentAt(clip.bottomLeft());
    if (m_laid.size() > kMaxLaid) m_laid.clear();
    if (!m_rows.empty()) highlightUpTo(m_rows[static_cast<size_t>(last)].line);
    for (int i = first; i <= last && i < fragmentCount(); ++i)
        drawFragment(painter, i, clip);
    if (m_caret && !m_rows.empty()) {
        const int end = fragmentCount() - 1;
        drawCaret(painter, origin(end) + fragment(end).endPoint());
    }
}

} // namespace ui
