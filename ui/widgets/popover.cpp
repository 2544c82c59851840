#include "ui/widgets/popover.h"

#include "ui/widgets/paint.h"

#include <QAbstractButton>
#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr int kShadow = 8; // room for the shadow, all round
constexpr int kAway = 4;   // from the anchor

} // namespace

Popover::Popover(const Theme& theme, QWidget* window)
    : QWidget(window)
    , m_theme(theme)
    , m_body(new QVBoxLayout(this))
{
    m_body->setContentsMargins(kShadow + 1, kShadow + 1, kShadow + 1, kShadow + 1);
    m_body->setSpacing(0);
    setFocusPolicy(Qt::StrongFocus);
    hide();
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void Popover::openBelow(const QWidget* anchor, Qt::Alignment edge)
{
    place(anchor, edge, false);
}

void Popover::openAbove(const QWidget* anchor, Qt::Alignment edge)
{
    place(anchor, edge, true);
}

void Popover::place(const QWidget* anchor, Qt::Alignment edge, bool above)
{
    m_anchor = anchor;
    QWidget* window = parentWidget();
    ensurePolished();
    m_body->activate();
    const QRect at(anchor->mapTo(window, QPoint(0, 0)), anchor->size());
    QSize size = sizeHint().expandedTo(minimumSize()).boundedTo(window->size());
    const int room = above ? at.top() - kAway : window->height() - at.bottom() - kAway;
    size.setHeight(std::min(size.height(), std::max(120, room + kShadow)));
    int x = edge & Qt::AlignRight ? at.right() + 1 + kShadow - size.width() : at.left() - kShadow;
    x = std::clamp(x, -kShadow + 4, std::max(0, window->width() - size.width() + kShadow - 4));
    const int y =
        above ? at.top() - kAway - size.height() + kShadow : at.bottom() + 1 + kAway - kShadow;
    openIn(QRect(QPoint(x, y), size));
}

void Popover::openAt(const QRect& card)
{
    m_anchor = nullptr;
    openIn(card.adjusted(-kShadow, -kShadow, kShadow, kShadow));
}

void Popover::openIn(const QRect& place)
{
    setGeometry(place);
    show();
    raise();
    setFocus();
    qApp->installEventFilter(this);
}

void Popover::dismiss()
{
    if (!isVisible()) return;
    qApp->removeEventFilter(this);
    hide();
    Q_EMIT closed();
}

QList<QWidget*> Popover::tabStops() const
{
    QList<QWidget*> stops;
    for (QWidget* widget = nextInFocusChain(); widget != this; widget = widget->nextInFocusChain())
        if (isAncestorOf(widget) && widget->isVisible() && widget->isEnabled() &&
            (widget->focusPolicy() & Qt::TabFocus) != 0)
            stops += widget;
    return stops;
}

// The page below is not to be reached while this lies over it.
bool Popover::focusNextPrevChild(bool next)
{
    if (!isVisible()) return QWidget::focusNextPrevChild(next); // it closes, and the focus leaves
    const QList<QWidget*> stops = tabStops();
    if (stops.isEmpty()) return true;
    const qsizetype at = stops.indexOf(QApplication::focusWidget());
    const qsizetype to = at < 0 ? (next ? 0 : stops.size() - 1)
                                : (at + (next ? 1 : -1) + stops.size()) % stops.size();
    stops.at(to)->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    return true;
}

void Popover::keyPressEvent(QKeyEvent* event)
{
    auto* button = qobject_cast<QAbstractButton*>(QApplication::focusWidget());
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape)
        dismiss();
    else if (enter && button != nullptr && isAncestorOf(button) && !event->isAutoRepeat())
        button->click(); // Qt's buttons know the space bar only
    else
        QWidget::keyPressEvent(event);
}

// A press outside closes; on the anchor it does not also open again.
bool Popover::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() == QEvent::MouseButtonPress) {
        const auto* widget = qobject_cast<QWidget*>(object);
        const QPoint global = static_cast<QMouseEvent*>(event)->globalPosition().toPoint();
        const bool inside = widget != nullptr && (widget == this || isAncestorOf(widget));
        const bool inPopup = widget != nullptr && widget->window() != window();
        if (widget != nullptr && !inside && !inPopup) {
            const bool onAnchor =
                m_anchor != nullptr &&
                QRect(m_anchor->mapToGlobal(QPoint(0, 0)), m_anchor->size()).contains(global);
            dismiss();
            return onAnchor;
        }
    }
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape)
        event->accept(); // Esc is the popover's before it is the window's
    return QWidget::eventFilter(object, event);
}

void Popover::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QRectF card = QRectF(rect()).adjusted(kShadow, kShadow, -kShadow, -kShadow);
    drawShadow(painter, card, radius::kCard, m_theme);
    drawRounded(painter, card, radius::kCard, m_theme.color(Theme::Token::Raised),
                m_theme.color(Theme::Token::Line));
}

} // namespace ui
