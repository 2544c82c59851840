#pragma once

#include "app/inference/generation_types.h"
#include "ui/theme/theme.h"

#include <QList>
#include <QWidget>

class QAbstractButton;
class QVBoxLayout;

namespace ui {

class KnobRow;
enum class Knob : quint8;
class SeedRow;
class StopStringsRow;

/// The knobs few people need, folded away under one line.
class AdvancedSection : public QWidget {
    Q_OBJECT
public:
    explicit AdvancedSection(const Theme& theme, QWidget* parent = nullptr);

    bool isOpen() const;
    void setOpen(bool open);
    QAbstractButton* disclosure() const { return m_disclosure; }
    const QList<KnobRow*>& rows() const { return m_rows; }
    SeedRow* seedRow() const { return m_seed; }
    StopStringsRow* stopStringsRow() const { return m_stops; }

private:
    void addHeading(const QString& text);
    void addKnob(Knob knob, bool slider);

    const Theme& m_theme;
    QAbstractButton* m_disclosure;
    QWidget* m_body;
    QVBoxLayout* m_lines;
    QList<KnobRow*> m_rows;
    SeedRow* m_seed = nullptr;
    StopStringsRow* m_stops = nullptr;
};

} // namespace ui
