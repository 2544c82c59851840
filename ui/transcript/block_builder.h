#pragma once

#include "ui/transcript/markdown_blocks.h"

namespace ui {

/// Adds lines to a list of blocks: the block phase of CommonMark on the state it is given.
class BlockBuilder {
public:
    BlockBuilder(QList<MarkdownBlock>& blocks, MarkdownBlocks::State& state)
        : m_blocks(blocks)
        , m_state(state)
    {
    }

    /// `ended` is false for the first part of a line that is too long to be read at once.
    void addLine(QStringView line, bool ended);
    /// A line that is still being written, and nothing of which may be misread.
    void addTail(QStringView line);
    /// Takes what the next line decides off the end of the blocks.
    void holdBackUndecided();

private:
    using Leaf = MarkdownBlocks::Leaf;
    using Kind = MarkdownBlock::Kind;

    qsizetype matchContainers(LineCursor& cursor) const;
    bool continuesItem(const MarkdownBlocks::OpenContainer& item, const LineCursor& cursor) const;
    /// True if the line opened any.
    bool openContainers(LineCursor& cursor, qsizetype matched);
    void openQuote(LineCursor& cursor);
    bool openItem(LineCursor& cursor, qsizetype depth);
    void closeContainers(qsizetype depth);

    void addPart(QStringView text);
    void addBlankLine(qsizetype matched);
    bool addVerbatim(LineCursor& cursor, qsizetype matched);
    void addFenceLine(LineCursor& cursor);
    void addMathLine(QStringView line);
    void addLeafLine(LineCursor& cursor);
    bool startLeaf(LineCursor& cursor);
    bool startMath(QStringView line);
    bool turnParagraph(QStringView line);
    bool addRow(QStringView line);
    void addParagraphLine(QStringView line);
    void readTask(QStringView& line);

    MarkdownBlock& newBlock(Kind kind, Leaf leaf);
    void appendLine(QStringView line);

    QList<MarkdownBlock>& m_blocks;
    MarkdownBlocks::State& m_state;
};

} // namespace ui
