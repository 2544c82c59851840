#include "ui/widgets/marked_scroll_bar.h"

#include <QPainter>

#include <algorithm>

namespace ui {

namespace {

// Px.
constexpr int kMark = 2;
constexpr int kSide = 2;

constexpr int kMostPart = 4; // marks that take more than one in so many rows are a veil
constexpr int kVeil = 70;    // of 255

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
    const int room = std::max(0, height() - kMark); // a card may leave the bar no height
    QList<int> rows;
    for (const double share : m_shares)
        rows.append(std::clamp(qRound(share * height()), 0, room));
    std::ranges::sort(rows);
    rows.erase(std::ranges::unique(rows).begin(), rows.end());
    // Where they would hide the handle it is seen through them.
    QColor color = m_color;
    if (rows.size() * kMark * kMostPart > height()) color.setAlpha(kVeil);
    for (const int row : rows)
        painter.fillRect(kSide, row, width() - 2 * kSide, kMark, color);
}

} // namespace ui
