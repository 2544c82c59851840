#pragma once

#include "ui/transcript/markdown_blocks.h"
#include "ui/transcript/wide_surface.h"

#include <vector>

namespace ui {

/// A table. Columns are as wide as their text; what does not fit wraps, and where even that does
/// not, the table scrolls sideways. Columns of numbers align right.
class TableBlock : public WideSurface {
    Q_OBJECT
public:
    explicit TableBlock(const TranscriptStyle& style, QWidget* parent = nullptr);

    /// Rows that are the same as before keep their cells.
    void setBlock(const MarkdownBlock& block);
    /// Returns the height for a width.
    int layOut(int width);
    /// Of a column, padding included; for tests.
    double columnWidth(size_t column) const { return m_columns[column].width; }
    void setCaret(bool shown);

protected:
    int fragmentCount() const override;
    const LaidText& fragment(int index) const override;
    QPointF origin(int index) const override;
    int fragmentAt(QPointF point) const override;
    QString separatorAfter(int index) const override;
    double contentWidth() const override;
    void paintEvent(QPaintEvent* event) override;

private:
    struct Column {
        ColumnAlignment alignment = ColumnAlignment::None;
        bool numeric = true; ///< so far every cell below the head is a number
        double natural = 0;  ///< of its widest cell, padding included
        double left = 0;
        double width = 0;
    };
    struct Cell {
        LaidText text;
        double natural = 0; ///< its width in one line
        double word = -1;   ///< of its widest word; -1: not measured yet
    };
    struct Row {
        QString source;
        std::vector<Cell> cells;
        double top = 0;
        double height = 0;
    };

    void addRow(const QString& source, bool open);
    Cell makeCell(const QString& source, TextRole role, bool open) const;
    void measureColumns();
    double leastOf(size_t column, double room);
    void fitColumns(double room);
    void placeRows();
    bool hasHead() const { return !m_block.continued; }
    Qt::Alignment alignmentOf(size_t column) const;

    MarkdownBlock m_block;
    std::vector<Column> m_columns;
    std::vector<Row> m_rows;
    int m_width = 0;
    bool m_caret = false;
};

/// True for what a column of numbers may hold: digits with signs, separators and a unit.
bool isNumber(QStringView cell);

} // namespace ui
