#include "ui/transcript/laid_text.h"

#include "ui/widgets/paint.h"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

constexpr double kNoWrap = 1e6;

bool mixesDirections(QStringView text)
{
    return std::ranges::any_of(text, [](QChar c) {
        return c.direction() == QChar::DirR || c.direction() == QChar::DirAL ||
               c.direction() == QChar::DirAN;
    });
}

/// Horizontal stretches a range of a line covers; several where directions mix.
QList<std::pair<double, double>> stretches(const QTextLine& line, int start, int end, bool mixed)
{
    if (!mixed) {
        const double from = line.cursorToX(start);
        const double to = line.cursorToX(end);
        return {{std::min(from, to), std::max(from, to)}};
    }
    QList<std::pair<double, double>> result;
    for (int i = start; i < end; ++i) {
        const double leading = line.cursorToX(i, QTextLine::Leading);
        const double trailing = line.cursorToX(i, QTextLine::Trailing);
        const std::pair place{std::min(leading, trailing), std::max(leading, trailing)};
        constexpr double kTouching = 0.5;
        const auto joined = std::ranges::find_if(result, [&place](const auto& other) {
            return place.first <= other.second + kTouching &&
                   place.second >= other.first - kTouching;
        });
        if (joined == result.end()) {
            result.append(place);
        } else {
            joined->first = std::min(joined->first, place.first);
            joined->second = std::max(joined->second, place.second);
        }
    }
    return result;
}

} // namespace

LaidText::LaidText(const InlineText& content, const TextLook& look, const TranscriptStyle& style)
    : m_text(content.text)
    , m_source(content.source)
    , m_spans(content.spans)
    , m_links(content.links)
{
    setUp(look);
    m_codeFill = style.color(Theme::Token::Fill);
    applySpans(look, style);
}

LaidText::LaidText(const QString& code, const TextLook& look, const QList<ColoredSpan>& colors)
    : m_text(displayableCode(code))
{
    setUp(look);
    QTextOption option(Qt::AlignLeft | Qt::AlignAbsolute);
    option.setWrapMode(QTextOption::NoWrap);
    option.setTextDirection(Qt::LeftToRight);
    option.setTabStopDistance(4 * QFontMetricsF(look.font).horizontalAdvance(u' '));
    m_rightToLeft = false;
    m_layout->setTextOption(option);
    QList<QTextLayout::FormatRange> formats;
    for (const ColoredSpan& span : colors) {
        QTextCharFormat format;
        format.setForeground(span.color);
        formats.append({.start = span.start, .length = span.length, .format = format});
    }
    m_layout->setFormats(formats);
}

void LaidText::setUp(const TextLook& look)
{
    m_color = look.color;
    m_lineHeight = look.lineHeight;
    m_baseline = look.baseline;
    m_layout = std::make_unique<QTextLayout>(m_text, look.font);
    m_layout->setCacheEnabled(true);
    m_rightToLeft = m_text.isRightToLeft();
    QTextOption option(m_rightToLeft ? Qt::AlignRight | Qt::AlignAbsolute
                                     : Qt::AlignLeft | Qt::AlignAbsolute);
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    option.setTextDirection(m_rightToLeft ? Qt::RightToLeft : Qt::LeftToRight);
    m_layout->setTextOption(option);
}

void LaidText::applySpans(const TextLook& look, const TranscriptStyle& style)
{
    QList<QTextLayout::FormatRange> formats;
    for (const InlineSpan& span : m_spans) {
        QTextCharFormat format;
        if (span.styles & (InlineStyles(InlineStyle::Code) | InlineStyle::Math))
            format.setFont(look.codeFont);
        if (span.styles.testFlag(InlineStyle::Bold)) format.setFontWeight(QFont::DemiBold);
        if (span.styles.testFlag(InlineStyle::Italic)) format.setFontItalic(true);
        if (span.styles.testFlag(InlineStyle::Strike)) format.setFontStrikeOut(true);
        if (span.link >= 0) {
            format.setForeground(style.color(Theme::Token::Accent));
            format.setFontUnderline(true);
        }
        formats.append({.start = static_cast<int>(span.start),
                        .length = static_cast<int>(span.length),
                        .format = format});
    }
    m_layout->setFormats(formats);
}

