#include "ui/transcript/user_message.h"

#include "ui/transcript/bubble_editor.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/paint.h"

#include <QApplication>
#include <QPainterPath>

#include <algorithm>

namespace ui {

using Token = Theme::Token;
using Action = ActionRow::Action;

namespace {

constexpr int kMaxBubble = 500;
constexpr int kSidePadding = 14;
constexpr int kUprightPadding = 9;
constexpr int kActionsGap = 4;

/// A bubble's outline: its lower right corner points to the user.
QPainterPath bubblePath(const QRectF& rect)
{
    constexpr double kRound = radius::kBubble;
    constexpr double kPoint = radius::kTag;
    QPainterPath path(QPointF(rect.left() + kRound, rect.top()));
    const auto corner = [&path](double x, double y, double r, double start) {
        path.arcTo(QRectF(x, y, 2 * r, 2 * r), start, -90);
    };
    corner(rect.right() - 2 * kRound, rect.top(), kRound, 90);
    corner(rect.right() - 2 * kPoint, rect.bottom() - 2 * kPoint, kPoint, 0);
    corner(rect.left(), rect.bottom() - 2 * kRound, kRound, 270);
    corner(rect.left(), rect.top(), kRound, 180);
    path.closeSubpath();
    return path;
}

} // namespace

UserMessage::UserMessage(const TranscriptParts& parts, const app::Message& message, QWidget* parent)
    : MessageWidget(parts, message,
                    {Action::Copy, Action::Edit, Action::Regenerate, Action::Delete}, parent)
    , m_stack(new BlockStack(parts, TextRole::Bubble, this))
{
    connect(m_stack, &BlockStack::surfaceAdded, this, &MessageWidget::surfaceAdded);
    m_stack->setPlainText(message.text);
    m_actions->button(Action::Regenerate)->setLabel(tr("Answer again"));
}

void UserMessage::setMessage(const app::Message& message)
{
    const bool sameText = message.text == m_message.text;
    m_message = message;
    setAccessibleName(title());
    if (!sameText) m_stack->setPlainText(message.text);
    if (m_columnWidth > 0) arrange();
}

int UserMessage::roomForBubble() const
{
    const int beside = m_actions->sizeHint().width() + kActionsGap;
    return std::min(m_parts.style.px(kMaxBubble), m_columnWidth - beside);
}

void UserMessage::setColumnWidth(int width)
{
    m_columnWidth = width;
    arrange();
}

void UserMessage::arrange()
{
    if (m_editor) {
        const int width = std::min(m_parts.style.px(kMaxBubble), m_columnWidth);
        const int height = m_editor->layOut(width);
        m_editor->setGeometry(kBleed + m_columnWidth - width, 0, width, height);
        setMessageHeight(height);
        return;
    }
    m_stack->setColumnWidth(roomForBubble() - 2 * kSidePadding);
    // A short text decides how wide the bubble is, and must be laid out for that.
    if (m_stack->blocks().size() == 1) m_stack->realize(0, m_stack->stackHeight() + 1);
    const int width = m_stack->usedWidth() + 2 * kSidePadding;
    const int height = m_stack->stackHeight() + 2 * kUprightPadding;
    m_bubble = QRect(kBleed + m_columnWidth - width, 0, width, height);
    m_stack->setGeometry(m_bubble.x() + kSidePadding - kBleed, kUprightPadding,
                         m_bubble.width() - 2 * kSidePadding + 2 * kBleed, m_stack->stackHeight());
    const QSize actions = m_actions->sizeHint();
    m_actions->setGeometry(m_bubble.x() - kActionsGap - actions.width(),
                           height - actions.height() - 4, actions.width(), actions.height());
    setMessageHeight(height);
    update();
}

bool UserMessage::realize(int top, int bottom)
{
    if (m_editor) return false;
    const int before = messageHeight();
    if (m_stack->realize(top - kUprightPadding, bottom - kUprightPadding)) arrange();
    return messageHeight() != before;
}

MessageAnchor UserMessage::anchorAt(int y) const
{
    const BlockStack::Anchor anchor = m_stack->anchorAt(y - kUprightPadding);
    return {.part = MessageAnchor::Part::Body,
            .block = anchor.block,
            .top = anchor.top + kUprightPadding};
}

int UserMessage::topOf(const MessageAnchor& anchor) const
{
    if (m_editor || anchor.part != MessageAnchor::Part::Body) return 0;
    return m_stack->topOf(anchor.block) + kUprightPadding;
}

BlockStack* UserMessage::stackOf(MessageAnchor::Part part)
{
    return part == MessageAnchor::Part::Body ? m_stack : nullptr;
}

int UserMessage::stackTop(MessageAnchor::Part) const
{
    return kUprightPadding;
}

bool UserMessage::wantsActions() const
{
    return !m_editor && MessageWidget::wantsActions();
}

void UserMessage::act(Action action)
{
    if (action == Action::Edit)
        startEditing();
    else
        MessageWidget::act(action);
}

void UserMessage::startEditing()
{
    if (m_editor) return;
    m_editor = new BubbleEditor(m_parts.style, m_message.text, m_branches + 1, this);
    connect(m_editor, &BubbleEditor::cancelled, this, &UserMessage::endEditing);
    connect(m_editor, &BubbleEditor::heightChanged, this, [this] {
        arrange();
        Q_EMIT heightChanged();
    });
    connect(m_editor, &BubbleEditor::sent, this, [this](const QString& text) {
        endEditing();
        Q_EMIT editRequested(text);
    });
    m_stack->hide();
    updateActions();
    m_editor->show(); // only what is shown takes its size, and wraps its text, at once
    arrange();
    m_editor->takeFocus();
    Q_EMIT editingChanged(true);
    Q_EMIT heightChanged();
}

void UserMessage::endEditing()
{
    if (!m_editor) return;
    const bool hadFocus = m_editor->isAncestorOf(QApplication::focusWidget());
    m_editor->hide();
    m_editor->deleteLater();
    m_editor = nullptr;
    m_stack->show();
    if (hadFocus) setFocus(Qt::OtherFocusReason);
    updateActions();
    arrange();
    Q_EMIT editingChanged(false);
    Q_EMIT heightChanged();
}

void UserMessage::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (!m_editor) painter.fillPath(bubblePath(m_bubble), m_parts.style.color(Token::Bubble));
    paintFocus(painter);
}

} // namespace ui
