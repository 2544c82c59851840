#pragma once

#include "ui/transcript/block_metrics.h"
#include "ui/transcript/code_block.h"
#include "ui/transcript/prose_block.h"
#include "ui/transcript/table_block.h"

#include <QTimer>

#include <vector>

namespace ui {

/// What all stacks of a transcript use.
struct TranscriptParts {
    const TranscriptStyle& style;
    const CodeLanguages& languages;
};

/// A Markdown text as a column of block widgets. Only those near what is visible exist; the others
/// keep the height they had or an estimate. Its width is the column's and the bleed on both sides.
class BlockStack : public QWidget {
    Q_OBJECT
public:
    /// `body`: Body, or Thought for the smaller text of a thought.
    BlockStack(const TranscriptParts& parts, TextRole body, QWidget* parent = nullptr);

    /// Replaces the text. One that takes long to read is read a little at a time: until
    /// `readThrough` the stack is as high as the text is thought to be, and nothing of it is shown.
    void setText(const QString& text, bool finished);
    /// A text that was read before.
    void setBlocks(const MarkdownBlocks& blocks);
    const MarkdownBlocks& markdown() const { return m_markdown; }
    bool isReading() const { return !m_unread.isEmpty(); }
    /// Reads the rest at once.
    void readAll();
    /// Text to be shown as it is.
    void setPlainText(const QString& text);
    void appendText(QStringView delta);
    /// The text is complete.
    void finish();
    bool isEmpty() const { return blocks().isEmpty(); }

    /// The width of the column, without the bleed.
    void setColumnWidth(int width);
    /// Makes the blocks between two heights of the stack real, and lets others go. True if that
    /// changed the stack's height.
    bool realize(int top, int bottom);
    int stackHeight() const { return m_height; }
    void setCaret(bool shown);

    /// The block at a height or the first below it, for keeping the place: its index and top.
    struct Anchor {
        qsizetype block = 0;
        int top = 0;
    };
    Anchor anchorAt(int y) const;
    int topOf(qsizetype block) const;
    /// Where about the letter stands before which there is this share of all: within a block that
    /// is not real its letters are taken to be spread evenly.
    int topOfShare(double share) const;

    const QList<MarkdownBlock>& blocks() const
    {
        return m_plain.isEmpty() ? m_markdown.blocks() : m_plain;
    }
    /// Of the widest line, where all of the text is one real block; else the column's width.
    int usedWidth() const;
    /// The surface a block is shown on and where in it; null while it is not real.
    struct Place {
        TextSurface* surface = nullptr;
        int fragment = 0; ///< of the block's first
    };
    Place placeOf(qsizetype block) const;
    void setFindMarks(const FindMarks& marks);
    /// Marks an occurrence as the current one; block -1 marks none.
    void setCurrentFind(qsizetype block, int fragment, int offset);

    /// Blocks laid out since the stack was made; for tests.
    int blocksLaidOut() const { return m_laidOut; }
    int realBlocks() const;

Q_SIGNALS:
    void surfaceAdded(ui::TextSurface* surface);
    /// The text was long, and all of it is there; the height is another.
    void readThrough();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    /// Blocks shown by one widget.
    struct Segment {
        MarkdownBlock::Kind kind = MarkdownBlock::Kind::Paragraph; ///< Paragraph: prose
        qsizetype first = 0;
        qsizetype count = 0;
        qsizetype letters = 0;
        int indent = 0;
        int top = 0;
        int height = 0;
        bool exact = false; ///< the height is not an estimate
        QWidget* widget = nullptr;
    };

    qsizetype readFor(int milliseconds);
    void readOn(int milliseconds);
    void endReading();
    int unreadHeight() const;
    void rebuildFrom(qsizetype block);
    void addToSegments(qsizetype index);
    void estimate(Segment& segment);
    void placeFrom(size_t from);
    void makeWidget(Segment& segment);
    void fill(Segment& segment, qsizetype firstChanged);
    int layOut(Segment& segment) const;
    void placeWidget(const Segment& segment);
    void dropWidget(Segment& segment);
    void updateCaret();
    void applyFind(const Segment& segment) const;
    size_t segmentOf(qsizetype block) const;
    TextSurface* surfaceOf(const Segment& segment) const;
    void announce(TextSurface* surface);

    TranscriptParts m_parts;
    TextRole m_body;
    MarkdownBlocks m_markdown;
    QList<MarkdownBlock> m_plain; ///< takes the place of Markdown
    QString m_unread;             ///< a text of which m_read letters are read; empty: all is
    qsizetype m_read = 0;
    bool m_finished = false; ///< nothing comes after the unread text
    QTimer m_readTimer;
    std::vector<Segment> m_segments;
    int m_columnWidth = 0;
    int m_height = 0;
    int m_laidOut = 0;
    bool m_caret = false;
    FindMarks m_marks;
    qsizetype m_findBlock = -1;
};

} // namespace ui
