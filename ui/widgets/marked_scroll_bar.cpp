#include "ui/widgets/marked_scroll_bar.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOptionSlider>

#include <algorithm>

namespace ui {

namespace {

// Px.
constexpr int kMark = 2;
constexpr int kSide = 2;

// Marks that take more than one in so many rows are a veil, and leave the handle out.
constexpr int kMostPart = 4;
constexpr int kVeil = 70; // of 255

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
    QRegion marks;
    for (const double share : m_shares)
        marks +=
            QRect(kSide, std::clamp(qRound(share * height()), 0, room), width() - 2 * kSide, kMark);
    int rows = 0;
    for (const QRect& piece : marks)
        rows += piece.height();
    QColor color = m_color;
    if (rows * kMostPart > height()) {
        QStyleOptionSlider option;
        initStyleOption(&option);
        marks -= style()->subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider,
                                         this);
        color.setAlpha(kVeil);
    }
    painter.setClipRegion(marks);
    painter.fillRect(rect(), color);
}

} // namespace ui
