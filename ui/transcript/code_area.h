#pragma once

#include "ui/transcript/code_highlighter.h"
#include "ui/transcript/wide_surface.h"

#include <QTimer>

#include <unordered_map>
#include <vector>

namespace ui {

/// Code in lines of one height, none of which is laid out before it is painted: the length of the
/// code costs nothing. Lines that have ended are highlighted in order, in slices of a few ms.
class CodeArea : public WideSurface {
    Q_OBJECT
public:
    explicit CodeArea(const TranscriptStyle& style, QWidget* parent = nullptr);

    /// The highlighter may be null. Begins anew.
    void setHighlighter(std::unique_ptr<CodeHighlighter> highlighter);
    /// `open`: the last line has not ended. Text that goes on from the one before costs only what
    /// is new.
    void setText(const QString& text, bool open);
    const QString& text() const { return m_text; }
    int heightOfText() const;
    void setCaret(bool shown);
    int highlightedLines() const { return static_cast<int>(m_highlights.size()); }

protected:
    int fragmentCount() const override { return static_cast<int>(m_rows.size()); }
    const LaidText& fragment(int index) const override;
    QPointF origin(int index) const override;
    int fragmentAt(QPointF point) const override;
    QString separatorAfter(int index) const override;
    QString sourceOf(int index) const override;
    double contentWidth() const override;
    void updateFragments(int first, int last) override;
    void paintEvent(QPaintEvent* event) override;

private:
    /// What is shown as one line: a line of code or, if that is very long, a part of it.
    struct Row {
        qsizetype start = 0;
        qsizetype length = 0;
        int line = 0;
        bool goesOn = false; ///< the next row belongs to the same line
    };

    void addRows(qsizetype from, int line);
    QString lineText(int line) const;
    void highlightUpTo(int line);
    QList<ColoredSpan> colorsOf(const Row& row) const;
    void forgetLaid(int fromRow);

    QString m_text;
    std::vector<Row> m_rows;
    std::vector<int> m_firstRow; ///< of each line
    bool m_open = false;
    bool m_caret = false;
    int m_widest = 0; ///< letters, of all rows
    std::unique_ptr<CodeHighlighter> m_highlighter;
    std::vector<QList<CodeSpan>> m_highlights; ///< of the lines done so far
    QTimer m_more;
    mutable std::unordered_map<int, std::unique_ptr<LaidText>> m_laid;
};

/// The rows code is shown in, the fragments of a CodeArea.
QList<QStringView> rowsOfCode(QStringView text);

} // namespace ui
