#pragma once

#include "ui/sampling/knob_table.h"

#include <QAbstractSlider>

namespace ui {

/// The slider of a knob: groove, fill to the handle, a tick at the preset's value. Its integer
/// value counts tenths of the knob's step (whole steps for whole numbers). The wheel works only
/// with focus.
class KnobSlider : public QAbstractSlider {
    Q_OBJECT
public:
    KnobSlider(const Theme& theme, const KnobSpec& spec, QWidget* parent = nullptr);

    double number() const;
    /// Shows a number; one beyond the slider stands at its end.
    void setNumber(double number);
    void setPresetNumber(double number);
    /// In its own colour instead of grey.
    void setLit(bool lit);

    QSize sizeHint() const override;

Q_SIGNALS:
    void numberMoved(double number);
    void resetRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    double fraction(double number) const;
    void moveTo(double x);
    void moveBy(int units);

    const Theme& m_theme;
    const KnobSpec& m_spec;
    double m_presetNumber;
    bool m_lit = false;
};

} // namespace ui
