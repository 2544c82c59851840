#pragma once

#include "ui/transcript/markdown_lines.h"

#include <QList>
#include <QString>
#include <QStringView>

namespace ui {

/// What holds a block: a quotation or an item of a list.
struct BlockContainer {
    enum class Kind : quint8 { Quote, Bullet, Ordered };
    enum class Task : quint8 { None, Open, Done };

    Kind kind = Kind::Quote;
    int number = 0; ///< of an ordered item
    Task task = Task::None;
    bool starts = false; ///< the block is the first of its item, the marker stands beside it

    bool operator==(const BlockContainer&) const = default;
};

/// A leaf of the document: it contains no other block.
struct MarkdownBlock {
    enum class Kind : quint8 { Paragraph, Heading, Code, Math, Table, Rule, Plain };

    Kind kind = Kind::Paragraph;
    int level = 0; ///< of a heading, 1 to 6
    QString text;  ///< inline source; code and plain text as is; rows of a table
    QString info;  ///< the info string of a code fence
    QList<ColumnAlignment> alignments; ///< a column each
    QList<BlockContainer> containers;  ///< outermost first, at most kMaxDepth
    bool blankBefore = false;          ///< an empty line stood before it
    bool continued = false;            ///< goes on from the block before, which had become too long
    bool open = false;                 ///< the next characters may still change it

    bool operator==(const MarkdownBlock&) const = default;
};

} // namespace ui

// A list of hundreds of thousands grows without each being moved.
Q_DECLARE_TYPEINFO(ui::MarkdownBlock, Q_RELOCATABLE_TYPE);

namespace ui {

/// Text that is no Markdown as Plain blocks, cut between lines where that is possible. A block
/// that `continued` goes on in the middle of a line.
QList<MarkdownBlock> plainBlocks(const QString& text);

/// Splits Markdown into blocks while it is being written. Finished lines are read once; only the
/// line that has not ended yet is read again. What the end of the text leaves undecided (a lone
/// "-", the first row of a table) is held back, so that nothing shown changes its kind.
///
/// CommonMark 0.31 and the tables and task items of GFM, with these differences: HTML is text;
/// there are no reference links; a nested list may be indented by two columns less; a fence in a
/// list item lasts until it is closed; lines and paragraphs of more than kMaxPiece characters are
/// cut, which bounds the work a block can cost.
class MarkdownBlocks {
public:
    static constexpr int kMaxDepth = 12;
    static constexpr qsizetype kMaxPiece = 4096;
    static constexpr int kMaxTableRows = 200;

    void append(QStringView text);
    /// The text is complete: nothing is held back any longer. append() must not follow.
    void finish();
    void clear();

    const QList<MarkdownBlock>& blocks() const { return m_blocks; }
    /// The first block that the last append() or finish() may have changed.
    qsizetype firstChanged() const { return m_firstChanged; }

private:
    friend class BlockBuilder;

    struct OpenContainer {
        BlockContainer shown;
        QChar delimiter;
        int markerIndent = 0;
        int contentIndent = 0;
    };
    enum class Leaf : quint8 { None, Paragraph, Fence, IndentedCode, Math, Table };
    struct State {
        QList<OpenContainer> containers;
        Leaf leaf = Leaf::None; ///< the last block, as long as lines may be added to it
        FenceMarker fence;
        int fenceIndent = 0;
        int lines = 0;      ///< of the open leaf
        int blankLines = 0; ///< held back in indented code
        bool blankBefore = false;
        bool insideLine = false; ///< the line is too long, its first part was read
    };

    void takeLines();
    void readTail();
    void forgetTail();

    QList<MarkdownBlock> m_blocks;
    State m_state;
    QString m_tail;             ///< the line that has not ended
    qsizetype m_wholeCount = 0; ///< blocks without what the tail added
    MarkdownBlock m_wholeLast;  ///< the last of them as it was before the tail
    qsizetype m_firstChanged = 0;
};

} // namespace ui
