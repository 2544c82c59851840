#include "ui/transcript/text_surface.h"

#include "app/conversation/folded_text.h"
#include "ui/widgets/paint.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTextBoundaryFinder>

#include <algorithm>

namespace ui {

using Token = Theme::Token;

TextSurface::TextSurface(const TranscriptStyle& style, QWidget* parent)
    : QWidget(parent)
    , m_style(style)
{
    setFocusPolicy(Qt::ClickFocus);
    setMouseTracking(true);
    setCursor(Qt::IBeamCursor);
}

// --- selection -----------------------------------------------------------------------------------

QString TextSurface::textBetween(int index, int start, int end) const
{
    return sourceOf(index).sliced(start, end - start);
}

QString TextSurface::selectedText() const
{
    if (!hasSelection()) return {};
    const auto [start, end] = std::minmax(m_anchor, m_cursor);
    QString text;
    for (int i = start.fragment; i <= end.fragment && i < fragmentCount(); ++i) {
        const auto length = static_cast<int>(sourceOf(i).size());
        const int from = i == start.fragment ? std::min(start.offset, length) : 0;
        const int to = i == end.fragment ? std::min(end.offset, length) : length;
        text += textBetween(i, from, std::max(from, to));
        if (i != end.fragment) text += separatorAfter(i);
    }
    return text;
}

void TextSurface::select(TextPosition anchor, TextPosition cursor)
{
    if (anchor == m_anchor && cursor == m_cursor) return;
    const int first = std::min({m_anchor, m_cursor, anchor, cursor}).fragment;
    const int last = std::max({m_anchor, m_cursor, anchor, cursor}).fragment;
    m_anchor = anchor;
    m_cursor = cursor;
    updateFragments(first, last);
    Q_EMIT selectionChanged();
}

void TextSurface::clearSelection()
{
    select(m_cursor, m_cursor);
}

void TextSurface::selectAll()
{
    const int last = fragmentCount() - 1;
    if (last < 0) return;
    select({}, {.fragment = last, .offset = static_cast<int>(sourceOf(last).size())});
}

void TextSurface::selectWordAt(TextPosition position)
{
    if (position.fragment >= fragmentCount()) return;
    const QString& text = fragment(position.fragment).text();
    QTextBoundaryFinder finder(QTextBoundaryFinder::Word, text);
    finder.setPosition(
        std::min<qsizetype>(position.offset, std::max<qsizetype>(text.size() - 1, 0)));
    if (!finder.isAtBoundary()) finder.toPreviousBoundary();
    const auto start = static_cast<int>(finder.position());
    const auto end = static_cast<int>(std::max<qsizetype>(finder.toNextBoundary(), start));
    select({.fragment = position.fragment, .offset = start},
           {.fragment = position.fragment, .offset = end});
}

void TextSurface::extendBy(int step, bool byWord)
{
    TextPosition cursor = m_cursor;
    if (cursor.fragment >= fragmentCount()) return;
    const QString& text = fragment(cursor.fragment).text();
    QTextBoundaryFinder finder(byWord ? QTextBoundaryFinder::Word : QTextBoundaryFinder::Grapheme,
                               text);
    finder.setPosition(std::min<qsizetype>(cursor.offset, text.size()));
    const qsizetype next = step > 0 ? finder.toNextBoundary() : finder.toPreviousBoundary();
    if (next >= 0) {
        cursor.offset = static_cast<int>(next);
    } else if (step > 0 && cursor.fragment + 1 < fragmentCount()) {
        cursor = {.fragment = cursor.fragment + 1, .offset = 0};
    } else if (step < 0 && cursor.fragment > 0) {
        const int before = cursor.fragment - 1;
        cursor = {.fragment = before, .offset = static_cast<int>(fragment(before).text().size())};
    }
    select(m_anchor, cursor);
}

void TextSurface::copySelection() const
{
    if (hasSelection()) QApplication::clipboard()->setText(selectedText());
}

void TextSurface::textChangedFrom(int fragment)
{
    if (std::max(m_anchor, m_cursor).fragment < fragment || !hasSelection()) return;
    // What was selected may have other letters now: keep it only where the text merely grew.
    const int count = fragmentCount();
    const auto clamp = [&](TextPosition position) -> TextPosition {
        if (position.fragment >= count) return {.fragment = std::max(count - 1, 0), .offset = 0};
        const auto length = static_cast<int>(sourceOf(position.fragment).size());
        return {.fragment = position.fragment, .offset = std::min(position.offset, length)};
    };
    select(clamp(m_anchor), clamp(m_cursor));
}

// --- mouse and keys ------------------------------------------------------------------------------

TextPosition TextSurface::positionAt(QPointF point) const
{
    if (fragmentCount() == 0) return {};
    const int index = fragmentAt(point);
    return {.fragment = index, .offset = fragment(index).offsetAt(point - origin(index))};
}

QUrl TextSurface::linkAt(QPointF point) const
{
    if (fragmentCount() == 0) return {};
    const int index = fragmentAt(point);
    return fragment(index).linkAt(point - origin(index));
}

void TextSurface::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) {
        // The press that opens the menu leaves the selection alone.
        event->accept();
        return;
    }
    const TextPosition position = positionAt(event->position());
    const bool triple = static_cast<qint64>(event->timestamp()) - m_lastDoubleClick <
                            QApplication::doubleClickInterval() &&
                        m_lastDoubleClick > 0;
    m_selecting = true;
    m_pressed = event->position().toPoint();
    m_pressedLink = linkAt(event->position());
    if (triple && position.fragment < fragmentCount()) {
        const auto length = static_cast<int>(fragment(position.fragment).text().size());
        select({.fragment = position.fragment}, {.fragment = position.fragment, .offset = length});
        m_selecting = false;
    } else if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        select(m_anchor, position);
    } else {
        select(position, position);
    }
}

