#include "ui/transcript/wide_surface.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QResizeEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <cmath>

namespace ui {

namespace {

constexpr int kBarHeight = 8;
constexpr int kMargin = 24; ///< kept beside what is scrolled to

} // namespace

WideSurface::WideSurface(const TranscriptStyle& style, QWidget* parent)
    : TextSurface(style, parent)
    , m_bar(new QScrollBar(Qt::Horizontal, this))
{
    m_bar->setCursor(Qt::ArrowCursor);
    m_bar->setFocusPolicy(Qt::NoFocus);
    m_bar->installEventFilter(this);
    m_bar->hide();
    connect(m_bar, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
}

double WideSurface::scrolled() const
{
    return m_bar->value();
}

void WideSurface::updateScrollBar()
{
    const int over = static_cast<int>(std::ceil(contentWidth())) - width();
    m_bar->setRange(0, std::max(over, 0));
    m_bar->setPageStep(width());
    m_bar->setSingleStep(style().px(24));
    m_bar->setGeometry(4, height() - kBarHeight - 1, width() - 8, kBarHeight);
    m_bar->setVisible(over > 0);
}

void WideSurface::scrollTo(double left, double right)
{
    const double from = left - kMargin;
    const double to = right + kMargin;
    if (to > scrolled() + width()) m_bar->setValue(static_cast<int>(to) - width());
    if (from < scrolled()) m_bar->setValue(static_cast<int>(from));
}

void WideSurface::resizeEvent(QResizeEvent* event)
{
    TextSurface::resizeEvent(event);
    updateScrollBar();
}

// The wheel does the same over the bar as over the text.
bool WideSurface::eventFilter(QObject* object, QEvent* event)
{
    if (object != m_bar || event->type() != QEvent::Wheel)
        return TextSurface::eventFilter(object, event);
    event->ignore(); // then it is given to this widget
    return true;
}

void WideSurface::wheelEvent(QWheelEvent* event)
{
    const bool turned = event->modifiers().testFlag(Qt::ShiftModifier);
    const QPoint pixels = event->pixelDelta();
    const QPoint angle = event->angleDelta();
    const int sideways = turned ? angle.y() + angle.x() : angle.x();
    const bool mostly = turned || std::abs(angle.x()) > std::abs(angle.y());
    if (!mostly || m_bar->maximum() == 0) {
        event->ignore(); // the transcript scrolls
        return;
    }
    const int delta = pixels.isNull() ? sideways / 2 : (turned ? pixels.y() : pixels.x());
    m_bar->setValue(m_bar->value() - delta);
    event->accept();
}

void WideSurface::mouseMoveEvent(QMouseEvent* event)
{
    TextSurface::mouseMoveEvent(event);
    if (!isSelecting()) return;
    const double x = event->position().x();
    if (x < 0 || x > width())
        m_bar->setValue(m_bar->value() + static_cast<int>(x < 0 ? x : x - width()));
}

void WideSurface::keyPressEvent(QKeyEvent* event)
{
    const bool plain = event->modifiers() == Qt::NoModifier;
    const bool moves = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    if (plain && moves && m_bar->maximum() > 0) {
        m_bar->triggerAction(event->key() == Qt::Key_Left ? QScrollBar::SliderSingleStepSub
                                                          : QScrollBar::SliderSingleStepAdd);
        return;
    }
    TextSurface::keyPressEvent(event);
}

} // namespace ui
