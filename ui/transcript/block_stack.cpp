#include "ui/transcript/block_stack.h"

#include <QElapsedTimer>
#include <QPaintEvent>

#include <algorithm>
#include <limits>

namespace ui {

using Kind = MarkdownBlock::Kind;

namespace {

/// A run of prose is cut here, so that the widget of one stays small.
constexpr qsizetype kMaxProseBlocks = 24;
constexpr qsizetype kMaxProseLetters = 4000;

/// The window's thread does no more at once. Megabytes of prose are read in that time; a text of
/// many short lines is not.
constexpr int kMostReadMs = 4;
constexpr qsizetype kReadPiece = 4096;

Kind segmentKind(const MarkdownBlock& block)
{
    return block.kind == Kind::Code || block.kind == Kind::Table ? block.kind : Kind::Paragraph;
}

} // namespace

BlockStack::BlockStack(const TranscriptParts& parts, TextRole body, QWidget* parent)
    : QWidget(parent)
    , m_parts(parts)
    , m_body(body)
{
    m_readTimer.setSingleShot(true);
    connect(&m_readTimer, &QTimer::timeout, this, [this] { readOn(kMostReadMs); });
}

void BlockStack::setText(const QString& text, bool finished)
{
    m_markdown.clear();
    m_unread = text;
    m_read = 0;
    m_finished = finished;
    readFor(kMostReadMs);
    if (m_read == m_unread.size()) {
        endReading();
        rebuildFrom(0);
        return;
    }
    for (Segment& segment : m_segments)
        dropWidget(segment);
    m_segments.clear();
    rebuildFrom(0);
    m_readTimer.start();
}

void BlockStack::setBlocks(const MarkdownBlocks& blocks)
{
    endReading();
    m_markdown = blocks;
    rebuildFrom(0);
}

void BlockStack::setPlainText(const QString& text)
{
    m_plain = plainBlocks(text);
    rebuildFrom(0);
}

// --- reading -------------------------------------------------------------------------------------

/// Returns the first block that is new or changed.
qsizetype BlockStack::readFor(int milliseconds)
{
    QElapsedTimer clock;
    clock.start();
    qsizetype firstChanged = m_markdown.blocks().size();
    while (m_read < m_unread.size()) {
        const QStringView ahead = QStringView(m_unread).sliced(m_read);
        const QStringView piece = ahead.first(std::min(ahead.size(), kReadPiece));
        m_markdown.append(piece);
        m_read += piece.size();
        firstChanged = std::min(firstChanged, m_markdown.firstChanged());
        if (clock.elapsed() >= milliseconds) break;
    }
    return firstChanged;
}

void BlockStack::readOn(int milliseconds)
{
    const qsizetype firstChanged = readFor(milliseconds);
    const bool whole = m_read == m_unread.size();
    if (whole) endReading();
    rebuildFrom(firstChanged);
    if (whole)
        Q_EMIT readThrough();
    else
        m_readTimer.start();
}

void BlockStack::readAll()
{
    if (isReading()) readOn(std::numeric_limits<int>::max());
}

void BlockStack::endReading()
{
    m_readTimer.stop();
    m_unread.clear();
    m_read = 0;
    if (m_finished) m_markdown.finish();
    m_finished = false;
}

/// Of the whole text, as far as that can be told.
int BlockStack::unreadHeight() const
{
    MarkdownBlock block;
    block.kind = Kind::Plain;
    block.text = m_unread;
    return estimatedHeight(block, m_columnWidth, m_parts.style);
}

int BlockStack::usedWidth() const
{
    if (m_segments.size() != 1 || !m_segments.front().widget) return m_columnWidth;
    const auto* prose = static_cast<const ProseBlock*>(m_segments.front().widget);
    return std::min(static_cast<int>(prose->usedWidth()), m_columnWidth);
}

void BlockStack::appendText(QStringView delta)
{
    if (isReading()) {
        m_unread += delta;
        return;
    }
    m_markdown.append(delta);
    rebuildFrom(m_markdown.firstChanged());
}

void BlockStack::finish()
{
    if (isReading()) {
        m_finished = true;
        return;
    }
    m_markdown.finish();
    rebuildFrom(m_markdown.firstChanged());
}

// --- segments ------------------------------------------------------------------------------------

size_t BlockStack::segmentOf(qsizetype block) const
{
    const auto after = std::ranges::upper_bound(m_segments, block, {}, &Segment::first);
    return static_cast<size_t>(std::max<std::ptrdiff_t>(after - m_segments.begin() - 1, 0));
}

/// Blocks from `block` on are new or changed; segments before theirs stay as they are.
void BlockStack::rebuildFrom(qsizetype block)
{
    const size_t from = m_segments.empty() ? 0 : segmentOf(block);
    std::vector<Segment> old(m_segments.begin() + static_cast<std::ptrdiff_t>(from),
                             m_segments.end());
    const qsizetype first = old.empty() ? 0 : old.front().first;
    m_segments.resize(from);
    for (qsizetype i = first; i < blocks().size(); ++i)
        addToSegments(i);

    for (size_t i = from; i < m_segments.size(); ++i) {
        Segment& segment = m_segments[i];
        Segment* before = i - from < old.size() ? &old[i - from] : nullptr;
        const bool same = before && before->kind == segment.kind && before->first == segment.first;
        if (same && before->widget) {
            segment.widget = std::exchange(before->widget, nullptr);
            fill(segment, std::max<qsizetype>(block - segment.first, 0));
        } else {
            estimate(segment);
        }
    }
    for (Segment& segment : old)
        dropWidget(segment);
    placeFrom(from);
    updateCaret();
}

void BlockStack::addToSegments(qsizetype index)
{
    const MarkdownBlock& block = blocks()[index];
    const Kind kind = segmentKind(block);
    const bool joins =
        !m_segments.empty() && kind == Kind::Paragraph && m_segments.back().kind == kind &&
        m_segments.back().count < kMaxProseBlocks && m_segments.back().letters < kMaxProseLetters;
    if (!joins) {
        const int indent = kind == Kind::Paragraph ? 0 : indentOf(block, m_parts.style);
        m_segments.push_back({.kind = kind, .first = index, .indent = indent});
    }
    ++m_segments.back().count;
    m_segments.back().letters += block.text.size();
}

void BlockStack::estimate(Segment& segment)
{
    segment.exact = false;
    segment.height = 0;
    const MarkdownBlock* above = nullptr;
    for (qsizetype i = segment.first; i < segment.first + segment.count; ++i) {
        const MarkdownBlock& block = blocks()[i];
        segment.height += gapBetween(above, block, m_parts.style) +
                          estimatedHeight(block, m_columnWidth - segment.indent, m_parts.style);
        above = &block;
    }
}

void BlockStack::placeFrom(size_t from)
{
    for (size_t i = from; i < m_segments.size(); ++i) {
        Segment& segment = m_segments[i];
        const MarkdownBlock* above = segment.first > 0 ? &blocks()[segment.first - 1] : nullptr;
        segment.top = i > 0 ? m_segments[i - 1].top + m_segments[i - 1].height : 0;
        segment.top += gapBetween(above, blocks()[segment.first], m_parts.style);
        if (segment.widget) placeWidget(segment);
    }
    m_height = m_segments.empty() ? 0 : m_segments.back().top + m_segments.back().height;
    if (isReading())
        m_height = unreadHeight();
    else if (m_segments.empty() && m_caret)
        m_height = static_cast<int>(m_parts.style.look(m_body).lineHeight);
    const int top = from < m_segments.size() ? m_segments[from].top : 0;
    update(0, top, width(), std::max(height(), m_height) - top);
}

void BlockStack::setColumnWidth(int width)
{
    if (width == m_columnWidth) return;
    m_columnWidth = width;
    for (Segment& segment : m_segments) {
        if (segment.widget)
            segment.height = layOut(segment);
        else
            estimate(segment);
    }
    placeFrom(0);
}

// --- widgets -------------------------------------------------------------------------------------

bool BlockStack::realize(int top, int bottom)
{
    if (isReading()) return false; // what is read has no place yet
    const int before = m_height;
    for (size_t i = 0; i < m_segments.size(); ++i) {
        Segment& segment = m_segments[i];
        const bool near = segment.top < bottom && segment.top + segment.height > top;
        if (near && !segment.widget) {
            makeWidget(segment);
            placeFrom(i);
        } else if (!near && segment.widget && !segment.widget->hasFocus()) {
            const TextSurface* surface = surfaceOf(segment);
            if (!surface->hasFocus() && !surface->hasSelection()) dropWidget(segment);
        }
    }
    updateCaret();
    return m_height != before;
}

void BlockStack::announce(TextSurface* surface)
{
    Q_EMIT surfaceAdded(surface);
}

void BlockStack::makeWidget(Segment& segment)
{
    switch (segment.kind) {
    case Kind::Code:
        segment.widget = new CodeBlock(m_parts.style, m_parts.languages, this);
        break;
    case Kind::Table:
        segment.widget = new TableBlock(m_parts.style, this);
        break;
    default:
        segment.widget = new ProseBlock(m_parts.style, m_body, this);
        break;
    }
    announce(surfaceOf(segment));
    fill(segment, 0);
    applyFind(segment);
    segment.widget->show();
}

void BlockStack::fill(Segment& segment, qsizetype firstChanged)
{
    const MarkdownBlock& first = blocks()[segment.first];
    if (segment.kind == Kind::Code) {
        static_cast<CodeBlock*>(segment.widget)->setBlock(first);
        ++m_laidOut;
    } else if (segment.kind == Kind::Table) {
        static_cast<TableBlock*>(segment.widget)->setBlock(first);
        ++m_laidOut;
    } else {
        m_laidOut += static_cast<ProseBlock*>(segment.widget)
                         ->setBlocks(blocks().sliced(segment.first, segment.count), firstChanged);
    }
    segment.height = layOut(segment);
    segment.exact = true;
}

int BlockStack::layOut(Segment& segment) const
{
    const int width = m_columnWidth - segment.indent;
    switch (segment.kind) {
    case Kind::Code:
        return static_cast<CodeBlock*>(segment.widget)->heightOfBlock();
    case Kind::Table:
        return static_cast<TableBlock*>(segment.widget)->layOut(width);
    default:
        return static_cast<ProseBlock*>(segment.widget)->layOut(width);
    }
}

void BlockStack::placeWidget(const Segment& segment)
{
    if (segment.kind == Kind::Paragraph) {
        segment.widget->setGeometry(0, segment.top, m_columnWidth + 2 * kBleed, segment.height);
    } else {
        segment.widget->setGeometry(kBleed + segment.indent, segment.top,
                                    m_columnWidth - segment.indent, segment.height);
    }
}

void BlockStack::dropWidget(Segment& segment)
{
    if (!segment.widget) return;
    segment.widget->hide();
    segment.widget->deleteLater();
    segment.widget = nullptr;
}

TextSurface* BlockStack::surfaceOf(const Segment& segment) const
{
    if (!segment.widget) return nullptr;
    if (segment.kind == Kind::Code) return &static_cast<CodeBlock*>(segment.widget)->area();
    return static_cast<TextSurface*>(segment.widget);
}

void BlockStack::setCaret(bool shown)
{
    if (shown == m_caret) return;
    m_caret = shown;
    placeFrom(m_segments.size());
    updateCaret();
}

void BlockStack::updateCaret()
{
    for (size_t i = 0; i < m_segments.size(); ++i) {
        const Segment& segment = m_segments[i];
        if (!segment.widget) continue;
        const bool shown = m_caret && i + 1 == m_segments.size();
        if (segment.kind == Kind::Code)
            static_cast<CodeBlock*>(segment.widget)->setCaret(shown);
        else if (segment.kind == Kind::Table)
            static_cast<TableBlock*>(segment.widget)->setCaret(shown);
        else
            static_cast<ProseBlock*>(segment.widget)->setCaret(shown);
    }
}

int BlockStack::realBlocks() const
{
    return static_cast<int>(std::ranges::count_if(
        m_segments, [](const Segment& segment) { return segment.widget != nullptr; }));
}

void BlockStack::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const TextLook& look = m_parts.style.look(m_body);
    if (m_segments.empty() && m_caret) {
        const QRectF caret(kBleed, look.baseline + m_parts.style.px(3) - m_parts.style.px(17),
                           m_parts.style.px(9), m_parts.style.px(17));
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_parts.style.color(Theme::Token::Ember));
        painter.drawRoundedRect(caret, 2, 2);
    }
    // Prose paints its own containers.
    for (const Segment& segment : m_segments) {
        if (segment.indent == 0) continue;
        const MarkdownBlock& block = blocks()[segment.first];
        const MarkdownBlock* above = segment.first > 0 ? &blocks()[segment.first - 1] : nullptr;
        const bool joins = above && shareQuote(*above, block);
        const int gap = gapBetween(above, block, m_parts.style);
        paintContainers(painter, block,
                        {.style = m_parts.style,
                         .look = look,
                         .row = QRectF(kBleed, segment.top, m_columnWidth, segment.height),
                         .barTop = static_cast<double>(segment.top - (joins ? gap : 0)),
                         .baseline = segment.top + look.baseline});
    }
}

