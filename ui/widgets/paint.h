#pragma once

#include "ui/theme/theme.h"

#include <QBrush>
#include <QPainter>
#include <QRectF>

namespace ui {

/// Corner radii, px.
namespace radius {
inline constexpr double kBar = 2;
inline constexpr double kTag = 4;
inline constexpr double kControl = 6;
inline constexpr double kCard = 10;
inline constexpr double kBubble = 14;
} // namespace radius

/// A rounded rectangle with a crisp outline of `width` px inside `rect`.
void drawRounded(QPainter& painter, const QRectF& rect, double radius, const QColor& fill,
                 const QColor& line, double width = 1);
/// The same without an outline.
void fillRounded(QPainter& painter, const QRectF& rect, double radius, const QBrush& fill);

/// The stepped shadow of popovers around `rect`: four stacked rounded rectangles, no blur. Reaches
/// 8 px below `rect` and 3 px to the other sides.
void drawShadow(QPainter& painter, const QRectF& rect, double radius, const Theme& theme);

/// Diagonal hatching in `color` over its own soft fill, crisp at every scale (Qt's patterns do not
/// scale).
QBrush hatchBrush(const QColor& color, qreal dpr);

} // namespace ui
