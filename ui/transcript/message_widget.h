#pragma once

#include "app/conversation/message.h"
#include "ui/transcript/action_row.h"
#include "ui/transcript/block_stack.h"

#include <QWidget>

namespace ui {

/// A place in a message that a scroll position can hold on to.
struct MessageAnchor {
    enum class Part : quint8 { Top, Thought, Body, Foot };
    Part part = Part::Top;
    qsizetype block = 0;
    int top = 0; ///< in the message's coordinates
};

/// A message on the screen. The view sets its width and its place and tells what of it is near the
/// visible part. Its width is the column's and the bleed on both sides.
class MessageWidget : public QWidget {
    Q_OBJECT
public:
    MessageWidget(const TranscriptParts& parts, const app::Message& message,
                  const QList<ActionRow::Action>& actions, QWidget* parent);
    ~MessageWidget() override;

    const app::Message& message() const { return m_message; }
    virtual void setMessage(const app::Message& message) = 0;
    virtual void grow(const app::ReplyGrowth& growth) { m_message += growth; }

    /// Lays everything out for a column of this width.
    virtual void setColumnWidth(int width) = 0;
    virtual bool realize(int top, int bottom) = 0;
    int messageHeight() const { return m_height; }

    virtual MessageAnchor anchorAt(int y) const = 0;
    virtual int topOf(const MessageAnchor& anchor) const = 0;

    /// The stack that shows a part; null if there is none now.
    virtual BlockStack* stackOf(MessageAnchor::Part part) = 0;
    /// Where the stack stands in the message.
    virtual int stackTop(MessageAnchor::Part part) const = 0;
    /// Opens what is folded over a part.
    virtual void reveal(MessageAnchor::Part) {}

    /// The last answer always shows its actions.
    void setIsLast(bool last);
    void setBranches(int index, int count);
    /// Shown faintly, as what a change above would replace.
    void setDimmed(bool dimmed);
    void copyMessage();
    /// Who and when, for assistive technology.
    QString title() const;
    /// When, to the minute, as the language writes it.
    QString timeText() const;

Q_SIGNALS:
    /// The height changed for another reason than the text.
    void heightChanged();
    /// Before that: the user opened what was folded, and reads on where it is.
    void unfolding();
    void copyRequested();
    void regenerateRequested();
    void continueRequested();
    void deleteRequested();
    void editRequested(const QString& newText);
    void editingChanged(bool editing);
    void branchRequested(int index);
    void surfaceAdded(ui::TextSurface* surface);

protected:
    virtual void arrange() = 0;
    virtual void act(ActionRow::Action action);
    virtual bool wantsActions() const;
    void updateActions();
    void setMessageHeight(int height) { m_height = height; }
    void paintFocus(QPainter& painter) const;

    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

    TranscriptParts m_parts;
    app::Message m_message;
    ActionRow* m_actions;
    int m_columnWidth = 0;
    int m_branch = 1;
    int m_branches = 1;

private:
    void showMenu(const QPoint& globalPosition, TextSurface* surface);

    QWidget* m_veil = nullptr;
    int m_height = 0;
    bool m_isLast = false;
    bool m_hovered = false;
    bool m_focusWithin = false;
};

} // namespace ui
