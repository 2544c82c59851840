#pragma once

#include "app/inference/generation_types.h"
#include "app/settings/settings_keys.h"
#include "ui/theme/theme.h"

#include <QWidget>

class QComboBox;
class QHBoxLayout;

namespace ui {

class Label;

/// In the model picker: how long the context is, what memory that takes, and what is done in every
/// chat that fills it.
class ContextSection : public QWidget {
    Q_OBJECT
public:
    explicit ContextSection(const Theme& theme, QWidget* parent = nullptr);

    /// `length`: the setting, 0 where the program chooses.
    void setContext(const app::LoadedModel& model, int length, app::ContextStep step);
    QComboBox* lengths() const { return m_lengths; }
    QComboBox* steps() const { return m_steps; }

Q_SIGNALS:
    void lengthChosen(int tokens);
    void stepChosen(app::ContextStep step);

private:
    QHBoxLayout* row(const QString& name, QComboBox* box);
    void showBytes();

    const Theme& m_theme;
    QComboBox* m_lengths;
    QComboBox* m_steps;
    Label* m_bytes;
    app::LoadedModel m_model;
};

} // namespace ui
