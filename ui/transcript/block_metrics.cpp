#include "ui/transcript/block_metrics.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/paint.h"

#include <QFontMetricsF>

#include <algorithm>

namespace ui {

namespace {

using Kind = MarkdownBlock::Kind;
using ContainerKind = BlockContainer::Kind;
using Token = Theme::Token;

struct Space {
    double before;
    double after;
};

Space spaceOf(const MarkdownBlock& block)
{
    switch (block.kind) {
    case Kind::Heading:
        return {block.level <= 2 ? 18.0 : 12.0, 6};
    case Kind::Code:
        return {4, 12};
    case Kind::Table:
        return {2, 12};
    case Kind::Plain:
        return {0, 0};
    case Kind::Math:
    case Kind::Paragraph:
    case Kind::Rule:
        break;
    }
    return {0, 10};
}

bool isItem(const BlockContainer& container)
{
    return container.kind != ContainerKind::Quote;
}

bool liesInItem(const MarkdownBlock& block)
{
    return std::ranges::any_of(block.containers, isItem);
}

int indentOf(const BlockContainer& container, const TranscriptStyle& style)
{
    if (!isItem(container)) return style.px(14);
    int width = 22;
    for (int number = container.number; number >= 100; number /= 10)
        width += 8;
    return style.px(width);
}

void paintTask(QPainter& painter, const ContainerPaint& paint, const BlockContainer& container,
               QPointF center)
{
    const double side = paint.style.px(14);
    const QRectF box(center.x() - side / 2, center.y() - side / 2, side, side);
    const bool done = container.task == BlockContainer::Task::Done;
    const QColor accent = paint.style.color(Token::Accent);
    drawRounded(painter, box, radius::kTag, done ? accent : paint.style.color(Token::Raised),
                done ? accent : paint.style.color(Token::Edge));
    if (!done) return;
    const int icon = paint.style.px(12);
    painter.drawPixmap(QPointF(center.x() - icon / 2.0, center.y() - icon / 2.0),
                       paint.style.theme().icons().pixmap(QStringLiteral("check"), icon,
                                                          Token::OnAccent,
                                                          painter.device()->devicePixelRatioF()));
}

/// `left` and `width` are the room the item's indentation gives.
void paintMarker(QPainter& painter, const ContainerPaint& paint, const BlockContainer& container,
                 double left, double width, int depth)
{
    const double middle = paint.baseline - QFontMetricsF(paint.look.font).xHeight() / 2;
    const double offset = paint.style.px(paint.rightToLeft ? 14 : 8);
    const QPointF center(left + offset, middle);
    if (container.task != BlockContainer::Task::None) {
        paintTask(painter, paint, container, center);
    } else if (container.kind == ContainerKind::Ordered) {
        painter.setFont(paint.look.font);
        painter.setPen(paint.style.color(Token::Text3));
        const QString number = QString::number(container.number) + u'.';
        const double advance = QFontMetricsF(paint.look.font).horizontalAdvance(number);
        const double x = paint.rightToLeft ? left + paint.style.px(5)
                                           : left + width - paint.style.px(5) - advance;
        painter.drawText(QPointF(x, paint.baseline), number);
    } else {
        const double r = paint.style.px(10) / 4.0;
        painter.setRenderHint(QPainter::Antialiasing);
        const QColor ink = paint.style.color(Token::Text3);
        painter.setPen(depth % 2 == 1 ? QPen(ink, 1.25) : QPen(Qt::NoPen));
        painter.setBrush(depth % 2 == 1 ? QBrush(Qt::NoBrush) : QBrush(ink));
        painter.drawEllipse(center, r, r);
    }
}

} // namespace

int gapBetween(const MarkdownBlock* above, const MarkdownBlock& below, const TranscriptStyle& style)
{
    if (!above) return 0;
    if (below.continued && below.kind == above->kind) return 0;
    const bool prose = above->kind == Kind::Paragraph && below.kind == Kind::Paragraph;
    if (prose && liesInItem(*above) && liesInItem(below))
        return style.px(below.blankBefore ? 8 : 2);
    const bool heading = above->kind == Kind::Heading;
    return style.px(std::max(spaceOf(*above).after, heading ? 0 : spaceOf(below).before));
}

int indentOf(const MarkdownBlock& block, const TranscriptStyle& style)
{
    int indent = 0;
    for (const BlockContainer& container : block.containers)
        indent += indentOf(container, style);
    return indent;
}

void paintContainers(QPainter& painter, const MarkdownBlock& block, const ContainerPaint& paint)
{
    double left = paint.rightToLeft ? paint.row.right() : paint.row.left();
    int depth = 0;
    for (const BlockContainer& container : block.containers) {
        const double width = indentOf(container, paint.style);
        if (paint.rightToLeft) left -= width;
        if (!isItem(container)) {
            const double x = paint.rightToLeft ? left + width - 3 : left;
            fillRounded(painter, QRectF(x, paint.barTop, 3, paint.row.bottom() - paint.barTop), 1.5,
                        paint.style.color(Token::Line));
        } else {
            if (container.starts) paintMarker(painter, paint, container, left, width, depth);
            ++depth;
        }
        if (!paint.rightToLeft) left += width;
    }
}

bool shareQuote(const MarkdownBlock& a, const MarkdownBlock& b)
{
    return !a.containers.isEmpty() && !b.containers.isEmpty() && !isItem(a.containers.first()) &&
           !isItem(b.containers.first());
}

int estimatedHeight(const MarkdownBlock& block, int width, const TranscriptStyle& style)
{
    const qsizetype rows = block.text.count(u'\n') + 1;
    switch (block.kind) {
    case Kind::Code:
        return style.px(32) + 3 + style.px(20) + static_cast<int>(rows) * style.px(20);
    case Kind::Table:
        return 1 + static_cast<int>(rows) * (style.px(28) + 1);
    case Kind::Rule:
        return style.px(17);
    case Kind::Paragraph:
    case Kind::Heading:
    case Kind::Math:
    case Kind::Plain:
        break;
    }
    const TextLook& look = style.look(TextRole::Body);
    const double letter = look.lineHeight * 0.31; // px a letter of text takes on average
    const double room = std::max(width - indentOf(block, style), 40);
    const auto lines = static_cast<int>(static_cast<double>(block.text.size()) * letter / room) +
                       (block.kind == Kind::Plain ? static_cast<int>(rows) : 1);
    return lines * static_cast<int>(look.lineHeight);
}

} // namespace ui
