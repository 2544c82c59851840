#pragma once

#include "ui/transcript/message_widget.h"

namespace ui {

class BubbleEditor;

/// What the user wrote, letter by letter, in a bubble at the right; or the editor for it.
class UserMessage : public MessageWidget {
    Q_OBJECT
public:
    UserMessage(const TranscriptParts& parts, const app::Message& message, QWidget* parent);

    void setMessage(const app::Message& message) override;
    void setColumnWidth(int width) override;
    bool realize(int top, int bottom) override;
    MessageAnchor anchorAt(int y) const override;
    int topOf(const MessageAnchor& anchor) const override;
    BlockStack* stackOf(MessageAnchor::Part part) override;
    int stackTop(MessageAnchor::Part) const override;

    void startEditing();
    bool isEditing() const { return m_editor != nullptr; }

protected:
    void arrange() override;
    void act(ActionRow::Action action) override;
    bool wantsActions() const override;
    void paintEvent(QPaintEvent* event) override;

private:
    void endEditing();
    int roomForBubble() const;

    BlockStack* m_stack;
    BubbleEditor* m_editor = nullptr;
    QRect m_bubble;
};

} // namespace ui
