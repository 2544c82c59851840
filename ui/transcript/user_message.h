#pragma once

#include "ui/transcript/message_widget.h"

#include <QPointer>

namespace ui {

class BubbleEditor;
class Button;

/// What the user wrote, letter by letter, in a bubble at the right; or the editor for it. Of a text
/// of many screens the beginning is shown, with a way to all of it.
class UserMessage : public MessageWidget {
    Q_OBJECT
public:
    /// `whole`: a long text is not folded.
    UserMessage(const TranscriptParts& parts, const app::Message& message, bool whole,
                QWidget* parent);

    /// What a bubble has of a text.
    static QString shownText(const QString& text, bool whole);

    void setMessage(const app::Message& message) override;
    void setColumnWidth(int width) override;
    bool realize(int top, int bottom) override;
    MessageAnchor anchorAt(int y) const override;
    int topOf(const MessageAnchor& anchor) const override;
    BlockStack* stackOf(MessageAnchor::Part part) override;
    int stackTop(MessageAnchor::Part) const override;
    void reveal(MessageAnchor::Part part) override;

    bool isWhole() const { return m_whole; }
    /// Shows all of a long text, or its beginning again; null where the text is not that long.
    Button* moreButton() const { return m_more; }

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
    void placeActions();
    void showText();
    void setWhole(bool whole);

    BlockStack* m_stack;
    Button* m_more = nullptr;
    BubbleEditor* m_editor = nullptr;
    QPointer<QWidget> m_focusBefore; ///< the editing
    QRect m_bubble;
    bool m_whole;
};

} // namespace ui