void TextSurface::mouseMoveEvent(QMouseEvent* event)
{
    if (m_selecting && event->buttons().testFlag(Qt::LeftButton)) {
        select(m_anchor, positionAt(event->position()));
        return;
    }
    const bool overLink = !linkAt(event->position()).isEmpty();
    setCursor(overLink ? Qt::PointingHandCursor : Qt::IBeamCursor);
}

void TextSurface::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) return;
    m_selecting = false;
    const bool moved = (event->position().toPoint() - m_pressed).manhattanLength() >=
                       QApplication::startDragDistance();
    if (!moved && !m_pressedLink.isEmpty() && linkAt(event->position()) == m_pressedLink)
        Q_EMIT linkClicked(m_pressedLink, event->globalPosition().toPoint());
    if (QClipboard* clipboard = QApplication::clipboard();
        hasSelection() && clipboard->supportsSelection())
        clipboard->setText(selectedText(), QClipboard::Selection);
    Q_EMIT selectionChanged();
}

void TextSurface::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) return;
    m_lastDoubleClick = static_cast<qint64>(event->timestamp());
    m_pressedLink.clear();
    selectWordAt(positionAt(event->position()));
}

void TextSurface::contextMenuEvent(QContextMenuEvent* event)
{
    Q_EMIT menuRequested(event->globalPos());
}

