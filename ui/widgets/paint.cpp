#include "ui/widgets/paint.h"

#include <QPixmap>

namespace ui {

void drawRounded(QPainter& painter, const QRectF& rect, double radius, const QColor& fill,
                 const QColor& line, double width)
{
    const double inset = width / 2;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(line, width));
    painter.setBrush(fill);
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius - inset,
                            radius - inset);
}

void fillRounded(QPainter& painter, const QRectF& rect, double radius, const QBrush& fill)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(rect, radius, radius);
}

void drawShadow(QPainter& painter, const QRectF& rect, double radius, const Theme& theme)
{
    struct Step {
        double offset;
        double spread;
        double light;
        double dark;
    };
    static constexpr Step kSteps[] = {
        {1, 0, .05, .26}, {2, 1, .05, .26}, {3, 2, .03, .16}, {5, 3, .03, .16}};
    for (const Step& step : kSteps) {
        const QColor color =
            theme.color(Theme::Token::Shadow, theme.isDark() ? step.dark : step.light);
        fillRounded(painter,
                    rect.adjusted(-step.spread, -step.spread, step.spread, step.spread)
                        .translated(0, step.offset),
                    radius + step.spread, color);
    }
}

QBrush hatchBrush(const QColor& color, qreal dpr)
{
    const int side = qRound(5.6 * dpr);
    QPixmap tile(side, side);
    QColor soft = color;
    soft.setAlphaF(0.14F);
    tile.fill(soft);
    QColor stroke = color;
    stroke.setAlphaF(0.75F);
    QPainter painter(&tile);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(stroke, 1.3 * dpr, Qt::SolidLine, Qt::SquareCap));
    for (int k = -1; k <= 1; ++k)
        painter.drawLine(QPointF(k * side, side), QPointF((k + 1) * side, 0));
    painter.end();
    tile.setDevicePixelRatio(dpr);
    return {tile};
}

} // namespace ui
