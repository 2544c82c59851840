#pragma once

#include "ui/transcript/markdown_blocks.h"
#include "ui/transcript/transcript_style.h"

#include <QPainter>

namespace ui {

/// Surfaces reach this far beyond the column on both sides, for carets, fills and focus rings.
constexpr int kBleed = 12;

/// Px between two blocks that follow each other; 0 above the first.
int gapBetween(const MarkdownBlock* above, const MarkdownBlock& below,
               const TranscriptStyle& style);

/// How far the containers of a block push its text in, px.
int indentOf(const MarkdownBlock& block, const TranscriptStyle& style);

/// The bars of quotations and the markers of items beside a block.
struct ContainerPaint {
    const TranscriptStyle& style;
    const TextLook& look;
    QRectF row;          ///< the block over the whole width of its column
    double barTop = 0;   ///< where bars begin: above `row` if the block before lies in them too
    double baseline = 0; ///< of the block's first line
    bool rightToLeft = false;
};
void paintContainers(QPainter& painter, const MarkdownBlock& block, const ContainerPaint& paint);

/// True if the blocks lie in the same outermost quotation.
bool shareQuote(const MarkdownBlock& a, const MarkdownBlock& b);

/// A height good enough for a scroll bar, px, without laying anything out.
int estimatedHeight(const MarkdownBlock& block, int width, const TranscriptStyle& style);

} // namespace ui