void LaidText::layOut(double width)
{
    const bool fits = !m_wraps && !m_rightToLeft && m_usedWidth <= width;
    if (m_width >= 0 && (width == m_width || fits)) {
        m_width = width;
        return;
    }
    m_width = width;
    m_lines.clear();
    m_height = 0;
    m_usedWidth = 0;
    const bool noWrap = m_layout->textOption().wrapMode() == QTextOption::NoWrap;
    m_layout->beginLayout();
    for (QTextLine line = m_layout->createLine(); line.isValid(); line = m_layout->createLine()) {
        line.setLineWidth(noWrap ? kNoWrap : std::max(width, 1.0));
        const double baseline = std::max(m_baseline, std::ceil(line.ascent()));
        const double below = std::max(m_lineHeight - m_baseline, std::ceil(line.descent()));
        line.setPosition({0, m_height + baseline - line.ascent()});
        m_lines.emplace_back(0, m_height, width, baseline + below);
        m_height += baseline + below;
        m_usedWidth = std::max(m_usedWidth, std::ceil(line.naturalTextWidth()));
    }
    m_layout->endLayout();
    m_wraps = m_lines.size() > 1;
}

// As the layout breaks it, which is left as it is.
double LaidText::wordWidth() const
{
    QTextLayout words(m_text, m_layout->font());
    QTextOption option = m_layout->textOption();
    option.setWrapMode(QTextOption::WordWrap);
    words.setTextOption(option);
    words.setFormats(m_layout->formats());
    double widest = 0;
    words.beginLayout();
    for (QTextLine line = words.createLine(); line.isValid(); line = words.createLine()) {
        line.setLineWidth(1);
        widest = std::max(widest, std::ceil(line.naturalTextWidth()));
    }
    words.endLayout();
    return widest;
}

double LaidText::firstBaseline() const
{
    const QTextLine line = m_layout->lineAt(0);
    return line.isValid() ? line.y() + line.ascent() : m_baseline;
}

QString LaidText::source() const
{
    return m_source.isEmpty() ? QString(m_text).replace(QChar::LineSeparator, u'\n') : m_source;
}

QList<QRectF> LaidText::rects(int start, int end) const
{
    QList<QRectF> result;
    const bool mixed = mixesDirections(m_text);
    for (int i = 0; i < m_layout->lineCount(); ++i) {
        const QTextLine line = m_layout->lineAt(i);
        const int lineEnd = line.textStart() + line.textLength();
        const int from = std::max(start, line.textStart());
        const int to = std::min(end, lineEnd);
        if (from >= to) continue;
        const QRectF& place = m_lines[static_cast<size_t>(i)];
        for (const auto& [left, right] : stretches(line, from, to, mixed))
            result.append({left, place.top(), right - left, place.height()});
    }
    return result;
}

int LaidText::offsetAt(QPointF point) const
{
    for (size_t i = 0; i < m_lines.size(); ++i) {
        const bool last = i + 1 == m_lines.size();
        if (point.y() < m_lines[i].bottom() || last)
            return m_layout->lineAt(static_cast<int>(i)).xToCursor(point.x());
    }
    return 0;
}

QUrl LaidText::linkAt(QPointF point) const
{
    for (const InlineSpan& span : m_spans) {
        if (span.link < 0) continue;
        const auto start = static_cast<int>(span.start);
        for (const QRectF& rect : rects(start, start + static_cast<int>(span.length)))
            if (rect.contains(point)) return m_links.at(span.link);
    }
    return {};
}

QPointF LaidText::endPoint() const
{
    const int count = m_layout->lineCount();
    if (count == 0) return {0, m_baseline};
    const QTextLine line = m_layout->lineAt(count - 1);
    const auto end = static_cast<int>(m_text.size());
    return {line.cursorToX(end), line.y() + line.ascent()};
}

void LaidText::drawFills(QPainter& painter, QPointF origin) const
{
    for (const InlineSpan& span : m_spans) {
        if (!span.styles.testFlag(InlineStyle::Code)) continue;
        const auto start = static_cast<int>(span.start);
        for (QRectF rect : rects(start, start + static_cast<int>(span.length))) {
            rect.adjust(-2, 2, 2, -2);
            fillRounded(painter, rect.translated(origin), radius::kTag, m_codeFill);
        }
    }
}

void LaidText::draw(QPainter& painter, QPointF origin, const QRectF& clip,
                    const QList<QTextLayout::FormatRange>& overlays) const
{
    painter.setPen(m_color);
    m_layout->draw(&painter, origin, overlays, clip);
}

} // namespace ui
