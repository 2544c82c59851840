#include "ui/widgets/overlay_scroll_bar.h"

#include <QAbstractScrollArea>
#include <QEvent>
#include <QScrollBar>

namespace ui {

OverlayScrollBar::OverlayScrollBar(QAbstractScrollArea* area)
    : QObject(area)
    , m_area(area)
    , m_bar(new QScrollBar(Qt::Vertical, area))
{
    area->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_bar->setFocusPolicy(Qt::NoFocus);
    QScrollBar* own = area->verticalScrollBar();
    connect(own, &QScrollBar::rangeChanged, this, &OverlayScrollBar::adopt);
    connect(own, &QScrollBar::valueChanged, m_bar, &QScrollBar::setValue);
    connect(m_bar, &QScrollBar::valueChanged, own, &QScrollBar::setValue);
    area->installEventFilter(this);
    adopt();
}

void OverlayScrollBar::adopt()
{
    const QScrollBar* own = m_area->verticalScrollBar();
    m_bar->setRange(own->minimum(), own->maximum());
    m_bar->setPageStep(own->pageStep());
    m_bar->setSingleStep(own->singleStep());
    m_bar->setValue(own->value());
    m_bar->setVisible(own->maximum() > own->minimum());
    place();
}

void OverlayScrollBar::place()
{
    const int width = m_bar->sizeHint().width();
    m_bar->setGeometry(m_area->width() - width, 0, width, m_area->height());
    m_bar->raise();
}

bool OverlayScrollBar::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() == QEvent::Resize) place();
    return QObject::eventFilter(object, event);
}

} // namespace ui
