#pragma once

#include "ui/transcript/inline_text.h"
#include "ui/transcript/transcript_style.h"

#include <QPainter>
#include <QTextLayout>

#include <memory>
#include <vector>

namespace ui {

/// Colours a stretch of text: highlighted code.
struct ColoredSpan {
    int start = 0;
    int length = 0;
    QColor color;
};

/// One piece of formatted text broken into lines of the design's height, whatever fonts a line
/// mixes. Coordinates are relative to its upper left corner. Its direction is that of its first
/// strong character.
class LaidText {
public:
    LaidText(const InlineText& content, const TextLook& look, const TranscriptStyle& style);
    /// A line of code: nothing in it is formatted but by `colors`.
    LaidText(const QString& code, const TextLook& look, const QList<ColoredSpan>& colors);

    /// Breaks it into lines; does nothing if they would be the same as before.
    void layOut(double width);

    const QString& text() const { return m_text; }
    /// As it is copied: of the same length, with newlines.
    QString source() const;
    double height() const { return m_height; }
    /// Of its widest line.
    double usedWidth() const { return m_usedWidth; }
    /// Of its widest word: in less, words are broken.
    double wordWidth() const;
    bool isRightToLeft() const { return m_rightToLeft; }
    double firstBaseline() const;

    /// Rectangles of a range, line by line, as high as the lines.
    QList<QRectF> rects(int start, int end) const;
    int offsetAt(QPointF point) const;
    /// The link below a point; nothing if there is none, or one that leads nowhere yet.
    QUrl linkAt(QPointF point) const;
    /// Where the next character would stand: its left end and the baseline.
    QPointF endPoint() const;

    /// The fills behind inline code; they lie below a selection.
    void drawFills(QPainter& painter, QPointF origin) const;
    void draw(QPainter& painter, QPointF origin, const QRectF& clip,
              const QList<QTextLayout::FormatRange>& overlays = {}) const;

private:
    void setUp(const TextLook& look);
    void applySpans(const TextLook& look, const TranscriptStyle& style);

    QString m_text;
    QString m_source; ///< empty: as the text
    QList<InlineSpan> m_spans;
    QList<QUrl> m_links;
    QColor m_color;
    QColor m_codeFill;
    double m_lineHeight = 0;
    double m_baseline = 0;
    std::unique_ptr<QTextLayout> m_layout;
    std::vector<QRectF> m_lines; ///< the height of each in the column
    double m_width = -1;
    double m_height = 0;
    double m_usedWidth = 0;
    bool m_rightToLeft = false;
    bool m_wraps = false; ///< another width would break it elsewhere
};

} // namespace ui
