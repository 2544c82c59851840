#include "ui/transcript/block_builder.h"

#include <algorithm>

namespace ui {

namespace {

using ContainerKind = BlockContainer::Kind;

constexpr int kCodeIndent = 4;

bool isItem(const BlockContainer& container)
{
    return container.kind != ContainerKind::Quote;
}

QStringView mathCloser(QStringView line)
{
    if (line.startsWith(u"$$")) return u"$$";
    if (line.startsWith(u"\\[")) return u"\\]";
    return {};
}

bool startsLeaf(QStringView line)
{
    return headingLevel(line) > 0 || fenceMarker(line) || isRule(line) ||
           !mathCloser(line).isEmpty();
}

} // namespace

void BlockBuilder::addLine(QStringView line, bool ended)
{
    if (m_state.insideLine) {
        addPart(line);
        m_state.insideLine = !ended;
        return;
    }
    m_state.insideLine = !ended;
    LineCursor cursor(line);
    const qsizetype matched = matchContainers(cursor);
    if (addVerbatim(cursor, matched)) return;
    if (cursor.isBlank()) {
        addBlankLine(matched);
        return;
    }
    const bool allMatched = matched == m_state.containers.size();
    const bool opened = openContainers(cursor, matched);
    const bool lazy = !opened && !allMatched && m_state.leaf == Leaf::Paragraph;
    if (lazy && !startsLeaf(cursor.ahead())) {
        addParagraphLine(cursor.ahead());
        return;
    }
    if (!opened && !allMatched) closeContainers(matched);
    addLeafLine(cursor);
}

void BlockBuilder::addTail(QStringView line)
{
    if (m_state.insideLine) {
        addPart(line);
        return;
    }
    LineCursor cursor(line);
    matchContainers(cursor);
    if (m_state.leaf == Leaf::Fence) {
        const QStringView ahead = cursor.ahead();
        const bool mayClose = !ahead.isEmpty() && ahead[0] == m_state.fence.character &&
                              ahead.count(m_state.fence.character) == ahead.size();
        if (!mayClose) addLine(line, true);
        return;
    }
    const bool isRow = m_state.leaf == Leaf::Table && cursor.ahead().startsWith(u"| ");
    if (!isRow && isUndecided(cursor.ahead())) return;
    addLine(line, true);
    // The info string of a fence is shown when it is whole.
    if (m_state.leaf == Leaf::Fence) m_blocks.last().info.clear();
}

void BlockBuilder::holdBackUndecided()
{
    if (m_state.leaf == Leaf::None || m_blocks.isEmpty()) return;
    MarkdownBlock& last = m_blocks.last();
    last.open = true;
    if (m_state.leaf != Leaf::Paragraph) return;
    // A line that begins with a bar may be the head of a table.
    const qsizetype start = last.text.lastIndexOf(u'\n') + 1;
    if (!last.text.sliced(start).startsWith(u'|')) return;
    last.text.truncate(std::max<qsizetype>(start - 1, 0));
    const bool hasMarker = std::ranges::any_of(last.containers, &BlockContainer::starts);
    if (start == 0 && !hasMarker) m_blocks.removeLast();
}

// --- containers ----------------------------------------------------------------------------------

bool BlockBuilder::continuesItem(const MarkdownBlocks::OpenContainer& item,
                                 const LineCursor& cursor) const
{
    if (cursor.isBlank()) return true;
    const int indent = cursor.indent();
    if (indent >= item.contentIndent) return true;
    // Models often indent a nested list by two, whatever the width of the marker above.
    return indent >= item.markerIndent + 2 && listMarker(cursor.ahead());
}

qsizetype BlockBuilder::matchContainers(LineCursor& cursor) const
{
    qsizetype matched = 0;
    for (const auto& container : m_state.containers) {
        if (isItem(container.shown)) {
            if (!continuesItem(container, cursor)) break;
            cursor.skipColumns(container.contentIndent);
        } else {
            if (cursor.indent() >= kCodeIndent || !cursor.ahead().startsWith(u'>')) break;
            cursor.skipIndent();
            cursor.skipCharacters(1);
            cursor.skipColumns(1);
        }
        ++matched;
    }
    return matched;
}

void BlockBuilder::closeContainers(qsizetype depth)
{
    m_state.leaf = Leaf::None;
    m_state.containers.resize(std::min(depth, m_state.containers.size()));
}

bool BlockBuilder::openContainers(LineCursor& cursor, qsizetype matched)
{
    qsizetype depth = matched;
    while (depth < MarkdownBlocks::kMaxDepth && cursor.indent() < kCodeIndent) {
        const QStringView ahead = cursor.ahead();
        if (ahead.startsWith(u'>')) {
            closeContainers(depth);
            openQuote(cursor);
        } else if (isRule(ahead) || !openItem(cursor, depth)) {
            break;
        }
        ++depth;
    }
    return depth > matched;
}

void BlockBuilder::openQuote(LineCursor& cursor)
{
    cursor.skipIndent();
    cursor.skipCharacters(1);
    cursor.skipColumns(1);
    m_state.containers.append({.shown = {.kind = ContainerKind::Quote}, .delimiter = {}});
}

bool BlockBuilder::openItem(LineCursor& cursor, qsizetype depth)
{
    const auto marker = listMarker(cursor.ahead());
    if (!marker) return false;
    const auto& open = m_state.containers;
    const bool interrupts = m_state.leaf == Leaf::Paragraph && depth == open.size();
    if (interrupts && (marker->isEmpty || (marker->ordered && marker->number != 1))) return false;

    int number = marker->number;
    const bool sibling = depth < open.size() && marker->ordered &&
                         open[depth].shown.kind == ContainerKind::Ordered &&
                         open[depth].delimiter == marker->delimiter;
    if (sibling) number = open[depth].shown.number + 1;
    closeContainers(depth);

    const int indent = cursor.indent();
    cursor.skipIndent();
    cursor.skipCharacters(marker->width);
    const int space = cursor.indent();
    const int padding = marker->isEmpty || space > kCodeIndent ? 1 : space;
    cursor.skipColumns(padding);
    m_state.containers.append(
        {.shown = {.kind = marker->ordered ? ContainerKind::Ordered : ContainerKind::Bullet,
                   .number = number,
                   .starts = true},
         .delimiter = marker->delimiter,
         .markerIndent = indent,
         .contentIndent = indent + marker->width + padding});
    return true;
}

// --- lines ---------------------------------------------------------------------------------------

void BlockBuilder::addPart(QStringView text)
{
    if (m_state.leaf == Leaf::Fence || m_state.leaf == Leaf::IndentedCode) {
        m_blocks.last().text += text;
        m_state.lines = std::max(m_state.lines, 1);
        return;
    }
    if (text.trimmed().isEmpty()) return;
    newBlock(Kind::Paragraph, Leaf::Paragraph).continued = true;
    appendLine(text);
}

void BlockBuilder::addBlankLine(qsizetype matched)
{
    if (matched < m_state.containers.size()) closeContainers(matched);
    if (m_state.leaf == Leaf::IndentedCode) {
        ++m_state.blankLines;
    } else {
        m_state.leaf = Leaf::None;
    }
    m_state.blankBefore = true;
}

bool BlockBuilder::addVerbatim(LineCursor& cursor, qsizetype matched)
{
    const auto unmatched = m_state.containers.sliced(matched);
    const bool inside = std::ranges::all_of(
        unmatched, [](const auto& container) { return isItem(container.shown); });
    if (m_state.leaf == Leaf::Fence && inside) {
        addFenceLine(cursor);
        return true;
    }
    if (m_state.leaf == Leaf::Math && inside && !cursor.isBlank()) {
        addMathLine(cursor.ahead());
        return true;
    }
    return false;
}

void BlockBuilder::addFenceLine(LineCursor& cursor)
{
    if (closesFence(cursor.ahead(), m_state.fence)) {
        m_state.leaf = Leaf::None;
        return;
    }
    cursor.skipColumns(m_state.fenceIndent);
    appendLine(cursor.rest());
}

void BlockBuilder::addMathLine(QStringView line)
{
    const QStringView closer = m_state.fence.character == u'$' ? u"$$" : u"\\]";
    const QStringView content = line.trimmed();
    if (!content.endsWith(closer)) {
        appendLine(content);
        return;
    }
    const QStringView before = content.chopped(closer.size()).trimmed();
    if (!before.isEmpty()) appendLine(before);
    m_state.leaf = Leaf::None;
}

void BlockBuilder::addLeafLine(LineCursor& cursor)
{
    const QStringView line = cursor.ahead();
    if (line.isEmpty()) { // an item with nothing in it yet
        newBlock(Kind::Paragraph, Leaf::Paragraph);
        return;
    }
    if (turnParagraph(line) || addRow(line)) return;
    if (startLeaf(cursor)) return;
    addParagraphLine(line);
}

bool BlockBuilder::startLeaf(LineCursor& cursor)
{
    const QStringView line = cursor.ahead();
    const bool paragraph = m_state.leaf == Leaf::Paragraph;
    if (cursor.indent() >= kCodeIndent) {
        if (paragraph) return false;
        cursor.skipColumns(kCodeIndent);
        if (m_state.leaf != Leaf::IndentedCode) newBlock(Kind::Code, Leaf::IndentedCode);
        for (; m_state.blankLines > 0; --m_state.blankLines)
            appendLine({});
        m_state.blankBefore = false;
        appendLine(cursor.rest());
        return true;
    }
    if (const int level = headingLevel(line)) {
        MarkdownBlock& block = newBlock(Kind::Heading, Leaf::None);
        block.level = level;
        block.text = headingText(line);
        return true;
    }
    if (const auto fence = fenceMarker(line)) {
        const int indent = cursor.indent();
        newBlock(Kind::Code, Leaf::Fence).info = fence->info;
        m_state.fence = *fence;
        m_state.fenceIndent = indent;
        return true;
    }
    if (isRule(line)) {
        newBlock(Kind::Rule, Leaf::None);
        return true;
    }
    return startMath(line);
}

bool BlockBuilder::startMath(QStringView line)
{
    const QStringView closer = mathCloser(line);
    if (closer.isEmpty()) return false;
    const QStringView rest = line.sliced(2).trimmed();
    const qsizetype end = rest.indexOf(closer);
    if (end >= 0 && end + closer.size() < rest.size()) return false; // text follows: inline
    newBlock(Kind::Math, end >= 0 ? Leaf::None : Leaf::Math);
    m_state.fence = {.character = closer[0], .length = 2, .info = {}};
    const QStringView content = (end >= 0 ? rest.first(end) : rest).trimmed();
    if (!content.isEmpty()) appendLine(content);
    return true;
}

/// A line below a paragraph may make a heading or a table of it.
bool BlockBuilder::turnParagraph(QStringView line)
{
    if (m_state.leaf != Leaf::Paragraph || m_blocks.last().text.isEmpty()) return false;
    MarkdownBlock& paragraph = m_blocks.last();
    if (const int level = underlineLevel(line); level > 0 && !paragraph.continued) {
        paragraph.kind = Kind::Heading;
        paragraph.level = level;
        m_state.leaf = Leaf::None;
        return true;
    }
    const auto alignments = tableDelimiter(line);
    if (!alignments) return false;
    const qsizetype start = paragraph.text.lastIndexOf(u'\n') + 1;
    const QString head = paragraph.text.sliced(start);
    if (!head.contains(u'|') || tableCells(head).size() != alignments->size()) return false;
    if (start == 0) {
        paragraph.kind = Kind::Table;
        m_state.leaf = Leaf::Table;
    } else {
        paragraph.text.truncate(start - 1);
        newBlock(Kind::Table, Leaf::Table).text = head;
    }
    m_blocks.last().alignments = *alignments;
    m_state.lines = 1;
    return true;
}

bool BlockBuilder::addRow(QStringView line)
{
    if (m_state.leaf != Leaf::Table) return false;
    const bool barFirst = m_blocks.last().text.startsWith(u'|');
    const bool isRow = barFirst ? line.startsWith(u'|') : line.contains(u'|');
    if (!isRow || startsLeaf(line)) {
        m_state.leaf = Leaf::None;
        return false;
    }
    if (m_state.lines > MarkdownBlocks::kMaxTableRows) {
        const QList<ColumnAlignment> alignments = m_blocks.last().alignments;
        MarkdownBlock& next = newBlock(Kind::Table, Leaf::Table);
        next.continued = true;
        next.alignments = alignments;
    }
    appendLine(line.trimmed());
    return true;
}

void BlockBuilder::addParagraphLine(QStringView line)
{
    if (m_state.leaf != Leaf::Paragraph) {
        newBlock(Kind::Paragraph, Leaf::Paragraph);
        readTask(line);
    } else if (m_blocks.last().text.size() + line.size() > MarkdownBlocks::kMaxPiece) {
        newBlock(Kind::Paragraph, Leaf::Paragraph).continued = true;
    }
    appendLine(line);
}

void BlockBuilder::readTask(QStringView& line)
{
    MarkdownBlock& block = m_blocks.last();
    if (block.containers.isEmpty() || !block.containers.last().starts || line.size() < 4) return;
    if (line[0] != u'[' || line[2] != u']' || line[3] != u' ') return;
    const bool done = line[1] == u'x' || line[1] == u'X';
    if (!done && line[1] != u' ') return;
    block.containers.last().task = done ? BlockContainer::Task::Done : BlockContainer::Task::Open;
    line = line.sliced(4);
}

MarkdownBlock& BlockBuilder::newBlock(Kind kind, Leaf leaf)
{
    MarkdownBlock block;
    block.kind = kind;
    block.blankBefore = m_state.blankBefore;
    for (auto& container : m_state.containers) {
        block.containers.append(container.shown);
        container.shown.starts = false;
    }
    m_state.leaf = leaf;
    m_state.lines = 0;
    m_state.blankLines = 0;
    m_state.blankBefore = false;
    m_blocks.append(std::move(block));
    return m_blocks.last();
}

void BlockBuilder::appendLine(QStringView line)
{
    QString& text = m_blocks.last().text;
    if (m_state.lines++ > 0) text += u'\n';
    text += line;
}

} // namespace ui
