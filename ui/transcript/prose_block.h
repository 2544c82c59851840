#pragma once

#include "ui/transcript/block_metrics.h"
#include "ui/transcript/text_surface.h"

#include <vector>

namespace ui {

/// A run of paragraphs, headings, items, formulas and rules that belongs together for selecting.
class ProseBlock : public TextSurface {
    Q_OBJECT
public:
    /// `body` is the role of plain paragraphs: Body or Thought.
    ProseBlock(const TranscriptStyle& style, TextRole body, QWidget* parent = nullptr);

    /// Shows the blocks; those before `firstChanged` are the ones shown already. Returns how many
    /// were laid out.
    int setBlocks(const QList<MarkdownBlock>& blocks, qsizetype firstChanged);
    /// The width of the column, without the bleed; returns the height.
    int layOut(int width);
    /// Of its widest line.
    double usedWidth() const;

    double leafTop(int index) const { return m_leaves[static_cast<size_t>(index)].top; }
    int leafCount() const { return static_cast<int>(m_leaves.size()); }
    void setCaret(bool shown);

protected:
    int fragmentCount() const override { return leafCount(); }
    const LaidText& fragment(int index) const override;
    QPointF origin(int index) const override;
    int fragmentAt(QPointF point) const override;
    QString separatorAfter(int index) const override;
    void updateFragments(int first, int last) override;
    void paintEvent(QPaintEvent* event) override;

private:
    struct Leaf {
        MarkdownBlock block;
        LaidText text;
        double left = 0;
        double top = 0;
        double height = 0;
    };

    Leaf makeLeaf(const MarkdownBlock& block) const;
    TextLook lookOf(const MarkdownBlock& block) const;
    void place(size_t from);
    void paintLeaf(QPainter& painter, int index, const QRectF& clip) const;

    TextRole m_body;
    std::vector<Leaf> m_leaves;
    int m_width = 0;
    bool m_caret = false;
};

/// What a leaf of prose shows, formatted.
InlineText inlineTextOf(const MarkdownBlock& block);

} // namespace ui
