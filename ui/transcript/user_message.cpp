#include "ui/transcript/user_message.h"

#include "ui/transcript/bubble_editor.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/paint.h"

#include <QApplication>
#include <QLocale>
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
constexpr int kActionsAbove = 4; ///< the bubble's lower edge
constexpr int kMoreGap = 2;
constexpr int kAboveActions = 2; ///< where they stand below the bubble

/// A text longer than the first pair is folded to what the second one leaves of it.
constexpr qsizetype kWholeLetters = 6000;
constexpr qsizetype kWholeLines = 100;
constexpr qsizetype kFoldedLetters = 1000;
constexpr qsizetype kFoldedLines = 12;

bool isLong(QStringView text)
{
    return text.size() > kWholeLetters || text.count(u'\n') >= kWholeLines;
}

/// Its first lines, and of a line that is longer than that its first words.
QStringView beginningOf(QStringView text)
{
    QStringView start = text.first(std::min(text.size(), kFoldedLetters));
    qsizetype line = -1;
    for (qsizetype i = 0; i < kFoldedLines; ++i) {
        line = start.indexOf(u'\n', line + 1);
        if (line < 0) break;
    }
    if (line >= 0) return start.first(line);
    constexpr qsizetype kNear = 100;
    for (const QChar end : {u'\n', u' '})
        if (const qsizetype at = start.lastIndexOf(end); at > start.size() - kNear)
            return start.first(at);
    if (!start.isEmpty() && start.back().isHighSurrogate()) start.chop(1);
    return start;
}

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

QString UserMessage::shownText(const QString& text, bool whole)
{
    return whole || !isLong(text) ? text : beginningOf(text).toString();
}

UserMessage::UserMessage(const TranscriptParts& parts, const app::Message& message, bool whole,
                         QWidget* parent)
    : MessageWidget(parts, message,
                    {Action::Copy, Action::Edit, Action::Regenerate, Action::Delete}, parent)
    , m_stack(new BlockStack(parts, TextRole::Bubble, this))
    , m_whole(whole)
{
    connect(m_stack, &BlockStack::surfaceAdded, this, &MessageWidget::surfaceAdded);
    showText();
    m_actions->button(Action::Regenerate)->setLabel(tr("Answer again"));
}

void UserMessage::setMessage(const app::Message& message)
{
    const bool sameText = message.text == m_message.text;
    m_message = message;
    setAccessibleName(title());
    if (!sameText) showText();
    if (m_columnWidth > 0) arrange();
}

void UserMessage::showText()
{
    m_stack->setPlainText(shownText(m_message.text, m_whole));
    if (!isLong(m_message.text)) {
        if (m_more) m_more->deleteLater();
        m_more = nullptr;
        return;
    }
    if (!m_more) {
        m_more = new Button(m_parts.style.theme(), {}, Button::Kind::Ghost, this);
        m_more->setSmall(true);
        m_more->setVisible(!m_editor);
        connect(m_more, &QAbstractButton::clicked, this, [this] { setWhole(!m_whole); });
    }
    m_more->setText(
        m_whole ? tr("Show less")
                : tr("Show all %1 characters").arg(QLocale().toString(m_message.text.size())));
}

void UserMessage::setWhole(bool whole)
{
    if (whole == m_whole) return;
    if (whole) Q_EMIT unfolding();
    m_whole = whole;
    showText();
    if (m_columnWidth > 0) arrange();
    Q_EMIT heightChanged();
}

void UserMessage::reveal(MessageAnchor::Part)
{
    if (m_more) setWhole(true);
}

// Branches take nothing away from the text.
int UserMessage::roomForBubble() const
{
    const int beside = m_actions->plainWidth() + kActionsGap;
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
    const QSize more = m_more ? m_more->sizeHint() : QSize();
    const int below = m_more ? kMoreGap + more.height() - kUprightPadding / 2 : 0;
    const int width = std::max(m_stack->usedWidth(), more.width()) + 2 * kSidePadding;
    const int height = m_stack->stackHeight() + 2 * kUprightPadding + below;
    m_bubble = QRect(kBleed + m_columnWidth - width, 0, width, height);
    m_stack->setGeometry(m_bubble.x() + kSidePadding - kBleed, kUprightPadding,
                         m_bubble.width() - 2 * kSidePadding + 2 * kBleed, m_stack->stackHeight());
    if (m_more) { // its words stand below the text's
        const int words = m_more->fontMetrics().horizontalAdvance(m_more->text());
        m_more->setGeometry(m_bubble.x() + kSidePadding - (more.width() - words) / 2,
                            kUprightPadding + m_stack->stackHeight() + kMoreGap, more.width(),
                            more.height());
    }
    placeActions();
    update();
}

// Beside the bubble, or below it where that leaves no room.
void UserMessage::placeActions()
{
    const QSize size = m_actions->sizeHint();
    const bool beside = m_columnWidth - m_bubble.width() >= size.width() + kActionsGap;
    const QPoint place =
        beside ? QPoint(m_bubble.x() - kActionsGap - size.width(),
                        m_bubble.bottom() + 1 - size.height() - kActionsAbove)
               : QPoint(m_bubble.right() + 1 - size.width(), m_bubble.bottom() + 1 + kAboveActions);
    m_actions->setGeometry(QRect(place, size));
    setMessageHeight(m_bubble.height() + (beside ? 0 : kAboveActions + size.height()));
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
    m_focusBefore = QApplication::focusWidget();
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
    if (m_more) m_more->hide();
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
    if (m_more) m_more->show();
    // Back to where it was, outside: its own buttons come and go.
    const bool outside =
        m_focusBefore && !isAncestorOf(m_focusBefore) && m_focusBefore->isVisible();
    if (hadFocus) (outside ? m_focusBefore.data() : this)->setFocus(Qt::OtherFocusReason);
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
