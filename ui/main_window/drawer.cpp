#include "ui/main_window/drawer.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace ui {

namespace {

constexpr int kShadow = 8;

} // namespace

Drawer::Drawer(const Theme& theme, Qt::Edge edge, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_edge(edge)
{
    hide();
    parent->installEventFilter(this);
    m_motion.setEasingCurve(QEasingCurve::OutCubic);
    connect(&m_motion, &QVariantAnimation::valueChanged, this,
            [this](const QVariant& share) { place(share.toDouble()); });
    connect(&m_motion, &QVariantAnimation::finished, this, [this] {
        if (!m_open) hide();
    });
}

void Drawer::takePanel(QWidget* panel, int width)
{
    m_panel = panel;
    m_panelWidth = width;
    panel->setParent(this);
    panel->show();
}

void Drawer::releasePanel()
{
    m_motion.stop();
    m_open = false;
    m_panel = nullptr;
    qApp->removeEventFilter(this);
    hide();
}

void Drawer::place(double share)
{
    if (m_panel == nullptr) return;
    const int width = std::min(m_panelWidth, parentWidget()->width());
    const int shift = qRound((1 - share) * (width + kShadow));
    const int height = parentWidget()->height();
    if (m_edge == Qt::LeftEdge) {
        setGeometry(-shift, 0, width + kShadow, height);
        m_panel->setGeometry(0, 0, width, height);
    } else {
        setGeometry(parentWidget()->width() - width - kShadow + shift, 0, width + kShadow, height);
        m_panel->setGeometry(kShadow, 0, width, height);
    }
}

void Drawer::open()
{
    if (m_panel == nullptr || m_open) return;
    m_open = true;
    qApp->installEventFilter(this);
    const int duration = motionMs(Motion::Panel);
    place(duration == 0 ? 1 : 0);
    show();
    raise();
    if (duration == 0) return;
    m_motion.stop();
    m_motion.setDuration(duration);
    m_motion.setStartValue(0.0);
    m_motion.setEndValue(1.0);
    m_motion.start();
}

void Drawer::dismiss()
{
    if (!m_open) return;
    m_open = false;
    qApp->removeEventFilter(this);
    const int duration = motionMs(Motion::Panel);
    if (duration == 0) {
        hide();
        return;
    }
    m_motion.stop();
    m_motion.setDuration(duration);
    m_motion.setStartValue(1.0);
    m_motion.setEndValue(0.0);
    m_motion.start();
}

bool Drawer::eventFilter(QObject* object, QEvent* event)
{
    if (object == parentWidget() && event->type() == QEvent::Resize && m_open &&
        m_motion.state() != QAbstractAnimation::Running)
        place(1);
    if (m_open && event->type() == QEvent::MouseButtonPress) {
        const auto* widget = qobject_cast<QWidget*>(object);
        if (widget != nullptr && widget->window() == window() && widget != this &&
            !isAncestorOf(widget)) {
            dismiss();
            return true; // the press closes, and does nothing else
        }
    }
    return QWidget::eventFilter(object, event);
}

void Drawer::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const bool left = m_edge == Qt::LeftEdge;
    // A shadow that fades in steps, towards the page.
    for (int i = 0; i < kShadow; ++i) {
        const double alpha = (m_theme.isDark() ? 0.30 : 0.10) * (kShadow - i) / kShadow;
        const int x = left ? width() - kShadow + i : kShadow - 1 - i;
        painter.fillRect(QRect(x, 0, 1, height()),
                         m_theme.color(Theme::Token::Shadow, alpha * alpha * 4));
    }
    painter.fillRect(QRect(left ? width() - kShadow : kShadow - 1, 0, 1, height()),
                     m_theme.color(Theme::Token::Line));
}

} // namespace ui