bool TextSurface::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool copies = key->matches(QKeySequence::Copy) && hasSelection();
        const bool ends = key->key() == Qt::Key_Escape && hasSelection();
        if (copies || ends || key->matches(QKeySequence::SelectAll)) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void TextSurface::keyPressEvent(QKeyEvent* event)
{
    struct Extension {
        QKeySequence::StandardKey key;
        int step;
        bool byWord;
    };
    static constexpr Extension kExtensions[] = {
        {QKeySequence::SelectNextChar, 1, false},
        {QKeySequence::SelectPreviousChar, -1, false},
        {QKeySequence::SelectNextWord, 1, true},
        {QKeySequence::SelectPreviousWord, -1, true},
    };
    for (const Extension& extension : kExtensions) {
        if (!event->matches(extension.key)) continue;
        extendBy(extension.step, extension.byWord);
        return;
    }
    if (event->matches(QKeySequence::Copy) && hasSelection())
        copySelection();
    else if (event->matches(QKeySequence::SelectAll))
        selectAll();
    else if (event->key() == Qt::Key_Escape && hasSelection())
        clearSelection();
    else
        QWidget::keyPressEvent(event);
}

// --- painting ------------------------------------------------------------------------------------

void TextSurface::updateFragments(int, int)
{
    update();
}

void TextSurface::setFindMarks(const FindMarks& marks)
{
    if (marks == m_marks) return;
    m_marks = marks;
    update();
}

QRectF TextSurface::placeOf(TextPosition position, int length) const
{
    if (position.fragment < 0 || position.fragment >= fragmentCount()) return {};
    const QList<QRectF> rects =
        fragment(position.fragment).rects(position.offset, position.offset + length);
    return rects.isEmpty() ? QRectF() : rects.first().translated(origin(position.fragment));
}

QList<QTextLayout::FormatRange> TextSurface::drawFindMarks(QPainter& painter, int index) const
{
    QList<QTextLayout::FormatRange> overlays;
    const LaidText& laid = fragment(index);
    const app::FoldedText text(laid.text(), m_marks.sensitivity);
    for (const app::TextRange& found :
         text.occurrencesOf(app::FoldedText(m_marks.text, m_marks.sensitivity))) {
        const auto start = static_cast<int>(found.start);
        const auto length = static_cast<int>(found.length);
        const bool current = m_marks.current == TextPosition{.fragment = index, .offset = start};
        for (QRectF rect : laid.rects(start, start + length)) {
            rect = rect.translated(origin(index)).adjusted(-1, 2, 1, -2);
            fillRounded(painter, rect, radius::kBar,
                        m_style.color(current ? Token::Warn : Token::WarnSoft));
            if (!current)
                painter.fillRect(QRectF(rect.left(), rect.bottom() - 1.5, rect.width(), 1.5),
                                 m_style.color(Token::Warn));
        }
        if (!current) continue;
        QTextCharFormat format;
        format.setForeground(m_style.color(Token::Surface));
        overlays.append({.start = start, .length = length, .format = format});
    }
    return overlays;
}

void TextSurface::drawFragment(QPainter& painter, int index, const QRectF& clip) const
{
    const LaidText& laid = fragment(index);
    const QPointF place = origin(index);
    laid.drawFills(painter, place);
    QList<QTextLayout::FormatRange> overlays;
    const auto [start, end] = std::minmax(m_anchor, m_cursor);
    if (hasSelection() && index >= start.fragment && index <= end.fragment) {
        const int from = index == start.fragment ? start.offset : 0;
        const int to = index == end.fragment ? end.offset : static_cast<int>(laid.text().size());
        for (const QRectF& rect : laid.rects(from, to))
            painter.fillRect(rect.translated(place), m_style.color(Token::TextSelection));
        QTextCharFormat format;
        format.setForeground(m_style.color(Token::Text));
        overlays.append({.start = from, .length = to - from, .format = format});
    }
    if (!m_marks.text.isEmpty()) overlays += drawFindMarks(painter, index);
    laid.draw(painter, place, clip, overlays);
}

void TextSurface::drawCaret(QPainter& painter, QPointF endPoint) const
{
    const QSizeF size(m_style.px(9), m_style.px(17));
    const QPointF corner(endPoint.x() + m_style.px(2),
                         endPoint.y() + m_style.px(3) - size.height());
    fillRounded(painter, QRectF(corner, size), radius::kBar, m_style.color(Token::Ember));
}

} // namespace ui
