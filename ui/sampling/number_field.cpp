#include "ui/sampling/number_field.h"

#include <QKeyEvent>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace ui {

namespace {

// Reads a number as the user's locale or the C locale writes it. Where there may be decimals, a
// single comma or point begins them: no such knob goes to the thousands, where it could part
// groups.
std::optional<double> readNumber(QString text, bool decimals)
{
    bool good = false;
    double value = 0;
    text.replace(QChar(0x2212), QLatin1Char('-')); // the minus sign some locales write
    const qsizetype marks = text.count(QLatin1Char(',')) + text.count(QLatin1Char('.'));
    if (decimals && marks == 1)
        value =
            QLocale::c().toDouble(QString(text).replace(QLatin1Char(','), QLatin1Char('.')), &good);
    if (!good) value = QLocale().toDouble(text, &good);
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
        endTyping();
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
    // Set by another hand meanwhile, not the field's own number come back as a float.
    if (std::abs(value - m_value) > 1e-5) m_before = value;
    m_value = value;
    if (!m_typing) showValue();
}

void NumberField::take(double value)
{
    if (value == m_value) return;
    m_value = value;
    Q_EMIT valueEdited(m_value);
}

// What was wrong in the end took effect on its way ("7" of "7.5"): it is taken back.
void NumberField::endTyping()
{
    if (std::exchange(m_typing, false) && isWrong()) take(m_before);
    showValue();
}

void NumberField::showValue()
{
    setWrong(false);
    const QString text = m_spec.format(m_value);
    if (text != this->text()) setText(text);
}

void NumberField::readText(const QString& text)
{
    if (!std::exchange(m_typing, true)) m_before = m_value;
    const QString word = text.trimmed();
    std::optional<double> value = readNumber(word, m_spec.decimals > 0);
    if (m_spec.offText != nullptr && (word.isEmpty() || word == m_spec.format(m_spec.off)))
        value = m_spec.off;
    const bool good = value && *value >= m_spec.least && *value <= m_spec.most &&
                      (m_spec.decimals > 0 || *value == std::floor(*value));
    setWrong(!good);
    if (good) take(*value);
}

void NumberField::step(double amount)
{
    endTyping();
    take(std::clamp(m_value + amount, m_spec.least, m_spec.most));
    showValue();
}

// While something is typed Esc is the field's before it is the window's.
bool NumberField::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && m_typing &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return LineField::event(event);
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
        take(m_before);
        endTyping();
        return;
    default:
        break;
    }
    LineField::keyPressEvent(event);
}

void NumberField::focusOutEvent(QFocusEvent* event)
{
    endTyping();
    LineField::focusOutEvent(event);
}

} // namespace ui
