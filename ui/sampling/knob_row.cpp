#include "ui/sampling/knob_row.h"

#include "ui/sampling/knob_slider.h"
#include "ui/sampling/number_field.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QLocale>
#include <QVBoxLayout>

#include <cmath>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr int kSwatch = 8;
constexpr int kLeft = 16;
constexpr int kRight = 8;
constexpr int kSpacing = 6;

/// Hollow: as in the preset. Filled: changed, a click goes back.
class ResetDot : public QAbstractButton {
public:
    ResetDot(const Theme& theme, QWidget* parent)
        : QAbstractButton(parent)
        , m_theme(theme)
    {
        setCheckable(false);
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
        setFixedWidth(24);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
    }
    QSize sizeHint() const override { return {24, 24}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const QPointF middle(width() / 2.0, height() / 2.0);
        const QRectF dot(middle.x() - 4, middle.y() - 4, 8, 8);
        if (isEnabled()) {
            if (underMouse())
                fillRounded(painter, dot.adjusted(-5, -5, 5, 5), 9,
                            m_theme.color(Token::Text, 0.06));
            fillRounded(painter, dot, 4, m_theme.color(Token::Accent));
        } else {
            drawRounded(painter, dot, 4, Qt::transparent, m_theme.color(Token::Disabled), 1.5);
        }
    }

private:
    const Theme& m_theme;
};

} // namespace

KnobRow::KnobRow(const Theme& theme, const KnobSpec& spec, Shape shape, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_spec(spec)
    , m_name(new Label(theme, spec.label(), Theme::TextStyle::Ui, Token::Text, this))
    , m_caption(new Label(theme, {}, Theme::TextStyle::Micro, Token::Text3, this))
    , m_field(new NumberField(theme, spec, this))
    , m_reset(new ResetDot(theme, this))
{
    m_caption->setWeight(QFont::Medium);
    m_caption->setElided(true);
    m_caption->setTabular(true);
    m_reset->setAccessibleName(tr("Reset %1").arg(spec.label()));
    m_reset->setToolTip(m_reset->accessibleName());

    auto* line = new QHBoxLayout;
    line->setContentsMargins(shape == Shape::Slider ? kSwatch + kSpacing : 0, 0, 0, 0);
    line->addWidget(m_name);
    line->addWidget(m_caption, 1);
    line->addWidget(m_field);
    line->addWidget(m_reset);
    line->setSpacing(kSpacing);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kLeft, 0, kRight, 6);
    column->setSpacing(1);
    column->addLayout(line);
    if (shape == Shape::Slider) {
        m_slider = new KnobSlider(theme, spec, this);
        auto* sliderLine = new QHBoxLayout;
        sliderLine->setContentsMargins(0, 0, 8, 0);
        sliderLine->addWidget(m_slider);
        column->addLayout(sliderLine);
        connect(m_slider, &KnobSlider::numberMoved, this, &KnobRow::edit);
        connect(m_slider, &KnobSlider::resetRequested, this, [this] { edit(m_presetValue); });
    }
    connect(m_field, &NumberField::valueEdited, this, &KnobRow::edit);
    connect(m_reset, &QAbstractButton::clicked, this, [this] { edit(m_presetValue); });
    updateReset();
}

// A field that loses the focus as it goes speaks once more.
KnobRow::~KnobRow()
{
    m_field->disconnect(this);
}

double KnobRow::value() const
{
    return m_field->value();
}

QString KnobRow::caption() const
{
    return m_effect.caption;
}

int KnobRow::widthForWords() const
{
    const QString usual = tr("cuts %1 %").arg(QLocale().toString(88.8, 'f', 1));
    int width = kLeft + kRight + (m_slider != nullptr ? kSwatch + kSpacing : 0) + 3 * kSpacing +
                m_caption->fontMetrics().horizontalAdvance(usual) + 1;
    for (const QWidget* part : std::initializer_list<const QWidget*>{m_name, m_field, m_reset})
        width += part->sizeHint().width();
    return width;
}

void KnobRow::setValue(double value)
{
    m_field->setValue(value);
    if (m_slider) m_slider->setNumber(value);
    updateReset();
    updateDescription();
}

void KnobRow::setPresetValue(double value)
{
    m_presetValue = value;
    if (m_slider) m_slider->setPresetNumber(value);
    updateReset();
}

void KnobRow::setEffect(const KnobEffect& effect)
{
    m_effect = effect;
    if (m_caption->text() != effect.caption) m_caption->setText(effect.caption);
    m_caption->setToken(effect.acts ? m_spec.token : Token::Text3);
    if (m_slider) m_slider->setLit(effect.acts);
    updateDescription();
    update();
}

void KnobRow::edit(double value)
{
    setValue(value);
    Q_EMIT valueEdited(value);
}

void KnobRow::updateReset()
{
    m_reset->setEnabled(std::abs(value() - m_presetValue) > 1e-6);
}

void KnobRow::updateDescription()
{
    if (m_slider == nullptr) return;
    const QString text = m_spec.format(value());
    m_slider->setAccessibleDescription(
        m_effect.caption.isEmpty() ? text : text % QStringLiteral(", ") % m_effect.caption);
}

void KnobRow::paintEvent(QPaintEvent*)
{
    if (m_slider == nullptr) return;
    QPainter painter(this);
    const QRectF swatch(kLeft, m_name->geometry().center().y() - kSwatch / 2.0 + 0.5, kSwatch,
                        kSwatch);
    const QColor line = m_theme.color(m_effect.acts ? m_spec.token : Token::Edge);
    drawRounded(painter, swatch, 2, m_effect.acts ? line : QColor(Qt::transparent), line, 1.5);
}

} // namespace ui
