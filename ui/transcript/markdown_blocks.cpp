#include "ui/transcript/markdown_blocks.h"

#include "ui/transcript/block_builder.h"

#include <algorithm>

namespace ui {

namespace {

/// Where a line that is too long is cut: at its last space if there is one near.
qsizetype cutOf(QStringView line)
{
    constexpr qsizetype kNear = 128;
    const qsizetype cut = MarkdownBlocks::kMaxPiece;
    const qsizetype space = line.first(cut).lastIndexOf(u' ');
    if (space >= cut - kNear) return space + 1;
    return line[cut - 1].isHighSurrogate() ? cut - 1 : cut;
}

} // namespace

QList<MarkdownBlock> plainBlocks(const QString& text)
{
    constexpr qsizetype kPiece = 1500;
    // A line of a script that runs the other way needs a paragraph of its own.
    const bool oneLineEach = std::ranges::any_of(text, [](QChar c) {
        return c.direction() == QChar::DirR || c.direction() == QChar::DirAL;
    });
    QList<MarkdownBlock> blocks;
    qsizetype start = 0;
    bool continued = false;
    do {
        const QStringView ahead = QStringView(text).sliced(start);
        const qsizetype room = std::min(ahead.size(), kPiece);
        qsizetype end = ahead.size();
        if (oneLineEach)
            end = ahead.first(room).indexOf(u'\n');
        else if (end > kPiece)
            end = ahead.first(room).lastIndexOf(u'\n');
        const bool cut = end < 0 && ahead.size() > kPiece; // a line that is longer than a piece
        if (end < 0) end = cut && ahead[room - 1].isHighSurrogate() ? room - 1 : room;
        MarkdownBlock block;
        block.kind = MarkdownBlock::Kind::Plain;
        block.text = ahead.first(end).toString();
        block.continued = continued;
        blocks.append(block);
        continued = cut;
        start += end + (cut ? 0 : 1);
    } while (start <= text.size());
    return blocks;
}

void MarkdownBlocks::append(QStringView text)
{
    forgetTail();
    m_tail += text;
    takeLines();
    readTail();
}

void MarkdownBlocks::finish()
{
    forgetTail();
    if (!m_tail.isEmpty()) BlockBuilder(m_blocks, m_state).addLine(m_tail, true);
    m_tail.clear();
    m_state.leaf = Leaf::None;
    m_wholeCount = m_blocks.size();
    if (m_wholeCount > 0) m_wholeLast = m_blocks.last();
}

void MarkdownBlocks::clear()
{
    *this = MarkdownBlocks();
}

/// Reads every line that has ended, and as much of a long one as fills pieces.
void MarkdownBlocks::takeLines()
{
    qsizetype start = 0;
    while (start < m_tail.size()) {
        const QStringView ahead = QStringView(m_tail).sliced(start);
        const qsizetype newline = ahead.first(std::min(ahead.size(), kMaxPiece + 1)).indexOf(u'\n');
        BlockBuilder builder(m_blocks, m_state);
        if (newline >= 0) {
            const bool carriageReturn = newline > 0 && ahead[newline - 1] == u'\r';
            builder.addLine(ahead.first(newline - carriageReturn), true);
            start += newline + 1;
        } else if (ahead.size() > kMaxPiece) {
            const qsizetype cut = cutOf(ahead);
            builder.addLine(ahead.first(cut), false);
            start += cut;
        } else {
            break;
        }
    }
    m_tail.remove(0, start);
}

void MarkdownBlocks::readTail()
{
    m_wholeCount = m_blocks.size();
    if (m_wholeCount > 0) m_wholeLast = m_blocks.last();
    State state = m_state;
    BlockBuilder builder(m_blocks, state);
    if (!m_tail.isEmpty()) {
        QStringView tail = m_tail;
        if (tail.endsWith(u'\r')) tail.chop(1);
        builder.addTail(tail);
    }
    builder.holdBackUndecided();
}

/// Back to what the lines that have ended say.
void MarkdownBlocks::forgetTail()
{
    if (m_blocks.size() < m_wholeCount) m_blocks.append(m_wholeLast);
    m_blocks.resize(m_wholeCount);
    if (m_wholeCount > 0) m_blocks.last() = m_wholeLast;
    m_firstChanged = std::max<qsizetype>(m_wholeCount - 1, 0);
}

} // namespace ui