// --- places --------------------------------------------------------------------------------------

BlockStack::Anchor BlockStack::anchorAt(int y) const
{
    if (m_segments.empty()) return {};
    const auto after = std::ranges::upper_bound(m_segments, y, {}, &Segment::top);
    const auto index =
        static_cast<size_t>(std::max<std::ptrdiff_t>(after - m_segments.begin() - 1, 0));
    const Segment& segment = m_segments[index];
    if (y >= segment.top + segment.height && index + 1 < m_segments.size())
        return {.block = m_segments[index + 1].first, .top = m_segments[index + 1].top};
    if (segment.kind != Kind::Paragraph || !segment.widget)
        return {.block = segment.first, .top = segment.top};
    // Within prose, the paragraph.
    const auto* prose = static_cast<const ProseBlock*>(segment.widget);
    int leaf = 0;
    while (leaf + 1 < prose->leafCount() && segment.top + prose->leafTop(leaf + 1) <= y)
        ++leaf;
    return {.block = segment.first + leaf, .top = segment.top + qRound(prose->leafTop(leaf))};
}

int BlockStack::topOf(qsizetype block) const
{
    if (m_segments.empty()) return 0;
    const Segment& segment = m_segments[segmentOf(block)];
    const auto leaf = static_cast<int>(block - segment.first);
    if (segment.kind != Kind::Paragraph || !segment.widget) return segment.top;
    const auto* prose = static_cast<const ProseBlock*>(segment.widget);
    if (leaf >= prose->leafCount()) return segment.top + segment.height;
    return segment.top + qRound(prose->leafTop(leaf));
}

