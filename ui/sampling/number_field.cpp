#include "ui/sampling/number_field.h"

#include <QKeyEvent>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ui {

namespace {

// Reads a number as the user's locale or the C locale writes it.
std::optional<double> readNumber(const QString& text)
{
    bool good = false;
    double value = QLocale().toDouble(text, &good);
    if (!good) value = QLocale::c().toDouble(text, &good);
    if (!good || !std::isfinite(value)) return std::nullopt;
    return value;
}

} // namespace

NumberField::NumberField(const Theme& theme, const KnobSpec& spec, QWidget* parent)
    : LineField(theme, parent)
    , m_spec(spec)
{
    setTextStyle(Theme::TextStyle::Mono);
    setControlHeight(24);
    setAlignment(Qt::AlignRight);
    setPadding(4, 6);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(spec.label());
    connect(this, &QLineEdit::textEdited, this, &NumberField::readText);
    connect(this, &QLineEdit::returnPressed, this, [this] {
        m_typing = false;
        showValue();
        selectAll();
    });
}

QSize NumberField::sizeHint() const
{
    const QString widest =
        m_spec.offText != nullptr ? m_spec.format(m_spec.off) : QStringLiteral("0.000");
    const int text = fontMetrics().horizontalAdvance(widest);
    return {std::max(58, text + 22), LineField::sizeHint().height()};
}

void NumberField::setValue(double value)
{
    m_value = value;
    if (!m_typing) showValue();
}

void NumberField::showValue()
{
    setWrong(false);
    const QString text = m_spec.format(m_value);
    if (text != this->text()) setText(text);
}

void NumberField::readText(const QString& text)
{
    m_typing = true;
    const QString word = text.trimmed();
    std::optional<double> value = readNumber(word);
    if (m_spec.offText != nullptr && (word.isEmpty() || word == m_spec.format(m_spec.off)))
        value = m_spec.off;
    const bool good = value && *value >= m_spec.least && *value <= m_spec.most &&
                      (m_spec.decimals > 0 || *value == std::floor(*value));
    setWrong(!good);
    if (!good || *value == m_value) return;
    m_value = *value;
    Q_EMIT valueEdited(m_value);
}

void NumberField::step(double amount)
{
    m_typing = false;
    const double next = std::clamp(m_value + amount, m_spec.least, m_spec.most);
    if (next != m_value) {
        m_value = next;
        Q_EMIT valueEdited(m_value);
    }
    showValue();
}

void NumberField::keyPressEvent(QKeyEvent* event)
{
    const bool fine = event->modifiers() & Qt::ShiftModifier && m_spec.decimals > 0;
    const double amount = fine ? m_spec.step / 10 : m_spec.step;
    switch (event->key()) {
    case Qt::Key_Up:
        step(amount);
        return;
    case Qt::Key_Down:
        step(-amount);
        return;
    case Qt::Key_Escape:
        if (!m_typing) break;
        m_typing = false;
        showValue();
        return;
    default:
        break;
    }
    LineField::keyPressEvent(event);
}

void NumberField::focusOutEvent(QFocusEvent* event)
{
    m_typing = false;
    showValue();
    LineField::focusOutEvent(event);
}

} // namespace ui
