#pragma once

#include "ui/sampling/knob_table.h"
#include "ui/widgets/line_field.h"

namespace ui {

/// The number of a knob as text: 58x24, in mono. Decimals begin with a point or a comma, whatever
/// the locale. What can be read acts while it is typed; what cannot turns the outline `bad`, and
/// Enter or leaving the field then brings the value before it back. Esc takes back what was typed.
class NumberField : public LineField {
    Q_OBJECT
public:
    NumberField(const Theme& theme, const KnobSpec& spec, QWidget* parent = nullptr);

    double value() const { return m_value; }
    /// Shows a value; while the user is typing, only remembers it.
    void setValue(double value);

    QSize sizeHint() const override;

Q_SIGNALS:
    /// The user typed or stepped to another good value.
    void valueEdited(double value);

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void readText(const QString& text);
    void take(double value);
    void endTyping();
    void showValue();
    void step(double amount);

    const KnobSpec& m_spec;
    double m_value = 0;
    double m_before = 0; // it was typed over
    bool m_typing = false;
};

} // namespace ui
