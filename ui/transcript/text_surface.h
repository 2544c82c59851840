#pragma once

#include "ui/transcript/laid_text.h"

#include <QPoint>
#include <QWidget>

#include <compare>

namespace ui {

/// A place in a surface's text.
struct TextPosition {
    int fragment = 0;
    int offset = 0;
    auto operator<=>(const TextPosition&) const = default;
};

/// What is searched for. `current` marks one occurrence apart from the others.
struct FindMarks {
    QString text;
    Qt::CaseSensitivity sensitivity = Qt::CaseInsensitive;
    TextPosition current{.fragment = -1};

    bool operator==(const FindMarks&) const = default;
};

/// Read-only text in pieces (paragraphs, cells, lines of code), with selection, links and marks of
/// a search. What it consists of is the subclass's business. Grows as high as its text and never
/// scrolls upright.
class TextSurface : public QWidget {
    Q_OBJECT
public:
    explicit TextSurface(const TranscriptStyle& style, QWidget* parent = nullptr);

    bool hasSelection() const { return m_anchor != m_cursor; }
    bool isSelecting() const { return m_selecting; }
    QString selectedText() const;
    void clearSelection();
    void selectAll();

    void setFindMarks(const FindMarks& marks);
    /// Where a place is, for scrolling to it.
    QRectF placeOf(TextPosition position, int length) const;

Q_SIGNALS:
    /// A selection begins, grows or ends.
    void selectionChanged();
    /// The user clicked a link; nothing is opened yet.
    void linkClicked(const QUrl& url, const QPoint& globalPosition);
    void menuRequested(const QPoint& globalPosition);

protected:
    virtual int fragmentCount() const = 0;
    /// Laid out, whatever it was before.
    virtual const LaidText& fragment(int index) const = 0;
    virtual QPointF origin(int index) const = 0;
    /// The piece at a point or nearest to it.
    virtual int fragmentAt(QPointF point) const = 0;
    /// What stands between a piece and the next one when copied.
    virtual QString separatorAfter(int index) const = 0;
    /// The piece as it is copied, of the length it is shown with.
    virtual QString sourceOf(int index) const { return fragment(index).source(); }
    virtual void updateFragments(int first, int last);

    const TranscriptStyle& style() const { return m_style; }
    void drawFragment(QPainter& painter, int index, const QRectF& clip) const;
    void drawCaret(QPainter& painter, QPointF endPoint) const;
    /// The text changed from here on.
    void textChangedFrom(int fragment);

    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    TextPosition positionAt(QPointF point) const;
    QUrl linkAt(QPointF point) const;
    void select(TextPosition anchor, TextPosition cursor);
    void selectWordAt(TextPosition position);
    void extendBy(int step, bool byWord);
    void copySelection() const;
    QList<QTextLayout::FormatRange> drawFindMarks(QPainter& painter, int index) const;
    QString textBetween(int index, int start, int end) const;

    const TranscriptStyle& m_style;
    TextPosition m_anchor;
    TextPosition m_cursor;
    FindMarks m_marks;
    QUrl m_pressedLink;
    QPoint m_pressed;
    qint64 m_lastDoubleClick = 0;
    bool m_selecting = false;
};

} // namespace ui
