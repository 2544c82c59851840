#pragma once

#include "ui/theme/theme.h"

#include <QProxyStyle>

namespace ui {

/// Rounded popups with a shadow need per-pixel transparency, which X11 has only with a compositor
/// running.
bool hasTranslucentPopups();

/// Fusion with the design's buttons, fields, combos, scroll bars, menus and focus rings, all drawn
/// from a Theme, which must outlive it.
class NookStyle : public QProxyStyle {
    Q_OBJECT
public:
    explicit NookStyle(const Theme& theme);

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                            QPainter* painter, const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                         SubControl subControl, const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                           const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option,
                    const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* result) const override;
    void polish(QWidget* widget) override;
    using QProxyStyle::polish;

private:
    void drawField(const QStyleOption& option, QPainter& painter, const QWidget* widget) const;
    void drawFocusFrame(const QStyleOption& option, QPainter& painter) const;
    void drawPushButton(const QStyleOption& option, QPainter& painter) const;
    void drawComboLabel(const QStyleOption& option, QPainter& painter) const;
    void drawMenuItem(const QStyleOption& option, QPainter& painter, const QWidget* widget) const;
    void drawComboBox(const QStyleOption& option, QPainter& painter, const QWidget* widget) const;
    void drawScrollBar(const QStyleOptionComplex& option, QPainter& painter,
                       const QWidget* widget) const;
    void drawIndicator(PrimitiveElement element, const QStyleOption& option,
                       QPainter& painter) const;

    const Theme& m_theme;
};

} // namespace ui
