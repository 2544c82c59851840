#pragma once

#include "ui/transcript/block_stack.h"

#include <QAbstractButton>

namespace ui {

/// How long the model thought, as far as that is known.
struct ThoughtFacts {
    bool thinking = false;
    int seconds = -1; ///< -1: not known
    int tokens = 0;   ///< 0: not known

    bool operator==(const ThoughtFacts&) const = default;
};

/// "Thought for 4 s": a chip in the head row, or the head of the open card.
class ThoughtButton : public QAbstractButton {
    Q_OBJECT
public:
    ThoughtButton(const TranscriptStyle& style, bool headOfCard, QWidget* parent = nullptr);

    void setFacts(const ThoughtFacts& facts);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString words() const;
    QString tokenWords() const;

    const TranscriptStyle& m_style;
    bool m_headOfCard;
    ThoughtFacts m_facts;
};

/// The open card of a thought.
class ThoughtBlock : public QWidget {
    Q_OBJECT
public:
    explicit ThoughtBlock(const TranscriptParts& parts, QWidget* parent = nullptr);

    ThoughtButton& head() { return *m_head; }
    BlockStack& stack() { return *m_stack; }
    const BlockStack& stack() const { return *m_stack; }
    void setCardWidth(int width);
    int cardHeight() const;
    /// The stack's top inside the card.
    int stackTop() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    const TranscriptStyle& m_style;
    ThoughtButton* m_head;
    BlockStack* m_stack;
};

} // namespace ui
