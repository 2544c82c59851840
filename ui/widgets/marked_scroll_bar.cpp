#include "ui/widgets/marked_scroll_bar.h"

#include <QPainter>

#include <algorithm>

namespace ui {

namespace {

// Px.
constexpr int kMark = 2;
constexpr int kSide = 2;

} // namespace

MarkedScrollBar::MarkedScrollBar(QWidget* parent)
    : QScrollBar(Qt::Vertical, parent)
{
}

void MarkedScrollBar::setMarks(const QList<double>& shares, const QColor& color)
{
    if (shares.isEmpty() && m_shares.isEmpty()) return;
    m_shares = shares;
    m_color = color;
    update();
}

void MarkedScrollBar::paintEvent(QPaintEvent* event)
{
    QScrollBar::paintEvent(event);
    QPainter painter(this);
    const int room = height() - kMark;
    for (const double share : m_shares)
        painter.fillRect(kSide, std::clamp(qRound(share * height()), 0, room), width() - 2 * kSide,
                         kMark, m_color);
}

} // namespace ui
