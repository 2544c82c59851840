#include "ui/transcript/prose_block.h"

#include <QPaintEvent>

#include <algorithm>

namespace ui {

using Kind = MarkdownBlock::Kind;
using Token = Theme::Token;

InlineText inlineTextOf(const MarkdownBlock& block)
{
    switch (block.kind) {
    case Kind::Math: {
        QString text = displayableCode(block.text);
        const qsizetype length = text.size();
        return {.text = text.replace(u'\n', QChar::LineSeparator),
                .spans = {{.start = 0, .length = length, .styles = InlineStyle::Math}},
                .links = {},
                .source = block.text};
    }
    case Kind::Rule:
        return {};
    case Kind::Plain: {
        QString text = displayable(block.text);
        return {.text = text.replace(u'\n', QChar::LineSeparator),
                .spans = {},
                .links = {},
                .source = block.text};
    }
    default:
        // Lines of HTML stay lines: it is source to be read.
        return parseInline(block.text,
                           {.open = block.open, .hardBreaks = block.text.startsWith(u'<')});
    }
}

ProseBlock::ProseBlock(const TranscriptStyle& style, TextRole body, QWidget* parent)
    : TextSurface(style, parent)
    , m_body(body)
{
}

TextLook ProseBlock::lookOf(const MarkdownBlock& block) const
{
    static constexpr TextRole kHeadings[] = {TextRole::Heading1, TextRole::Heading2,
                                             TextRole::Heading3, TextRole::Heading4};
    TextLook look = style().look(m_body);
    if (block.kind == Kind::Heading && m_body != TextRole::Thought)
        look = style().look(kHeadings[std::clamp(block.level, 1, 4) - 1]);
    else if (block.kind == Kind::Heading)
        look.font.setWeight(QFont::DemiBold);
    const bool quoted = std::ranges::any_of(block.containers, [](const BlockContainer& container) {
        return container.kind == BlockContainer::Kind::Quote;
    });
    if (quoted) look.color = style().color(Token::Text2);
    return look;
}

ProseBlock::Leaf ProseBlock::makeLeaf(const MarkdownBlock& block) const
{
    return {.block = block, .text = LaidText(inlineTextOf(block), lookOf(block), style())};
}

int ProseBlock::setBlocks(const QList<MarkdownBlock>& blocks, qsizetype firstChanged)
{
    const qsizetype known = std::min<qsizetype>(firstChanged, leafCount());
    qsizetype same = known;
    while (same < std::min<qsizetype>(leafCount(), blocks.size()) &&
           m_leaves[static_cast<size_t>(same)].block == blocks[same])
        ++same;
    m_leaves.erase(m_leaves.begin() + same, m_leaves.end());
    for (qsizetype i = same; i < blocks.size(); ++i)
        m_leaves.push_back(makeLeaf(blocks[i]));
    if (m_width > 0) place(static_cast<size_t>(same));
    textChangedFrom(static_cast<int>(same));
    const int top = same > 0 ? qRound(leafTop(static_cast<int>(same) - 1)) : 0;
    update(0, top, width(), height() - top);
    return static_cast<int>(blocks.size() - same);
}

int ProseBlock::layOut(int width)
{
    if (width != m_width) {
        m_width = width;
        place(0);
    }
    return m_leaves.empty() ? 0 : qRound(m_leaves.back().top + m_leaves.back().height);
}

double ProseBlock::usedWidth() const
{
    double used = 0;
    for (const Leaf& leaf : m_leaves)
        used = std::max(used, leaf.text.usedWidth());
    return used;
}

void ProseBlock::place(size_t from)
{
    for (size_t i = from; i < m_leaves.size(); ++i) {
        Leaf& leaf = m_leaves[i];
        const MarkdownBlock* above = i > 0 ? &m_leaves[i - 1].block : nullptr;
        leaf.top = i > 0 ? m_leaves[i - 1].top + m_leaves[i - 1].height : 0;
        leaf.top += gapBetween(above, leaf.block, style());
        const double indent = indentOf(leaf.block, style());
        const double room = std::max(m_width - indent, 40.0);
        leaf.text.layOut(room);
        leaf.left = kBleed + (leaf.text.isRightToLeft() ? 0 : indent);
        if (leaf.block.kind == Kind::Math)
            leaf.left += std::max(0.0, (room - leaf.text.usedWidth()) / 2);
        leaf.height = leaf.block.kind == Kind::Rule ? style().px(17) : leaf.text.height();
    }
}

const LaidText& ProseBlock::fragment(int index) const
{
    return m_leaves[static_cast<size_t>(index)].text;
}

QPointF ProseBlock::origin(int index) const
{
    const Leaf& leaf = m_leaves[static_cast<size_t>(index)];
    return {leaf.left, leaf.top};
}

int ProseBlock::fragmentAt(QPointF point) const
{
    const auto below = std::ranges::upper_bound(m_leaves, point.y(), {}, &Leaf::top);
    return std::max(static_cast<int>(below - m_leaves.begin()) - 1, 0);
}

QString ProseBlock::separatorAfter(int index) const
{
    const MarkdownBlock& next = m_leaves[static_cast<size_t>(index) + 1].block;
    if (next.continued) return {};
    if (next.kind == Kind::Plain) return QStringLiteral("\n");
    const bool tight = !next.blankBefore && next.kind == Kind::Paragraph;
    return tight ? QStringLiteral("\n") : QStringLiteral("\n\n");
}

void ProseBlock::setCaret(bool shown)
{
    if (shown == m_caret) return;
    m_caret = shown;
    update();
}

void ProseBlock::updateFragments(int first, int last)
{
    if (m_leaves.empty()) return;
    const auto top = static_cast<int>(leafTop(std::min(first, leafCount() - 1)));
    const Leaf& end = m_leaves[static_cast<size_t>(std::min(last, leafCount() - 1))];
    update(QRect(0, top, width(), qRound(end.top + end.height) - top + 1));
}

void ProseBlock::paintLeaf(QPainter& painter, int index, const QRectF& clip) const
{
    const Leaf& leaf = m_leaves[static_cast<size_t>(index)];
    if (!leaf.block.containers.isEmpty()) {
        const bool joins =
            index > 0 && shareQuote(m_leaves[static_cast<size_t>(index) - 1].block, leaf.block);
        const Leaf* above = joins ? &m_leaves[static_cast<size_t>(index) - 1] : nullptr;
        paintContainers(painter, leaf.block,
                        {.style = style(),
                         .look = style().look(m_body),
                         .row = QRectF(kBleed, leaf.top, m_width, leaf.height),
                         .barTop = above ? above->top + above->height : leaf.top,
                         .baseline = leaf.top + leaf.text.firstBaseline(),
                         .rightToLeft = leaf.text.isRightToLeft()});
    }
    if (leaf.block.kind == Kind::Rule) {
        const double y = std::floor(leaf.top + leaf.height / 2);
        painter.fillRect(QRectF(leaf.left, y, m_width - (leaf.left - kBleed), 1),
                         style().color(Token::Line));
        return;
    }
    drawFragment(painter, index, clip);
}

void ProseBlock::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF clip = event->rect();
    for (int i = fragmentAt(clip.topLeft()); i < leafCount() && leafTop(i) < clip.bottom(); ++i)
        paintLeaf(painter, i, clip);
    if (!m_caret) return;
    const int last = leafCount() - 1;
    const QPointF end = last >= 0 ? origin(last) + fragment(last).endPoint()
                                  : QPointF(kBleed, style().look(m_body).baseline);
    drawCaret(painter, end);
}

} // namespace ui
