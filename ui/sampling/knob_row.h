#pragma once

#include "ui/sampling/knob_table.h"

#include <QWidget>

class QAbstractButton;

namespace ui {

class KnobSlider;
class Label;
class NumberField;

/// One knob: swatch, name, what it does here, number field, reset dot, and the slider below.
class KnobRow : public QWidget {
    Q_OBJECT
public:
    enum class Shape : quint8 { Slider, FieldOnly };

    KnobRow(const Theme& theme, const KnobSpec& spec, Shape shape = Shape::Slider,
            QWidget* parent = nullptr);
    ~KnobRow() override;

    const KnobSpec& spec() const { return m_spec; }
    double value() const;
    void setValue(double value);
    void setPresetValue(double value);
    void setEffect(const KnobEffect& effect);

    NumberField* field() const { return m_field; }
    KnobSlider* slider() const { return m_slider; } ///< null for FieldOnly
    QAbstractButton* resetButton() const { return m_reset; }
    QString caption() const;
    /// Of the name, a caption of the usual length and the field, px.
    int widthForWords() const;

Q_SIGNALS:
    void valueEdited(double value);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void edit(double value);
    void updateReset();
    void updateDescription();

    const Theme& m_theme;
    const KnobSpec& m_spec;
    KnobEffect m_effect;
    double m_presetValue = 0;
    Label* m_name;
    Label* m_caption;
    NumberField* m_field;
    QAbstractButton* m_reset;
    KnobSlider* m_slider = nullptr;
};

} // namespace ui
