#include "ui/widgets/focus_ring.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>

namespace ui {

FocusRing::FocusRing(QWidget* window)
    : QObject(window)
    , m_window(window)
    , m_frame(new QFocusFrame(window))
{
    connect(qApp, &QApplication::focusChanged, this,
            [this](QWidget*, QWidget* now) { follow(now); });
}

void FocusRing::follow(QWidget* widget)
{
    const bool ringed = widget != nullptr && widget->window() == m_window &&
                        m_window->testAttribute(Qt::WA_KeyboardFocusChange) &&
                        (qobject_cast<QAbstractButton*>(widget) != nullptr ||
                         qobject_cast<QComboBox*>(widget) != nullptr);
    m_frame->setWidget(ringed ? widget : nullptr);
}

} // namespace ui
