#include "ui/sampling/knob_slider.h"

#include "ui/widgets/paint.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr double kHandle = 14; // diameter
constexpr int kHeight = 16;
constexpr int kPageSteps = 10;

} // namespace

KnobSlider::KnobSlider(const Theme& theme, const KnobSpec& spec, QWidget* parent)
    : QAbstractSlider(parent)
    , m_theme(theme)
    , m_spec(spec)
    , m_presetNumber(spec.minimum)
{
    const int unitsPerStep = spec.decimals > 0 ? 10 : 1;
    setRange(
        0, static_cast<int>(std::lround((spec.maximum - spec.minimum) / spec.step * unitsPerStep)));
    setSingleStep(unitsPerStep);
    setPageStep(kPageSteps * unitsPerStep);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(spec.label());
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize KnobSlider::sizeHint() const
{
    return {160, kHeight};
}

double KnobSlider::number() const
{
    const double scale = m_spec.step / (m_spec.decimals > 0 ? 10 : 1);
    // Whole multiples of a decimal step, without the dust of binary fractions.
    const double raw = m_spec.minimum + value() * scale;
    const double places = std::pow(10, m_spec.decimals + 1);
    return std::round(raw * places) / places;
}

void KnobSlider::setNumber(double number)
{
    const QSignalBlocker blocker(this);
    setValue(static_cast<int>(std::lround(fraction(number) * maximum())));
    update();
}

void KnobSlider::setPresetNumber(double number)
{
    m_presetNumber = number;
    update();
}

void KnobSlider::setLit(bool lit)
{
    if (m_lit == lit) return;
    m_lit = lit;
    update();
}

double KnobSlider::fraction(double number) const
{
    return std::clamp((number - m_spec.minimum) / (m_spec.maximum - m_spec.minimum), 0.0, 1.0);
}

void KnobSlider::moveBy(int units)
{
    const int before = value();
    setValue(value() + units);
    if (value() != before) Q_EMIT numberMoved(number());
}

void KnobSlider::moveTo(double x)
{
    const double share = std::clamp((x - kHandle / 2) / (width() - kHandle), 0.0, 1.0);
    const int step = singleStep();
    const int units = static_cast<int>(std::lround(share * maximum() / step)) * step;
    moveBy(std::min(units, maximum()) - value());
}

void KnobSlider::keyPressEvent(QKeyEvent* event)
{
    const int step =
        event->modifiers() & Qt::ShiftModifier ? std::max(1, singleStep() / 10) : singleStep();
    struct KeyRow {
        int key;
        int units;
    };
    const KeyRow rows[] = {
        {Qt::Key_Left, -step},      {Qt::Key_Down, -step},        {Qt::Key_Right, step},
        {Qt::Key_Up, step},         {Qt::Key_PageUp, pageStep()}, {Qt::Key_PageDown, -pageStep()},
        {Qt::Key_Home, -maximum()}, {Qt::Key_End, maximum()},
    };
    for (const KeyRow& row : rows)
        if (row.key == event->key()) {
            moveBy(row.units);
            return;
        }
    QAbstractSlider::keyPressEvent(event);
}

void KnobSlider::wheelEvent(QWheelEvent* event)
{
    if (!hasFocus()) {
        event->ignore(); // the panel scrolls
        return;
    }
    const int step =
        event->modifiers() & Qt::ShiftModifier ? std::max(1, singleStep() / 10) : singleStep();
    const int delta =
        event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (delta != 0) moveBy(delta > 0 ? step : -step);
    event->accept();
}

void KnobSlider::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) return;
    setSliderDown(true);
    moveTo(event->position().x());
    update();
}

void KnobSlider::mouseMoveEvent(QMouseEvent* event)
{
    if (isSliderDown()) moveTo(event->position().x());
}

void KnobSlider::mouseReleaseEvent(QMouseEvent*)
{
    setSliderDown(false);
    update();
}

void KnobSlider::mouseDoubleClickEvent(QMouseEvent*)
{
    Q_EMIT resetRequested();
}

void KnobSlider::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (!isEnabled()) painter.setOpacity(0.45);
    const QColor color = m_theme.color(m_lit ? m_spec.token : Token::Edge);
    const double middle = height() / 2.0;
    const auto centre = [this](double share) { return kHandle / 2 + share * (width() - kHandle); };
    const double x = centre(static_cast<double>(value()) / std::max(1, maximum()));

    fillRounded(painter, {0, middle - 2, double(width()), 4}, 2, m_theme.color(Token::Pressed));
    fillRounded(painter, {0, middle - 2, x, 4}, 2, color);
    if (m_presetNumber >= m_spec.minimum && m_presetNumber <= m_spec.maximum)
        fillRounded(painter, {centre(fraction(m_presetNumber)) - 1, middle - 5, 2, 10}, 1,
                    m_theme.color(Token::Text3));
    if (isSliderDown() || hasFocus()) {
        QColor halo = m_theme.color(m_spec.token);
        halo.setAlphaF(0.26F);
        fillRounded(painter, QRectF(x - 12, middle - 12, 24, 24), 12, halo);
    }
    drawRounded(painter, {x - kHandle / 2, middle - kHandle / 2, kHandle, kHandle}, kHandle / 2,
                m_theme.color(Token::Raised), color, 2);
}

} // namespace ui