int BlockStack::topOfShare(double share) const
{
    if (isReading()) return qRound(share * m_height);
    double letters = 0;
    for (const Segment& segment : m_segments)
        letters += static_cast<double>(segment.letters);
    double before = share * letters;
    for (const Segment& segment : m_segments) {
        const auto here = static_cast<double>(segment.letters);
        if (before < here) return segment.top + qRound(segment.height * before / here);
        before -= here;
    }
    return m_height;
}

BlockStack::Place BlockStack::placeOf(qsizetype block) const
{
    if (m_segments.empty()) return {};
    const Segment& segment = m_segments[segmentOf(block)];
    const bool prose = segment.kind == Kind::Paragraph;
    return {.surface = surfaceOf(segment),
            .fragment = prose ? static_cast<int>(block - segment.first) : 0};
}

void BlockStack::setFindMarks(const FindMarks& marks)
{
    m_marks = marks;
    for (const Segment& segment : m_segments)
        applyFind(segment);
}

void BlockStack::setCurrentFind(qsizetype block, int fragment, int offset)
{
    m_findBlock = block;
    m_marks.current = {.fragment = fragment, .offset = offset};
    for (const Segment& segment : m_segments)
        applyFind(segment);
}

void BlockStack::applyFind(const Segment& segment) const
{
    TextSurface* surface = surfaceOf(segment);
    if (!surface) return;
    FindMarks marks = m_marks;
    const bool here = m_findBlock >= segment.first && m_findBlock < segment.first + segment.count;
    if (!here)
        marks.current = {.fragment = -1};
    else if (segment.kind == Kind::Paragraph)
        marks.current.fragment += static_cast<int>(m_findBlock - segment.first);
    surface->setFindMarks(marks);
}

} // namespace ui
